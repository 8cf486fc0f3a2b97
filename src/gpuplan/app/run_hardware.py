"""The cards of a measured run: every variant that the name can mean, a memory size alone, or nothing at all.

Time is told for the slowest variant, memory is compared with each of them.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from gpuplan.app.assume import Openings
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.links import pcie_link
from gpuplan.data.machines import generic_fabric, own_machine, with_fabric
from gpuplan.data.names import find_chip, memory_class, stated_memory
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.facts.measured import MeasuredRun
from gpuplan.model.hardware import Hardware
from gpuplan.question.note import note
from gpuplan.units import GB, GBIT

USUAL_NODE: Final = 8
BOARD: Final = 4
"""GPUs from which a node is taken for a board with its own links, where the form factor is not stated."""
BOARD_MEMORY: Final = 120e9
"""Memory above which a card of unstated form is a board (no PCIe card had more by 2026, but one with NVLink pairs)."""
LARGEST_NODE: Final = 72
"""GPUs that one link domain joins at most (NVL72); more in a node than that is taken as that."""
RACK: Final = ("GB200", "GB300")
"""Chips that stand in trays of four inside a rack of 72."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """What is known of the cards; `chips` is empty where only a memory size or nothing is stated."""

    chips: tuple[Chip, ...]
    capacities: tuple[float, ...]
    """Usable bytes of each variant, or of the stated size."""
    bf16: bool
    fp8: bool
    fp4: bool
    per_node: float

    @property
    def memory_bytes(self) -> float | None:
        """Usable bytes of the smallest variant."""
        return min(self.capacities, default=None)


def cards_of(run: MeasuredRun, opens: Openings, catalogue: Catalogue) -> Cards:
    """The cards that a row names."""
    name = run.hardware.get("gpu")
    named = find_chip(name, catalogue.chips)
    chips = _of_node(run, named)
    if not chips:
        size = memory_class(name) or stated_memory(name)
        known = () if size is None else (size,)
        why = note("run.source.no_card")
        if name:
            why = note("run.source.unknown_card" if size is None else "run.source.by_memory", name=repr(name))
        effect = note("run.effect.time" if size is not None else "run.effect.verdict_time")
        opens.note("hardware.gpu", "none", source=why, effect=effect)
        return Cards(chips=(), capacities=known, bf16=True, fp8=False, fp4=False, per_node=float(USUAL_NODE))
    first = chips[0]
    if len(chips) > 1:
        others = ", ".join(chip.id for chip in chips[1:])
        opens.note(
            "hardware.gpu",
            first.id,
            source=note("run.source.slowest", others=others),
            effect=note("run.effect.verdict_time"),
        )
    elif first.confidence == "low" or "@" in first.id:
        opens.note(
            "hardware.gpu", first.id, source=note("run.source.near_card"), effect=note("run.effect.verdict_time")
        )
    return Cards(
        chips=chips,
        capacities=(first.memory_bytes, *sorted({chip.memory_bytes for chip in named} - {first.memory_bytes})),
        bf16=all(chip.bf16 for chip in chips), fp8=first.supports("fp8"), fp4=first.supports("fp4"),
        per_node=4.0 if first.id.startswith(RACK) else float(USUAL_NODE),
    )  # fmt: skip


def _of_node(run: MeasuredRun, chips: tuple[Chip, ...]) -> tuple[Chip, ...]:
    """Variants that can stand in the stated node: PCIe cards where stated, boards where four or more share one.

    A name that leaves the form open means the board then: four PCIe cards are bought by their full name.
    """
    intra = str(run.hardware.get("intra") or "").lower()
    many = max(run.hardware.get("gpus_per_node") or 0, run.hardware.get("n_gpus") or 0, _split(run)) >= BOARD
    cards = tuple(chip for chip in chips if (chip.form_factor or "").startswith("PCIe"))
    boards = tuple(chip for chip in chips if chip not in cards)
    if intra == "pcie":
        return cards or chips
    return boards or chips if many or intra else chips


def _split(run: MeasuredRun) -> float:
    """GPUs that the stated degrees need at least."""
    return math.prod(float(run.parallel.get(name) or 1) for name in ("dp", "tp", "pp", "cp"))


def hardware_of(
    run: MeasuredRun, opens: Openings, cards: Cards, catalogue: Catalogue, *, n_gpus: float, per_node: float
) -> Hardware:
    """The machine of the slowest variant, with links as stated, else as the chip's usual node has them."""
    chip = cards.chips[0]
    per_node = min(max(int(per_node), 1), LARGEST_NODE)
    machine = own_machine(chip, per_node)
    intra = str(run.hardware.get("intra") or "").lower()
    if intra == "pcie":
        link = pcie_link(chip, per_node)
        machine = replace(machine, link_kind=link.kind, link_bytes_per_s=link.bytes_per_s,
                          link_domain_gpus=link.domain_gpus)  # fmt: skip
    elif _lacks_link(chip, intra):
        machine = _borrowed_link(opens, machine, catalogue.chips[chip.donor])
    if chip.id.startswith(RACK) and intra != "pcie":
        machine = replace(machine, link_domain_gpus=72)
    machine = _with_network(run, opens, machine, n_gpus=n_gpus)
    donor = catalogue.chips.get(chip.donor, chip)
    return Hardware(
        machine=machine, donor=donor, kernels=catalogue.kernels(chip), efficiency=catalogue.efficiency
    )  # fmt: skip


def _lacks_link(chip: Chip, intra: str) -> bool:
    """True for a board whose link nobody states, and for any card where a link is stated and the chip has none."""
    if chip.link_bytes_per_s is not None:
        return False
    unstated = "board" if chip.memory_bytes > BOARD_MEMORY else "PCIe"
    board = not (chip.form_factor or unstated).startswith("PCIe")
    return board or intra in ("nvlink", "xgmi", "hccs")


def _borrowed_link(opens: Openings, machine: Machine, donor: Chip) -> Machine:
    rate = donor.link_bytes_per_s
    if rate is None or machine.n_gpus == 1:
        return machine
    opens.note("hardware.intra", f"{rate / GB:.3g} GB/s", source=note("run.source.link_of", chip=donor.id),
               effect=note("run.effect.time_inside_a_node"))  # fmt: skip
    return replace(machine, link_kind=donor.link_kind, link_bytes_per_s=rate, link_domain_gpus=machine.n_gpus)


def _with_network(run: MeasuredRun, opens: Openings, machine: Machine, *, n_gpus: float) -> Machine:
    stated = run.hardware.get("inter_gbps_per_gpu")
    if stated is not None:
        return with_fabric(machine, stated * GBIT, fabric="stated", rdma=stated >= 100)
    rate, fabric, source = generic_fabric(machine.chip)
    if n_gpus > machine.n_gpus:
        opens.note(
            "hardware.inter_gbps_per_gpu",
            f"{rate / GBIT:.3g}",
            source=source,
            effect=note("run.effect.time_between_nodes"),
        )
    return with_fabric(machine, rate, fabric=fabric, rdma=True)

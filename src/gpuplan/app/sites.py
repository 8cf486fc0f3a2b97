"""Where a job could run: offers that may be ranked and own hardware, grouped into machine shapes for the search."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from gpuplan.advice.words import fabric_words
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.costs import fx_rate
from gpuplan.data.fleet import split_fleet
from gpuplan.data.machines import assumed_fabric, is_rdma, own_machine, with_fabric
from gpuplan.data.names import is_apple, resolve_chip
from gpuplan.data.offers import may_rank, price_usd_per_hour
from gpuplan.data.providers import nearest_region, region_matches, resolve_clouds
from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.facts.offer import Offer
from gpuplan.model.estimate import Hardware
from gpuplan.question.defaults import assumed
from gpuplan.question.figures import Assumed
from gpuplan.question.note import note
from gpuplan.question.parse import CURRENCIES, shown
from gpuplan.question.question import Question
from gpuplan.search.find import Site
from gpuplan.units import GBIT

NODES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
TORCH_VENDORS: Final = frozenset({"nvidia", "amd", "huawei", "intel"})
"""Chips that the PyTorch trainers run on; TPUs and Trainium need trainers of their own (jax, neuron)."""
OWN: Final = "own"
EXAMPLES: Final = 3
"""Sizes named for each reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Sites to search, the offers behind them, and what was left out, by reason."""

    sites: tuple[Site, ...]
    offers: tuple[Offer, ...]
    providers: tuple[str, ...]
    left_out: Counter[str]
    examples: Mapping[str, tuple[str, ...]]
    """Sizes among those left out, by reason."""
    assumed: tuple[Assumed, ...]
    rates: Mapping[str, float]
    """USD for one unit of a currency."""
    rate_dates: Mapping[str, str]


def hardware_of(machine: Machine, catalogue: Catalogue) -> Hardware:
    """A machine with kernels and factors."""
    chip = machine.chip
    return Hardware(
        machine=machine,
        donor=catalogue.chips[chip.donor],
        kernels=catalogue.kernels(chip),
        efficiency=catalogue.efficiency,
    )


def places_of(question: Question, catalogue: Catalogue, *, can_resume: bool, low: bool = False) -> Places:
    """Sites of a question; `low` admits offers of low confidence."""
    dated = {currency: fx_rate(catalogue.costs, currency) for currency in CURRENCIES}
    rates = {currency: rate for currency, (rate, _, _) in dated.items()}
    left_out: dict[str, list[str]] = {}
    offers: list[Offer] = []
    if question.own is None or question.cloud is not None:
        offers += _rentable(question, catalogue, can_resume=can_resume, low=low, left_out=left_out)
    own, own_nodes, notes = _own(question, catalogue)
    offers = [*own, *offers]
    providers = tuple(dict.fromkeys(offer.provider for offer in offers))
    shapes: dict[tuple[object, ...], list[int]] = {}
    for index, offer in enumerate(offers):
        shapes.setdefault((index if index < len(own) else -1, *_shape(offer.machine)), []).append(index)
    rented = tuple(n for n in NODES if n <= (question.nodes_max or NODES[-1]))
    sites = tuple(
        _site(
            members, offers, catalogue, rates=rates, providers=providers, precision=question.precision,
            nodes=(own_nodes[members[0]],) if members[0] < len(own) else rented,
        )
        for members in shapes.values()
    )  # fmt: skip
    return Places(
        sites=sites, offers=tuple(offers), providers=providers, assumed=notes, rates=rates,
        left_out=Counter({reason: len(names) for reason, names in left_out.items()}),
        examples={reason: tuple(dict.fromkeys(names))[:EXAMPLES] for reason, names in left_out.items()},
        rate_dates={currency: date for currency, (_, date, _) in dated.items()},
    )  # fmt: skip


def own_fleet(
    text: str, count: int, *, nodes: int, catalogue: Catalogue, field: str
) -> tuple[tuple[Chip, ...], int, int]:
    """Variants of the chip (slowest first), nodes and GPUs of a node of own or checked hardware."""
    if is_apple(text):
        raise QuestionError("question.apple", field=field, value=shown(text))
    chips = resolve_chip(text, catalogue.chips)
    if nodes == 1:
        nodes, count = split_fleet(chips[0], count)
    return chips, nodes, count


def node_machine(chip: Chip, count: int, nodes: int) -> tuple[Machine, tuple[Assumed, ...]]:
    """An own node; with several, the commonest fabric of that chip is assumed and named."""
    machine = own_machine(chip, count)
    if nodes == 1:
        return machine, ()
    rate, fabric, source = assumed_fabric(chip)
    value = note("value.fabric", fabric=fabric_words(fabric), rate=rate / GBIT)
    return with_fabric(machine, rate, fabric=fabric, rdma=is_rdma(fabric)), (assumed("fabric", value, source),)


def runs_torch(chip: Chip, framework: str) -> bool:
    """True where the framework's stack exists for the chip."""
    return chip.vendor in TORCH_VENDORS or (chip.vendor == "google" and framework in ("jax", "maxtext"))


def is_computable(chip: Chip) -> bool:
    """True where the rates that a step needs are stated."""
    return bool({"bf16", "fp16"} & set(chip.peak_flops))


def _rentable(
    question: Question, catalogue: Catalogue, *, can_resume: bool, low: bool, left_out: dict[str, list[str]]
) -> list[Offer]:
    """Offers that the question allows; others are listed under the reason that shuts them out."""
    clouds, regions = resolve_clouds(question.clouds), question.regions
    for text in regions:
        if not any(region_matches(offer, text) for offer in catalogue.offers):
            near = nearest_region(text, catalogue.offers)
            raise QuestionError("question.unknown_region", field="region", value=shown(text), near=near)
    kept = []
    for offer in catalogue.offers:
        if (clouds is not None and offer.provider not in clouds) or (
            regions and not any(region_matches(offer, text) for text in regions)
        ):
            continue
        reason = _shut_out(offer, question, can_resume=can_resume, low=low)
        if reason is None:
            kept.append(offer)
        else:
            left_out.setdefault(reason, []).append(f"{offer.instance_type} ({offer.provider})")
    return kept


def _shut_out(offer: Offer, question: Question, *, can_resume: bool, low: bool) -> str | None:
    """Why an offer cannot compete; None where it can."""
    chip = offer.machine.chip
    if offer.price_per_hour is None:
        return "price"
    if not may_rank(offer, low=low):
        return "confidence" if may_rank(offer, low=True) else "kind"
    if offer.is_spot and (question.spot is False or not can_resume):
        return "spot"
    if question.spot is True and not offer.is_spot:
        return "on_demand"
    if not is_computable(chip) or not runs_torch(chip, question.framework or ""):
        return "framework"
    if question.precision in ("fp8", "fp4") and not chip.supports(question.precision):
        return "precision"
    return None


def _own(question: Question, catalogue: Catalogue) -> tuple[list[Offer], list[float], tuple[Assumed, ...]]:
    """Own hardware as offers without a price, with its nodes; of an ambiguous chip the slowest variant, named."""
    offers: list[Offer] = []
    fleet: list[float] = []
    notes: list[Assumed] = []
    for nodes, count, text in question.own_gpus:
        chips, nodes, count = own_fleet(text, count, nodes=nodes, catalogue=catalogue, field="own")
        machine, fabric = node_machine(chips[0], count, nodes)
        notes += fabric
        if len(chips) > 1:
            notes.append(variant_note(chips))
        fleet.append(float(nodes))
        offers.append(
            Offer(
                provider=OWN, instance_type=f"{count}x{chips[0].id}", region=None, machine=machine, price_per_hour=None,
                currency="USD", price_kind="own", is_spot=False, source="the question", source_date=None,
                confidence="high", chip_is_assumed=len(chips) > 1,
            )
        )  # fmt: skip
    return offers, fleet, tuple(notes)


def variant_note(chips: Sequence[Chip]) -> Assumed:
    """Of several variants the slowest was taken."""
    others = ", ".join(chip.id for chip in chips[1:])
    return assumed("chip", chips[0].id, note("source.chip", others=others))


def _shape(machine: Machine) -> tuple[object, ...]:
    return (
        machine.chip.id, machine.n_gpus, machine.link_kind, machine.link_bytes_per_s, machine.link_domain_gpus,
        machine.nic_bytes_per_s_per_gpu, machine.rdma,
    )  # fmt: skip


def _site(
    members: Sequence[int],
    offers: Sequence[Offer],
    catalogue: Catalogue,
    *,
    rates: Mapping[str, float],
    providers: Sequence[str],
    precision: str | None,
    nodes: Sequence[float],
) -> Site:
    """One machine shape; its host memory is the most that any of its offers has."""
    chosen = [offers[index] for index in members]
    hosts = np.array([np.nan if o.machine.host_bytes is None else o.machine.host_bytes for o in chosen])
    most = None if np.all(np.isnan(hosts)) else float(np.nanmax(hosts))
    machine = replace(chosen[0].machine, host_bytes=most)
    place = {provider: index for index, provider in enumerate(providers)}
    chip = machine.chip
    dtypes = ("bf16", "fp16", *((precision,) if precision in ("fp8", "fp4") else ()))
    peaks = [chip.peak_flops[dtype] for dtype in dtypes if dtype in chip.peak_flops]
    return Site(
        hardware=hardware_of(machine, catalogue),
        nodes=np.array(nodes),
        bf16=chip.bf16,
        peak_flops=max(peaks) if peaks else 1.0,
        offer=np.array(members, dtype=np.intp),
        provider=np.array([place[offer.provider] for offer in chosen], dtype=np.intp),
        price_per_hour=np.array([price_usd_per_hour(offer, rates) or 0.0 for offer in chosen]),
        is_spot=np.array([offer.is_spot for offer in chosen], dtype=bool),
        host_bytes=hosts,
    )

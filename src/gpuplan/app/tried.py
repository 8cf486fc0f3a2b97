"""A job tried on given hardware: the best legal layout there, and whether it fits.

What the question does not state is chosen: of all legal layouts the fastest that fits for sure, else the one
that needs least.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from gpuplan.app.describe import Detail, detail_of, needed_of, seconds_of
from gpuplan.app.hints import likely_faster, mostly_waiting
from gpuplan.app.question_to_job import Understood, understand
from gpuplan.app.sites import hardware_of, node_machine, own_fleet
from gpuplan.app.states import states_of
from gpuplan.data.catalogue import Catalogue
from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.model.estimate import Hardware
from gpuplan.model.verdict import FITS, fits_probability, verdict
from gpuplan.question.defaults import assumed, default_precision
from gpuplan.question.figures import Assumed
from gpuplan.question.layout import at
from gpuplan.question.note import Note, note
from gpuplan.question.question import Question
from gpuplan.search.candidates import Fleet, column, take
from gpuplan.search.find import Pool, pools_of, time_of
from gpuplan.search.prune import fits_host, worth_timing

DAYS_A_YEAR: Final = 365.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A job on hardware: the layout that was chosen for it, and whether it fits."""

    understood: Understood
    machine: Machine
    nodes: int
    detail: Detail | None
    """None where no layout is legal."""
    probability: float
    host_fits: bool | None
    assumed: tuple[Assumed, ...]
    hints: tuple[Note, ...] = ()
    """What would be much faster on the same cards, and what the cards wait for."""

    @property
    def word(self) -> str:
        """fits, does_not_fit or unsure."""
        if self.detail is None or self.host_fits is False:
            return "does_not_fit"
        return verdict(self.probability)


def variants_on(question: Question, catalogue: Catalogue) -> list[tuple[Chip, int, int]]:
    """Every variant of the chip that the question names, with nodes and GPUs of a node; the slowest first."""
    if question.on_gpus is None:
        raise QuestionError("question.no_hardware")
    nodes, count, text = question.on_gpus
    chips, nodes, count = own_fleet(text, count, nodes=nodes, catalogue=catalogue, field="on")
    return [(chip, nodes, count) for chip in chips]


def try_on(question: Question, catalogue: Catalogue, *, chip: Chip, nodes: int, count: int, today: date) -> Tried:
    """The question's job on `nodes` of `count` chips: the best layout, and whether it fits."""
    year = today.year + today.timetuple().tm_yday / DAYS_A_YEAR
    understood = understand(question, catalogue, year=year, n_gpus=float(nodes * count))
    machine, notes = node_machine(chip, count, nodes)
    pools = pools_for(understood, chip, nodes=nodes, count=count)
    hardware = hardware_of(machine, catalogue)
    place = choose(pools, understood, hardware)
    extra = (
        [*notes, assumed("precision", pools[0].variant.job.precision, default_precision(chip.bf16)[1].notes["source"])]
        if pools
        else list(notes)
    )
    if place is None:
        return Tried(understood=understood, machine=machine, nodes=nodes, detail=None, probability=0.0, host_fits=None,
                     assumed=tuple(extra))  # fmt: skip
    pool, row = pools[place[0]], place[1]
    detail = detail_of(understood, pool.variant.job, at(pool.candidates.layout, row), hardware)
    if question.framework is None and not understood.method.adapts:
        extra.append(states_of(pool.variant.job))
    if not pool.variant.fixed:
        extra.append(assumed("layout", note("value.searched"), note("source.layout.smallest")))
    return Tried(
        understood=understood,
        machine=machine,
        nodes=nodes,
        detail=detail,
        probability=detail.fits_probability,
        host_fits=None if machine.host_bytes is None else _host_fits(detail, machine.host_bytes),
        assumed=tuple(one for one in extra if one.field != "precision" or question.precision is None),
        hints=(*mostly_waiting(detail), *likely_faster(understood, pools, detail)),
    )


def pools_for(understood: Understood, chip: Chip, *, nodes: int, count: int) -> list[Pool]:
    """Legal layouts of the job on exactly these GPUs, with their memory."""
    fleet = Fleet(gpus_per_node=np.array([float(count)]), nodes=np.array([float(nodes)]))
    return pools_of(fleet, understood.variants[chip.bf16], understood.global_batch, needed_of=needed_of)


def choose(pools: Sequence[Pool], understood: Understood, hardware: Hardware) -> tuple[int, int] | None:
    """Pool and row of the fastest layout that fits for sure, else of the one that needs least."""
    best: tuple[float, int, int] | None = None
    least: tuple[float, int, int] | None = None
    capacity = hardware.machine.chip.memory_bytes
    for index, pool in enumerate(pools):
        layout = pool.candidates.layout
        allowed = fits_host(pool.memory.host_bytes_per_node, hardware.machine.host_bytes, layout.offload)
        if "offload" in pool.variant.fixed:
            allowed = np.ones(len(pool.candidates), dtype=bool)
        if not np.any(allowed):
            continue
        chance = np.broadcast_to(fits_probability(pool.needed, capacity), allowed.shape)
        rows = worth_timing(layout, allowed & (chance >= FITS - 1e-6))
        if rows.size:
            found = time_of(pool, take(layout, rows), hardware, data=understood.data, seconds_of=seconds_of)
            seconds = np.asarray(found.typical)
            place = int(np.argmin(seconds))
            best = min(best or (np.inf, 0, 0), (float(seconds[place]), index, int(rows[place])))
        size = np.where(allowed, np.broadcast_to(pool.needed.typical, allowed.shape), np.inf)
        row = int(np.lexsort((column(layout, "recompute"), size))[0])
        least = min(least or (np.inf, 0, 0), (float(size[row]), index, row))
    chosen = best or least
    return None if chosen is None else chosen[1:]


def _host_fits(detail: Detail, host_bytes: float) -> bool:
    return bool(fits_host(detail.memory.host_bytes_per_node, host_bytes, detail.layout.offload))

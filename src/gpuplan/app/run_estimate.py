"""One row estimated: every scenario at once, put together into ranges, parts and a verdict.

    P(x <= q) = sum over scenarios of weight x P(x <= q | scenario)

Each scenario is a two-sided log-normal around its typical value; the 90 % interval is that of the mixture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.app.assume import quantile
from gpuplan.app.parts import first as first
from gpuplan.app.parts import memory_parts as memory_parts
from gpuplan.app.parts import rounded as rounded
from gpuplan.app.parts import time_parts as time_parts
from gpuplan.app.run_batch import Computed, compute
from gpuplan.app.run_contradiction import needs_more_gpus
from gpuplan.app.run_to_job import Reading
from gpuplan.calibrate.interval import memory_ranges, step_range
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.kernels import measured_chips
from gpuplan.data.spreads import load_spreads
from gpuplan.model.terms import Memory, Step
from gpuplan.model.verdict import fits_probability, verdict
from gpuplan.question.figures import Assumed, Range, assumption
from gpuplan.question.note import note

Array = NDArray[np.float64]

NODES: Final = np.array([-1.645, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.645])
"""Points of the normal distribution at which a scenario's range is read."""
NODE_WEIGHTS: Final = np.array([0.1, 0.115, 0.115, 0.115, 0.11, 0.115, 0.115, 0.115, 0.1])
"""About the share of the distribution around each point; the ends take the tails."""
PARTIAL: Final = 0.9
"""Most that the chance to fit can be where a part of what stands on the card is not computed: "fits" needs more."""
CONTRADICTS: Final = 0.3
"""Difference from the stated batch beyond which the step is that of another batch (uneven last micro-batches aside)."""
HOST_SPREAD: Final = (0.75, 1.35)
"""Assumed 90 % range of host memory; few runs state it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether a row fits, how surely, and what decides it."""

    fits: bool | None
    probability: float | None
    limit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A row's ranges and parts; times are None where none can be told."""

    memory: Memory
    step: Step | None
    allocated: Range
    reserved: Range
    device: Range
    step_s: Range | None
    forward_backward_s: Range | None
    tokens_per_s_per_gpu: Range | None
    samples_per_s: Range | None
    outcome: Outcome
    assumed: tuple[Assumed, ...]


def estimates_of(readings: Sequence[Reading], catalogue: Catalogue) -> list[Estimate]:
    """Memory, time and verdict of many readings."""
    return [_estimate(reading, done) for reading, done in zip(readings, compute(readings, catalogue), strict=True)]


def estimate_of(reading: Reading, catalogue: Catalogue) -> Estimate:
    """Memory, time and verdict of a reading."""
    return estimates_of([reading], catalogue)[0]


def _estimate(reading: Reading, done: Computed) -> Estimate:
    memory, step = done.memory, done.step
    ranges = memory_ranges(memory, reading.job, load_spreads())
    weights = reading.grid.weights
    mixed = {name: mixture(found, weights) for name, found in ranges.items()}
    times: dict[str, Range] = {}
    if step is not None:
        times = _times(reading, step)
    return Estimate(
        memory=memory,
        step=step if times else None,
        allocated=mixed["allocated"],
        reserved=mixed["reserved"],
        device=mixed["device"],
        step_s=times.get("step"),
        forward_backward_s=times.get("forward_backward"),
        tokens_per_s_per_gpu=times.get("tokens"),
        samples_per_s=times.get("samples"),
        outcome=_outcome(reading, ranges["needed"], memory),
        assumed=(*reading.assumed, *_opened(reading), *done.assumed),
    )


def mixture(found: Range, weights: Array) -> Range:
    """The 90 % interval of all scenarios together; typical is the likeliest scenario's."""
    if weights.size == 1:
        return Range(low=first(found.low), typical=first(found.typical), high=first(found.high))
    typical = np.broadcast_to(np.asarray(found.typical, dtype=float), weights.shape)
    up = np.log(np.maximum(found.high, 1e-12) / np.maximum(found.typical, 1e-12)) / 1.645
    down = np.log(np.maximum(found.typical, 1e-12) / np.maximum(found.low, 1e-12)) / 1.645
    sigma = np.where(NODES[None, :] > 0, np.broadcast_to(up, weights.shape)[:, None],
                     np.broadcast_to(down, weights.shape)[:, None])  # fmt: skip
    points = (np.maximum(typical, 1e-12)[:, None] * np.exp(NODES[None, :] * sigma)).ravel()
    heap = (weights[:, None] * NODE_WEIGHTS[None, :]).ravel()
    likely = float(typical[0])
    return Range(
        low=min(quantile(points, heap, 0.05), likely),
        typical=likely,
        high=max(quantile(points, heap, 0.95), likely),
    )


def _times(reading: Reading, step: Step) -> dict[str, Range]:
    """Step time and what follows from it; samples and tokens count the stated batch and length."""
    run, layout, weights = reading.run, reading.layout, reading.grid.weights
    total = np.broadcast_to(np.asarray(step.total_s, dtype=float), weights.shape)
    if not np.all(np.isfinite(total)):
        return {}
    is_measured = reading.cards.chips[0].id in measured_chips()
    found = step_range(step, reading.job, load_spreads(), chip_is_measured=is_measured)
    batch = _work(run.global_batch_seqs, layout.global_batch)
    length = run.mean_len if run.mean_len is not None else reading.job.time_len
    share = np.asarray(step.forward_backward_s, dtype=float) / total
    return {
        "step": mixture(found, weights),
        "forward_backward": mixture(_scaled(found, share), weights),
        "samples": mixture(_inverse(found, batch), weights),
        "tokens": mixture(_inverse(found, batch * length / layout.n_gpus), weights),
    }


def _work(stated: float | None, of_layout: Any) -> Any:
    """Sequences of one computed step: the stated batch, unless micro-batch, accumulation and ranks contradict it."""
    if not stated:
        return of_layout
    return np.where(np.abs(of_layout / stated - 1.0) > CONTRADICTS, of_layout, stated)


def _scaled(found: Range, factor: Any) -> Range:
    return Range(low=found.low * factor, typical=found.typical * factor, high=found.high * factor)


def _inverse(found: Range, work: Any) -> Range:
    """Work over time: the slow end is the low one."""
    return Range(low=work / found.high, typical=work / found.typical, high=work / found.low)


def _outcome(reading: Reading, needed: Range, memory: Memory) -> Outcome:
    """The verdict over all variants of the card, all scenarios, and the host where it is known."""
    weights = reading.grid.weights
    if not reading.cards.capacities:
        return Outcome(fits=None, probability=None, limit="hardware.gpu")
    chances = [
        np.broadcast_to(np.asarray(fits_probability(needed, capacity)), weights.shape)
        for capacity in reading.cards.capacities
    ]
    host = _host_chance(reading, memory)
    chances = [np.minimum(chance * host, PARTIAL if reading.beyond else 1.0) for chance in chances]
    whole = [float(np.sum(weights * chance)) for chance in chances]
    if needs_more_gpus(reading.run):
        return Outcome(fits=None, probability=None, limit="parallel")
    words = {verdict(chance) for chance in whole}
    if len(words) > 1:
        return Outcome(fits=None, probability=whole[0], limit="hardware.gpu")
    word, chance = words.pop(), whole[0]
    if word == "fits":
        return Outcome(fits=True, probability=chance, limit=None)
    if float(np.sum(weights * host)) < 0.5:
        return Outcome(fits=False if word == "does_not_fit" else None, probability=chance, limit="host.ram_gb")
    if word == "does_not_fit":
        return Outcome(fits=False, probability=chance, limit=_widest_phase(memory))
    if reading.beyond and verdict(chance / PARTIAL) == "fits":
        return Outcome(fits=None, probability=chance, limit=reading.beyond)
    return Outcome(fits=None, probability=chance, limit=_deciding(reading, chances[0]) or _widest_phase(memory))


def _host_chance(reading: Reading, memory: Memory) -> Array:
    shape = reading.grid.weights.shape
    if reading.host_bytes is None:
        return np.ones(shape)
    typical = np.broadcast_to(np.asarray(memory.host_bytes_per_node, dtype=float), shape)
    needed = Range(low=typical * HOST_SPREAD[0], typical=typical, high=typical * HOST_SPREAD[1])
    return np.asarray(fits_probability(needed, reading.host_bytes), dtype=float)


def _deciding(reading: Reading, chance: Array) -> str | None:
    """The open field whose values move the chance most."""
    weights = reading.grid.weights
    moved: dict[str, float] = {}
    for name, column in reading.grid.fields.items():
        means = [
            float(np.sum((weights * chance)[column == value]) / np.sum(weights[column == value]))
            for value in np.unique(column)
        ]
        moved[name] = max(means) - min(means)
    best = max(moved, key=lambda name: moved[name], default=None)
    return FIELD.get(best, best) if best is not None and moved[best] > 0.05 else None


FIELD: Final = {
    "zero": "parallel.zero", "tensor": "parallel.tp", "pipeline": "parallel.pp", "sequence_parallel": "parallel.sp",
}  # fmt: skip
"""Names of open fields in the schema of a row."""


def _widest_phase(memory: Memory) -> str:
    """The phase that needs most, in the likeliest scenario."""
    sizes = {name: first(value) for name, value in memory.phases.items()}
    return f"memory.{max(sizes, key=lambda name: sizes[name])}"


def _opened(reading: Reading) -> tuple[Assumed, ...]:
    """Open fields as assumptions: the likeliest value, and what else was weighed."""
    found = []
    for opening in reading.opens:
        others = ", ".join(opening.shown(value) for value in opening.values[1:])
        source = note("run.source.also", source=opening.source, others=others) if others else opening.source
        field, value = FIELD.get(opening.field, opening.field), opening.shown(opening.values[0])
        found.append(assumption(field, value, source=source, effect=opening.effect))
    return tuple(found)

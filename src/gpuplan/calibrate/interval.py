"""Ranges: a typical figure, and the residuals of measured runs of the same kind around it.

Groups go from narrow to wide: (figure, software family, kind of model), then family, then all. Which runs stand
behind a group, and how it was calibrated (sources weighted alike, whole sources left out), is in docs/accuracy.md.
"""

from collections.abc import Mapping

import numpy as np

from gpuplan.facts.spread import Spread, choose_spread
from gpuplan.model.terms import Memory, Step
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.units import Num


def around(typical: Num, spread: Spread) -> Range:
    """The range of a typical value."""
    return Range(low=typical * spread.low, typical=typical * 1.0, high=typical * spread.high)


def kind_of(job: Job) -> str:
    """Kind of job that residuals are grouped by."""
    if job.policy.model.moe is not None:
        return "expert"
    return "adapter" if job.policy.trains == "adapter" else "dense"


def memory_ranges(memory: Memory, job: Job, spreads: Mapping[str, Spread]) -> dict[str, Range]:
    """allocated, reserved, device, and `needed`: what the verdict compares with the card.

    `needed` takes every phase, load and save too, and half of what the allocator holds unused: under pressure it
    gives cached blocks back, though not all of them.
    """
    family, kind = job.trainer.family, kind_of(job)
    found = {}
    for name, typical in (
        ("allocated", memory.allocated_bytes),
        ("reserved", memory.reserved_bytes),
        ("device", memory.device_bytes),
    ):
        found[name] = around(typical, choose_spread(spreads, *_keys("memory", family, kind)))
    found["needed"] = around(needed_bytes(memory), choose_spread(spreads, *_keys("needed", family, kind)))
    return found


def needed_bytes(memory: Memory) -> Num:
    """Bytes the card must have for every phase."""
    steady = memory.allocated_bytes + 0.5 * memory.fragmentation_bytes
    other = np.maximum(np.maximum(memory.phases["load"], memory.phases["evaluation"]), memory.phases["save"])
    return np.maximum(steady, other) + memory.context_bytes + memory.rollout_bytes


def step_range(step: Step, job: Job, spreads: Mapping[str, Spread], *, chip_is_measured: bool) -> Range:
    """Range of the step time; a chip without kernels of its own has a wider one."""
    return seconds_range(step.total_s, job, spreads, chip_is_measured=chip_is_measured)


def seconds_range(total_s: Num, job: Job, spreads: Mapping[str, Spread], *, chip_is_measured: bool) -> Range:
    """The same for a step of which only the seconds are at hand."""
    family, kind = job.trainer.family, kind_of(job)
    own = "" if chip_is_measured else "borrowed/"
    return around(
        total_s,
        choose_spread(spreads, *_keys(f"time/{own}".rstrip("/"), family, kind), *_keys("time", family, kind)),
    )


def _keys(figure: str, family: str, kind: str) -> tuple[str, ...]:
    return (f"{figure}/{family}/{kind}", f"{figure}/{family}", f"{figure}/*/{kind}", figure)

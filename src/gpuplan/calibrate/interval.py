"""Ranges: a typical figure, and the residuals of measured runs of the same kind around it.

Groups go from narrow to wide: (figure, software family, kind of job), then family, then all. Runs whose size makes
constants decide are a group of their own: memory below 8 GiB (contexts, workspaces), steps that wait for the host.
Which runs stand behind a group, and how it was calibrated, is in docs/accuracy.md.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from gpuplan.facts.spread import Spread, choose_spread
from gpuplan.model.terms import Memory, Step
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.units import GIB, Mask, Num

SMALL_BYTES: Final = 8.0 * GIB
"""Allocated bytes below which constants of software decide the relative error."""
LAUNCH_SHARE: Final = 0.3
"""Share of forward and backward from which a step is called bound by the host."""


def around(typical: Num, is_first: Mask, first: Spread, other: Spread) -> Range:
    """The range of each typical value, by the group it belongs to."""
    return Range(
        low=typical * np.where(is_first, first.low, other.low),
        typical=typical * 1.0,
        high=typical * np.where(is_first, first.high, other.high),
    )


def kind_of(job: Job) -> str:
    """Kind of job that residuals are grouped by."""
    if job.policy.model.moe is not None:
        return "expert"
    return "adapter" if job.policy.trains == "adapter" else "dense"


def is_small(memory: Memory) -> Mask:
    """True where constants of software are a large part of the memory."""
    small: Mask = np.less(memory.allocated_bytes, SMALL_BYTES)
    return small


def waits_for_host(step: Step) -> Mask:
    """True where launches decide the step."""
    waits: Mask = np.greater(step.launch_s, LAUNCH_SHARE * np.asarray(step.forward_backward_s))
    return waits


def memory_ranges(memory: Memory, job: Job, spreads: Mapping[str, Spread]) -> dict[str, Range]:
    """allocated, reserved, device, and `needed`: what the verdict compares with the card.

    `needed` takes every phase, load and save too (`needed_bytes`), of a card on which a generation engine may keep a
    share for itself: training must do with the rest.
    """
    small = is_small(memory)
    found = {}
    for name, figure, typical in (
        ("allocated", "memory", memory.allocated_bytes),
        ("reserved", "memory", memory.reserved_bytes),
        ("device", "memory", memory.device_bytes),
        ("needed", "needed", needed_bytes(memory) / (1.0 - job.rollout_share)),
    ):
        usual = choose_spread(spreads, *keys_of(figure, job.trainer.family, kind_of(job)))
        found[name] = around(typical, small, choose_spread(spreads, f"{figure}/small", figure), usual)
    return found


def needed_bytes(memory: Memory) -> Num:
    """Bytes the card must have for every phase.

    Of what the allocator holds unused, half, and at most 15 % of what comes and goes: it gives cached blocks back
    under pressure (variable lengths reserve 3 to 4 times their need on a free card, and still fit a full one).
    """
    waste = np.minimum(0.5 * memory.fragmentation_bytes, 0.15 * (memory.allocated_bytes - memory.states.total_bytes))
    other = np.maximum(np.maximum(memory.phases["load"], memory.phases["evaluation"]), memory.phases["save"])
    return np.maximum(memory.allocated_bytes + waste, other) + memory.context_bytes + memory.rollout_bytes


def step_range(step: Step, job: Job, spreads: Mapping[str, Spread], *, chip_is_measured: bool) -> Range:
    """Range of the step time; a chip without kernels of its own has a wider one."""
    waits = waits_for_host(step)
    return seconds_range(step.total_s, job, spreads, chip_is_measured=chip_is_measured, waits=waits)


def seconds_range(
    total_s: Num, job: Job, spreads: Mapping[str, Spread], *, chip_is_measured: bool, waits: Mask = False
) -> Range:
    """The same for a step of which only the seconds are at hand, and whether launches decide it."""
    family, kind = job.trainer.family, kind_of(job)
    keys = keys_of("time", family, kind)
    if not chip_is_measured:
        borrowed = keys_of("time/borrowed", family, kind)
        # what dense models say of borrowed kernels is narrower than what is known of experts at all
        keys = (*(key for key in borrowed if kind != "expert" or key.endswith("/expert")), *keys)
    launch = choose_spread(spreads, "time/launch", "time")
    return around(total_s, waits, launch, choose_spread(spreads, *keys))


def keys_of(figure: str, family: str, kind: str) -> tuple[str, ...]:
    """Groups of a figure, the narrowest first."""
    return (f"{figure}/{family}/{kind}", f"{figure}/{family}", f"{figure}/*/{kind}", figure)

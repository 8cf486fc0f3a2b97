"""A way to run a job: one trainer mode with the stages, offloads and axes that it can do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuplan.question.job import Job
from gpuplan.question.layout import Offload, Recompute

MEGATRON_FAMILIES: Final = ("te", "megatron", "megatron-deepspeed")
MEGATRON_AXES: Final = ("tensor", "pipeline", "context", "expert")
"""Megatron-LM and its relatives split in every direction (Megatron-LM README, parallelism table)."""
TITAN_AXES: Final = ("tensor", "pipeline", "context")
"""torchtitan composes FSDP2 with tensor, pipeline and context parallel (torchtitan README, arXiv:2410.06511)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A job with one trainer record, and what a layout of it may use."""

    job: Job
    zero: tuple[int, ...]
    offload: tuple[int, ...] = (Offload.NONE,)
    axes: tuple[str, ...] = ()
    recompute: tuple[int, ...] = (Recompute.NONE, Recompute.FULL)
    fixed: Mapping[str, float] = field(default_factory=dict)
    """Fields of the layout that the user stated; they are never overridden."""

    def options(self, name: str, free: tuple[float, ...]) -> tuple[float, ...]:
        """Values to try for a field of the layout."""
        return (self.fixed[name],) if name in self.fixed else free


def axes_of(trainer_id: str, family: str) -> tuple[str, ...]:
    """Directions beside data in which a trainer can split a model."""
    if family in MEGATRON_FAMILIES:
        return MEGATRON_AXES
    return TITAN_AXES if trainer_id.startswith("torchtitan") else ()


def recomputes_of(family: str) -> tuple[int, ...]:
    """Recompute modes: transformers knows all or nothing, the others also the attention scores or operations."""
    return (0, 2) if family in ("hf", "fsdp") else (0, 1, 2)

"""What a trainer keeps of each trained parameter: said where nobody chose it, warned about where it is 16-bit alone."""

from dataclasses import replace
from functools import reduce
from typing import Final

from gpuplan.app.describe import Detail, needed_of
from gpuplan.facts.trainer import Trainer
from gpuplan.model.memory import memory_of
from gpuplan.model.optimizers import moment_bytes, optimizer_of
from gpuplan.question.defaults import assumed
from gpuplan.question.figures import Assumed
from gpuplan.question.job import Job
from gpuplan.question.note import Note, note
from gpuplan.units import GIB

WIDE: Final = 4.0
"""Bytes of an fp32 number."""


def states_of(job: Job) -> Assumed:
    """Bytes of a trained parameter by state, before any sharding."""
    trainer, optimizer = job.trainer, optimizer_of(job.optimizer)
    moments = moment_bytes(optimizer, trainer.moment_bytes)
    gradients = 0.0 if optimizer.in_backward else trainer.grad_bytes
    sizes = {
        "weights": trainer.weight_bytes, "master": trainer.master_bytes, "gradients": gradients,
        "moments": moments,
    }  # fmt: skip
    parts = [note("states.part", name=note(f"part.{name}"), bytes=size) for name, size in sizes.items() if size]
    listed = reduce(lambda left, right: note("arithmetic.sum", left=left, right=right), parts)
    value = note("states.value", bytes=sum(sizes.values()), parts=listed)
    return assumed("states", value, note("source.states", trainer=trainer.id))


def is_pure_16_bit(job: Job) -> bool:
    """True where trained weights have no fp32 copy; the few weights of an adapter aside."""
    trainer = job.trainer
    return job.policy.trains != "adapter" and trainer.weight_bytes < WIDE and trainer.master_bytes == 0


def with_fp32_states(trainer: Trainer) -> Trainer:
    """The same trainer with fp32 weights, gradients and moments, and a 16-bit copy to compute with."""
    return replace(
        trainer, weight_bytes=WIDE, compute_copy_bytes=2.0, grad_bytes=WIDE, moment_bytes=2 * WIDE, master_bytes=0.0
    )


def pure_16_bit_warning(detail: Detail) -> list[Note]:
    """That small updates are lost, and what the same layout needs with fp32 states."""
    if not is_pure_16_bit(detail.job):
        return []
    wide = replace(detail.job, trainer=with_fp32_states(detail.job.trainer))
    needed = needed_of(memory_of(wide, detail.layout), wide)
    return [
        note(
            "warn.pure_16_bit", trainer=detail.job.trainer.id, gib=float(needed.typical) / GIB,
            capacity=detail.hardware.machine.chip.memory_bytes / GIB,
        )
    ]  # fmt: skip

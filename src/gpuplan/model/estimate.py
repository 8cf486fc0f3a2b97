"""One estimate: memory and time of a job in a layout on a machine, as folds over one table of operations."""

from dataclasses import dataclass

from gpuplan.facts.efficiency import Efficiency, KernelSet
from gpuplan.facts.machine import Machine
from gpuplan.model.terms import Memory, Step
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """A machine with the kernels its chip uses (its own or its donor's) and the calibrated factors."""

    machine: Machine
    kernels: KernelSet
    donor_machine_chip: str
    efficiency: Efficiency


def memory_of(job: Job, layout: Layout) -> Memory:
    """Memory of each candidate; needs no machine."""
    raise NotImplementedError


def step_of(job: Job, layout: Layout, hardware: Hardware) -> Step:
    """Seconds of one optimizer step of each candidate."""
    raise NotImplementedError

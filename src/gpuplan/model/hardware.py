"""What a step runs on: a machine, the kernels measured on its chip or its donor, and the calibrated factors."""

from dataclasses import dataclass

from gpuplan.facts.chip import Chip
from gpuplan.facts.efficiency import Efficiency, KernelSet
from gpuplan.facts.machine import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """One machine with everything that turns its facts into seconds."""

    machine: Machine
    donor: Chip
    """Chip on which `kernels` were measured (the machine's own where it was)."""
    kernels: KernelSet
    efficiency: Efficiency

"""One estimate: memory and time of a job in a layout on a machine, as folds over one table of operations."""

from gpuplan.model.hardware import Hardware
from gpuplan.model.memory import memory_of
from gpuplan.model.step import step_of

__all__ = ["Hardware", "memory_of", "step_of"]

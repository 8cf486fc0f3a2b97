"""Names as people write them: one door to chips and models."""

from gpuplan.data.chip_names import find_chip, is_apple, memory_class, resolve_chip, stated_memory
from gpuplan.data.model_names import ModelMatch, find_model, resolve_model

__all__ = [
    "ModelMatch",
    "find_chip",
    "find_model",
    "is_apple",
    "memory_class",
    "resolve_chip",
    "resolve_model",
    "stated_memory",
]

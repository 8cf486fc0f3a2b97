"""Memory and time of an answer as plain values, by part."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from gpuplan.model.terms import Memory, States, Step
from gpuplan.units import GIB


def first(value: Any) -> float:
    """The value of the likeliest scenario."""
    return float(np.asarray(value, dtype=float).ravel()[0])


def memory_parts(memory: Memory) -> dict[str, Any]:
    """Parts of the likeliest scenario in GiB: states, what else the peak holds, phases, host, checkpoint."""
    states = {f.name.removesuffix("_bytes"): _gib(getattr(memory.states, f.name)) for f in fields(States)}
    skipped = ("states", "phases", "host_bytes_per_node", "checkpoint_bytes")
    parts = {
        f.name.removesuffix("_bytes"): _gib(getattr(memory, f.name)) for f in fields(Memory) if f.name not in skipped
    }
    return {
        "states": states,
        "parts": parts,
        "phases": {name: _gib(value) for name, value in memory.phases.items()},
        "host_per_node": _gib(memory.host_bytes_per_node),
        "checkpoint": _gib(memory.checkpoint_bytes),
    }


def time_parts(step: Step) -> Mapping[str, float]:
    """Seconds by cause in the likeliest scenario."""
    parts = {f.name: rounded(max(first(getattr(step, f.name)), 0.0)) for f in fields(Step)}
    return {**parts, "total_s": rounded(first(step.total_s))}


def _gib(value: Any) -> float:
    return rounded(first(value) / GIB)


def rounded(value: float) -> float:
    """Six significant digits: beyond any accuracy, and stable in text."""
    return float(f"{value:.6g}")

"""A figure with its range, and how it came about."""

from dataclasses import dataclass

from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A 90 % interval around a typical value."""

    low: Num
    typical: Num
    high: Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """A field that nobody stated, what was taken for it, why, and what hangs on it."""

    field: str
    value: str
    source: str
    effect: str

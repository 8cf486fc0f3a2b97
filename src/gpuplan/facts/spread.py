"""How far measured runs lie from estimates: the spread that turns a typical figure into a range."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Factors on the typical value that hold 90 % of measured runs, and how many runs of how many sources."""

    low: float
    high: float
    n_runs: int
    n_sources: int
    source: str


def choose_spread(spreads: Mapping[str, Spread], *keys: str) -> Spread:
    """The spread of the first key that was measured."""
    return spreads[next(key for key in keys if key in spreads)]

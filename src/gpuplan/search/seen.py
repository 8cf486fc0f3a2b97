"""What a search has seen so far: real points, by which shapes that cannot win are left out."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.search.rank import Points

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

RIVALS: Final = 2
"""Providers that must beat a shape before it is left out, so that runners-up stay."""


@dataclass(slots=True)
class Seen:
    """Real points so far, and what a row costs a GPU of each chip, for leaving shapes out."""

    cost: Floats = field(default_factory=lambda: np.zeros(0))
    seconds: Floats = field(default_factory=lambda: np.zeros(0))
    provider: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    gpu_s_per_row: dict[str, float] = field(default_factory=dict)
    best_share: float = 0.0
    """Of the peak, on the best chip so far."""

    def add(self, points: Points) -> None:
        """Takes note of real points; of each provider only the undominated ones stay, ordered by provider."""
        cost = np.concatenate((self.cost, points.cost))
        seconds = np.concatenate((self.seconds, points.duration_s))
        provider = np.concatenate((self.provider, points.provider))
        order = np.lexsort((seconds, cost, provider))
        cost, seconds, provider = cost[order], seconds[order], provider[order]
        least = np.concatenate([np.minimum.accumulate(part) for part in np.split(seconds, _starts(provider)[1:])])
        kept = seconds <= least
        self.cost, self.seconds, self.provider = cost[kept], seconds[kept], provider[kept]

    def beat(self, cost: Floats, seconds: Floats) -> bool:
        """True where real points of enough providers beat each imagined point."""
        if not self.cost.size:
            return False
        better = (self.cost <= cost[:, None]) & (self.seconds <= seconds[:, None])
        rivals = np.logical_or.reduceat(better, _starts(self.provider), axis=1).sum(axis=1)
        return bool(np.all(rivals >= RIVALS))


def _starts(ordered: Ints) -> Ints:
    """Where each new value of an ordered array begins."""
    return np.flatnonzero(np.concatenate((np.ones(1, dtype=bool), ordered[1:] != ordered[:-1])))

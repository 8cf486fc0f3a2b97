"""From points (an offer, a node count, its best layout) to a front and three picks.

A point is feasible where its typical cost is within the budget and its typical duration within the deadline.

    cheapest  least cost
    fastest   least duration
    balanced  least ln(cost / cheapest)^2 + ln((duration + h) / (fastest + h))^2, neither cheapest nor fastest
              where the front has points that differ from both by a few percent

The square makes a compromise: twice the least cost weighs more than two times a factor of 1.4. `h` is the hour below
which nobody pays for speed. Ties go to fewer GPUs, then to the earlier offer. A runner-up is the best by the same
measure from another provider.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.units import HOUR

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

NO_HURRY_S: Final = HOUR
"""Durations that differ by less than about this are as good as equal to somebody who waits (reasoned)."""
MATTERS: Final = 0.05
"""Share of time or money below which a point is no other choice than the end of the front (reasoned)."""
FREE_SHARE: Final = 0.1
"""Own hardware without a price counts as this share of the cheapest rent in the compromise (reasoned)."""
LABELS: Final = ("cheapest", "fastest", "balanced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """What could be rented or used, one entry a point; `cost` is in one currency and for ranking only."""

    offer: Ints
    provider: Ints
    chip: Ints
    nodes: Floats
    n_gpus: Floats
    layout: Ints
    cost: Floats
    """0 for own hardware without a price; `inf` where the price is unknown."""
    duration_s: Floats
    is_spot: Mask

    def __len__(self) -> int:
        return int(self.cost.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """Index of a point chosen for a label, and of its runner-up."""

    label: str
    point: int
    runner_up: int | None


def chosen(points: Points, where: Mask | Ints) -> Points:
    """Some of the points."""
    return Points(**{f.name: getattr(points, f.name)[where] for f in fields(Points)})


def joined_points(parts: Sequence[Points]) -> Points:
    """Points one part after the other."""
    whole, real = np.zeros(0, dtype=np.intp), np.zeros(0)
    none = Points(
        offer=whole, provider=whole, chip=whole, nodes=real, n_gpus=real, layout=whole, cost=real, duration_s=real,
        is_spot=np.zeros(0, dtype=bool),
    )  # fmt: skip
    columns = {f.name: np.concatenate([getattr(part, f.name) for part in (none, *parts)]) for f in fields(Points)}
    return Points(**columns)


def within(points: Points, *, budget: float | None, deadline_s: float | None) -> Mask:
    """Points that keep budget and deadline."""
    good = np.isfinite(points.cost)
    if budget is not None:
        good &= points.cost <= budget
    if deadline_s is not None:
        good &= points.duration_s <= deadline_s
    return good


def front(points: Points, good: Mask) -> Ints:
    """Points that no other good point beats in both cost and duration, from cheap to fast."""
    index = np.flatnonzero(good)
    order = index[np.lexsort((points.n_gpus[index], points.duration_s[index], points.cost[index]))]
    if not order.size:
        return order
    before = np.minimum.accumulate(np.concatenate(([np.inf], points.duration_s[order][:-1])))
    return order[points.duration_s[order] < before]


def picks(points: Points, good: Mask, *, prefer: str | None = None) -> tuple[Pick, ...]:
    """The picks, the preferred label first; empty where nothing is good."""
    if not np.any(good):
        return ()
    labels = sorted(LABELS, key=lambda label: (label != (prefer or LABELS[0]), LABELS.index(label)))
    return tuple(_pick(points, good, label) for label in labels)


def measure(points: Points, good: Mask, label: str) -> tuple[Floats, Floats]:
    """What a label minimises, and what breaks its ties; the compromise is between the best of the good points."""
    if label == "cheapest":
        return points.cost, points.duration_s
    if label == "fastest":
        return points.duration_s, points.cost
    return _compromise(points, good), points.duration_s


def best(points: Points, good: Mask, label: str) -> int | None:
    """Best good point by the measure of a label."""
    index = np.flatnonzero(good)
    if not index.size:
        return None
    if label == "balanced":
        middle = _between(points, front(points, good))
        index = middle if middle.size else index
    first, second = measure(points, good, label)
    return _least(points, index, first, second)


def _between(points: Points, line: Ints) -> Ints:
    """Points of a front that save time against its cheap end and money against its fast end, `MATTERS` of each."""
    cheap, fast = line[0], line[-1]
    sooner = points.duration_s + NO_HURRY_S <= (1 - MATTERS) * (points.duration_s[cheap] + NO_HURRY_S)
    cheaper = points.cost <= (1 - MATTERS) * points.cost[fast]
    kept: Ints = line[(sooner & cheaper)[line]]
    return kept


def _compromise(points: Points, good: Mask) -> Floats:
    """Squared distance in logarithms from the least cost and the least duration of the good points."""
    paid = points.cost[good & (points.cost > 0)]
    least = float(np.min(paid)) if paid.size else 1.0
    cost = np.maximum(points.cost, FREE_SHARE * least)
    spent = points.duration_s + NO_HURRY_S
    away = np.square(np.log(cost / np.min(cost[good]))) + np.square(np.log(spent / np.min(spent[good])))
    return np.asarray(away, dtype=float)


def _least(points: Points, index: Ints, first: Floats, second: Floats) -> int:
    order = np.lexsort((points.offer[index], points.n_gpus[index], second[index], first[index]))
    return int(index[order[0]])


def _pick(points: Points, good: Mask, label: str) -> Pick:
    point = best(points, good, label)
    assert point is not None
    others = np.flatnonzero(good & (points.provider != points.provider[point]))
    first, second = measure(points, good, label)
    return Pick(label=label, point=point, runner_up=_least(points, others, first, second) if others.size else None)

"""What was not picked, grouped by chip: the constraint that binds for the main ones, and the cheapest way out."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.advice.explain import Rejection, count_rejection, limit_rejection
from gpuplan.app.shortage import too_small
from gpuplan.app.sites import OWN, Places
from gpuplan.question.note import Note, note, spent
from gpuplan.search.find import Found
from gpuplan.search.rank import Points, best, within
from gpuplan.units import HOUR, YEAR

SHOWN: Final = 4
"""Rejected chips shown for one kind of reason; the counts are in `considered`."""
COUNTED: Final = ("price", "confidence", "spot", "on_demand", "precision", "framework", "kind")
"""Reasons that shut out offers, those first that the reader can do something about."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a point must keep, and the currency in which its cost is told."""

    budget_usd: float | None
    deadline_s: float | None
    currency: str
    usd_per_unit: float

    @property
    def budget(self) -> float | None:
        """The budget in the currency of the answer."""
        return None if self.budget_usd is None else self.budget_usd / self.usd_per_unit


def rejections_of(found: Found, places: Places, good: Mask, limits: Limits) -> list[Rejection]:
    """The main rejected options."""
    by_memory = too_small(found, most=SHOWN)
    by_limit = _limited(found, places, good, limits)
    broken = [one for one in by_limit if one.reason in ("budget", "deadline")][:SHOWN]
    beaten = [one for one in by_limit if one.reason not in ("budget", "deadline")][:SHOWN]
    counts = [
        count_rejection(reason, count, examples=places.examples[reason])
        for reason, count in sorted(places.left_out.items(), key=lambda pair: COUNTED.index(pair[0]))
    ]
    if not places.sites and not counts:
        counts = [Rejection(what=note("reason.offers"), reason="none")]
    return [*by_memory, *broken, *beaten, *counts]


def nearest_of(found: Found, places: Places, limits: Limits) -> tuple[Note, ...]:
    """The cheapest relaxation of the budget and of the deadline, where that is what binds."""
    points, notes = found.points, []
    if limits.budget_usd is not None:
        point = best_within_a_year(points, within(points, budget=None, deadline_s=limits.deadline_s))
        if point is not None:
            notes.append(_way_out("nearest.budget", found, places, point, limits))
    if limits.deadline_s is not None:
        point = best(points, within(points, budget=limits.budget_usd, deadline_s=None), "fastest")
        if point is not None:
            notes.append(_way_out("nearest.deadline", found, places, point, limits))
    if not notes:
        point = best_within_a_year(points, within(points, budget=None, deadline_s=None))
        if point is not None:
            notes.append(_way_out("nearest.both", found, places, point, limits))
    return tuple(notes)


def best_within_a_year(points: Points, good: Mask) -> int | None:
    """The cheapest that ends within a year; where none does, the fastest."""
    soon = best(points, good & (points.duration_s <= YEAR), "cheapest")
    return best(points, good, "fastest") if soon is None else soon


def _way_out(key: str, found: Found, places: Places, point: int, limits: Limits) -> Note:
    cost = float(found.points.cost[point]) / limits.usd_per_unit
    hours = float(found.points.duration_s[point]) / HOUR
    paid = note("nearest.cost", cost=cost, currency=limits.currency) if cost > 0 else note("nearest.no_cost")
    return note(key, cost=paid, what=what_of(found, places, point), hours=spent(hours))


def what_of(found: Found, places: Places, point: int) -> str:
    """A point in few words: 2 x p5.48xlarge (aws)."""
    offer, nodes = places.offers[found.points.offer[point]], int(found.points.nodes[point])
    name = offer.instance_type if nodes == 1 else f"{nodes} x {offer.instance_type}"
    return f"{name} ({offer.provider}, {offer.machine.n_gpus * nodes}x{offer.machine.chip.id})"


def _limited(found: Found, places: Places, good: Mask, limits: Limits) -> list[Rejection]:
    """Chips whose best point breaks a limit or is beaten, the nearest miss first."""
    points, rate = found.points, limits.usd_per_unit
    if not len(points):
        return []
    names = np.array([found.sites[one.site].hardware.machine.chip.id for one in found.timed])
    chips = names[points.chip]
    picked = best(points, good, "cheapest")
    rejections: list[tuple[float, Rejection]] = []
    for chip in dict.fromkeys(chips.tolist()):
        mine = (chips == chip) & np.isfinite(points.cost)
        if np.any(mine & good) and picked is not None and chips[picked] == chip:
            continue
        one = _best_of(found, mine, good, limits)
        if one is None or places.offers[points.offer[one]].provider == OWN:
            continue
        rejection = limit_rejection(
            what_of(found, places, one),
            cost=float(points.cost[one]) / rate,
            hours=float(points.duration_s[one]) / HOUR,
            budget=limits.budget,
            deadline_hours=None if limits.deadline_s is None else limits.deadline_s / HOUR,
            best_cost=None if picked is None else float(points.cost[picked]) / rate,
            best_hours=None if picked is None else float(points.duration_s[picked]) / HOUR,
            currency=limits.currency,
        )
        if rejection is not None:
            rejections.append((float(points.cost[one]), rejection))
    return [rejection for _, rejection in sorted(rejections, key=lambda pair: pair[0])]


def _best_of(found: Found, mine: Mask, good: Mask, limits: Limits) -> int | None:
    """The point of a chip that comes nearest: good, else within one limit, else cheapest."""
    points = found.points
    for mask in (
        mine & good,
        mine & within(points, budget=None, deadline_s=limits.deadline_s),
        mine & within(points, budget=limits.budget_usd, deadline_s=None),
        mine,
    ):
        point = best(points, mask, "cheapest")
        if point is not None:
            return point
    return None

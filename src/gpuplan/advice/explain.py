"""Why not the others: for the main rejected options the constraint that binds, with its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuplan.model.verdict import FAILS
from gpuplan.question.figures import Range
from gpuplan.question.note import Note, Words, counted, note, spent
from gpuplan.units import GIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An option that was not picked, the constraint that binds, and the figures that show it."""

    what: Words
    reason: str
    """memory, memory_unsure, host, layout, budget, deadline, cost, cost_faster, none or offers_<why>."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    currency: str | None = None
    """Of the amounts among the numbers."""
    words: Mapping[str, Words] = field(default_factory=dict)
    """What else the sentence says."""

    def note(self) -> Note:
        """The sentence of the reason."""
        money = {} if self.currency is None else {"currency": self.currency}
        hours = {name: spent(n) for name, n in self.numbers.items() if name.endswith("hours")}
        return note(f"reason.{self.reason}", **{**money, **self.numbers, **hours, **self.words})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """The layout that needs least of a card on which none fits for sure."""

    needed: Range
    """Bytes of the worst GPU."""
    capacity_bytes: float
    fits_probability: float
    phase: str
    """In which the peak lies."""
    gpus: float
    """Of that layout."""
    most_gpus: float
    """That were tried."""
    is_alone: bool = False
    """True where only single nodes were tried, because nobody states the network between them."""


def memory_rejection(what: str, short: Shortage) -> Rejection:
    """No layout fits for sure; where one may fit, that is said."""
    numbers = {
        "needed_gib": float(short.needed.typical) / GIB,
        "low_gib": float(short.needed.low) / GIB,
        "high_gib": float(short.needed.high) / GIB,
        "capacity_gib": short.capacity_bytes / GIB,
        "fits_probability": short.fits_probability,
        "gpus": short.gpus,
        "most_gpus": short.most_gpus,
    }
    chance = note("count.percent", n=100 * short.fits_probability)
    words: dict[str, Words] = {
        "phase": note(f"show.phase.{short.phase}"), "chance": chance, "gpus": counted("gpu", short.gpus),
        "most_gpus": counted("gpu", short.most_gpus),
        "alone": note("reason.alone") if short.is_alone else "",
    }  # fmt: skip
    reason = "memory" if short.fits_probability <= FAILS else "memory_unsure"
    return Rejection(what=what, reason=reason, numbers=numbers, words=words)


def limit_rejection(
    what: str,
    *,
    cost: float,
    hours: float,
    budget: float | None,
    deadline_hours: float | None,
    best_cost: float | None,
    best_hours: float | None,
    currency: str,
) -> Rejection | None:
    """Budget, deadline, or beaten by the cheapest pick in cost and, if so, in time."""
    if budget is not None and cost > budget:
        numbers = {"cost": cost, "budget": budget, "hours": hours}
        return Rejection(what=what, reason="budget", numbers=numbers, currency=currency)
    if deadline_hours is not None and hours > deadline_hours:
        numbers = {"hours": hours, "deadline_hours": deadline_hours, "cost": cost}
        return Rejection(what=what, reason="deadline", numbers=numbers, currency=currency)
    if best_cost is None or best_hours is None or best_cost <= 0 or cost < best_cost:
        return None
    reason = "cost" if hours >= best_hours else "cost_faster"
    numbers = {"cost": cost, "hours": hours, "times": cost / best_cost}
    return Rejection(what=what, reason=reason, numbers=numbers, currency=currency)


def count_rejection(reason: str, count: int, *, examples: Sequence[str]) -> Rejection:
    """Offers that could not compete at all, some by name."""
    what = ", ".join(examples) + (", ..." if count > len(examples) else "")
    words = {"count": counted("offer", count)}
    return Rejection(what=what, reason=f"offers_{reason}", numbers={"count": float(count)}, words=words)

"""Why not the others: for the main rejected options the constraint that binds, with its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuplan.question.note import Note, note


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An option that was not picked, the constraint that binds, and the figures that show it."""

    what: str
    reason: str
    """memory, budget, deadline, cost, time, fabric, price, confidence, kind, spot, framework, precision."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    currency: str = ""
    """Of the amounts among the numbers."""

    def note(self) -> Note:
        """The sentence of the reason."""
        return note(f"reason.{self.reason}", currency=self.currency, **self.numbers)


def memory_rejection(what: str, *, needed_gib: float, capacity_gib: float, nodes: float) -> Rejection:
    """No layout fits, not even on the most nodes that were tried."""
    numbers = {"needed_gib": needed_gib, "capacity_gib": capacity_gib, "nodes": nodes}
    return Rejection(what=what, reason="memory", numbers=numbers)


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
    return Rejection(what=what, reason=f"offers_{reason}", numbers={"count": float(count)})

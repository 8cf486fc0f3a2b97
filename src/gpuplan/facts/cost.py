"""A cost fact: storage, egress, power, discounts, exchange rates; a point, a range, or a rule in words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CostFact:
    """One dated figure. `value` is a point, `low` and `high` a range; all null means a rule, told in `note`."""

    id: str
    topic: str
    key: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    """In words ("per GB-month", "fraction of on-demand paid"); money is in `currency`."""
    currency: str | None
    region: str | None
    date: str | None
    """Day, month or year; None where the source is undated."""
    source: str
    confidence: str
    note: str | None

"""Cost facts from `files/costs.jsonl`, and the exchange rate that ranking uses."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from gpuplan.data.shelf import FILES, Raw, Shelf, read_rows, read_sources
from gpuplan.errors import FactError
from gpuplan.facts.cost import CostFact

FILE: Final = "costs.jsonl"


@cache
def load_costs() -> Mapping[str, CostFact]:
    """All cost facts by id ("topic/key/region/...")."""
    table = read_sources(FILES / "cost_sources.json")
    return Shelf(read_rows(FILES / FILE), lambda row: cost_of(row, table, file=FILE))


def cost_of(row: Raw, table: Mapping[str, str], *, file: str) -> CostFact:
    """One row as a record; it must name a source of `table`, unless it says that nothing is known."""
    source = table.get(row.get("src", ""))
    if not source:
        raise FactError("fact_no_source", file=file, id=row["id"], field="value")
    fields: dict[str, Any] = {name: row.get(name) for name in ("value", "low", "high")}
    return CostFact(
        id=row["id"],
        topic=row["topic"],
        key=row["key"],
        unit=row["unit"],
        currency=row.get("currency"),
        region=row.get("region"),
        date=row.get("date"),
        source=source,
        confidence=row["confidence"],
        note=row.get("note"),
        **fields,
    )


def of_topic(costs: Mapping[str, CostFact], topic: str) -> tuple[CostFact, ...]:
    """All facts of one topic, in file order."""
    prefix = f"{topic}/"
    return tuple(costs[key] for key in costs if key.startswith(prefix))


def fx_rate(costs: Mapping[str, CostFact], currency: str) -> tuple[float, str, str]:
    """USD for one unit of `currency`, the date of that rate, and its source.

    The newest dated point of at least medium confidence wins; a rate that is stated the other way is inverted.
    """
    wanted = currency.upper()
    if wanted == "USD":
        return 1.0, "", "USD is the currency of ranking"
    units = (f"USD per {wanted}", f"{wanted} per USD")
    found = [fact for fact in of_topic(costs, "fx") if fact.value and fact.date and fact.unit in units]
    if not found:
        raise FactError("fx_unknown", currency=wanted, known=", ".join(sorted(_currencies(of_topic(costs, "fx")))))
    best = max(found, key=lambda fact: (fact.confidence in ("high", "medium"), fact.date))
    assert best.value is not None and best.date is not None
    return (best.value if best.unit == units[0] else 1.0 / best.value), best.date, best.source


def _currencies(facts: Iterable[CostFact]) -> set[str]:
    return {word for fact in facts for word in fact.unit.split(" per ") if len(word) == 3 and word.isupper()}

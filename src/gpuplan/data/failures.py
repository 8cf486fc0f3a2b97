"""Facts about failures and reclaims from `files/failures.jsonl`."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from gpuplan.data.shelf import FILES, Raw, Shelf, read_rows, read_sources
from gpuplan.errors import FactError
from gpuplan.facts.failure import FailureFact

FILE: Final = "failures.jsonl"


@cache
def load_failures() -> Mapping[str, FailureFact]:
    """All reports by id."""
    table = read_sources(FILES / "failure_sources.json")
    return Shelf(read_rows(FILES / FILE), lambda row: failure_of(row, table, file=FILE))


def failure_of(row: Raw, table: Mapping[str, str], *, file: str) -> FailureFact:
    """One row as a record; it must name a source of `table`."""
    source = table.get(row.get("src", ""))
    if not source:
        raise FactError("fact_no_source", file=file, id=row["id"], field="figures")
    return FailureFact(
        id=row["id"],
        topic=row["topic"],
        gpu=row.get("gpu"),
        n_gpus=row.get("n_gpus"),
        cloud=row.get("cloud"),
        zone=row.get("zone"),
        figures=row["figures"],
        date=row.get("date"),
        source=source,
        confidence=row["confidence"],
        note=row.get("note"),
    )

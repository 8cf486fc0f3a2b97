"""A shelf of records: JSON lines indexed by id, each made into a record only when somebody asks for it.

A command needs one model and a few chips of some hundred; building them all would cost more than the answer.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from gpuplan.errors import FactError

T = TypeVar("T")
Raw = Mapping[str, Any]

FILES = Path(__file__).parent / "files"


class Shelf(Mapping[str, T], Generic[T]):
    """Records by id; reads like a dict, builds each record once, on first use."""

    def __init__(self, rows: Mapping[str, Raw], build: Callable[[Raw], T]) -> None:
        self.rows = rows
        """The rows as the file states them, for indexes that need a few fields of all."""
        self._build = build
        self._built: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._built:
            self._built[key] = self._build(self.rows[key])
        return self._built[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        return key in self.rows

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def topped(self, records: Mapping[str, T], rows: Mapping[str, Raw]) -> "Shelf[T]":
        """This shelf with ready records laid over it; `rows` states them for the indexes."""
        shelf = Shelf({**self.rows, **rows}, self._build)
        shelf._built = {**self._built, **records}
        return shelf


def read_rows(path: Path) -> dict[str, Raw]:
    """Rows of a file of JSON lines by their `id`, in file order; a second row of an id is refused."""
    rows: dict[str, Raw] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["id"] in rows:
                raise FactError("fact_duplicate_id", file=path.name, id=row["id"])
            rows[row["id"]] = row
    return rows


def read_sources(path: Path) -> Mapping[str, str]:
    """Table of sources: short id to the source's full text."""
    table: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return table

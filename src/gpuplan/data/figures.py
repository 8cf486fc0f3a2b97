"""A figure of a facts file: `[value, unit, source id]`. No unit, no source, no figure."""

from collections.abc import Mapping
from typing import Any, Final

from gpuplan.errors import FactError
from gpuplan.units import GB, GIB, MIB, TFLOP

UNITS: Final[Mapping[str, float]] = {
    "MiB": MIB,
    "GiB": GIB,
    "GB": GB,
    "GB/s": GB,
    "TFLOP/s": TFLOP,
    "W": 1.0,
    "ratio": 1.0,
    "count": 1.0,
    "bool": 1.0,
}
"""What one of each unit is in base units."""


class Figures:
    """Reads the figures of one row and remembers the source of each."""

    def __init__(self, *, file: str, row_id: str, table: Mapping[str, str]) -> None:
        self._file = file
        self._row_id = row_id
        self._table = table
        self.sources: dict[str, str] = {}

    def read(self, field: str, triple: Any) -> float | None:
        """The figure of `field` in base units; null stays unknown."""
        if triple is None:
            return None
        value, unit, source = (*triple, None, None)[:3]
        if unit not in UNITS:
            raise FactError("fact_unknown_unit", file=self._file, id=self._row_id, field=field, unit=unit)
        self.cite(field, source)
        return float(value) * UNITS[unit]

    def cite(self, field: str, source: Any) -> None:
        """Keeps the source of `field`; a missing or unknown one is refused."""
        text = self._table.get(source) if isinstance(source, str) else None
        if not text:
            raise FactError("fact_no_source", file=self._file, id=self._row_id, field=field)
        self.sources[field] = text

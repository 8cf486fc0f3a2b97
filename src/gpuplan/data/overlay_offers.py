"""Offers that users add: a table of their own prices, checked field by field before it joins the catalogue."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from gpuplan.errors import FactError
from gpuplan.facts.chip import Chip

PLACE: Final = "@place"
"""Key under which a row says where it stands, for messages."""
REQUIRED: Final = ("provider", "instance_type", "chip", "gpus", "source")
DEFAULTS: Final = {
    "region": "", "vcpus": "", "host_gib": "", "price": "", "currency": "USD", "kind": "list",
    "date": "", "confidence": "high", "note": "",
}  # fmt: skip
ORDER: Final = (
    "provider", "instance_type", "region", "chip", "gpus", "vcpus", "host_gib",
    "price", "currency", "kind", "source", "date", "confidence", "note",
)  # fmt: skip
LIMITS: Final = {"gpus": (1.0, 1024.0), "vcpus": (1.0, 1e5), "host_gib": (1.0, 1e6), "price": (0.0, 1e7)}
KINDS: Final = (
    "list", "per_gpu", "spot", "community", "secure", "own",
    "monthly_rent", "reserved_1m", "reserved_1y", "reserved_3y", "capacity_block",
)  # fmt: skip
WORDS: Final = {
    "confidence": ("high|medium|low", "high, medium, low"),
    "currency": ("[A-Z]{3}", "USD, CNY, EUR"),
    "kind": ("|".join(KINDS), ", ".join(KINDS)),
    "date": (r"|20\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", "2026-12-01"),
}
"""Patterns of the words, and how the mend names them."""


def checked_rows(overlay: Sequence[Mapping[str, object]], chips: Mapping[str, Chip]) -> list[list[str]]:
    """The rows in the order of the offers file; a mistake is refused with its place and its mend."""
    return [_checked(row, str(row.get(PLACE, f"offers[{i}]")), chips) for i, row in enumerate(overlay, start=1)]


def _checked(row: Mapping[str, object], where: str, chips: Mapping[str, Chip]) -> list[str]:
    for name in row:
        if name not in (*ORDER, PLACE):
            raise FactError("offer_unknown_key", where=where, name=name, known=", ".join(ORDER))
    for name in REQUIRED:
        if row.get(name) in (None, ""):
            raise FactError("offer_missing", where=where, name=name)
    if row["chip"] not in chips:
        raise FactError("offer_unknown_chip", where=where, value=row["chip"])
    filled = {**DEFAULTS, **{name: value for name, value in row.items() if value is not None}}
    for name, (pattern, expected) in WORDS.items():
        if not re.fullmatch(pattern, str(filled[name])):
            raise FactError("offer_value", where=where, name=name, value=filled[name], expected=expected)
    for name, (low, high) in LIMITS.items():
        _check_number(name, filled[name], low=low, high=high, where=where)
    return [str(filled[name]) for name in ORDER]


def _check_number(name: str, value: object, *, low: float, high: float, where: str) -> None:
    if value == "":
        return
    whole = name != "gpus" or isinstance(value, int)
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) and whole else math.nan
    inside = low < number <= high if name == "price" else low <= number <= high
    if not inside:
        bounds = f"{low:g} < x <= {high:g}" if name == "price" else f"{low:g} <= x <= {high:g}"
        raise FactError("offer_value", where=where, name=name, value=value, expected=bounds)

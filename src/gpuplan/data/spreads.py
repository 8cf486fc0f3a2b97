"""Loads the calibrated spreads."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from gpuplan.errors import FactError
from gpuplan.facts.spread import Spread


@cache
def load_spreads() -> Mapping[str, Spread]:
    """Spreads by group key; refuses a group without source and a key that stands twice."""
    spreads: dict[str, Spread] = {}
    for line in files("gpuplan.data").joinpath("files/spreads.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = row.pop("key")
        if key in spreads:
            raise FactError("fact_duplicate_id", file="spreads.jsonl", id=key)
        if not row.get("source"):
            raise FactError("fact_no_source", file="spreads.jsonl", id=key, field="source")
        spreads[key] = Spread(**row)
    return spreads

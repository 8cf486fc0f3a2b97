"""Loads measured kernels and calibrated factors; each is read once."""

import json
import tomllib
from dataclasses import fields
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np

from gpuplan.errors import FactError
from gpuplan.facts.efficiency import Efficiency, Grid, KernelSet

FOLDER: Final = files("gpuplan.data") / "files"


@lru_cache(maxsize=32)
def load_kernels(chip_id: str) -> KernelSet:
    """Kernels measured on `chip_id`; refused where nobody measured that chip (use its donor's)."""
    path = FOLDER / "kernels" / f"{chip_id}.npz"
    if chip_id not in measured_chips():
        raise FactError("kernels_unmeasured", chip=chip_id, known=", ".join(measured_chips()))
    grids: dict[str, dict[str, Grid]] = {"products": {}, "attention": {}, "collectives": {}}
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        about = json.loads(str(arrays["about"]))
        for key in about["grids"]:
            area, name = key.split("/")
            values = arrays[f"{key}/values"].astype(np.float64) + float(arrays[f"{key}/mean"])
            ends = np.cumsum(values.shape)[:-1]
            axes = np.split(arrays[f"{key}/axes"].astype(np.float64), ends)
            grids[area][name] = Grid(axes=tuple(axes), values=values)
    return KernelSet(
        chip_id=about["chip_id"],
        products=grids["products"],
        attention={int(name): grid for name, grid in sorted(grids["attention"].items(), key=lambda item: int(item[0]))},
        collectives=grids["collectives"],
        link_kind=about["link_kind"],
        link_bytes_per_s=about["link_bytes_per_s"],
        source=about["source"],
    )


@lru_cache(maxsize=1)
def measured_chips() -> tuple[str, ...]:
    """Ids of the chips with a kernel set."""
    names = (entry.name for entry in (FOLDER / "kernels").iterdir())
    return tuple(sorted(name.removesuffix(".npz") for name in names if name.endswith(".npz")))


@lru_cache(maxsize=1)
def load_efficiency() -> Efficiency:
    """The calibrated factors that ship with the package."""
    return read_efficiency((FOLDER / "efficiency.toml").read_text(encoding="utf-8"))


def read_efficiency(text: str) -> Efficiency:
    """Calibrated factors from TOML: one table a factor with `source` and `value`, or one number a key.

    A factor without source, an unknown one and a missing one are refused.
    """
    tables = tomllib.loads(text)
    names = {field.name for field in fields(Efficiency)} - {"sources"}
    for name in sorted(names ^ set(tables)):
        raise FactError("factor_missing" if name in names else "factor_unknown", factor=name)
    for name, table in tables.items():
        if not str(table.get("source", "")).strip():
            raise FactError("fact_no_source", file="efficiency.toml", id=name, field="value")
    sources = {name: table.pop("source") for name, table in tables.items()}
    values = {name: table.get("value", table) for name, table in tables.items()}
    return Efficiency(sources=sources, **values)

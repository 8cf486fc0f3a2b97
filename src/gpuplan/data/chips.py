"""Accelerators from `files/chips.jsonl`."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from gpuplan.data.figures import Figures
from gpuplan.data.shelf import FILES, Raw, Shelf, read_rows, read_sources
from gpuplan.facts.chip import Chip

FILE: Final = "chips.jsonl"


@cache
def load_chips() -> Mapping[str, Chip]:
    """All accelerators by id."""
    table = read_sources(FILES / "chip_sources.json")
    return Shelf(read_rows(FILES / FILE), lambda row: chip_of(row, table, file=FILE))


def chip_of(row: Raw, table: Mapping[str, str], *, file: str) -> Chip:
    """One row as a record in base units; each figure must name a source of `table`."""
    figures = Figures(file=file, row_id=row["id"], table=table)
    memory = figures.read("memory", row["memory"])
    assert memory is not None, row["id"]
    peaks = {dtype: figures.read(dtype, triple) for dtype, triple in row["tflops"].items()}
    figures.cite("donor", row["donor_source"])
    return Chip(
        id=row["id"],
        name=row["name"],
        vendor=row["vendor"],
        arch=row.get("arch"),
        form_factor=row.get("form_factor"),
        memory_bytes=memory,
        label_gb=row.get("label_gb"),
        memory_bytes_per_s=figures.read("bandwidth", row.get("bandwidth")),
        peak_flops={dtype: peak for dtype, peak in peaks.items() if peak is not None},
        bf16=row["bf16"],
        link_kind=row.get("link_kind"),
        link_bytes_per_s=figures.read("link", row.get("link")),
        pcie_bytes_per_s=figures.read("pcie", row.get("pcie")),
        p2p_over_pcie=row.get("p2p_over_pcie"),
        tdp_w=figures.read("tdp", row.get("tdp")),
        compute_capability=row.get("compute_capability"),
        donor=row["donor"],
        donor_scale=row.get("donor_scale", 1.0),
        memory_type=row.get("memory_type"),
        named_only=row.get("named_only", False),
        confidence=row["confidence"],
        sources=figures.sources,
        notes=tuple(row.get("notes", ())),
        export_notes=tuple(row.get("export_notes", ())),
    )

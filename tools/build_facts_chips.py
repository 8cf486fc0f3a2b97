"""Builds src/gpuplan/data/files/chips.jsonl from the collected accelerator facts: `--shared DIR`.

Adds what a plan needs and no data sheet states: memory usable by a process, and the chip whose measured kernels
stand in where this one was never measured. Needs the extra `build-facts` (pyarrow).
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import chip_rules
import numpy as np
import pyarrow.parquet as pq

OUT: Final = Path(__file__).parents[1] / "src/gpuplan/data/files"
PCIE_GB_S_PER_LANE: Final = {3: 0.985, 4: 1.969, 5: 3.938}
PCIE_SOURCE: Final = "derived: lanes x rate of the PCI Express generation (128b/130b), one direction"
LINK_KINDS: Final = {"nvlink": "NVLink", "nvlink-bridge": "NVLink bridge", "infinity-fabric": "xGMI", "none": None}
KERNEL_NAMES: Final = {
    "L40S": "L40S",
    "RTX-PRO-6000-SE": "RTX-PRO-6000-Server",
    "A100-80GB-SXM4": "A100-SXM-80GB",
}


class Sources:
    """Short ids for source texts that many rows share."""

    def __init__(self) -> None:
        self.table: dict[str, str] = {}

    def id_of(self, text: str) -> str:
        """The id of `text`, new or known."""
        text = text.replace(
            " seen in the search corpora (not archived); not cross-checked on disk", "; not cross-checked"
        )
        for key, known in self.table.items():
            if known == text:
                return key
        key = f"c{len(self.table) + 1}"
        self.table[key] = text
        return key


def main() -> None:
    """Reads the collected rows, writes the compact ones and their table of sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    shared, out_dir = arguments.shared, arguments.out
    rows = [json.loads(line) for line in (shared / "facts/gpus.jsonl").read_text().splitlines()]
    sustained = sustained_shares(rows, shared / "measured/kernels/gemm.parquet")
    sources = Sources()
    lines = []
    for row in [*rows, *chip_rules.EXTRA_ROWS]:
        if row["memory_gb"] is None:
            print(f"left out, memory not stated: {row['id']}")
            continue
        lines.append(json.dumps(compact(row, sustained, sources), ensure_ascii=False, separators=(",", ":")))
    (out_dir / "chips.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = json.dumps(sources.table, ensure_ascii=False, indent=0)
    (out_dir / "chip_sources.json").write_text(table + "\n", encoding="utf-8")
    print(f"{len(lines)} chips, {len(sources.table)} sources")


def sustained_shares(rows: list[dict[str, Any]], path: Path) -> Mapping[str, float]:
    """Ninth decile of the rate of large bf16 products (all sides at least 4096) over peak, by donor."""
    table = {name: np.array(column) for name, column in pq.read_table(path).to_pydict().items()}
    peaks = {row["id"]: row["dense_tflops"]["bf16"] for row in rows}
    shares = {}
    for chip_id, name in KERNEL_NAMES.items():
        keep = (table["gpu"] == name) & (table["dtype"] == "bfloat16")
        keep &= np.minimum(np.minimum(table["m"], table["n"]), table["k"]) >= 4096
        flop = 2.0 * table["m"][keep] * table["n"][keep] * table["k"][keep]
        rates = flop / (table["latency_us"][keep] * 1e-6)
        shares[chip_id] = float(np.percentile(rates, 90)) / (peaks[chip_id] * 1e12)
    return shares


def compact(row: dict[str, Any], sustained: Mapping[str, float], sources: Sources) -> dict[str, Any]:
    """One row of chips.jsonl."""
    dies = chip_rules.DIES.get(row["id"], 1)
    die_note = f" / {dies} dies: per die as programs see it" if dies > 1 else ""
    memory_mib, memory_source = chip_rules.usable_mib(row, dies)

    def cited(value: float | None, unit: str, *names: str, scale: float = 1.0) -> list[Any] | None:
        if value is None:
            return None
        text = next((row["sources"][n] for n in names if n in row["sources"]), None)
        text = text or next((row["derived"][n] for n in names if n in row.get("derived", {})), None)
        text = text or chip_rules.SOURCE_GAPS.get((row["id"], names[0]))
        if text is None:
            print(f"no source, left unknown: {row['id']} {names[0]}")
            return None
        return [_short(value * scale), unit, sources.id_of(text + die_note)]

    half = 1.0 / dies
    out: dict[str, Any] = {
        "id": row["id"],
        "name": chip_rules.NAMES.get(row["id"], row["name"]),
        "vendor": row["vendor"],
        "arch": row["arch"],
        "form_factor": row["form_factor"],
        "label_gb": _short(row["memory_gb"] / dies),
        "memory_type": row["memory_type"],
        "memory": [round(memory_mib), "MiB", sources.id_of(memory_source)],
        "bandwidth": cited(row["mem_bandwidth_gb_s"], "GB/s", "mem_bandwidth_gb_s", scale=half),
        "tflops": {
            dtype: cited(rate, "TFLOP/s", dtype, "dense_tflops", scale=half)
            for dtype, rate in row["dense_tflops"].items()
            if rate is not None
        },
        "bf16": bool(row["bf16_supported"]),
        "tdp": cited(row["tdp_w"], "W", "tdp_w", "dense_tflops", scale=half),
        "compute_capability": row["compute_capability"],
        **link_fields(row, cited, sources),
        **donor_fields(row, sustained, sources),
        "confidence": row["confidence"],
    }
    if row["id"] in chip_rules.NAMED_ONLY:
        out["named_only"] = True
    notes = list(row["notes"]) + ([row["fp16_accumulate_note"]] if row["fp16_accumulate_note"] else [])
    if isinstance(row["p2p_over_pcie"], str):
        notes.append(f"peer access over PCIe: {row['p2p_over_pcie']}")
    out["notes"] = notes
    out["export_notes"] = [f"{note['text']} ({note['source']})" for note in row["export_control"]]
    return {key: value for key, value in out.items() if value not in (None, [])}


def link_fields(row: dict[str, Any], cited: Any, sources: Sources) -> dict[str, Any]:
    """Link to peers and to the host, one direction."""
    link = row["link"]
    kind = LINK_KINDS.get(link["kind"], link["kind"])
    fields: dict[str, Any] = {"link_kind": kind}
    both_ways = link["gb_s_bidirectional_per_gpu"]
    if kind and both_ways:
        fields["link"] = cited(both_ways, "GB/s", "link", scale=0.5 / chip_rules.DIES.get(row["id"], 1))
    pcie = row["pcie"] or {}
    if pcie.get("gen"):
        rate = PCIE_GB_S_PER_LANE[int(pcie["gen"])] * pcie["lanes"]
        text = f"{PCIE_SOURCE}; generation and lanes: {row['sources'].get('pcie', 'stated without source')}"
        fields["pcie"] = [_short(rate), "GB/s", sources.id_of(text)]
    if isinstance(row["p2p_over_pcie"], str) and row["p2p_over_pcie"].startswith("not enabled"):
        fields["p2p_over_pcie"] = False
    return fields


def donor_fields(row: dict[str, Any], sustained: Mapping[str, float], sources: Sources) -> dict[str, Any]:
    """Which measured kernels stand in for this chip, and the time factor on them."""
    donor, scale, text = chip_rules.donor_of(row, sustained)
    fields: dict[str, Any] = {"donor": donor, "donor_source": sources.id_of(text)}
    if scale != 1.0:
        fields["donor_scale"] = round(scale, 3)
    return fields


def _short(value: float) -> float | int:
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


if __name__ == "__main__":
    main()

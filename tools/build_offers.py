"""Merges the three price collections into the compact offers file of the package.

    python tools/build_offers.py --shared DIR [--report] [--out DIR]

Reads DIR/facts/offers_*.csv and gpus.jsonl; writes src/gpuplan/data/files/offers.csv and sources_offers.json.
Which row wins, and why a row is left out, is described in docs/offers.md; `--report` prints the counts.
Currencies are never converted; a monthly rent becomes a price per hour (730 h a month) with its own kind.
"""

import argparse
import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

OUT: Final = Path(__file__).parents[1] / "src" / "gpuplan" / "data" / "files"
HOURS_PER_MONTH: Final = 730.0
COLUMNS: Final = (
    "provider", "instance_type", "region", "chip", "gpus", "vcpus", "host_gib",
    "price", "currency", "kind", "source", "date", "confidence", "note",
)  # fmt: skip
CONFIDENCE: Final = {"none": 0, "low": 1, "medium": 2, "high": 3}

FAMILIES: Final[dict[str, list[str]]] = {
    "A100": ["A100-40GB-PCIe", "A100-40GB-SXM4", "A100-80GB-PCIe", "A100-80GB-SXM4"],
    "A100-40GB": ["A100-40GB-PCIe", "A100-40GB-SXM4"],
    "A100-80GB": ["A100-80GB-PCIe", "A100-80GB-SXM4"],
    "A800-80GB": ["A800-80GB-PCIe", "A800-80GB-SXM4"],
    "H100-80GB": ["H100-80GB-PCIe", "H100-80GB-SXM5"],
    "H200-141GB": ["H200-141GB-NVL", "H200-141GB-SXM5"],
    "H800-80GB": ["H800-80GB-PCIe", "H800-80GB-SXM5"],
    "V100": ["V100-16GB-PCIe", "V100-16GB-SXM2", "V100-32GB-PCIe", "V100-32GB-SXM2"],
    "V100-32GB": ["V100-32GB-PCIe", "V100-32GB-SXM2"],
    "RTX-PRO-6000": ["RTX-PRO-6000-MaxQ", "RTX-PRO-6000-SE", "RTX-PRO-6000-WS"],
    "RTX-PRO-4500": ["RTX-PRO-4500-SE"],
    "RTX-3060": ["RTX-3060-12GB"],
    "Ascend-910B2": ["Ascend-910B"],
    "Ascend-910B3": ["Ascend-910B"],
}
"""Names without a form factor (or of a near variant) and the chips that they may be."""

REGIONAL: Final = {"aws", "azure", "gcp", "alibaba", "tencent", "huawei", "huawei-modelarts", "volcengine", "aws-china"}
"""Sold by named size and region: only the same size in the same region supersedes an older row."""
PER_CARD: Final = {
    "autodl", "gongji", "compshare", "matpool", "lanyun", "onethingai", "zhixingyun", "suanjiayun",
    "gpushare", "chenjianyun", "shengsuanyun", "runpod", "vast",
}  # fmt: skip
"""Platforms whose `1x` rows are a price per card; hosts hold up to eight."""
CHINESE: Final = {"alibaba", "tencent", "volcengine", "huawei", "huawei-modelarts"}
"""Sell in yuan, also where a row has no price."""
RENAMED: Final = {"ovhcloud": "ovh"}
PROBABLE_FRACTION: Final = re.compile(r"NC(24|36|72)l?ds_xl_RTXPRO6000BSE_v6|NC8ads_A10_v4")
"""Listed with one GPU, but cores and price are a quarter or half of the size with one whole GPU."""
AVERAGES: Final = {"provider_average", "anecdote", "marketplace_median", "marketplace_min", "reserved_from", "gpu_part"}
PER_GPU_NAME: Final = re.compile(
    r"^(list per GPU|per[- ]GPU|per-chip|secure|community|page|preemptible per GPU|median|1x)[ _]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One price of one size; the figures as their source states them."""

    provider: str
    name: str
    region: str
    chip: str
    gpus: int
    vcpus: str
    host_gib: str
    price: float | None
    currency: str
    kind: str
    source: str
    date: str
    confidence: str
    note: str

    @property
    def rank(self) -> tuple[str, int, bool]:
        """Newer first, then the surer, then a list before a transcription (cost_notes.md, section 1)."""
        return (self.date, CONFIDENCE[self.confidence], "transcription" not in self.source)


def main() -> None:
    """Read, merge, write, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    facts = args.shared / "facts"
    known = {json.loads(line)["id"] for line in (facts / "gpus.jsonl").read_text().splitlines()} | set(FAMILIES)
    dropped: Counter[str] = Counter()
    rows = [row for raw in read(facts) for row in parse(raw, known, dropped)]
    rows = whole_offers(supersede(winners(rows, dropped), dropped), rows, dropped)
    write(rows, args.out)
    if args.report:
        print(json.dumps({"kept": len(rows), "dropped": dropped, "kinds": Counter(r.kind for r in rows)}, indent=1))


def read(facts: Path) -> Iterator[dict[str, str]]:
    """The raw rows of the three files under one set of column names."""
    for part in ("international", "china", "supplement"):
        with (facts / f"offers_{part}.csv").open(encoding="utf-8", newline="") as file:
            for raw in csv.DictReader(file):
                raw.setdefault("source", raw.get("source_path", ""))
                raw.setdefault("source_date", raw.get("snapshot_date", ""))
                raw["currency"] = raw.get("currency") or (
                    "CNY" if part == "china" or raw["provider"] in CHINESE else "USD"
                )
                yield raw


def parse(raw: dict[str, str], known: set[str], dropped: Counter[str]) -> Iterator[Row]:
    """The rows of one raw line: on demand and spot apart; none, with a counted reason, where it cannot be used."""
    reason = unusable(raw, known)
    if reason:
        dropped[reason] += 1
        return
    provider = raw["provider"].split(" (")[0]
    base = Row(
        provider=RENAMED.get(provider, provider),
        name=raw["instance_type"].removeprefix("Standard_"),
        region=raw["region"],
        chip=raw["gpu_name_norm"],
        gpus=int(float(raw["gpu_count"])),
        vcpus=raw["vcpus"],
        host_gib=raw["host_mem_gib"],
        price=None,
        currency=raw["currency"],
        kind=kind_of(raw),
        source=raw["source"],
        date=raw["source_date"],
        confidence=raw["confidence"],
        note=raw["note"],
    )
    price, spot = price_of(raw), number(raw["price_usd_hour_spot"])
    if price is None and spot is None:
        yield replace(base, kind="spec_only")
    if price is not None and base.kind != "spot":
        yield replace(base, price=price)
    if base.kind in ("spot", "spot_from"):
        yield replace(base, price=spot if spot is not None else price)
    elif spot is not None and (price is None or spot < 0.999 * price):
        yield spot_row(base, spot)
    elif spot is not None:
        dropped["spot equals on-demand: no spot market"] += 1


def spot_row(base: Row, spot: float) -> Row:
    """The spot price beside an on-demand price.

    A minimum over zones at an unknown moment and a "from" price are floors, not what to expect: low confidence.
    """
    if "preemptible" in base.note:
        return replace(base, price=spot, kind="spot_from", confidence="low")
    floor = "min over zones" in base.note
    return replace(base, price=spot, kind="spot", confidence="low" if floor else base.confidence)


def unusable(raw: dict[str, str], known: set[str]) -> str | None:
    """Why a raw row is left out, or None."""
    count, note = raw["gpu_count"], raw["note"]
    rules = (
        (not raw["gpu_name_norm"], "chip not named"),
        (raw["gpu_name_norm"] not in known, "chip without a specification"),
        (not count, "GPU count unknown"),
        (bool(count) and float(count) % 1 != 0, "fraction of a GPU"),
        ("fractional" in note and "may be" not in note, "fraction of a GPU"),
        (PROBABLE_FRACTION.search(raw["instance_type"]) is not None, "probably a fraction of a GPU"),
        (not raw["source"], "no source"),
        (note.startswith("superseded"), "superseded by a newer list"),
        (raw["provider"] == "azure" and raw["source_date"] == "2026-11-09", "single source against the retail rows"),
    )
    return next((reason for broken, reason in rules if broken), None)


def kind_of(raw: dict[str, str]) -> str:
    """The kind of price; what cannot be rented per hour as it stands gets a kind of its own."""
    kind, note, name = raw["price_kind"], raw["note"], raw["instance_type"]
    if "GPU part" in name or "GPU part" in note or "accelerator component" in note:
        return "gpu_part"
    if kind == "spot" and '"from" price' in note:
        return "spot_from"
    if kind == "list" and "(from)" in name:
        return "list_from"
    return "monthly_rent" if raw.get("price_period") == "month" else kind


def price_of(raw: dict[str, str]) -> float | None:
    """Price per hour on demand in the currency of the row."""
    local = number(raw.get("price_local", "") if raw["currency"] != "USD" else "")
    price = local if local is not None else number(raw["price_usd_hour_on_demand"])
    if price is None or raw.get("price_period") != "month":
        return price
    return price / HOURS_PER_MONTH


def number(text: str) -> float | None:
    """A positive number, or None for empty and for zero (which the sources use for "unknown")."""
    return float(text) or None if text else None


def winners(rows: Iterable[Row], dropped: Counter[str]) -> list[Row]:
    """One row for each provider, size, region, count and kind: the newest, then the surest."""
    best: dict[tuple[str, str, str, str, int, str], Row] = {}
    for row in rows:
        key = (row.provider, row.name, row.region, row.chip, row.gpus, row.kind)
        if key in best:
            dropped["duplicate: an older or less sure row"] += 1
        if key not in best or row.rank > best[key].rank:
            best[key] = row
    return list(best.values())


def supersede(rows: list[Row], dropped: Counter[str]) -> list[Row]:
    """Without the older price lists of providers that sell by chip, and without a bare size that has a price."""
    newest: dict[tuple[str, str, str], str] = defaultdict(str)
    for row in rows:
        for chip in FAMILIES.get(row.chip, [row.chip]):
            key = (row.provider, group(row.kind), chip)
            newest[key] = max(newest[key], row.date)
    priced = {(row.provider, row.name) for row in rows if row.price is not None and row.kind not in AVERAGES}
    kept = []
    for row in rows:
        dates = [newest[row.provider, group(row.kind), chip] for chip in FAMILIES.get(row.chip, [row.chip])]
        if row.kind == "spec_only" and (row.provider, row.name) in priced:
            dropped["size without price that another row prices"] += 1
        elif row.provider not in REGIONAL and row.kind != "spec_only" and max(dates) > row.date:
            dropped["older list of the same provider and chip"] += 1
        elif row.provider == "nebius" and row.date < "2026-10-07" and row.kind not in AVERAGES:
            dropped["Nebius before the rise of 2026-10-01"] += 1
        else:
            kept.append(row)
    return kept


def group(kind: str) -> str:
    """Kinds that replace each other when newer."""
    return "on_demand" if kind in ("list", "per_gpu", "list_from") else kind


def whole_offers(rows: list[Row], everything: list[Row], dropped: Counter[str]) -> list[Row]:
    """Rows as machines: prices per GPU times the sizes the provider sells, form factors taken from its other rows."""
    sizes: dict[tuple[str, str, bool], dict[int, Row]] = defaultdict(dict)
    for row in sorted(everything, key=lambda r: (r.vcpus == "", float(r.host_gib or "inf"))):
        named = not PER_GPU_NAME.match(row.name) and row.provider not in PER_CARD
        if named and row.kind not in AVERAGES and row.kind != "broker":
            sizes[row.provider, row.chip, "NVLink" in row.name].setdefault(row.gpus, row)
    out: list[Row] = []
    for row in rows:
        out += machines_of(exact_chip(row, sizes), sizes)
    unique: dict[tuple[str, str, str, str, int, str], Row] = {}
    for row in out:
        key = (row.provider, row.name, row.region, row.chip, row.gpus, row.kind)
        if key in unique:
            dropped["duplicate: an older or less sure row"] += 1
        unique[key] = row if key not in unique else max(row, unique[key], key=lambda r: r.rank)
    return sorted(unique.values(), key=lambda r: (r.provider, r.name, r.region, r.kind, r.gpus, r.chip))


def exact_chip(row: Row, sizes: dict[tuple[str, str, bool], dict[int, Row]]) -> Row:
    """The one chip of the family that the provider's named sizes have, where there is exactly one."""
    found = [
        chip
        for chip in FAMILIES.get(row.chip, [])
        if any((row.provider, chip, flag) in sizes for flag in (True, False))
    ]
    if len(found) != 1 or row.kind in AVERAGES or row.provider in REGIONAL:
        return row
    return replace(
        row, chip=found[0], note="; ".join(filter(None, [row.note, "form factor from other rows of the provider"]))
    )


def machines_of(row: Row, sizes: dict[tuple[str, str, bool], dict[int, Row]]) -> Iterator[Row]:
    """The whole machines that a row prices."""
    mine = sizes.get((row.provider, row.chip, "NVLink" in row.name), {})
    if (row.provider in REGIONAL and row.kind != "per_chip") or row.kind in AVERAGES:
        yield row
    elif row.gpus > 1 or not is_per_gpu(row):
        shape = mine.get(row.gpus)
        yield (
            replace(row, name=shape.name, vcpus=shape.vcpus, host_gib=shape.host_gib)
            if shape and not row.vcpus
            else row
        )
    else:
        product = product_name(row)
        leased = re.match(r"([2-9]\d*)x (.*)", product)
        product = leased[2] if leased else product
        for gpus in (int(leased[1]),) if leased else sorted(mine) or default_sizes(row):
            shape = mine.get(gpus)
            name = shape.name if shape else f"{gpus}x {product}"
            yield replace(
                row, name=name, gpus=gpus, price=None if row.price is None else row.price * gpus,
                vcpus=shape.vcpus if shape else "", host_gib=shape.host_gib if shape else "",
            )  # fmt: skip


def product_name(row: Row) -> str:
    """What is rented, without a count: the source's words, or the chip where those are only a lower-case key."""
    words = re.sub(r" (COMMUNITY|SECURE)$", "", PER_GPU_NAME.sub("", row.name))
    if words == words.lower():
        words = row.chip
    return f"{words} {row.kind}" if row.kind in ("secure", "community") else words


def is_per_gpu(row: Row) -> bool:
    """True where the price is of one GPU out of several that can be rented together."""
    by_kind = row.kind in ("per_gpu", "per_chip", "secure", "community") or row.provider in PER_CARD
    by_name = row.name.startswith(("per GPU", "per-GPU", "per-chip", "preemptible per GPU"))
    return by_kind or (by_name and row.kind != "serverless")


def default_sizes(row: Row) -> tuple[int, ...]:
    """Sizes assumed where the provider's are not known: the board or tray of the chip, else 1, 2, 4, 8."""
    if row.chip.startswith(("GB200", "GB300", "TPU-v4", "TPU-v5p")):
        return (4,)
    if row.chip.startswith(("TPU", "MI3")):
        return (1, 8)
    return (1,) if row.chip.startswith("GH200") else (1, 2, 4, 8)


def write(rows: list[Row], out_dir: Path) -> None:
    """The offers, with sources and notes as numbers of a table."""
    sources = {text: i for i, text in enumerate(sorted({row.source for row in rows}))}
    notes = {text: i for i, text in enumerate(sorted({row.note for row in rows if row.note}))}
    with (out_dir / "offers.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for r in rows:
            price = "" if r.price is None else f"{r.price:.6g}"
            out.writerow((
                r.provider, r.name, r.region, r.chip, r.gpus, r.vcpus, r.host_gib, price, r.currency, r.kind,
                sources[r.source], r.date, r.confidence, notes.get(r.note, ""),
            ))  # fmt: skip
    tables = {"sources": list(sources), "notes": list(notes), "families": FAMILIES}
    (out_dir / "sources_offers.json").write_text(
        json.dumps(tables, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

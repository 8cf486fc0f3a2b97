"""Offers from `files/offers.csv`: machines at prices, each with source and date.

One row of the file is one size at one price of one kind; rows of one shape share one `Machine`. The file never
converts a currency. Which row won, and how prices per GPU became machines, is told in docs/offers.md.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from gpuplan.data.machines import machine_of, node_of
from gpuplan.data.overlay_offers import checked_rows
from gpuplan.data.shelf import FILES
from gpuplan.errors import FactError
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.facts.offer import Offer

FILE: Final = "offers.csv"
Row = Sequence[str]
(PROVIDER, TYPE, REGION, CHIP, GPUS, VCPUS, HOST, PRICE, CURRENCY, KIND, SOURCE, DATE, CONFIDENCE, NOTE) = range(14)
COLUMNS: Final = (
    "provider", "instance_type", "region", "chip", "gpus", "vcpus", "host_gib",
    "price", "currency", "kind", "source", "date", "confidence", "note",
)  # fmt: skip

RENTABLE: Final = frozenset({"list", "per_gpu", "per_chip", "secure", "community", "spot", "own"})
"""Kinds that anybody can rent by the hour at the stated price."""
RANKED_CONFIDENCE: Final = frozenset({"high", "medium"})


def load_offers(*, chips: Mapping[str, Chip], overlay: Sequence[Mapping[str, object]] = ()) -> tuple[Offer, ...]:
    """All offers whose chip is in `chips`; rows of `overlay` replace those of the same size, region and kind."""
    rows, sources, notes, families = _file()
    own = checked_rows(overlay, chips)
    replaced = {(row[PROVIDER], row[TYPE], row[REGION], row[KIND]) for row in own}
    build = _builder(chips, families)
    kept = rows
    if replaced:
        kept = [row for row in rows if (row[PROVIDER], row[TYPE], row[REGION], row[KIND]) not in replaced]
    offers = [build(row, sources[int(row[SOURCE])], notes[int(row[NOTE])] if row[NOTE] else None) for row in kept]
    offers += [build(row, row[SOURCE], row[NOTE] or None) for row in own]
    return tuple(offer for offer in offers if offer is not None)


def may_rank(offer: Offer, *, low: bool = False) -> bool:
    """True where the offer may compete: a price, rentable by the hour, of high or medium confidence.

    `low` admits low confidence too, for when nothing else exists; the answer must then say so.
    """
    sure = offer.confidence in RANKED_CONFIDENCE or (low and offer.confidence == "low")
    return sure and offer.price_per_hour is not None and offer.price_kind in RENTABLE


def price_usd_per_hour(offer: Offer, rates: Mapping[str, float]) -> float | None:
    """Price of the whole machine in USD, for ranking only; `rates` are USD for one unit of a currency.

    None where the price is unknown: ask, never free.
    """
    if offer.price_per_hour is None:
        return None
    rate = 1.0 if offer.currency == "USD" else rates.get(offer.currency)
    if rate is None:
        raise FactError("offer_no_rate", currency=offer.currency, provider=offer.provider)
    return offer.price_per_hour * rate


@cache
def _file() -> tuple[list[list[str]], list[str], list[str], dict[str, list[str]]]:
    tables = json.loads((FILES / "sources_offers.json").read_text(encoding="utf-8"))
    with (FILES / FILE).open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        if tuple(next(lines)) != COLUMNS:
            raise FactError("offer_columns", file=FILE, known=", ".join(COLUMNS))
        rows = list(lines)
    return rows, tables["sources"], tables["notes"], tables["families"]


def _builder(
    chips: Mapping[str, Chip], families: Mapping[str, Sequence[str]]
) -> Callable[[Row, str, str | None], Offer | None]:
    """Makes offers of rows; keeps each chip and each machine it has made."""
    machines: dict[tuple[str, ...], tuple[Machine, bool] | None] = {}
    shapes: dict[tuple[object, ...], Machine] = {}

    def build(row: Row, source: str, note: str | None) -> Offer | None:
        key = (row[PROVIDER], row[TYPE], row[CHIP], row[GPUS], row[VCPUS], row[HOST])
        if key not in machines:
            machines[key] = _machine(row, chips, families, shapes)
        found = machines[key]
        if found is None:
            return None
        machine, assumed = found
        return Offer(
            provider=row[PROVIDER],
            instance_type=row[TYPE],
            region=row[REGION] or None,
            machine=machine,
            price_per_hour=float(row[PRICE]) if row[PRICE] else None,
            currency=row[CURRENCY],
            price_kind=row[KIND],
            is_spot=row[KIND] in ("spot", "spot_from"),
            source=source,
            source_date=row[DATE] or None,
            confidence=row[CONFIDENCE],
            note=note,
            chip_is_assumed=assumed,
        )

    return build


def _machine(
    row: Row,
    chips: Mapping[str, Chip],
    families: Mapping[str, Sequence[str]],
    shapes: dict[tuple[object, ...], Machine],
) -> tuple[Machine, bool] | None:
    """The machine of a row, shared with every row of the same shape; and whether its chip is assumed."""
    node = node_of(row[PROVIDER], row[TYPE])
    candidates = families.get(row[CHIP], (row[CHIP],))
    exact = node is not None and node.chip in candidates
    if exact and node is not None and node.chip is not None:
        candidates = (node.chip,)
    known = [chips[name] for name in candidates if name in chips]
    if node is not None and node.link.startswith("NVLink") and "PCIe" not in node.link:
        known = [chip for chip in known if chip.link_kind == "NVLink"] or known
    if not known:
        return None
    machine = machine_of(
        min(known, key=slowness),
        int(row[GPUS]),
        node=node,
        vcpus=float(row[VCPUS]) if row[VCPUS] else None,
        host_gib=float(row[HOST]) if row[HOST] else None,
    )
    shape = (
        machine.chip.id, machine.n_gpus, machine.link_kind, machine.link_bytes_per_s, machine.link_domain_gpus,
        machine.fabric, machine.nic_bytes_per_s_per_gpu, machine.rdma, machine.vcpus, machine.host_bytes,
        machine.nvme_bytes, machine.source,
    )  # fmt: skip
    return shapes.setdefault(shape, machine), row[CHIP] in families and not exact


def slowness(chip: Chip) -> tuple[float, float, float]:
    """Order of the variants of a family, the slower first: memory, then 16-bit rate, then the link."""
    peak = chip.peak_flops.get("bf16") or chip.peak_flops.get("fp16") or 0.0
    link = 0.0 if "bridge" in (chip.link_kind or "") else chip.link_bytes_per_s or 0.0
    return (chip.memory_bytes, peak, link)

"""What a reader of a pick should know before paying: dated, with figures, never more than the facts say."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from gpuplan.advice.words import export_words, fabric_words
from gpuplan.facts.chip import Chip
from gpuplan.facts.offer import Offer
from gpuplan.model.kernels import usable_dtype
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout
from gpuplan.question.note import Note, note, spent
from gpuplan.run.goodput import SPOT_LOSSES_PER_NODE_S
from gpuplan.units import GBIT, GIB, HOUR

OLD_PRICE_DAYS: Final = 90
"""Rents moved by 17 to 32 % within four to five months of 2026 (cost facts, price_trend)."""
SURE: Final = frozenset({"high", "medium"})
PLAIN_NETWORKS: Final = ("ethernet", "stated", "4 vNICs")
"""Fabrics that do not bypass the host; EFA, RoCE and the like do, though not always as far as the GPU."""
CHINA: Final = "CN"
MUCH_HOST_BYTES: Final = 64 * GIB
"""Most machines with a data-centre card have more (cloud offers of 2026: 93 % have the GPUs' memory or more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A pick as warnings see it."""

    offer: Offer
    nodes: float
    layout: Layout
    job: Job
    fits_probability: float
    cost_usd: Range | None
    budget_usd: float | None
    resume_auto: bool | None
    country: str | None
    host_bytes_needed: float = 0.0
    """Of one node."""
    currency: str = "USD"
    """In which amounts are told."""
    usd_per_unit: float = 1.0


def warnings_of(pick: Chosen, today: date) -> tuple[Note, ...]:
    """Warnings of a pick, the gravest first."""
    found: list[Note | None] = [
        _unsure(pick), *_price(pick, today), _over_budget(pick), _spot(pick), _offload(pick), _host(pick),
        _fabric(pick),
    ]  # fmt: skip
    found += [*_chip(pick.offer.machine.chip, pick), *_export(pick.offer.machine.chip, pick.country)]
    return tuple(one for one in found if one is not None)


def price_age_days(source_date: str | None, today: date) -> int | None:
    """Days since the newest day that a date (day, month or year) can mean; None where undated."""
    if not source_date:
        return None
    parts = [int(part) for part in source_date.split("-")]
    year, month, day = (*parts, 12, 28)[:3] if len(parts) == 1 else (*parts, 28)[:3]
    return max((today - date(year, month, day)).days, 0)


def _unsure(pick: Chosen) -> Note | None:
    return note("warn.unsure", chance=100 * pick.fits_probability) if pick.fits_probability < 0.949 else None


def _price(pick: Chosen, today: date) -> list[Note | None]:
    offer = pick.offer
    if offer.price_kind == "own":
        return [note("warn.own_cost")]
    age = price_age_days(offer.source_date, today)
    old = note("warn.price_age", days=age, date=offer.source_date) if age is not None and age > OLD_PRICE_DAYS else None
    undated = note("warn.price_undated") if age is None else None
    return [
        note("warn.low_confidence", source=offer.source) if offer.confidence not in SURE else None,
        undated,
        old,
        note("warn.chip_assumed", chip=offer.machine.chip.id) if offer.chip_is_assumed else None,
        note("warn.spot_price") if offer.is_spot and offer.provider == "gcp" else None,
        note("warn.marketplace", kind=note(f"show.kind.{offer.price_kind}"))
        if offer.price_kind == "community"
        else None,
    ]


def _over_budget(pick: Chosen) -> Note | None:
    if pick.budget_usd is None or pick.cost_usd is None or float(pick.cost_usd.high) <= pick.budget_usd:
        return None
    amounts = {"high": float(pick.cost_usd.high), "budget": pick.budget_usd}
    shown = {name: amount / pick.usd_per_unit for name, amount in amounts.items()}
    return note("warn.budget_edge", currency=pick.currency, **shown)


def _spot(pick: Chosen) -> Note | None:
    if not pick.offer.is_spot:
        return None
    rates = SPOT_LOSSES_PER_NODE_S
    key = "warn.spot" if pick.resume_auto else "warn.spot_flag"
    hours = [1 / (float(rate) * HOUR * pick.nodes) for rate in (rates.high, rates.typical, rates.low)]
    return note(key, often=spent(hours[0]), typical=spent(hours[1]), seldom=spent(hours[2]))


def _offload(pick: Chosen) -> Note | None:
    return note("warn.offload") if float(pick.layout.offload) > 0 else None


def _host(pick: Chosen) -> Note | None:
    """Much host memory is needed and nobody states how much there is."""
    if pick.offer.machine.host_bytes is not None or pick.host_bytes_needed < MUCH_HOST_BYTES:
        return None
    return note("warn.host_unknown", gib=pick.host_bytes_needed / GIB)


def _fabric(pick: Chosen) -> Note | None:
    """Of several nodes: own networks are assumed, rented ones may pass through the host."""
    machine = pick.offer.machine
    if pick.nodes <= 1:
        return None
    fabric = fabric_words(machine.fabric)
    if pick.offer.price_kind == "own":
        rate = (machine.nic_bytes_per_s_per_gpu or 0.0) / GBIT
        return note("warn.fabric_assumed", fabric=fabric, rate=rate)
    if machine.rdma:
        return None
    is_named = machine.fabric is not None and not machine.fabric.startswith(PLAIN_NETWORKS)
    return note("warn.no_gpudirect" if is_named else "warn.no_rdma", fabric=fabric)


def _chip(chip: Chip, pick: Chosen) -> list[Note | None]:
    many = pick.offer.machine.n_gpus > 1
    used = usable_dtype(chip, pick.job.precision)
    return [
        note("warn.no_bf16", chip=chip.id) if not chip.bf16 and pick.job.precision == "fp16" else None,
        note("warn.precision", chip=chip.id, asked=pick.job.precision, used=used)
        if used != pick.job.precision and pick.job.precision not in ("tf32", "fp32")
        else None,
        note("warn.no_p2p", chip=chip.id) if many and chip.p2p_over_pcie is False else None,
        note("warn.chip_borrowed", chip=chip.id, donor=chip.donor) if chip.donor != chip.id else None,
        note("warn.vendor", vendor=chip.vendor) if chip.vendor != "nvidia" else None,
    ]


def _export(chip: Chip, country: str | None) -> list[Note | None]:
    """Dated notes on export rules, for chips offered in China; never legal advice."""
    if country != CHINA or not chip.export_notes:
        return []
    return [note("warn.export", chip=chip.id, text=export_words(chip.export_notes[-1]))]

"""`check`: does a job fit on given hardware, by which arithmetic, and what is the nearest that works.

Of a chip with several variants the verdict must hold for all, else it is unsure.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final

import numpy as np

from gpuplan.advice.arithmetic import sums_of
from gpuplan.advice.warn import Chosen, warnings_of
from gpuplan.app.describe import (
    bill_of,
    cost_json,
    hours,
    layout_json,
    memory_json,
    pace_of,
    range_json,
    time_json,
)
from gpuplan.app.hints import faster_variant
from gpuplan.app.nearest import nearest_changes
from gpuplan.app.offers_for import cheapest_of, offers_of
from gpuplan.app.parts import rounded
from gpuplan.app.searched import asked_currency, common_currency
from gpuplan.app.shown import assumed_json, offer_view, question_json
from gpuplan.app.sites import variant_note
from gpuplan.app.states import pure_16_bit_warning
from gpuplan.app.tried import Tried, try_on, variants_on
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.costs import fx_rate
from gpuplan.facts.offer import Offer
from gpuplan.question.methods import GENERATES
from gpuplan.question.note import Note, note
from gpuplan.question.question import Question

SCHEMA: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The answer of `check` as plain values: the JSON contract, field by field."""

    schema: int = SCHEMA
    question: dict[str, Any]
    verdict: str
    """fits, does_not_fit or unsure."""
    fits_probability: float | None
    limit: str | None
    """What decides: memory.<phase>, host, layout, or `on` where the name of the chip is ambiguous."""
    arithmetic: list[str]
    layout: dict[str, Any] | None
    memory: dict[str, Any] | None
    step_time_s: dict[str, float] | None
    duration_hours: dict[str, float] | None
    cost: dict[str, Any] | None
    nearest: list[dict[str, Any]]
    warnings: list[str]
    gpus: int
    gpu: str
    time: dict[str, float] | None = None
    tokens_per_s: dict[str, float] | None = None
    mfu: float | None = None
    offer: dict[str, Any] | None = None
    """The cheapest offer of such machines, where the cost comes from."""
    assumed: list[dict[str, str]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)


def check(
    question: Question, *, catalogue: Catalogue | None = None, today: date | None = None, lang: str = "en"
) -> CheckResult:
    """Whether the question's job fits on its hardware (`on`, `nodes`)."""
    facts, day = catalogue or open_catalogue(), today or date.today()
    tries = [try_on(question, facts, chip=chip, nodes=nodes, count=count, today=day)
             for chip, nodes, count in variants_on(question, facts)]  # fmt: skip
    first = tries[0]
    words = {one.word for one in tries}
    word = first.word if len(words) == 1 else "unsure"
    changes = () if word == "fits" else nearest_changes(question, facts, first, today=day)
    notes = list(first.assumed)
    if len(tries) > 1 and len(words) == 1:
        notes.append(variant_note([one.machine.chip for one in tries]))
    offers = offers_of(first.machine, first.nodes, facts)
    return CheckResult(
        question=question_json(first.understood, lang, assumed=first.understood.assumed),
        verdict=word,
        fits_probability=None if first.detail is None else rounded(first.probability),
        limit=_limit(tries, word),
        arithmetic=[one.say(lang) for one in _sums(first)],
        nearest=[{"change": change.text.say(lang), "memory": change.memory, "time": change.time} for change in changes],
        warnings=[one.say(lang) for one in (*_faster(tries), *_warnings(first, day))],
        gpus=first.machine.n_gpus * first.nodes,
        gpu=first.machine.chip.id,
        assumed=[assumed_json(one, lang) for one in notes],
        **_figures(question, first, offers, facts),
    )


def _limit(tries: Sequence[Tried], word: str) -> str | None:
    """The field or the phase that decides."""
    if word == "fits":
        return None
    if len({one.word for one in tries}) > 1:
        return "on"
    first = tries[0]
    if first.detail is None:
        return "layout"
    if first.host_fits is False:
        return "host"
    phases = first.detail.memory.phases
    return f"memory.{max(phases, key=lambda name: float(phases[name]))}"


def _sums(tried: Tried) -> tuple[Note, ...]:
    """The sum that decides, line by line."""
    if tried.detail is None:
        gpus = tried.machine.n_gpus * tried.nodes
        return (note("limit.layout", gpus=gpus, batch=tried.understood.global_batch),)
    detail = tried.detail
    return sums_of(
        detail.job, detail.layout, detail.memory, detail.ranges["needed"], params=tried.understood.params,
        chip=tried.machine.chip,
    )  # fmt: skip


def _figures(question: Question, tried: Tried, offers: Sequence[Offer], catalogue: Catalogue) -> dict[str, Any]:
    """Layout, memory, time, duration and cost of the chosen layout."""
    detail = tried.detail
    if detail is None:
        return dict.fromkeys(("layout", "memory", "step_time_s", "duration_hours", "cost"))
    figures: dict[str, Any] = {"layout": layout_json(detail.layout), "memory": memory_json(detail)}
    if tried.word == "does_not_fit" or not np.isfinite(float(detail.step.total_s)):
        return {**figures, "step_time_s": None, "duration_hours": None, "cost": None}
    pace = pace_of(tried.understood, detail)
    price, offer = 0.0, cheapest_of(offers, catalogue)
    if offer is not None and offer.price_per_hour is not None:
        price = offer.price_per_hour * fx_rate(catalogue.costs, offer.currency)[0]
    bill = bill_of(tried.understood, pace, price_per_hour=price, is_spot=False)
    wanted = asked_currency(question) or common_currency(offers)
    return {
        **figures,
        "step_time_s": range_json(detail.step_s),
        "duration_hours": hours(bill.duration_s),
        "cost": None if offer is None else cost_json(bill, wanted, fx_rate(catalogue.costs, wanted)[0]),
        "time": time_json(detail),
        "tokens_per_s": range_json(detail.tokens_per_s),
        "mfu": rounded(detail.mfu),
        "offer": None if offer is None else asdict(offer_view(offer)),
    }


def _faster(tries: Sequence[Tried]) -> list[Note]:
    """How much another variant of the chip would gain, where all of them fit."""
    details = [one.detail for one in tries if one.detail is not None and one.word == "fits"]
    return faster_variant(details) if len(details) == len(tries) else []


def _warnings(tried: Tried, today: date) -> list[Note]:
    found: list[Note] = []
    if tried.understood.method.objective in GENERATES:
        found.append(note("warn.generation"))
    limit, length = tried.understood.model.max_positions, tried.understood.data.seq_len
    if limit is not None and length > limit:
        found.append(note("warn.positions", seq_len=length, limit=limit))
    if tried.detail is None:
        return found
    machine = tried.machine
    standing = Offer(
        provider="own", instance_type=machine.chip.id, region=None, machine=machine, price_per_hour=None,
        currency="USD", price_kind="own", is_spot=False, source="the question", source_date=None, confidence="high",
    )  # fmt: skip
    chosen = Chosen(
        offer=standing, nodes=float(tried.nodes), layout=tried.detail.layout, job=tried.detail.job,
        fits_probability=1.0, cost_usd=None, budget_usd=None, resume_auto=None, country=None,
        host_bytes_needed=float(tried.detail.memory.host_bytes_per_node),
    )  # fmt: skip
    found += pure_16_bit_warning(tried.detail)
    found += tried.hints if tried.word == "fits" else ()
    return [*found, *(one for one in warnings_of(chosen, today) if one.key != "warn.own_cost")]

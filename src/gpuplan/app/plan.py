"""`plan`: a question and facts go through the search; points become picks with their reasons."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import numpy as np

from gpuplan.advice.explain import Rejection
from gpuplan.advice.note import Note, note
from gpuplan.advice.warn import Chosen, warnings_of
from gpuplan.app.describe import (
    WEIGHT_BYTES,
    Bill,
    Detail,
    bill_of,
    cost_json,
    detail_of,
    disk_json,
    host_json,
    hours,
    layout_json,
    memory_json,
    needed_of,
    pace_of,
    range_json,
    rough_pace,
    seconds_of,
    time_json,
)
from gpuplan.app.plan_result import OfferView, PlanPick, PlanPoint, PlanResult, Rejected
from gpuplan.app.question_to_job import Understood, understand
from gpuplan.app.rejected import nearest_of, rejections_of
from gpuplan.app.run_estimate import rounded
from gpuplan.app.sites import OWN, Places, own_fleet, places_of
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.providers import country_of
from gpuplan.facts.offer import Offer
from gpuplan.locale import CATALOGUE, say
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.estimate import Hardware
from gpuplan.model.flops import row_flops
from gpuplan.model.verdict import FITS
from gpuplan.question.defaults import assumed
from gpuplan.question.figures import Assumed, Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, at
from gpuplan.question.methods import GENERATES
from gpuplan.question.question import Question
from gpuplan.search.charge import run_of
from gpuplan.search.find import Found, find
from gpuplan.search.rank import front, picks, within

DAYS_A_YEAR: Final = 365.25
LIKELY: Final = 0.5
"""Where no layout fits for sure, those more likely to fit than not are shown, and said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What stands behind a plan: the question in full, the places, the points and the masks over them."""

    understood: Understood
    places: Places
    found: Found
    good: np.ndarray[Any, np.dtype[np.bool_]]
    budget_usd: float | None
    today: date


def plan(
    question: Question, *, catalogue: Catalogue | None = None, today: date | None = None, lang: str = "en"
) -> PlanResult:
    """The best machines for a question, with layout, time, cost and reasons.

    `catalogue` is that of the package (with the user's own files) unless another is given.
    """
    facts = catalogue or open_catalogue()
    searched = search_of(question, facts, today=today or date.today())
    return _result(searched, lang)


def search_of(question: Question, catalogue: Catalogue, *, today: date) -> Searched:
    """Understands and searches; widens to layouts that may fit, then to uncertain prices, while nothing is found."""
    year = today.year + today.timetuple().tm_yday / DAYS_A_YEAR
    understood = understand(question, catalogue, year=year, n_gpus=_own_count(question, catalogue))
    resume = any(variant.job.trainer.resume_auto is not None for variant in understood.variants[True])
    places, found = _places_and_points(understood, catalogue, can_resume=resume)
    points = found.points
    money = question.budget_money
    budget = None if money is None else money[0] * places.rates[money[1]]
    good = within(points, budget=budget, deadline_s=question.deadline_s)
    offloads = offloads_of(found)
    if np.any(good & ~offloads):
        good &= ~offloads
    return Searched(understood=understood, places=places, found=found, good=good, budget_usd=budget, today=today)


def offloads_of(found: Found) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Points whose layout keeps states on the host."""
    points = found.points
    return np.array(
        [bool(found.timed[c].offloads[k]) for c, k in zip(points.chip, points.layout, strict=True)], dtype=bool
    )


def _places_and_points(understood: Understood, catalogue: Catalogue, *, can_resume: bool) -> tuple[Places, Found]:
    for low, chance in ((False, FITS), (False, LIKELY), (True, FITS), (True, LIKELY)):
        places = places_of(understood.question, catalogue, can_resume=can_resume, low=low)
        found = _found(understood, places, least_probability=chance)
        if len(found.points):
            break
    return places, found


def _found(understood: Understood, places: Places, *, least_probability: float) -> Found:
    data = understood.data
    job = understood.variants[True][0].job
    mean = data.seq_len if data.packed else float(data.mean_len.typical)
    run = run_of(data, understood.global_batch, runs=understood.runs, weight_bytes=WEIGHT_BYTES * understood.params)
    return find(
        places.sites,
        understood.variants,
        data=data,
        run=run,
        least_flops_per_row=float(row_flops(job, decoder(understood.model), mean)),
        needed_of=needed_of,
        seconds_of=seconds_of,
        least_probability=least_probability,
    )


def _own_count(question: Question, catalogue: Catalogue) -> float | None:
    """GPUs of own hardware, where it is one kind and nothing may be rented."""
    if len(question.own_gpus) != 1 or question.cloud is not None:
        return None
    nodes, count, text = question.own_gpus[0]
    _, nodes, count = own_fleet(text, count, nodes, catalogue)
    return float(nodes * count)


def _result(searched: Searched, lang: str) -> PlanResult:
    understood, found = searched.understood, searched.found
    points = found.points
    chosen = picks(points, searched.good, prefer=understood.question.prefer)
    full = [_pick(searched, pick.label, pick.point, pick.runner_up, lang) for pick in chosen]
    on_front = front(points, searched.good)
    rejections = rejections_of(found, searched.places, searched.good, searched.budget_usd,
                               understood.question.deadline_s, rate=_rate(searched, None))  # fmt: skip
    nearest = () if full else nearest_of(found, searched.places, searched.budget_usd, understood.question.deadline_s,
                                         currency=_currency(searched, None), rate=_rate(searched, None))  # fmt: skip
    return PlanResult(
        question=question_json(understood, lang, assumed=(*understood.assumed, *searched.places.assumed)),
        picks=full,
        pareto=[_point(searched, int(i)) for i in on_front],
        rejected=[_rejected(one, lang) for one in rejections],
        considered={"candidates": found.considered, "pruned": dict(sorted(found.pruned.items()))},
        nearest=[one.say(lang) for one in nearest],
        warnings=[one.say(lang) for one in _warnings(searched)],
    )


def question_json(understood: Understood, lang: str, *, assumed: tuple[Assumed, ...]) -> dict[str, Any]:
    """The question as understood."""
    data = understood.data
    return {
        **understood.question.keys(),
        "model_id": understood.model.id,
        "params": understood.params,
        "method": understood.method.word,
        "framework": understood.framework,
        "seq_len": data.seq_len,
        "global_batch": understood.global_batch,
        "packing": data.packed,
        "trained_tokens": range_json(data.tokens) if data.is_known else None,
        "per": None if data.is_known else "million_tokens",
        "assumed": [assumed_json(one, lang) for one in assumed],
    }


def assumed_json(one: Assumed, lang: str) -> dict[str, str]:
    """An assumption as plain values, its effect in words."""
    effect = say(lang, one.effect) if one.effect in CATALOGUE else one.effect
    return {"field": one.field, "value": one.value, "source": one.source, "effect": effect}


def offer_view(offer: Offer) -> OfferView:
    """An offer as plain values."""
    return OfferView(
        provider=offer.provider,
        instance_type=offer.instance_type,
        region=offer.region,
        gpu=offer.machine.chip.id,
        gpus_per_node=offer.machine.n_gpus,
        price=offer.price_per_hour,
        currency=offer.currency,
        price_kind=offer.price_kind,
        spot=offer.is_spot,
        source=offer.source,
        source_date=offer.source_date,
        confidence=offer.confidence,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A point as plain records."""

    offer: Offer
    usd_per_hour: float
    job: Job
    layout: Layout
    hardware: Hardware
    step_s: Range
    checkpoint_bytes: float


def _stand(searched: Searched, point: int) -> Stand:
    """What stands behind a point."""
    found, points, places = searched.found, searched.found.points, searched.places
    timed, place = found.timed[points.chip[point]], int(points.layout[point])
    site = found.sites[timed.site]
    pool = found.pools[site.bf16][timed.pool[place]]
    offer = places.offers[points.offer[point]]
    return Stand(
        offer=offer,
        usd_per_hour=0.0 if offer.price_per_hour is None else offer.price_per_hour * places.rates[offer.currency],
        job=pool.variant.job,
        layout=at(pool.candidates.layout, int(timed.row[place])),
        hardware=replace(site.hardware, machine=offer.machine),
        step_s=Range(
            low=float(timed.step_low_s[place]),
            typical=float(timed.step_s[place]),
            high=float(timed.step_high_s[place]),
        ),
        checkpoint_bytes=float(timed.checkpoint_bytes[place]),
    )


def _pick(searched: Searched, label: str, point: int, runner_up: int | None, lang: str) -> PlanPick:
    stand = _stand(searched, point)
    offer, own = stand.offer, stand.offer.provider == OWN
    detail = detail_of(searched.understood, stand.job, stand.layout, stand.hardware)
    pace = pace_of(searched.understood, detail)
    bill = bill_of(searched.understood, pace, price_per_hour=stand.usd_per_hour, is_spot=offer.is_spot)
    layout = detail.layout
    warnings = warnings_of(
        Chosen(
            offer=offer, nodes=float(layout.n_nodes), layout=layout, job=detail.job,
            fits_probability=detail.fits_probability, cost_usd=None if own else bill.cost_usd,
            budget_usd=searched.budget_usd, resume_auto=detail.job.trainer.resume_auto,
            country=country_of(offer.provider),
            host_bytes_needed=float(detail.memory.host_bytes_per_node),
        ),
        searched.today,
    )  # fmt: skip
    converted = _converted(searched, offer)
    return PlanPick(
        label=label,
        offer=offer_view(offer),
        nodes=int(layout.n_nodes),
        gpus=int(layout.n_gpus),
        layout=layout_json(layout),
        global_batch=int(layout.global_batch),
        memory=memory_json(detail),
        step_time_s=range_json(detail.step_s),
        time=time_json(detail),
        tokens_per_s=range_json(detail.tokens_per_s),
        mfu=rounded(detail.mfu),
        duration_hours=hours(bill.duration_s),
        cost=_cost(searched, offer, bill),
        host=host_json(detail),
        disk=disk_json(searched.understood, detail),
        checkpoint_bytes=rounded(float(detail.memory.checkpoint_bytes)),
        runner_up=None if runner_up is None else _point(searched, runner_up),
        assumed=[assumed_json(one, lang) for one in _assumed(searched, detail)],
        warnings=[one.say(lang) for one in (*warnings, *converted)],
    )


def _point(searched: Searched, point: int) -> PlanPoint:
    stand = _stand(searched, point)
    pace = rough_pace(searched.understood, stand.layout, step_s=stand.step_s, checkpoint_bytes=stand.checkpoint_bytes)
    bill = bill_of(searched.understood, pace, price_per_hour=stand.usd_per_hour, is_spot=stand.offer.is_spot)
    return PlanPoint(
        offer=offer_view(stand.offer),
        nodes=int(stand.layout.n_nodes),
        gpus=int(stand.layout.n_gpus),
        layout=layout_json(stand.layout),
        step_time_s=range_json(pace.step_s),
        duration_hours=hours(bill.duration_s),
        cost=_cost(searched, stand.offer, bill),
    )


def _assumed(searched: Searched, detail: Detail) -> list[Assumed]:
    """What was chosen for this pick alone."""
    question, found = searched.understood.question, []
    if question.precision is None:
        source = "usual for training; no loss scaling" if detail.job.precision == "bf16" else "the chip has no bf16"
        found.append(assumed("precision", detail.job.precision, source))
    found.append(assumed("layout", "searched", "the fastest of the legal layouts that fit"))
    return found


def _currency(searched: Searched, offer: Offer | None) -> str:
    """Currency of an amount: as asked, else of the budget, else of the price."""
    question = searched.understood.question
    if question.currency is not None:
        return question.currency.upper()
    money = question.budget_money
    return money[1] if money is not None else "USD" if offer is None else offer.currency


def _rate(searched: Searched, offer: Offer | None) -> float:
    return searched.places.rates[_currency(searched, offer)]


def _cost(searched: Searched, offer: Offer, bill: Bill) -> dict[str, Any] | None:
    if offer.price_per_hour is None:
        return None
    return cost_json(bill, _currency(searched, offer), _rate(searched, offer))


def _converted(searched: Searched, offer: Offer) -> list[Note]:
    """The dated rate, where the answer is not in the currency of the price."""
    wanted, rates, dates = _currency(searched, offer), searched.places.rates, searched.places.rate_dates
    if offer.price_per_hour is None or wanted == offer.currency:
        return []
    foreign = wanted if wanted != "USD" else offer.currency
    return [note("warn.rate", rate=rates[foreign], currency=foreign, date=dates[foreign])]


def _warnings(searched: Searched) -> list[Note]:
    """Warnings about the whole plan."""
    found = []
    if searched.understood.method.objective in GENERATES:
        found.append(note("warn.generation"))
    if searched.understood.data.is_known and not searched.understood.data.mean_is_known:
        found.append(note("warn.mean_len"))
    return found


def _rejected(one: Rejection, lang: str) -> Rejected:
    numbers = {name: rounded(value) for name, value in one.numbers.items()}
    return Rejected(what=one.what, reason=one.note().say(lang), numbers=numbers, code=one.reason)

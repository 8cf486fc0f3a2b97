"""`plan`: a question and facts go through the search; points become picks with their reasons."""

from datetime import date
from typing import Any

from gpuplan.advice.explain import Rejection
from gpuplan.advice.warn import Chosen, warnings_of
from gpuplan.app.describe import (
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
    pace_of,
    range_json,
    rough_pace,
    time_json,
)
from gpuplan.app.hints import faster_variant, likely_faster, mostly_waiting
from gpuplan.app.parts import rounded
from gpuplan.app.plan_result import PlanPick, PlanPoint, PlanResult, Rejected
from gpuplan.app.rejected import Limits, nearest_of, rejections_of
from gpuplan.app.searched import Searched, currency_of, search_of, stand_of
from gpuplan.app.shown import assumed_json, offer_view, question_json
from gpuplan.app.sites import OWN, own_fleet
from gpuplan.app.states import pure_16_bit_warning, states_of
from gpuplan.app.tried import pools_for, try_on
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.providers import country_of
from gpuplan.facts.offer import Offer
from gpuplan.question.defaults import assumed, default_precision
from gpuplan.question.figures import Assumed
from gpuplan.question.methods import GENERATES
from gpuplan.question.note import Note, note, said
from gpuplan.question.question import Question
from gpuplan.search.rank import Pick, front, picks
from gpuplan.units import YEAR


def plan(
    question: Question, *, catalogue: Catalogue | None = None, today: date | None = None, lang: str = "en"
) -> PlanResult:
    """The best machines for a question, with layout, time, cost and reasons.

    `catalogue` is that of the package (with the user's own files) unless another is given.
    """
    facts = catalogue or open_catalogue()
    searched = search_of(question, facts, today=today or date.today())
    return _result(searched, facts, lang)


def _result(searched: Searched, catalogue: Catalogue, lang: str) -> PlanResult:
    understood, found = searched.understood, searched.found
    points = found.points
    chosen = picks(points, searched.good, prefer=understood.question.prefer)
    full = [_pick(searched, catalogue, pick, lang) for pick in chosen]
    on_front = front(points, searched.good)
    currency = currency_of(searched)
    limits = Limits(
        budget_usd=searched.budget_usd,
        deadline_s=understood.question.deadline_s,
        currency=currency,
        usd_per_unit=searched.places.rates[currency],
    )
    rejections = rejections_of(found, searched.places, searched.good, limits)
    is_long = bool(full) and all(float(points.duration_s[pick.point]) > YEAR for pick in chosen)
    nearest = _ways_out(searched, catalogue, limits) if is_long or not full else ()
    years = [note("warn.years", way=nearest[0] if nearest else note("warn.years.none"))] if is_long else []
    return PlanResult(
        question=question_json(understood, lang, assumed=(*understood.assumed, *searched.places.assumed)),
        picks=full,
        pareto=[_point(searched, int(i)) for i in on_front],
        rejected=[_rejected(one, lang) for one in rejections],
        considered={"candidates": found.considered, "pruned": dict(sorted(found.pruned.items()))},
        nearest=[one.say(lang) for one in nearest],
        warnings=[one.say(lang) for one in (*years, *_warnings(searched))],
    )


def _ways_out(searched: Searched, catalogue: Catalogue, limits: Limits) -> tuple[Note, ...]:
    """What would give picks, where there are none; only then is it worth loading."""
    from gpuplan.app.relaxed import relaxed

    return (*nearest_of(searched.found, searched.places, limits), *relaxed(searched, catalogue))


def _pick(searched: Searched, catalogue: Catalogue, pick: Pick, lang: str) -> PlanPick:
    stand = stand_of(searched, pick.point)
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
            country=_country(offer), currency=currency_of(searched), usd_per_unit=_rate(searched),
            host_bytes_needed=float(detail.memory.host_bytes_per_node),
        ),
        searched.today,
    )  # fmt: skip
    converted = _converted(searched, offer)
    hints = [*mostly_waiting(detail), *(_own_hints(searched, detail, catalogue) if own else [])]
    return PlanPick(
        label=pick.label,
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
        runner_up=None if pick.runner_up is None else _point(searched, pick.runner_up),
        assumed=[assumed_json(one, lang) for one in _assumed(searched, detail)],
        warnings=[one.say(lang) for one in (*pure_16_bit_warning(detail), *hints, *warnings, *converted)],
    )


def _own_hints(searched: Searched, detail: Detail, catalogue: Catalogue) -> list[Note]:
    """What would be much faster on the same own cards, or on another variant of them."""
    understood, machine, nodes = searched.understood, detail.hardware.machine, int(detail.layout.n_nodes)
    pools = pools_for(understood, machine.chip, nodes=nodes, count=machine.n_gpus)
    details = [detail]
    for n, count, text in understood.question.own_gpus:
        chips, _, _ = own_fleet(text, count, nodes=n, catalogue=catalogue, field="own")
        for chip in chips[1:] if chips[0] == machine.chip else ():
            other = try_on(
                understood.question, catalogue, chip=chip, nodes=nodes, count=machine.n_gpus, today=searched.today
            )
            details += [other.detail] if other.detail is not None and other.word == "fits" else []
    return [*faster_variant(details), *likely_faster(understood, pools, detail)]


def _country(offer: Offer) -> str | None:
    """Country that export rules look at: that of the region where its name says so, else of the provider's seat."""
    return "CN" if (offer.region or "").startswith("cn-") else country_of(offer.provider)


def _point(searched: Searched, point: int) -> PlanPoint:
    stand = stand_of(searched, point)
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
        found.append(default_precision(detail.job.precision == "bf16")[1])
    if question.framework is None and not searched.understood.method.adapts:
        found.append(states_of(detail.job))
    found.append(assumed("layout", note("value.searched"), note("source.layout")))
    return found


def _rate(searched: Searched) -> float:
    return searched.places.rates[currency_of(searched)]


def _cost(searched: Searched, offer: Offer, bill: Bill) -> dict[str, Any] | None:
    if offer.price_per_hour is None:
        return None
    return cost_json(bill, currency_of(searched), _rate(searched))


def _converted(searched: Searched, offer: Offer) -> list[Note]:
    """The dated rate, where the answer is not in the currency of the price."""
    wanted, rates, dates = currency_of(searched), searched.places.rates, searched.places.rate_dates
    if offer.price_per_hour is None or wanted == offer.currency:
        return []
    foreign = wanted if wanted != "USD" else offer.currency
    return [note("warn.rate", rate=rates[foreign], currency=foreign, date=dates[foreign])]


def _warnings(searched: Searched) -> list[Note]:
    """Warnings about the whole plan."""
    found = []
    if searched.understood.method.objective in GENERATES:
        found.append(note("warn.generation"))
    question = searched.understood.question
    unused = [key for key in ("region", "spot", "nodes_max") if getattr(question, key) is not None]
    if question.own is not None and question.cloud is None and unused:
        found.append(note("warn.only_own", keys=", ".join(unused)))
    limit = searched.understood.model.max_positions
    if limit is not None and searched.understood.data.seq_len > limit:
        found.append(note("warn.positions", seq_len=searched.understood.data.seq_len, limit=limit))
    if searched.understood.data.is_known and not searched.understood.data.mean_is_known:
        found.append(note("warn.mean_len"))
    return found


def _rejected(one: Rejection, lang: str) -> Rejected:
    numbers = {name: rounded(value) for name, value in one.numbers.items()}
    return Rejected(
        what=said(one.what, lang), reason=one.note().say(lang), numbers=numbers, code=one.reason, currency=one.currency
    )

"""`check`: does a job fit on given hardware, by which arithmetic, and what is the nearest that works.

What the question does not state is chosen: of all legal layouts the fastest that fits for sure, else the one
that needs least. Of a chip with several variants the verdict must hold for all, else it is unsure.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final

import numpy as np

from gpuplan.advice.arithmetic import sums_of
from gpuplan.advice.warn import Chosen, warnings_of
from gpuplan.app.describe import (
    Detail,
    bill_of,
    cost_json,
    detail_of,
    hours,
    layout_json,
    memory_json,
    needed_of,
    pace_of,
    range_json,
    seconds_of,
    time_json,
)
from gpuplan.app.offers_for import cheapest_for
from gpuplan.app.question_to_job import Understood, understand
from gpuplan.app.run_estimate import rounded
from gpuplan.app.shown import assumed_json, offer_view, question_json
from gpuplan.app.sites import hardware_of, node_machine, own_fleet, variant_note
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.costs import fx_rate
from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.facts.offer import Offer
from gpuplan.model.estimate import Hardware
from gpuplan.model.verdict import FITS, fits_probability, verdict
from gpuplan.question.defaults import assumed, default_precision
from gpuplan.question.figures import Assumed
from gpuplan.question.layout import at
from gpuplan.question.methods import GENERATES
from gpuplan.question.note import Note, note
from gpuplan.question.question import Question
from gpuplan.search.candidates import Fleet, column, take
from gpuplan.search.find import Pool, pools_of, time_of
from gpuplan.search.prune import fits_host, worth_timing

SCHEMA: Final = 1
DAYS_A_YEAR: Final = 365.25


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A job on hardware: the layout that was chosen for it, and whether it fits."""

    understood: Understood
    machine: Machine
    nodes: int
    detail: Detail | None
    """None where no layout is legal."""
    probability: float
    host_fits: bool | None
    assumed: tuple[Assumed, ...]

    @property
    def word(self) -> str:
        """fits, does_not_fit or unsure."""
        if self.detail is None or self.host_fits is False:
            return "does_not_fit"
        return verdict(self.probability)


def check(
    question: Question, *, catalogue: Catalogue | None = None, today: date | None = None, lang: str = "en"
) -> CheckResult:
    """Whether the question's job fits on its hardware (`on`, `nodes`)."""
    from gpuplan.app.nearest import nearest_changes

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
    offer = cheapest_for(first.machine, first.nodes, facts)
    return CheckResult(
        question=question_json(first.understood, lang, assumed=first.understood.assumed),
        verdict=word,
        fits_probability=None if first.detail is None else rounded(first.probability),
        limit=_limit(tries, word),
        arithmetic=[one.say(lang) for one in _sums(first)],
        nearest=[{"change": change.text.say(lang), "memory": change.memory, "time": change.time} for change in changes],
        warnings=[one.say(lang) for one in _warnings(first, day)],
        gpus=first.machine.n_gpus * first.nodes,
        gpu=first.machine.chip.id,
        assumed=[assumed_json(one, lang) for one in notes],
        **_figures(question, first, offer, facts),
    )


def variants_on(question: Question, catalogue: Catalogue) -> list[tuple[Chip, int, int]]:
    """Every variant of the chip that the question names, with nodes and GPUs of a node; the slowest first."""
    if question.on_gpus is None:
        raise QuestionError("question.no_hardware")
    nodes, count, text = question.on_gpus
    chips, nodes, count = own_fleet(text, count, nodes, catalogue)
    return [(chip, nodes, count) for chip in chips]


def try_on(question: Question, catalogue: Catalogue, *, chip: Chip, nodes: int, count: int, today: date) -> Tried:
    """The question's job on `nodes` of `count` chips: the best layout, and whether it fits."""
    year = today.year + today.timetuple().tm_yday / DAYS_A_YEAR
    understood = understand(question, catalogue, year=year, n_gpus=float(nodes * count))
    machine, notes = node_machine(chip, count, nodes)
    pools = pools_for(understood, chip, nodes=nodes, count=count)
    hardware = hardware_of(machine, catalogue)
    place = choose(pools, understood, hardware)
    extra = (
        [*notes, assumed("precision", pools[0].variant.job.precision, default_precision(chip.bf16)[1].notes["source"])]
        if pools
        else list(notes)
    )
    if place is None:
        return Tried(understood=understood, machine=machine, nodes=nodes, detail=None, probability=0.0, host_fits=None,
                     assumed=tuple(extra))  # fmt: skip
    pool, row = pools[place[0]], place[1]
    detail = detail_of(understood, pool.variant.job, at(pool.candidates.layout, row), hardware)
    if not pool.variant.fixed:
        extra.append(assumed("layout", note("value.searched"), note("source.layout.smallest")))
    return Tried(
        understood=understood,
        machine=machine,
        nodes=nodes,
        detail=detail,
        probability=detail.fits_probability,
        host_fits=None if machine.host_bytes is None else _host_fits(detail, machine.host_bytes),
        assumed=tuple(one for one in extra if one.field != "precision" or question.precision is None),
    )


def pools_for(understood: Understood, chip: Chip, *, nodes: int, count: int) -> list[Pool]:
    """Legal layouts of the job on exactly these GPUs, with their memory."""
    fleet = Fleet(gpus_per_node=np.array([float(count)]), nodes=np.array([float(nodes)]))
    return pools_of(fleet, understood.variants[chip.bf16], understood.global_batch, needed_of=needed_of)


def choose(pools: Sequence[Pool], understood: Understood, hardware: Hardware) -> tuple[int, int] | None:
    """Pool and row of the fastest layout that fits for sure, else of the one that needs least."""
    best: tuple[float, int, int] | None = None
    least: tuple[float, int, int] | None = None
    capacity = hardware.machine.chip.memory_bytes
    for index, pool in enumerate(pools):
        layout = pool.candidates.layout
        allowed = fits_host(pool.memory.host_bytes_per_node, hardware.machine.host_bytes, layout.offload)
        if "offload" in pool.variant.fixed:
            allowed = np.ones(len(pool.candidates), dtype=bool)
        if not np.any(allowed):
            continue
        chance = np.broadcast_to(fits_probability(pool.needed, capacity), allowed.shape)
        rows = worth_timing(layout, allowed & (chance >= FITS - 1e-6))
        if rows.size:
            found = time_of(pool, take(layout, rows), hardware, data=understood.data, seconds_of=seconds_of)
            seconds = np.asarray(found.typical)
            place = int(np.argmin(seconds))
            best = min(best or (np.inf, 0, 0), (float(seconds[place]), index, int(rows[place])))
        size = np.where(allowed, np.broadcast_to(pool.needed.typical, allowed.shape), np.inf)
        row = int(np.lexsort((column(layout, "recompute"), size))[0])
        least = min(least or (np.inf, 0, 0), (float(size[row]), index, row))
    chosen = best or least
    return None if chosen is None else chosen[1:]


def _host_fits(detail: Detail, host_bytes: float) -> bool:
    return bool(fits_host(detail.memory.host_bytes_per_node, host_bytes, detail.layout.offload))


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


def _figures(question: Question, tried: Tried, offer: Offer | None, catalogue: Catalogue) -> dict[str, Any]:
    """Layout, memory, time, duration and cost of the chosen layout."""
    detail = tried.detail
    if detail is None:
        return dict.fromkeys(("layout", "memory", "step_time_s", "duration_hours", "cost"))
    figures: dict[str, Any] = {"layout": layout_json(detail.layout), "memory": memory_json(detail)}
    if tried.word == "does_not_fit" or not np.isfinite(float(detail.step.total_s)):
        return {**figures, "step_time_s": None, "duration_hours": None, "cost": None}
    pace = pace_of(tried.understood, detail)
    price = 0.0
    if offer is not None and offer.price_per_hour is not None:
        price = offer.price_per_hour * fx_rate(catalogue.costs, offer.currency)[0]
    bill = bill_of(tried.understood, pace, price_per_hour=price, is_spot=False)
    money = question.budget_money
    wanted = (question.currency or (money[1] if money else "") or (offer.currency if offer else "USD")).upper()
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
    return [*found, *(one for one in warnings_of(chosen, today) if one.key != "warn.own_cost")]

"""A search of one question: understood, placed, searched, with the masks that limits put over the points."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import numpy as np

from gpuplan.app.describe import WEIGHT_BYTES, needed_of, seconds_of
from gpuplan.app.question_to_job import Understood, understand
from gpuplan.app.sites import OWN, Places, own_fleet, places_of
from gpuplan.data.catalogue import Catalogue
from gpuplan.facts.offer import Offer
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.estimate import Hardware
from gpuplan.model.flops import row_flops
from gpuplan.model.verdict import FITS
from gpuplan.question.defaults import assumed
from gpuplan.question.figures import Assumed, Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, at
from gpuplan.question.note import note
from gpuplan.question.question import Question
from gpuplan.search.charge import run_of
from gpuplan.search.find import Found, find
from gpuplan.search.rank import Mask, Points, within
from gpuplan.units import DAY, YEAR

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
    good, assumed_year = _within_a_year(question, points, good)
    offloads = offloads_of(found)
    if np.any(good & ~offloads):
        good &= ~offloads
    if assumed_year is not None:
        places = replace(places, assumed=(*places.assumed, assumed_year))
    return Searched(understood=understood, places=places, found=found, good=good, budget_usd=budget, today=today)


def _within_a_year(question: Question, points: Points, good: Mask) -> tuple[Mask, Assumed | None]:
    """Where nobody states a deadline and something ends within a year, what takes longer is left out, and said so."""
    soon = good & (points.duration_s <= YEAR)
    if question.deadline is not None or not np.any(soon) or np.array_equal(soon, good):
        return good, None
    return soon, assumed("deadline", note("count.days", n=int(YEAR / DAY)), note("source.deadline"))


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
    _, nodes, count = own_fleet(text, count, nodes=nodes, catalogue=catalogue, field="own")
    return float(nodes * count)


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


def stand_of(searched: Searched, point: int) -> Stand:
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


def currency_of(searched: Searched) -> str:
    """The one currency of an answer: as asked, else of the budget, else of the prices, else USD."""
    question = searched.understood.question
    rented = [offer for offer in searched.places.offers if offer.provider != OWN]
    return asked_currency(question) or common_currency(rented)


def asked_currency(question: Question) -> str | None:
    """The currency that the question names, by itself or by its budget."""
    if question.currency is not None:
        return question.currency.upper()
    money = question.budget_money
    return None if money is None else money[1]


def common_currency(offers: Sequence[Offer]) -> str:
    """The currency in which every provider has prices, where it is one other than USD."""
    priced: dict[str, set[str]] = {}
    for offer in offers:
        priced.setdefault(offer.provider, set()).add(offer.currency)
    shared = set.intersection(*priced.values()) if priced else set()
    return "USD" if "USD" in shared or len(shared) != 1 else shared.pop()

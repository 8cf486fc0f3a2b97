"""Rent is linear in price, machines and time, and never converts a currency."""

import doctest
from math import isclose

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.money import price

amounts = st.floats(0.01, 1e4)
seconds = st.floats(1.0, 1e8)


def test_the_examples_in_the_formulas_hold() -> None:
    result = doctest.testmod(price)
    assert result.attempted == 7
    assert result.failed == 0


@given(amounts, st.integers(1, 512), seconds)
def test_two_halves_of_a_rental_cost_the_whole(rate: float, machines: int, duration_s: float) -> None:
    half = price.rent(rate, machines, duration_s=duration_s / 2)
    assert isclose(2 * half, price.rent(rate, machines, duration_s=duration_s), rel_tol=1e-12)


@given(amounts, st.integers(1, 512), seconds)
def test_started_hours_cost_at_least_the_seconds_and_less_than_one_hour_more(r: float, n: int, t: float) -> None:
    by_second = float(price.rent(r, n, duration_s=t))
    by_hour = float(price.rent_by_started_hours(r, n, duration_s=t))
    assert by_second - r * n * 1e-6 <= by_hour <= by_second + r * n * 1.0001


def test_rounding_of_a_sum_of_seconds_starts_no_new_hour() -> None:
    assert float(price.rent_by_started_hours(1.0, 1, duration_s=sum([0.1] * 36_000) + 1e-6)) == 1.0
    assert float(price.rent_by_started_hours(1.0, 1, duration_s=3600.01)) == 2.0


@given(amounts, st.integers(1, 512), amounts)
def test_what_a_budget_affords_costs_the_budget(rate: float, machines: int, budget: float) -> None:
    duration_s = price.affordable_s(budget, rate, n_machines=machines)
    assert isclose(price.rent(rate, machines, duration_s=duration_s), budget, rel_tol=1e-9)


@given(amounts, st.integers(1, 64), st.floats(1.0, 1e7))
def test_tokens_priced_by_the_million_add_up_to_the_rent(rate: float, machines: int, speed: float) -> None:
    per_million = price.price_per_million_tokens(rate, machines, tokens_per_s=speed)
    rent = price.rent(rate, machines, duration_s=5e6 / speed)
    assert isclose(5 * per_million, rent, rel_tol=1e-9)


def test_many_candidates_are_one_by_one() -> None:
    rates, machines, times = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 7200.0])
    many = np.asarray(price.rent_by_started_hours(rates, machines, duration_s=times))
    one = [price.rent_by_started_hours(r, n, duration_s=t) for r, n, t in zip(rates, machines, times, strict=True)]
    assert many.tolist() == [float(x) for x in one]

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.search.rank import Points, best, front, measure, picks, within


def points_of(costs: list[float], hours: list[float], providers: list[int] | None = None) -> Points:
    n = len(costs)
    zeros = np.zeros(n)
    return Points(
        offer=np.arange(n),
        provider=np.array(providers if providers is not None else range(n), dtype=np.intp),
        chip=np.zeros(n, dtype=np.intp),
        nodes=zeros + 1,
        n_gpus=zeros + 8,
        layout=np.arange(n),
        cost=np.array(costs, dtype=float),
        duration_s=np.array(hours, dtype=float) * 3600,
        is_spot=np.zeros(n, dtype=bool),
    )


PAIRS = st.lists(st.tuples(st.floats(1, 1e6), st.floats(0.01, 1e4), st.integers(0, 3)), min_size=1, max_size=30)


@given(PAIRS)
def test_no_point_of_the_front_is_beaten_and_every_other_point_is(pairs: list[tuple[float, float, int]]) -> None:
    points = points_of([c for c, _, _ in pairs], [h for _, h, _ in pairs])
    kept = front(points, np.ones(len(points), dtype=bool))
    for i in range(len(points)):
        beaten = any(
            points.cost[j] <= points.cost[i]
            and points.duration_s[j] <= points.duration_s[i]
            and (points.cost[j] < points.cost[i] or points.duration_s[j] < points.duration_s[i])
            for j in range(len(points))
        )
        same = any(points.cost[j] == points.cost[i] and points.duration_s[j] == points.duration_s[i] for j in kept)
        assert (not beaten) == same


@given(PAIRS, st.floats(1, 1e6), st.floats(1, 1e6), st.sampled_from(("cheapest", "fastest")))
def test_a_stricter_budget_never_gives_a_better_pick(
    pairs: list[tuple[float, float, int]], one: float, other: float, label: str
) -> None:
    points = points_of([c for c, _, _ in pairs], [h for _, h, _ in pairs])
    strict, loose = (
        best(points, within(points, budget=b, deadline_s=None), label) for b in (min(one, other), max(one, other))
    )
    value, _ = measure(points, np.ones(len(points), dtype=bool), label)
    assert strict is None or (loose is not None and value[loose] <= value[strict])


@given(PAIRS)
def test_each_pick_lies_on_the_front_and_its_runner_up_is_from_another_provider(
    pairs: list[tuple[float, float, int]],
) -> None:
    points = points_of([c for c, _, _ in pairs], [h for _, h, _ in pairs], [p for _, _, p in pairs])
    good = np.ones(len(points), dtype=bool)
    on_front = {(points.cost[i], points.duration_s[i]) for i in front(points, good)}
    for pick in picks(points, good):
        assert (points.cost[pick.point], points.duration_s[pick.point]) in on_front
        if pick.runner_up is None:
            assert len(set(points.provider)) == 1
        else:
            assert points.provider[pick.runner_up] != points.provider[pick.point]


def test_an_unknown_price_is_never_picked() -> None:
    points = points_of([np.inf, 5.0], [1.0, 9.0])
    good = within(points, budget=None, deadline_s=None)
    assert [pick.point for pick in picks(points, good)] == [1, 1, 1]


def test_the_preferred_pick_stands_first() -> None:
    points = points_of([1.0, 2.0], [9.0, 1.0])
    assert [p.label for p in picks(points, within(points, budget=None, deadline_s=None), prefer="fastest")] == [
        "fastest",
        "cheapest",
        "balanced",
    ]


@pytest.mark.parametrize(
    ("budget", "deadline_h", "left"), [(None, None, 3), (2.0, None, 2), (None, 5.0, 2), (2.0, 5.0, 1)]
)
def test_budget_and_deadline_are_both_kept(budget: float | None, deadline_h: float | None, left: int) -> None:
    points = points_of([1.0, 2.0, 3.0], [9.0, 4.0, 1.0])
    deadline_s = None if deadline_h is None else deadline_h * 3600
    assert int(np.count_nonzero(within(points, budget=budget, deadline_s=deadline_s))) == left


def test_each_label_is_least_by_its_own_measure() -> None:
    points = points_of([1.0, 3.0, 10.0], [30.0, 5.0, 2.0])
    found = {pick.label: pick.point for pick in picks(points, np.ones(3, dtype=bool))}
    assert found == {"cheapest": 0, "fastest": 2, "balanced": 1}


@given(PAIRS)
def test_balanced_is_neither_end_of_the_front_where_it_has_other_points(pairs: list[tuple[float, float, int]]) -> None:
    points = points_of([c for c, _, _ in pairs], [h for _, h, _ in pairs])
    good = np.ones(len(points), dtype=bool)
    found = {pick.label: pick.point for pick in picks(points, good)}
    cheap, fast = found["cheapest"], found["fastest"]
    hours, costs = points.duration_s / 3600 + 1, points.cost
    if any(hours[i] <= 0.95 * hours[cheap] and costs[i] <= 0.95 * costs[fast] for i in front(points, good)):
        assert found["balanced"] not in (cheap, fast)


def test_balanced_is_a_compromise_of_ratios() -> None:
    # twice the cost at a third of the time, four times the cost at a quarter, 1.1 times the cost at nearly all of it
    points = points_of([10.0, 20.0, 40.0, 11.0, 200.0], [120.0, 40.0, 30.0, 115.0, 28.0])
    good = np.ones(5, dtype=bool)
    assert best(points, good, "balanced") == 1
    value, _ = measure(points, good, "balanced")
    assert value[1] == pytest.approx(np.log(2) ** 2 + np.log(41 / 29) ** 2)


def test_a_small_job_is_not_hurried_for_money() -> None:
    # 1.5 h for 1: a third of an hour for 10 is nobody's compromise
    points = points_of([1.0, 1.2, 4.0, 10.0], [1.5, 1.0, 0.4, 0.33])
    assert best(points, np.ones(4, dtype=bool), "balanced") == 1


def test_nobody_pays_twice_for_a_minute() -> None:
    points = points_of([1.0, 2.5, 30.0], [0.202, 0.201, 0.2])
    assert best(points, np.ones(3, dtype=bool), "balanced") == 0


def test_own_cards_without_a_price_take_part_in_the_compromise() -> None:
    points = points_of([0.0, 5.0, 50.0], [100.0, 40.0, 35.0])
    assert best(points, np.ones(3, dtype=bool), "balanced") == 1
    free = points_of([0.0, 0.0], [9.0, 5.0])
    assert best(free, np.ones(2, dtype=bool), "balanced") == 1


def test_ties_go_to_the_better_second_measure_then_to_fewer_gpus_then_to_the_earlier_offer() -> None:
    points = points_of([1.0, 1.0, 1.0, 1.0], [9.0, 4.0, 4.0, 4.0])
    few = Points(**{**{f: getattr(points, f) for f in FIELDS}, "n_gpus": np.array([1.0, 8.0, 4.0, 4.0])})
    good = np.ones(4, dtype=bool)
    assert best(few, good, "cheapest") == 2
    dear = points_of([7.0, 2.0], [4.0, 4.0])
    assert best(dear, np.ones(2, dtype=bool), "fastest") == 1


FIELDS = ("offer", "provider", "chip", "nodes", "n_gpus", "layout", "cost", "duration_s", "is_spot")

"""What a row leaves open: combinations, their weights, and the interval of all of them together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.factories import gpt

from gpuplan.app.assume import MAX_SCENARIOS, Openings, grid_of, kept, quantile
from gpuplan.app.run_adapter import targets_of
from gpuplan.app.run_estimate import mixture
from gpuplan.question.figures import Range
from gpuplan.question.methods import method_of, roles_of

options = st.dictionaries(st.sampled_from([1.0, 2.0, 4.0, 8.0, 16.0]), st.floats(0.05, 1.0), min_size=1, max_size=5)


@given(st.lists(options, max_size=5))
def test_combinations_weigh_one_in_all_and_the_heaviest_comes_first(fields: list[dict[float, float]]) -> None:
    opens = Openings()
    for number, values in enumerate(fields):
        opens.choose(f"field {number}", values, source="s", effect="e")
    grid = grid_of(opens.found)
    assert grid.weights.sum() == pytest.approx(1.0) and grid.weights.size <= MAX_SCENARIOS
    assert np.all(np.diff(grid.weights) <= 1e-12)
    for opening in opens.found:
        assert grid.fields[opening.field][0] in opening.values
        assert opening.weights[0] == max(opening.weights)


def test_impossible_combinations_are_dropped_unless_all_are() -> None:
    opens = Openings()
    opens.choose("tensor", {8.0: 0.6, 2.0: 0.4}, source="s", effect="e")
    grid = grid_of(opens.found)
    small = kept(grid, grid.fields["tensor"] <= 4)
    assert list(small.fields["tensor"]) == [2.0] and list(small.weights) == [1.0]
    assert kept(grid, grid.fields["tensor"] < 0) is grid


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(1.01, 3)), min_size=1, max_size=6))
def test_the_interval_of_a_mixture_holds_the_typical_value_and_lies_within_the_scenarios(
    scenarios: list[tuple[float, float]],
) -> None:
    typical = np.array([value for value, _ in scenarios])
    factor = np.array([factor for _, factor in scenarios])
    weights = np.full(typical.size, 1.0 / typical.size)
    found = mixture(Range(low=typical / factor, typical=typical, high=typical * factor), weights)
    assert found.low <= found.typical <= found.high and found.typical == typical[0]
    assert found.low >= np.min(typical / factor) * (1 - 1e-9)
    assert found.high <= np.max(typical * factor) * (1 + 1e-9)


def test_a_light_scenario_does_not_stretch_the_interval() -> None:
    typical = np.array([10.0, 1000.0])
    narrow = Range(low=typical / 1.1, typical=typical, high=typical * 1.1)
    assert mixture(narrow, np.array([0.99, 0.01])).high < 12
    assert mixture(narrow, np.array([0.80, 0.20])).high > 900


def test_quantiles_count_weight_not_values() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3])
    assert [quantile(values, weights, share) for share in (0.05, 0.5, 0.6, 0.95)] == [1.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("q,v", ("q", "v")),
        ("qkv,o", ("q", "k", "v", "o")),
        ("c_attn,c_proj,w1,w2+wte,lm_head", ("q", "k", "v", "o", "down", "up", "gate", "embed", "head")),
        ("all-linear", ("q", "k", "v", "o", "gate", "up", "down")),
        ("model.layers.[0-9]+.(mlp|cross_attn|self_attn).(up|down|q)_proj", ("up", "down", "q")),
        ("q_proj,v_proj", ("q", "v")),
        (None, ()),
    ],
)
def test_adapter_targets_are_read_as_people_write_them(words: str | None, targets: tuple[str, ...]) -> None:
    assert targets_of(words) == targets


@pytest.mark.parametrize(
    ("word", "names", "shared"),
    [
        ("full_ft", ["policy"], False),
        ("dpo", ["policy", "reference"], False),
        ("dpo_lora", ["policy", "reference"], True),
        ("ppo", ["policy", "reference", "critic", "reward"], False),
        ("gkd", ["policy", "teacher"], False),
        ("rm_lora", ["policy"], False),
    ],
)
def test_objectives_bring_their_models(word: str, names: list[str], shared: bool) -> None:
    roles = roles_of(method_of(word), gpt(layers=2, hidden=64, heads=4, vocab=100))
    assert [role.name for role in roles] == names
    assert all(role.shared == shared for role in roles if role.name == "reference")
    assert roles[0].passes == (2.0 if word.startswith(("dpo", "rm")) else 1.0)

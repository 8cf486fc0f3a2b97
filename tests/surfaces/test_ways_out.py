"""What is offered where nothing fits is worth doing: near the asked hardware, not crawling, over within a year."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from gpuplan import Question, check, open_catalogue, plan
from gpuplan.app.nearest import Change, worthwhile
from gpuplan.question.note import note

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()
YEAR_H = 8766.0
WAY = Change(
    text=note("nearest.method", method="lora"),
    memory={},
    time={},
    chip="T4",
    cards=1.0,
    s_per_token=1.0,
    duration_s=1.0,
)


def changes(**keys: Any) -> list[str]:
    return [one["change"] for one in check(Question(**keys), catalogue=CATALOGUE, today=TODAY).nearest]


def test_more_cards_in_one_node_come_before_more_nodes() -> None:
    found = changes(model="llama-3-8b", method="full", on="1xA100-80GB-SXM4", seq_len=2048, samples=10_000)
    assert "4 GPUs in one node" in found and not any("nodes of 1" in one for one in found)


@pytest.mark.parametrize(("method", "least"), [("full", "method lora"), ("lora", "method qlora")])
def test_lighter_methods_are_tried_on_the_same_cards(method: str, least: str) -> None:
    on = {"full": "1xA100-80GB-SXM4", "lora": "1x4080"}[method]
    assert least in changes(model="llama-3-8b", method=method, on=on, seq_len=1024)


def test_a_way_that_crawls_beside_another_on_the_same_cards_is_not_offered() -> None:
    slow = replace(WAY, s_per_token=3.5)
    assert worthwhile([WAY, slow]) == (WAY,)
    more, other, mild = replace(slow, cards=0.5), replace(slow, chip="L4"), replace(WAY, s_per_token=2.5)
    assert worthwhile([WAY, more, other, mild]) == (WAY, more, other, mild)
    assert worthwhile([WAY, replace(WAY, cards=8.0, s_per_token=3.5)]) == (WAY,)


def test_a_way_of_more_than_a_year_is_not_offered() -> None:
    assert worthwhile([replace(WAY, duration_s=4e7)]) == ()


def test_a_plan_without_a_deadline_ends_within_a_year_where_one_can_and_says_so() -> None:
    keys = {"model": "llama-3-8b", "method": "pretrain", "tokens": "15T"}
    answer = plan(Question(**keys), catalogue=CATALOGUE, today=TODAY)
    assert answer.picks and all(pick.duration_hours["typical"] <= YEAR_H for pick in answer.picks)
    assert any(one["field"] == "deadline" for one in answer.question["assumed"])
    longer = plan(Question(**keys, deadline="3650d"), catalogue=CATALOGUE, today=TODAY)
    assert longer.picks[0].duration_hours["typical"] > YEAR_H
    assert not any(one["field"] == "deadline" for one in longer.question["assumed"])


def test_a_budget_that_buys_only_years_says_years_and_what_a_year_costs() -> None:
    question = Question(model="llama-3-8b", method="pretrain", tokens="15T", budget="1000000usd")
    answer = plan(question, catalogue=CATALOGUE, today=TODAY)
    assert all(pick.duration_hours["typical"] > YEAR_H for pick in answer.picks)
    assert any("more than a year" in text for text in answer.warnings)
    way = next(text for text in answer.nearest if text.startswith("raise the budget"))
    assert " days" in way and "USD" in way


def test_a_lighter_method_that_may_fit_is_offered_with_its_chance_where_nothing_fits_for_sure() -> None:
    found = check(
        Question(model="Qwen2.5-32B", method="lora", on="1x4090", seq_len=2048), catalogue=CATALOGUE, today=TODAY
    ).nearest  # fmt: skip
    assert found[0]["change"].startswith("method qlora, length 512 (may fit, with a probability of")
    assert 0.5 <= found[0]["memory"]["fits_probability"] < 0.95


def test_ways_out_of_own_hardware_say_their_time_and_no_price_of_nothing() -> None:
    keys = {"model": "llama-3-8b", "samples": 2000, "seq_len": 2048}
    answer = plan(Question(**keys, method="full", own="2x4090"), catalogue=CATALOGUE, today=TODAY)
    assert any(text.startswith("method lora: ") and text.endswith((" min", " h")) for text in answer.nearest)
    assert answer.nearest[-1].startswith("on any cloud: ") and " USD, " in answer.nearest[-1]
    late = plan(Question(**keys, method="lora", own="2x4090", deadline="20min"), catalogue=CATALOGUE, today=TODAY)
    assert late.nearest[0].startswith("allow ") and "no rent" in late.nearest[0]
    assert any(text.startswith("on any cloud: ") for text in late.nearest)

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan import Catalogue, PlanResult, Question, load_plan, open_catalogue, plan
from gpuplan.errors import GpuplanError, InputError
from gpuplan.question.question import METHODS

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()
QUESTIONS: dict[str, dict[str, Any]] = {
    "lora": {
        "model": "Qwen2.5-7B", "method": "lora", "samples": 50_000, "seq_len": 2048, "epochs": 3, "budget": "100usd",
    },
    "full": {"model": "llama-3-70b", "method": "full", "tokens": "1B", "deadline": "5d", "cloud": "aws,gcp,lambda"},
    "expert": {
        "model": "Qwen3-30B-A3B", "method": "full", "samples": 20_000, "seq_len": 8192,
        "cloud": "alibaba,tencent,autodl",
    },
    "own": {"model": "7B", "method": "qlora", "own": "1xT4", "samples": 1000, "seq_len": 1024},
}  # fmt: skip
PICK_KEYS = {
    "label", "offer", "nodes", "gpus", "layout", "global_batch", "memory", "step_time_s", "tokens_per_s", "mfu",
    "duration_hours", "cost", "host", "disk", "checkpoint_bytes", "runner_up", "assumed", "warnings",
}  # fmt: skip
OFFER_KEYS = {
    "provider", "instance_type", "region", "gpu", "gpus_per_node", "price", "currency", "price_kind", "spot", "source",
    "source_date", "confidence",
}  # fmt: skip


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return CATALOGUE


@pytest.fixture(scope="module")
def plans(catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    return {
        name: plan(Question(**keys), catalogue=catalogue, today=TODAY).to_json() for name, keys in QUESTIONS.items()
    }


def ranges(value: Any) -> list[dict[str, float]]:
    """Every range in an answer."""
    found = []
    if isinstance(value, dict):
        if {"low", "typical", "high"} <= set(value):
            found.append(value)
        for item in value.values():
            found += ranges(item)
    elif isinstance(value, list):
        for item in value:
            found += ranges(item)
    return found


def test_each_question_of_the_manual_has_picks_in_the_form_of_the_contract(plans: dict[str, Any]) -> None:
    for answer in plans.values():
        assert answer["schema"] == 1
        assert {"question", "picks", "pareto", "rejected", "considered"} <= set(answer)
        assert {"candidates", "pruned"} <= set(answer["considered"])
        assert [pick["label"] for pick in answer["picks"]] == ["cheapest", "fastest", "balanced"]
        for pick in answer["picks"]:
            assert set(pick) >= PICK_KEYS and set(pick["offer"]) == OFFER_KEYS
        for one in answer["rejected"]:
            assert {"what", "reason", "numbers"} <= set(one) and "{" not in one["reason"]
        json.dumps(answer, allow_nan=False)


def test_every_range_is_ordered(plans: dict[str, Any]) -> None:
    for answer in plans.values():
        found = ranges(answer)
        assert len(found) > 10
        assert all(one["low"] <= one["typical"] <= one["high"] for one in found)


def test_every_pick_fits_for_sure_and_keeps_the_global_batch(plans: dict[str, Any]) -> None:
    for answer in plans.values():
        batch = answer["question"]["global_batch"]
        for pick in [*answer["picks"], *answer["pareto"]]:
            layout = pick["layout"]
            assert layout["micro_batch"] * layout["grad_accum"] * layout["data_parallel"] == batch
            ranks = layout["data_parallel"] * layout["tensor_parallel"] * layout["pipeline_parallel"]
            assert ranks * layout["context_parallel"] == pick["gpus"] == pick["nodes"] * pick["offer"]["gpus_per_node"]
        for pick in answer["picks"]:
            assert pick["memory"]["fits_probability"] >= 0.95 - 1e-3
            assert pick["memory"]["needed_gib"]["high"] <= pick["memory"]["capacity_gib"] * 1.001


def test_budget_and_deadline_are_kept(plans: dict[str, Any]) -> None:
    assert all(pick["cost"]["typical"] <= 100 for pick in plans["lora"]["picks"])
    assert all(pick["duration_hours"]["typical"] <= 120 for pick in plans["full"]["picks"])


def test_the_labels_mean_what_they_say(plans: dict[str, Any]) -> None:
    for name in ("lora", "full", "expert"):
        cheapest, fastest, _ = plans[name]["picks"]
        assert fastest["duration_hours"]["typical"] <= cheapest["duration_hours"]["typical"]
        if cheapest["cost"]["currency"] == fastest["cost"]["currency"]:
            assert cheapest["cost"]["typical"] <= fastest["cost"]["typical"]
        others = {pick["offer"]["provider"] for pick in plans[name]["pareto"]} - {cheapest["offer"]["provider"]}
        if cheapest["runner_up"] is None:
            assert not others
        else:
            assert cheapest["runner_up"]["offer"]["provider"] != cheapest["offer"]["provider"]
    assert plans["lora"]["picks"][0]["runner_up"] is not None


def test_only_the_named_clouds_are_used(plans: dict[str, Any]) -> None:
    for name, allowed in (("full", {"aws", "gcp", "lambda"}), ("expert", {"alibaba", "tencent", "autodl"})):
        found = {pick["offer"]["provider"] for pick in (*plans[name]["picks"], *plans[name]["pareto"])}
        assert found <= allowed


def test_own_hardware_has_a_duration_and_no_invented_cost(plans: dict[str, Any]) -> None:
    for pick in plans["own"]["picks"]:
        assert pick["cost"] is None and pick["offer"]["provider"] == "own" and pick["offer"]["price"] is None
        assert pick["duration_hours"]["typical"] > 0
        assert any("fp16" in text for text in pick["warnings"])
        assert {one["value"] for one in pick["assumed"] if one["field"] == "precision"} == {"fp16"}


def test_an_answer_has_one_currency_that_of_the_budget_else_of_all_providers_else_usd(
    catalogue: Catalogue, plans: dict[str, Any]
) -> None:
    for answer, currency in ((plans["expert"], "CNY"), (plans["full"], "USD"), (plans["lora"], "USD")):
        amounts = [pick["cost"] for pick in answer["picks"]] + [point["cost"] for point in answer["pareto"]]
        amounts += [pick["runner_up"]["cost"] for pick in answer["picks"] if pick["runner_up"]]
        assert {one["currency"] for one in amounts} == {currency}
    mixed = plan(
        Question(model="Qwen2.5-7B", method="lora", samples=5000, seq_len=1024, cloud="autodl,runpod"),
        catalogue=catalogue, today=TODAY,
    )  # fmt: skip
    points = [*mixed.picks, *mixed.pareto, *(pick.runner_up for pick in mixed.picks if pick.runner_up)]
    assert {one.offer.currency for one in points} == {"CNY", "USD"}
    assert {one.cost["currency"] for one in points if one.cost} == {"USD"}
    keys = {**QUESTIONS["lora"], "budget": "700cny"}
    for pick in plan(Question(**keys), catalogue=catalogue, today=TODAY).picks:
        assert pick.cost is not None and pick.cost["currency"] == "CNY" and pick.cost["typical"] <= 700
        assert pick.offer.currency == "CNY" or any("USD for one CNY" in text for text in pick.warnings)


def test_parts_of_a_cost_add_up(plans: dict[str, Any]) -> None:
    for name in ("lora", "full", "expert"):
        for pick in plans[name]["picks"]:
            assert sum(pick["cost"]["parts"].values()) == pytest.approx(pick["cost"]["typical"], rel=1e-4)


def test_an_unknown_mean_length_gives_a_range_and_says_so(catalogue: Catalogue, plans: dict[str, Any]) -> None:
    unknown = plans["lora"]
    assert any(one["field"] == "mean_len" for one in unknown["question"]["assumed"])
    assert any("mean length" in text for text in unknown["warnings"])
    stated = plan(Question(**QUESTIONS["lora"], mean_len=1024), catalogue=catalogue, today=TODAY).to_json()
    assert not any("mean length" in text for text in stated["warnings"])
    wide, narrow = (a["picks"][0]["duration_hours"] for a in (unknown, stated))
    assert wide["high"] / wide["low"] > 1.2 * narrow["high"] / narrow["low"]


def test_tokens_are_samples_times_mean_times_epochs(catalogue: Catalogue) -> None:
    keys = {**QUESTIONS["lora"], "mean_len": 500}
    tokens = plan(Question(**keys), catalogue=catalogue, today=TODAY).question["trained_tokens"]
    assert tokens["low"] == tokens["typical"] == tokens["high"] == 50_000 * 500 * 3


def test_without_data_the_cost_is_for_a_million_tokens(catalogue: Catalogue) -> None:
    answer = plan(Question(model="Qwen2.5-7B", method="full"), catalogue=catalogue, today=TODAY).to_json()
    assert answer["question"]["per"] == "million_tokens" and answer["question"]["trained_tokens"] is None
    pick = answer["picks"][0]
    hours = 1e6 / pick["tokens_per_s"]["typical"] / 3600
    assert pick["duration_hours"]["typical"] == pytest.approx(hours, rel=0.15)
    assert pick["cost"]["parts"]["start"] == 0


def test_runs_multiply_time_and_cost(catalogue: Catalogue, plans: dict[str, Any]) -> None:
    keys = {**QUESTIONS["full"], "nodes_max": 4, "spot": False}
    one, five = (
        plan(Question(**keys, **more), catalogue=catalogue, today=TODAY).picks[0] for more in ({}, {"runs": 5})
    )
    assert one.offer == five.offer and one.cost and five.cost
    assert five.cost["typical"] == pytest.approx(5 * one.cost["typical"], rel=0.01)
    assert five.duration_hours["typical"] == pytest.approx(5 * one.duration_hours["typical"], rel=1e-3)


def test_spot_can_be_wanted_or_refused(catalogue: Catalogue) -> None:
    for spot in (True, False):
        found = plan(Question(**QUESTIONS["full"], spot=spot), catalogue=catalogue, today=TODAY)
        assert found.picks and all(pick.offer.spot is spot for pick in found.picks)


def test_where_nothing_is_affordable_the_cheapest_way_out_is_named(catalogue: Catalogue) -> None:
    found = plan(Question(**{**QUESTIONS["full"], "budget": "5usd"}), catalogue=catalogue, today=TODAY)
    assert not found.picks and found.nearest and "budget" in found.nearest[0]
    assert any(one.code == "budget" and one.numbers["cost"] > 5 for one in found.rejected)


def test_where_nothing_is_in_time_the_fastest_is_named(catalogue: Catalogue) -> None:
    keys = {**QUESTIONS["full"], "deadline": "1h", "nodes_max": 4}
    found = plan(Question(**keys), catalogue=catalogue, today=TODAY)
    assert not found.picks and found.nearest
    assert any(one.code == "deadline" for one in found.rejected)


def test_where_nothing_fits_memory_is_the_reason(catalogue: Catalogue) -> None:
    found = plan(Question(model="llama-3-70b", method="full", own="1xT4"), catalogue=catalogue, today=TODAY)
    assert not found.picks
    reason = next(one for one in found.rejected if one.code == "memory")
    assert reason.numbers["needed_gib"] > reason.numbers["capacity_gib"]


def test_an_odd_number_of_own_cards_gets_a_batch_that_it_divides(catalogue: Catalogue) -> None:
    found = plan(
        Question(model="Qwen2.5-1.5B", method="lora", own="3xA100-80GB-SXM4"), catalogue=catalogue, today=TODAY
    )
    assert found.picks and found.picks[0].global_batch % 3 == 0


def test_a_saved_plan_is_read_back_equal(plans: dict[str, Any], tmp_path: Path) -> None:
    for name, answer in plans.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(answer), encoding="utf-8")
        again = load_plan(path)
        assert isinstance(again, PlanResult) and again.to_json() == answer


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"schema": 1}', '{"schema": 1, "extra": 2}', "[" * 100_000, "nan"])
def test_a_broken_plan_file_is_refused_in_one_line(body: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(body, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_plan(path)
    assert "\n" not in str(caught.value)


def test_the_same_question_on_the_same_day_has_the_same_answer(catalogue: Catalogue, plans: dict[str, Any]) -> None:
    again = plan(Question(**QUESTIONS["full"]), catalogue=open_catalogue(), today=TODAY).to_json()
    assert again == plans["full"]


def test_every_sentence_exists_in_chinese(catalogue: Catalogue) -> None:
    for keys in QUESTIONS.values():
        answer = plan(Question(**keys), catalogue=catalogue, today=TODAY, lang="zh").to_json()
        texts = [text for pick in answer["picks"] for text in pick["warnings"]] + answer["warnings"]
        assert all(any("\u4e00" <= c <= "\u9fff" for c in text) for text in texts)


some = st.fixed_dictionaries(
    {"model": st.sampled_from(["7B", "Qwen2.5-0.5B", "llama-3-70b", "Qwen3-30B-A3B", "DeepSeek-V3", "nothing"])},
    optional={
        "method": st.sampled_from(METHODS),
        "samples": st.sampled_from([1, 10, 10**6]),
        "seq_len": st.sampled_from([1, 100, 4096, 131072, 10**6]),
        "mean_len": st.sampled_from([1, 300]),
        "packing": st.booleans(),
        "global_batch": st.sampled_from([1, 3, 1000]),
        "budget": st.sampled_from(["1usd", "100000cny"]),
        "deadline": st.sampled_from(["1h", "100d"]),
        "own": st.sampled_from(["1xT4", "3x4090", "16xH100", "8xMI300X", "8x昇腾910B", "2xTPU-v5e", "1xP40"]),
        "cloud": st.sampled_from(["aws", "china"]),
        "region": st.sampled_from(["us", "nowhere"]),
        "framework": st.sampled_from(["megatron", "torchtitan", "axolotl", "unknown"]),
        "precision": st.sampled_from(["fp32", "fp8", "fp16"]),
        "zero": st.sampled_from([0, 3]),
        "tp": st.sampled_from([3, 8]),
        "offload": st.sampled_from(["optimizer", "all"]),
        "nodes_max": st.sampled_from([1, 3]),
    },
)  # fmt: skip


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(some)
def test_any_question_is_answered_or_refused_in_one_line(keys: dict[str, Any]) -> None:
    try:
        answer = plan(Question(**keys), catalogue=CATALOGUE, today=TODAY).to_json()
    except GpuplanError as error:
        assert "\n" not in str(error)
        return
    json.dumps(answer, allow_nan=False)
    assert answer["picks"] or answer["rejected"]


def test_where_nothing_fits_for_sure_a_likely_layout_is_shown_with_its_chance(catalogue: Catalogue) -> None:
    for seq_len in range(1200, 2600, 100):
        keys = {"model": "Qwen2.5-7B", "method": "lora", "own": "1xRTX-4090", "samples": 1000, "seq_len": seq_len}
        found = plan(Question(**keys), catalogue=catalogue, today=TODAY)
        if not found.picks or found.picks[0].memory["fits_probability"] < 0.949:
            break
    assert found.picks and 0.5 <= found.picks[0].memory["fits_probability"] < 0.95
    assert any("probability" in text for text in found.picks[0].warnings)

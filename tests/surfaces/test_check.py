import json
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan import Catalogue, CheckResult, Question, check, open_catalogue
from gpuplan.errors import GpuplanError, QuestionError
from gpuplan.question.question import METHODS

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()
KEYS = {
    "schema", "verdict", "fits_probability", "limit", "arithmetic", "layout", "memory", "step_time_s", "duration_hours",
    "cost", "nearest", "warnings",
}  # fmt: skip


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return CATALOGUE


def checked(catalogue: Catalogue, **keys: Any) -> CheckResult:
    return check(Question(**keys), catalogue=catalogue, today=TODAY)


def test_70b_in_full_does_not_fit_on_eight_h100(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="llama-3-70b", method="full", on="8xH100", zero=3, seq_len=4096)
    assert set(answer.to_json()) >= KEYS
    assert answer.verdict == "does_not_fit" and answer.limit and answer.limit.startswith("memory.")
    # 70.6e9 parameters x 16 bytes / 8 GPUs = 141 GB = 131 GiB of states on a card of 80 GB
    assert re.search(r"70\.6e9 parameters x 16 bytes / 8 = 131 GiB", answer.arithmetic[0])
    assert answer.step_time_s is None and answer.cost is None
    changes = {one["change"] for one in answer.nearest}
    assert "32 GPUs (4 nodes of 8)" in changes and "method lora" in changes
    assert any("host" in change for change in changes)
    for one in answer.nearest:
        assert one["memory"]["needed_gib"]["high"] <= one["memory"]["capacity_gib"] * 1.001
        assert one["time"]["step_time_s"]["typical"] > 0


def test_7b_qlora_fits_on_a_t4(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="llama-2-7b", method="qlora", on="1xT4", seq_len=512)
    assert answer.verdict == "fits" and answer.limit is None and answer.nearest == []
    assert answer.memory is not None and answer.memory["needed_gib"]["high"] < 14.75
    assert any("fp16" in text for text in answer.warnings)


def test_nodes_multiply_the_gpus(catalogue: Catalogue) -> None:
    keys = {"model": "llama-3-70b", "method": "full", "seq_len": 4096}
    assert checked(catalogue, on="8xH100-80GB-SXM5", nodes=4, **keys).gpus == 32
    assert checked(catalogue, on="4x8xH100-80GB-SXM5", **keys).verdict == "fits"
    assert checked(catalogue, on="32xH100-80GB-SXM5", **keys).gpus == 32


def test_a_nearest_change_is_true_when_it_is_asked_for(catalogue: Catalogue) -> None:
    keys = {"model": "llama-3-70b", "method": "full", "seq_len": 4096}
    for changed in ({"nodes": 4}, {"method": "lora"}, {"offload": "optimizer"}):
        assert checked(catalogue, **{**keys, "on": "8xH100-80GB-PCIe", **changed}).verdict == "fits"


def test_a_shorter_sample_is_the_way_out_where_activations_decide(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="Qwen2.5-7B", method="lora", on="1xA100-80GB-PCIe", seq_len=131072)
    assert answer.verdict == "does_not_fit"
    assert any(one["change"].startswith("length") for one in answer.nearest)


def test_an_ambiguous_card_is_unsure_where_its_variants_disagree(catalogue: Catalogue) -> None:
    words = {}
    for chip in ("A100-40GB-SXM4", "A100-80GB-SXM4", "A100"):
        words[chip] = checked(catalogue, model="Qwen2.5-14B", method="lora", on=f"1x{chip}", seq_len=2048)
    assert words["A100-40GB-SXM4"].verdict != "fits" and words["A100-80GB-SXM4"].verdict == "fits"
    assert words["A100"].verdict == "unsure" and words["A100"].limit == "on"


def test_where_all_variants_agree_the_slowest_is_taken_and_named(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="Qwen2.5-7B", method="qlora", on="1xH100", seq_len=1024)
    assert answer.verdict == "fits"
    note = next(one for one in answer.assumed if one["field"] == "chip")
    assert note["value"] == answer.gpu and "H100-80GB-SXM5" in note["source"]


def test_a_stated_layout_is_never_overridden(catalogue: Catalogue) -> None:
    answer = checked(
        catalogue, model="llama-3-70b", method="full", on="8xH100-80GB-SXM5", nodes=4, zero=3, tp=8, micro_batch=1,
        recompute="full",
    )  # fmt: skip
    assert answer.layout is not None
    assert (answer.layout["zero"], answer.layout["tensor_parallel"]) == (3, 8)
    assert (answer.layout["micro_batch"], answer.layout["recompute"]) == (1, "full")


def test_stated_batch_parts_make_the_global_batch(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="7B", method="lora", on="4xA100-80GB-SXM4", micro_batch=3, grad_accum=5)
    assert answer.question["global_batch"] == 3 * 5 * 4


def test_a_layout_that_cannot_be_is_said(catalogue: Catalogue) -> None:
    answer = checked(catalogue, model="7B", method="full", on="8xH100-80GB-SXM5", tp=3)
    assert answer.verdict == "does_not_fit" and answer.limit == "layout" and answer.layout is None
    json.dumps(answer.to_json(), allow_nan=False)


def test_hardware_must_be_named(catalogue: Catalogue) -> None:
    with pytest.raises(QuestionError, match="--on"):
        checked(catalogue, model="7B")


@pytest.mark.parametrize("keys", [{"framework": "llama-faktory"}, {"optimizer": "adamm"}, {"lora_targets": "q,wrong"}])
def test_unknown_words_are_refused_with_the_nearest(catalogue: Catalogue, keys: dict[str, str]) -> None:
    with pytest.raises(QuestionError, match="did you mean"):
        checked(catalogue, model="7B", method="lora", on="1xH100", **keys)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"seq_len": 1024}, {"seq_len": 4096}),
        ({"method": "qlora"}, {"method": "lora"}),
        ({"method": "lora"}, {"method": "full"}),
        ({"micro_batch": 1}, {"micro_batch": 4}),
        ({"recompute": "full"}, {"recompute": "none"}),
        ({"zero": 3}, {"zero": 0}),
        ({"lora_rank": 8}, {"lora_rank": 256}),
        ({"optimizer": "adamw_8bit", "method": "full"}, {"optimizer": "adamw", "method": "full"}),
    ],
    ids=str,
)
def test_memory_moves_in_the_known_direction(catalogue: Catalogue, less: dict[str, Any], more: dict[str, Any]) -> None:
    fixed = {"model": "Qwen2.5-7B", "method": "lora", "on": "8xH100-80GB-SXM5", "seq_len": 2048, "zero": 2,
             "micro_batch": 1, "recompute": "full"}  # fmt: skip
    small, large = (checked(catalogue, **{**fixed, **change}) for change in (less, more))
    assert small.memory is not None and large.memory is not None
    assert small.memory["needed_gib"]["typical"] < large.memory["needed_gib"]["typical"]


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.fixed_dictionaries(
        {
            "model": st.sampled_from(["7B", "Qwen2.5-0.5B", "DeepSeek-V3", "Mixtral-8x7B"]),
            "on": st.builds(
                "{}x{}".format,
                st.sampled_from([1, 3, 8, 16, 72]),
                st.sampled_from(["H100", "T4", "P40", "GB200", "4090"]),
            ),
        },
        optional={
            "method": st.sampled_from(METHODS),
            "nodes": st.sampled_from([1, 3, 64]),
            "seq_len": st.sampled_from([1, 2048, 10**6]),
            "zero": st.sampled_from([0, 1, 2, 3]),
            "tp": st.sampled_from([1, 3, 8]),
            "pp": st.sampled_from([1, 4]),
            "ep": st.sampled_from([1, 8]),
            "micro_batch": st.sampled_from([1, 3, 64]),
            "grad_accum": st.sampled_from([1, 7]),
            "global_batch": st.sampled_from([1, 16]),
            "recompute": st.sampled_from(["none", "selective", "full"]),
            "offload": st.sampled_from(["none", "optimizer", "all"]),
            "precision": st.sampled_from(["fp32", "fp8"]),
            "samples": st.sampled_from([1, 1000]),
        },
    )
)
def test_any_check_is_answered_or_refused_in_one_line(keys: dict[str, Any]) -> None:
    try:
        answer = check(Question(**keys), catalogue=CATALOGUE, today=TODAY)
    except GpuplanError as error:
        assert "\n" not in str(error)
        return
    assert answer.verdict in ("fits", "does_not_fit", "unsure")
    assert (answer.limit is None) == (answer.verdict == "fits") and answer.arithmetic
    json.dumps(answer.to_json(), allow_nan=False)

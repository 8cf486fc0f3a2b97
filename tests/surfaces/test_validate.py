"""The contract of `validate` and `estimate`: what goes in, what comes out, and what a mistake costs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.app.estimate import estimate, estimate_file
from gpuplan.app.validate import predict, validate
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.measured import one_run, read_runs, run_of
from gpuplan.errors import GpuplanError, InputError, QuestionError

RANGES = ("allocated_gib", "reserved_gib", "device_gib", "step_time_s", "forward_backward_s", "tokens_per_s_per_gpu",
          "samples_per_s")  # fmt: skip
ROW: dict[str, Any] = {
    "id": "r",
    "model": {"name": "Qwen2.5-7B"},
    "task": "full_ft",
    "hardware": {"gpu": "H100-SXM-80GB", "n_gpus": 8, "gpus_per_node": 8},
    "parallel": {"zero": "3"},
    "framework": "deepspeed",
    "seq_len": 4096,
    "micro_batch": 1,
    "grad_accum": 4,
    "precision": "bf16",
    "recompute": "full",
    "flash_attention": True,
    "packing": True,
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue()


def predicted(catalogue: Catalogue, **changes: Any) -> dict[str, Any]:
    answer = predict(run_of({**ROW, **changes}, where="row")[0], catalogue)
    assert answer["skipped"] is None, answer
    return answer["predicted"]  # type: ignore[no-any-return]


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_an_answer_has_every_field_of_the_contract(catalogue: Catalogue) -> None:
    answer = validate([run_of(ROW, where="row")[0]], catalogue)
    assert answer["schema"] == 1 and set(answer) == {"schema", "rows", "summary"}
    row = answer["rows"][0]
    assert set(row) == {"id", "skipped", "assumed", "predicted"}
    assert set(row["predicted"]) >= {*RANGES, "fits", "fits_probability", "limit", "memory", "time"}
    for name in RANGES:
        found = row["predicted"][name]
        assert 0 < found["low"] <= found["typical"] <= found["high"], name
    for assumed in row["assumed"]:
        assert set(assumed) == {"field", "value", "source", "effect"} and all(assumed.values())
    assert set(row["predicted"]["memory"]["phases"]) >= {"load", "forward", "backward", "optimizer", "save"}
    json.dumps(answer, allow_nan=False)


def test_the_figures_of_one_answer_agree(catalogue: Catalogue) -> None:
    found = predicted(catalogue)
    step, batch = found["step_time_s"]["typical"], 4 * 8
    assert found["samples_per_s"]["typical"] == pytest.approx(batch / step, rel=1e-4)
    assert found["tokens_per_s_per_gpu"]["typical"] == pytest.approx(batch * 4096 / 8 / step, rel=1e-4)
    assert found["time"]["total_s"] == pytest.approx(step, rel=1e-4)
    assert found["allocated_gib"]["typical"] <= found["reserved_gib"]["typical"] <= found["device_gib"]["typical"]
    phases = found["memory"]["phases"]
    steady = max(phases[name] for name in ("forward", "backward", "optimizer"))
    assert found["allocated_gib"]["typical"] == pytest.approx(steady, rel=1e-4)


def test_tokens_count_the_real_ones_where_a_mean_length_is_given(catalogue: Catalogue) -> None:
    found = predicted(catalogue, mean_len=1024, packing=False)
    samples, tokens = found["samples_per_s"]["typical"], found["tokens_per_s_per_gpu"]["typical"]
    assert tokens == pytest.approx(samples * 1024 / 8, rel=1e-3)


def test_an_ambiguous_card_is_unsure_where_its_variants_differ(catalogue: Catalogue) -> None:
    found = predicted(catalogue, hardware={"gpu": "A100", "n_gpus": 8, "gpus_per_node": 8}, micro_batch=2)
    assert found["fits"] is None and found["limit"] == "hardware.gpu"


def test_a_card_known_by_memory_alone_gets_a_verdict_and_no_time(catalogue: Catalogue) -> None:
    found = predicted(catalogue, hardware={"gpu": "24GB-class", "n_gpus": 1}, parallel={})
    assert found["fits"] is False and found["time"] is None and found["step_time_s"] is None
    small = predicted(catalogue, hardware={"gpu": "80GB card", "n_gpus": 1}, task="lora", parallel={}, seq_len=512)
    assert small["fits"] is True


def test_an_unknown_card_leaves_memory_and_no_verdict(catalogue: Catalogue) -> None:
    found = predicted(catalogue, hardware={"gpu": None, "n_gpus": 8})
    assert found["fits"] is None and found["limit"] == "hardware.gpu" and found["allocated_gib"]["typical"] > 10


def test_host_memory_that_is_known_can_decide(catalogue: Catalogue) -> None:
    offloaded = {"zero": "3", "offload": "params+optimizer"}
    small = predicted(catalogue, parallel=offloaded, host={"ram_gb": 64}, model={"name": "Llama-3-70B"})
    large = predicted(catalogue, parallel=offloaded, host={"ram_gb": 4000}, model={"name": "Llama-3-70B"})
    assert small["fits"] is False and small["limit"] == "host.ram_gb"
    assert large["limit"] != "host.ram_gb"


def test_an_open_field_is_named_and_widens_the_range(catalogue: Catalogue) -> None:
    row = {**ROW, "recompute": None}
    answer = predict(run_of(row, where="row")[0], catalogue)
    assert any(a["field"] == "recompute" and "also weighed" in a["source"] for a in answer["assumed"])
    closed = predicted(catalogue)
    widths = [found["allocated_gib"]["high"] / found["allocated_gib"]["low"] for found in (answer["predicted"], closed)]
    assert widths[0] > widths[1]


def test_stated_fields_are_kept_even_where_they_contradict_each_other(catalogue: Catalogue) -> None:
    row = {**ROW, "framework": "megatron", "parallel": {"tp": 8, "pp": 4, "dp": 2, "cp": 1, "zero": "1"}}
    answer = predict(run_of(row, where="row")[0], catalogue)
    assert any("multiply to 64" in a["source"] for a in answer["assumed"])
    assert answer["predicted"]["fits"] is None


def test_a_relative_is_computed_as_its_nearest_family_and_named(catalogue: Catalogue) -> None:
    answer = predict(run_of({**ROW, "task": "peft:boft"}, where="row")[0], catalogue)
    assert any(a["field"] == "task" and a["value"] == "lora" and "boft" in a["source"] for a in answer["assumed"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"task": "diffusion_lora"}, "diffusion"),
        ({"task": "inference"}, "does not train"),
        ({"task": None}, "no task"),
        ({"model": {"name": "ResNet-50", "kind": "vision"}}, "vision"),
        ({"model": {"name": "nobody-knows-me"}}, "not known"),
    ],
)
def test_a_row_without_an_honest_estimate_is_skipped_with_its_reason(
    catalogue: Catalogue, changes: dict[str, Any], words: str
) -> None:
    answer = validate([run_of({**ROW, **changes}, where="row")[0]], catalogue)
    assert words in answer["rows"][0]["skipped"] and answer["rows"][0]["predicted"] is None
    assert sum(answer["summary"]["skipped"].values()) == 1


def test_validate_counts_unknown_keys_and_estimate_refuses_them(tmp_path: Path, catalogue: Catalogue) -> None:
    row = {**ROW, "colour": "red", "hardware": {**ROW["hardware"], "fans": 3}}
    runs = read_runs(written(tmp_path, json.dumps(row), "", json.dumps(row)))
    assert validate(runs.rows, catalogue, ignored=runs.ignored)["summary"]["ignored_keys"] == {
        "colour": 2,
        "hardware.fans": 2,
    }
    with pytest.raises(InputError, match="colour"):
        estimate(row, catalogue)
    with pytest.raises(InputError, match=r"hardware\.n_gpu;.*n_gpus"):
        one_run({**ROW, "hardware": {"n_gpu": 1}}, where="run.json")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ":1: not JSON"),
        ('{"id": NaN, "model": {}, "task": "lora", "hardware": {}}', ":1: id must be text"),
        ("[1, 2]", ":1: not an object"),
        ('{"id": "a", "model": {}, "task": "lora"}', ":1: no hardware"),
        (json.dumps({**ROW, "seq_len": -4}), ":1: seq_len is -4"),
        (json.dumps({**ROW, "seq_len": float("nan")}), ":1: seq_len is nan"),
        (json.dumps({**ROW, "seq_len": 1e300}), ":1: seq_len is 1e"),
        (json.dumps({**ROW, "seq_len": "long"}), ":1: seq_len must be a number"),
        (json.dumps({**ROW, "hardware": {"n_gpus": 0}}), ":1: hardware.n_gpus is 0"),
        (json.dumps({**ROW, "parallel": 3}), ":1: parallel must be an object"),
        (json.dumps({**ROW, "flash_attention": "yes"}), ":1: flash_attention must be true or false"),
        (json.dumps({**ROW, "measured": {"peak_mem_gib": -1}}), ":1: measured.peak_mem_gib is -1"),
    ],
)
def test_a_mistake_in_a_row_is_one_line_with_line_and_field(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_runs(written(tmp_path, line))
    for lang in ("en", "zh"):
        assert "\n" not in caught.value.say(lang)
    assert words in str(caught.value)


def test_endless_binary_and_missing_files_are_refused(tmp_path: Path) -> None:
    for path in (Path("/dev/zero"), tmp_path / "none.jsonl", tmp_path):
        if path.exists() or path.name == "none.jsonl":
            with pytest.raises(InputError):
                read_runs(path)
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_runs(binary)


def test_one_run_may_be_toml_and_needs_no_id(tmp_path: Path, catalogue: Catalogue) -> None:
    path = tmp_path / "run.toml"
    path.write_text('task = "qlora"\nseq_len = 512\n[model]\nname = "7B"\n[hardware]\ngpu = "T4"\nn_gpus = 1\n')
    answer = estimate_file(path, catalogue)
    assert answer["id"] == "run" and answer["predicted"]["memory"]["states"]["frozen"] < 6
    path.write_text("task = ")
    with pytest.raises(InputError, match="TOML"):
        estimate_file(path, catalogue)


def test_estimate_says_what_it_cannot_understand(catalogue: Catalogue) -> None:
    with pytest.raises(QuestionError, match="does not train"):
        estimate({**ROW, "task": "inference"}, catalogue)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**6), st.floats(allow_nan=True), st.text(max_size=8),
    st.lists(st.integers(), max_size=2), st.just({}), st.sampled_from(["full", "zero3", "A100", "7B", "bf16", "qlora"]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["model", "task", "hardware", "parallel", "lora", "seq_len", "micro_batch", "grad_accum", "global_batch_seqs",
     "precision", "optimizer", "recompute", "framework", "framework_version", "fused_kernels", "measured", "host"]
)  # fmt: skip
NESTED = st.dictionaries(
    st.sampled_from(
        ["name", "gpu", "n_gpus", "tp", "pp", "dp", "zero", "fsdp", "layers", "hidden", "params_b", "rank"]
    ),
    VALUES,
    max_size=4,
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(KEYS, st.one_of(VALUES, NESTED), max_size=5))
def test_no_row_is_ever_our_own_mistake(catalogue: Catalogue, changes: dict[str, Any]) -> None:
    try:
        run, _ = run_of({**ROW, **changes}, where="row")
        answer = predict(run, catalogue)
    except GpuplanError as error:
        assert "\n" not in str(error)
    else:
        json.dumps(answer, allow_nan=False)


def test_what_was_assumed_is_told_in_chinese_too(catalogue: Catalogue) -> None:
    row = {**ROW, "task": "peft:boft", "framework": "nobody's trainer", "recompute": None, "micro_batch": None}
    run = run_of(row, where="row")[0]
    english, chinese = (predict(run, catalogue, lang=lang) for lang in ("en", "zh"))
    assert english["predicted"] == chinese["predicted"] and len(english["assumed"]) > 4
    for one, other in zip(english["assumed"], chinese["assumed"], strict=True):
        assert (one["field"], one["value"]) == (other["field"], other["value"])
        for part in ("source", "effect"):
            assert one[part].isascii() and any("\u4e00" <= letter <= "\u9fff" for letter in other[part]), other


def test_separators_inside_text_do_not_cut_a_row(tmp_path: Path) -> None:
    line = json.dumps({**ROW, "notes": "a\u2028b\u0085c"}, ensure_ascii=False)
    assert len(read_runs(written(tmp_path, line + "\r", line)).rows) == 2


@pytest.mark.parametrize("changes", [
    {"model": {"name": "GPT", "layers": 20, "hidden": 2048, "vocab": 1e15}},
    {"hardware": {"gpu": "V100-SXM2-16GB", "n_gpus": 256, "gpus_per_node": 1e6}},
    {"seq_len": 1e9},
    {"hardware": {"gpu": "A100", "n_gpus": 8}, "parallel": {"tp": 3}},
])  # fmt: skip
def test_an_absurd_row_is_predicted_without_nonsense_figures(catalogue: Catalogue, changes: dict[str, Any]) -> None:
    found = predicted(catalogue, **changes)
    json.dumps(found, allow_nan=False)
    assert 0 <= found["fits_probability"] <= 1
    for name in RANGES:
        if found[name] is not None:
            assert 0 <= found[name]["low"] <= found[name]["typical"] <= found[name]["high"]


@pytest.mark.parametrize("field", ["micro_batch", "grad_accum"])
def test_throughput_counts_the_batch_that_was_computed(catalogue: Catalogue, field: str) -> None:
    """A batch that micro-batch, accumulation and ranks contradict is not what the step works off."""
    row = {**ROW, "global_batch_seqs": 32}
    before, after = predicted(catalogue, **row), predicted(catalogue, **{**row, field: 8})
    ratio = after["tokens_per_s_per_gpu"]["typical"] / before["tokens_per_s_per_gpu"]["typical"]
    assert 0.9 < ratio < 2


def test_what_is_not_computed_keeps_a_row_from_being_called_sure(catalogue: Catalogue) -> None:
    small = {"task": "lora", "lora": {"rank": 8}, "seq_len": 512}
    assert predicted(catalogue, **small)["fits"] is True
    towers = predicted(
        catalogue, **{**small, "model": {"name": "Qwen2.5-VL-7B", "params_b": 8.3, "kind": "multimodal"}}
    )
    assert towers["fits"] is None and towers["limit"] == "model.kind" and towers["fits_probability"] < 0.95


def test_an_objective_with_a_stated_rank_trains_adapters(catalogue: Catalogue) -> None:
    whole, adapters = predicted(catalogue, task="dpo"), predicted(catalogue, task="dpo", lora={"rank": 16})
    assert adapters["memory"]["states"]["moments"] < 0.1 * whole["memory"]["states"]["moments"]
    assert adapters == predicted(catalogue, task="dpo_lora", lora={"rank": 16})


def test_more_ranks_than_gpus_get_no_verdict_and_estimate_refuses_them() -> None:
    raw = {
        "id": "r", "model": {"name": "llama-2-7b"}, "task": "pretrain", "seq_len": 4096,
        "hardware": {"gpu": "H100-80GB-SXM5", "n_gpus": 8}, "parallel": {"tp": 8, "dp": 8},
    }  # fmt: skip
    catalogue = open_catalogue()
    answer = validate([one_run(raw, where="row")], catalogue)["rows"][0]["predicted"]
    assert answer["fits"] is None and answer["limit"] == "parallel"
    with pytest.raises(QuestionError, match="64"):
        estimate(raw, catalogue)
    raw["parallel"] = {"tp": 8, "dp": 1}
    assert estimate(raw, catalogue)["predicted"]["fits"] is not None

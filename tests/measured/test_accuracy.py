"""Errors on a frozen sample of measured runs stay within a budget, set from the errors reached plus a margin."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from gpuplan.app.run_score import measured_figures, score
from gpuplan.app.validate import validate
from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.measured import read_runs
from gpuplan.data.trainers import front_end

HERE = Path(__file__)
SAMPLE = HERE.parents[1] / "data" / "measured_sample.jsonl"
SHARED = HERE.parents[2].parent / "shared" / "measured"

SAMPLE_BUDGET = {
    # figure: median error, share of measured values inside the 90 % interval
    "allocated_gib": (0.30, 0.45),
    "reserved_gib": (0.35, 0.45),
    "device_gib": (0.20, 0.50),
    "step_time_s": (0.25, 0.60),
    "tokens_per_s_per_gpu": (0.25, 0.60),
}
SHARED_BUDGET = {
    # family and figure: median error; reached plus about a half
    ("litgpt", "allocated_gib"): 0.06,
    ("megatron-deepspeed", "device_gib"): 0.06,
    ("ms-swift", "reserved_gib"): 0.22,
    ("torchtitan", "reserved_gib"): 0.15,
    ("llm-foundry", "tokens_per_s_per_gpu"): 0.07,
    ("megatron-deepspeed", "step_time_s"): 0.13,
    ("megatron-bridge", "tokens_per_s_per_gpu"): 0.13,
    ("nemo", "tokens_per_s_per_gpu"): 0.14,
    ("transformers", "step_time_s"): 0.18,
    ("torchtitan", "tokens_per_s_per_gpu"): 0.24,
    ("jax", "tokens_per_s_per_gpu"): 0.25,
    ("primus", "samples_per_s"): 0.26,
}


def pairs(path: Path) -> dict[tuple[str, str], list[tuple[float, dict[str, float]]]]:
    runs = read_runs(path).rows
    found: dict[tuple[str, str], list[tuple[float, dict[str, float]]]] = defaultdict(list)
    for run, answer in zip(runs, validate(runs, open_catalogue())["rows"], strict=True):
        for figure, value in measured_figures(run) if answer["predicted"] else ():
            if answer["predicted"][figure] and value:
                for family in ("all", front_end(run.framework) or "other"):
                    found[family, figure].append((value, answer["predicted"][figure]))
    return found


def test_the_frozen_sample_names_a_source_for_every_row_and_is_predicted() -> None:
    import json

    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 60 and all(row["source"].get("repo") or row["source"].get("title") for row in rows)
    assert validate(read_runs(SAMPLE).rows, open_catalogue())["summary"]["skipped"] == {}


def test_errors_on_the_frozen_sample_stay_within_budget() -> None:
    found = pairs(SAMPLE)
    for figure, (median, coverage) in SAMPLE_BUDGET.items():
        reached = score(found["all", figure])
        assert reached["median"] <= median, (figure, reached)
        assert reached["coverage"] >= coverage, (figure, reached)


def test_no_run_of_the_sample_that_ran_out_of_memory_is_said_to_fit() -> None:
    runs = read_runs(SAMPLE).rows
    answers = validate(runs, open_catalogue())["rows"]
    failed = [a for r, a in zip(runs, answers, strict=True) if r.measured.get("outcome") == "oom"]
    assert failed and not any(answer["predicted"]["fits"] for answer in failed if "bertlarge" not in answer["id"])


def test_errors_on_all_shared_rows_stay_within_budget() -> None:
    if not SHARED.exists():
        pytest.skip("no shared measured runs beside this checkout")
    found: dict[tuple[str, str], list[tuple[float, dict[str, float]]]] = defaultdict(list)
    for name in ("pretrain", "vtrain", "finetune"):
        for key, values in pairs(SHARED / f"{name}.jsonl").items():
            found[key] += values
    reached = {key: score(found[key]) for key in SHARED_BUDGET}
    late = {key: value for key, value in reached.items() if value["median"] > SHARED_BUDGET[key]}
    assert not late, late
    errors = np.array([score(v)["coverage"] for k, v in found.items() if k[0] == "all"])
    assert float(np.min(errors)) > 0.6

"""How far predictions lie from what rows measured: errors by software and figure, coverage, verdicts.

    error = predicted / measured - 1

Memory is compared with the figure of its kind: allocated, reserved, or nvidia-smi (the device).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from gpuplan.data.trainers import front_end
from gpuplan.facts.measured import MeasuredRun

MEMORY_KIND: Final = {"allocated": "allocated_gib", "reserved": "reserved_gib", "nvidia-smi": "device_gib"}
TIMES: Final = ("step_time_s", "tokens_per_s_per_gpu", "samples_per_s")


def summary_of(runs: Sequence[MeasuredRun], answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Errors, coverage and verdicts; empty groups are left out."""
    pairs: dict[tuple[str, str], list[tuple[float, Mapping[str, float]]]] = defaultdict(list)
    verdicts: dict[str, dict[str, int]] = {}
    for run, answer in zip(runs, answers, strict=True):
        predicted = answer["predicted"]
        if predicted is None:
            continue
        for figure, value in measured_figures(run):
            if predicted[figure] is not None and value > 0:
                pairs[(front_end(run.framework) or "other", figure)].append((value, predicted[figure]))
                pairs[("all", figure)].append((value, predicted[figure]))
        outcome = run.measured.get("outcome")
        if outcome in ("fits", "oom"):
            word = {True: "fits", False: "does_not_fit", None: "unsure"}[predicted["fits"]]
            row = verdicts.setdefault(outcome, {"fits": 0, "unsure": 0, "does_not_fit": 0})
            row[word] += 1
    errors = [{"family": family, "figure": figure, **score(found)} for (family, figure), found in sorted(pairs.items())]
    return {"errors": errors, "verdicts": dict(sorted(verdicts.items()))}


def measured_figures(run: MeasuredRun) -> list[tuple[str, float]]:
    """What a row measured, under the name of the prediction that it judges."""
    measured = run.measured
    found = [(name, measured[name]) for name in TIMES if measured.get(name) is not None]
    kind = MEMORY_KIND.get(str(measured.get("peak_mem_kind")))
    if kind and measured.get("peak_mem_gib") is not None:
        found.append((kind, measured["peak_mem_gib"]))
    return found


def score(found: Sequence[tuple[float, Mapping[str, float]]]) -> dict[str, float]:
    """Median and 90 % point of the absolute error, median signed error, share inside the interval."""
    errors = np.array([predicted["typical"] / value - 1.0 for value, predicted in found])
    inside = [predicted["low"] <= value <= predicted["high"] for value, predicted in found]
    return {
        "n": len(found),
        "median": round(float(np.median(np.abs(errors))), 4),
        "p90": round(float(np.quantile(np.abs(errors), 0.9)), 4),
        "bias": round(float(np.median(errors)), 4),
        "coverage": round(float(np.mean(inside)), 4),
    }

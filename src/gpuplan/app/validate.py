"""Measured runs against the model: every row predicted from its configuration alone, and the errors where it says more.

The form of the answer is a contract (docs/measured.md): additive changes only.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuplan.app.run_estimate import Estimate, estimates_of, memory_parts, rounded, time_parts
from gpuplan.app.run_score import summary_of
from gpuplan.app.run_to_job import Reading, read_run
from gpuplan.data.catalogue import Catalogue
from gpuplan.errors import QuestionError
from gpuplan.facts.measured import MeasuredRun
from gpuplan.question.figures import Range
from gpuplan.units import GIB

SCHEMA = 1


def validate(
    rows: Iterable[MeasuredRun], catalogue: Catalogue, *, ignored: Mapping[str, int] | None = None, lang: str = "en"
) -> dict[str, Any]:
    """Predictions of all rows and a summary, ready for JSON."""
    runs = tuple(rows)
    answers = predict_all(runs, catalogue, lang=lang)
    reasons = Counter(answer["skipped"] for answer in answers if answer["skipped"])
    summary = {
        "rows": len(runs),
        "predicted": len(runs) - sum(reasons.values()),
        "skipped": dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        "ignored_keys": dict(ignored or {}),
        **summary_of(runs, answers),
    }
    return {"schema": SCHEMA, "rows": answers, "summary": summary}


def predict(run: MeasuredRun, catalogue: Catalogue, *, lang: str = "en") -> dict[str, Any]:
    """One row of the answer."""
    return predict_all([run], catalogue, lang=lang)[0]


def predict_all(runs: Sequence[MeasuredRun], catalogue: Catalogue, *, lang: str = "en") -> list[dict[str, Any]]:
    """All rows of the answer, in order."""
    readings: list[Reading | str] = [_read(run, catalogue, lang) for run in runs]
    estimates = iter(estimates_of([reading for reading in readings if not isinstance(reading, str)], catalogue))
    answers: list[dict[str, Any]] = []
    for run, reading in zip(runs, readings, strict=True):
        if isinstance(reading, str):
            answers.append({"id": run.id, "skipped": reading, "assumed": [], "predicted": None})
            continue
        estimate = next(estimates)
        assumed = [assumption.say(lang) for assumption in estimate.assumed]
        answers.append({"id": run.id, "skipped": None, "assumed": assumed, "predicted": predicted(estimate)})
    return answers


def _read(run: MeasuredRun, catalogue: Catalogue, lang: str) -> Reading | str:
    """The reading of a row, or the reason why it is skipped."""
    try:
        if not run.task:
            raise QuestionError("run.skip.task")
        return read_run(run, catalogue)
    except QuestionError as error:
        return error.say(lang)


def predicted(estimate: Estimate) -> dict[str, Any]:
    """The figures of an estimate in the units of the contract."""
    return {
        "allocated_gib": _range(estimate.allocated, GIB),
        "reserved_gib": _range(estimate.reserved, GIB),
        "device_gib": _range(estimate.device, GIB),
        "step_time_s": _range(estimate.step_s),
        "forward_backward_s": _range(estimate.forward_backward_s),
        "tokens_per_s_per_gpu": _range(estimate.tokens_per_s_per_gpu),
        "samples_per_s": _range(estimate.samples_per_s),
        "fits": estimate.outcome.fits,
        "fits_probability": None if estimate.outcome.probability is None else rounded(estimate.outcome.probability),
        "limit": estimate.outcome.limit,
        "memory": memory_parts(estimate.memory),
        "time": None if estimate.step is None else time_parts(estimate.step),
    }


def _range(found: Range | None, unit: float = 1.0) -> dict[str, float] | None:
    if found is None:
        return None
    low, typical, high = (rounded(float(value) / unit) for value in (found.low, found.typical, found.high))
    return {"low": low, "typical": typical, "high": high}

"""`estimate`: every part of memory and time of one given run, through the same door as `validate`."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from gpuplan.app.run_contradiction import needs_more_gpus, stated_ranks
from gpuplan.app.run_estimate import estimate_of, first, rounded
from gpuplan.app.run_layout import recompute_word
from gpuplan.app.run_to_job import Reading, read_run
from gpuplan.app.validate import SCHEMA, predicted
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.measured import one_run, read_one
from gpuplan.errors import QuestionError
from gpuplan.facts.measured import MeasuredRun
from gpuplan.question.layout import Layout, Offload


def estimate(run: Mapping[str, Any] | MeasuredRun, catalogue: Catalogue, *, lang: str = "en") -> dict[str, Any]:
    """Memory, time and verdict of one run, ready for JSON; raises where it cannot be understood."""
    record = run if isinstance(run, MeasuredRun) else one_run(run, where="run")
    if not record.task:
        raise QuestionError("run.skip.task")
    if needs_more_gpus(record):
        ranks, gpus = f"{stated_ranks(record):g}", f"{record.hardware['n_gpus']:g}"
        raise QuestionError("run.layout.ranks", ranks=ranks, gpus=gpus)
    reading = read_run(record, catalogue)
    found = estimate_of(reading, catalogue)
    return {
        "schema": SCHEMA,
        "id": record.id,
        "model": reading.job.policy.model.id,
        "trainer": reading.job.trainer.id,
        "gpu": reading.cards.chips[0].id if reading.cards.chips else record.hardware.get("gpu"),
        "layout": layout_shown(reading),
        "assumed": [assumed.say(lang) for assumed in found.assumed],
        "predicted": predicted(found),
    }


def estimate_file(path: Path, catalogue: Catalogue, *, lang: str = "en") -> dict[str, Any]:
    """The estimate of the run in a JSON or TOML file."""
    return estimate(read_one(path), catalogue, lang=lang)


def layout_shown(reading: Reading) -> dict[str, Any]:
    """The likeliest layout as plain values."""
    plain: dict[str, Any] = {f.name: rounded(first(getattr(reading.layout, f.name))) for f in fields(Layout)}
    plain["recompute"] = recompute_word(plain["recompute"])
    plain["offload"] = Offload(int(plain["offload"])).name.lower()
    plain["seq_len"] = rounded(first(reading.job.seq_len))
    return plain

"""Calibrates the spreads that turn typical figures into 90 % ranges, and says what they would have covered.

    python benchmarks/calibrate_spreads.py MEASURED_DIR [--write]

Residual: log(measured / typical) of rows whose open fields move memory by less than 10 %, time by less than 50 %.
`needed`, which the verdict uses, leaves reserved bytes out: an allocator under pressure gives cached blocks back.
Not for experts: few sources say what those allocate, and real routing is uneven.
Groups: figure, software family, kind of job. Sources weigh alike, whatever number of rows they have. A group that
few sources inform is drawn towards the pool of all: w = sources / (sources + 2). Coverage is told for sources left
out: the spread of the others, on the rows of the one.
"""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from gpuplan.app.run_estimate import Estimate, estimate_of
from gpuplan.app.run_to_job import Reading, read_run
from gpuplan.calibrate.interval import is_small, keys_of, kind_of, waits_for_host
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.kernels import measured_chips
from gpuplan.data.measured import read_runs
from gpuplan.errors import QuestionError
from gpuplan.units import GIB

FILES: Final = ("pretrain.jsonl", "vtrain.jsonl", "finetune.jsonl")
OUT: Final = Path(__file__).parents[1] / "src/gpuplan/data/files/spreads.jsonl"
SOURCE: Final = "residuals of measured runs (benchmarks/calibrate_spreads.py, docs/accuracy.md)"
KINDS: Final = {"allocated": "allocated", "reserved": "reserved", "nvidia-smi": "device", None: "device"}
DECIMAL_SOURCES: Final = ("QwenLM/Qwen",)
"""Sources that print bytes / 1e9 (shared reading notes)."""
CARD_SIZES: Final = (24, 32, 40, 48, 64, 80, 95, 96)
"""A peak of unknown kind that equals a card is the card (shared reading notes)."""
TESTS: Final = "functional_tests"
"""Path of a framework's own tests: deterministic, instrumented runs whose speed tells nothing of training."""
MICRO_STEP_SOURCES: Final = ("Lightning-AI/litgpt", "AnswerDotAI/fsdp_qlora")
"""Sources whose step is one micro-batch: not compared with an optimizer step."""
NARROWEST: Final = {"memory": math.log(1.1), "needed": math.log(1.1), "time": math.log(1.3)}
"""Half-widths below which no group goes: a source that nobody has seen differs by as much (time_model section 6)."""
OPEN: Final = {"memory": 1.1, "needed": 1.1, "time": 1.5}
"""How far the open fields of a row may move its estimate, for the row to tell of the model and not of them."""
ENDS: Final = (0.05, 0.95)
APART: Final = ("small", "launch")
"""Groups in which constants of software decide; they tell nothing of the others."""
BLUNDER: Final = math.log(4.0)
"""Residuals beyond this are misread rows, not spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """One measured figure against its estimate."""

    figure: str
    family: str
    kind: str
    source: str
    value: float


def main() -> None:
    """Fits, reports coverage, and with --write replaces the package's spreads."""
    folder = Path(sys.argv[1])
    residuals = list(collect(folder, open_catalogue()))
    spreads = [fit(key, rows, residuals) for key, rows in groups(residuals).items()]
    for spread in spreads:
        print(json.dumps(spread))
    report(residuals)
    if "--write" in sys.argv:
        OUT.write_text("".join(json.dumps(spread, sort_keys=False) + "\n" for spread in spreads), encoding="utf-8")


def collect(folder: Path, catalogue: Catalogue) -> Iterable[Residual]:
    """Residuals of all rows that are stated well enough."""
    for name in FILES:
        raw = [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        runs = read_runs(folder / name).rows
        for row, run in zip(raw, runs, strict=True):
            try:
                reading = read_run(run, catalogue)
            except QuestionError:
                continue
            yield from residuals_of(row, reading, estimate_of(reading, catalogue))


def residuals_of(row: Mapping[str, Any], reading: Reading, estimate: Estimate) -> Iterable[Residual]:
    """Memory and time of one row."""
    source = str(row["source"].get("repo") or row["source"].get("title") or row["source"].get("url"))
    measured, family, kind = row["measured"], reading.job.trainer.family, kind_of(reading.job)
    small = "small" if bool(np.all(is_small(estimate.memory))) else kind
    peak = measured.get("peak_mem_gib")
    figure = KINDS.get(measured.get("peak_mem_kind"))
    if peak and figure and not (measured.get("peak_mem_kind") is None and peak in CARD_SIZES):
        typical = {"allocated": estimate.memory.allocated_bytes, "reserved": estimate.memory.reserved_bytes}
        column = typical.get(figure, estimate.memory.device_bytes)
        unit = 1e9 if source in DECIMAL_SOURCES else GIB
        yield from _residual("memory", column, peak * unit, family, small, source)
        if figure != "reserved" or small == "expert":
            yield from _residual("needed", column, peak * unit, family, small, source)
    speed = measured.get("step_time_s")
    if estimate.step is None or source in MICRO_STEP_SOURCES or TESTS in str(row["source"].get("path")):
        return
    name = "time" if reading.cards.chips[0].id in measured_chips() else "time/borrowed"
    if bool(np.all(waits_for_host(estimate.step))):
        name, kind = "time", "launch"
    total = np.asarray(estimate.step.total_s, dtype=float)
    if speed is None and measured.get("tokens_per_s_per_gpu"):
        layout, length = reading.layout, reading.run.mean_len or reading.job.time_len
        batch = reading.run.global_batch_seqs or layout.global_batch
        speed = np.asarray(batch * length / layout.n_gpus / measured["tokens_per_s_per_gpu"], dtype=float)
    if speed is not None:
        yield from _residual(name, total / np.asarray(speed, dtype=float), 1.0, family, kind, source)


def _residual(figure: str, column: Any, truth: float, family: str, kind: str, source: str) -> Iterable[Residual]:
    values = np.atleast_1d(np.asarray(column, dtype=float))
    if not np.all(np.isfinite(values)) or np.any(values <= 0):
        return
    value = math.log(truth / values[0])
    if values.max() < OPEN[figure.split("/")[0]] * values.min() and abs(value) < BLUNDER:
        yield Residual(figure=figure, family=family, kind=kind, source=source, value=value)


def groups(residuals: list[Residual]) -> Mapping[str, list[Residual]]:
    """Rows of each key, narrow and wide; a narrow one needs 8 rows."""
    found: dict[str, list[Residual]] = defaultdict(list)
    for r in residuals:
        for key in keys_informed(r):
            found[key].append(r)
    wide = {
        key: rows
        for key, rows in found.items()
        if len(rows) >= 8 or key in ("memory", "needed", "time", "time/borrowed")
    }
    return dict(sorted(wide.items()))


def keys_informed(r: Residual) -> tuple[str, ...]:
    """Groups that a row informs: those apart their own alone, experts none of groups that say nothing of experts."""
    if r.kind in APART:
        return (f"{r.figure}/{r.kind}",)
    keys = keys_of(r.figure, r.family, r.kind)
    return tuple(key for key in keys if key.endswith("/expert")) if r.kind == "expert" else keys


def ends(rows: list[Residual]) -> tuple[float, float]:
    """5 % and 95 % of the residuals, each source weighing alike."""
    counts: dict[str, int] = defaultdict(int)
    for r in rows:
        counts[r.source] += 1
    order = sorted(rows, key=lambda r: r.value)
    weights = np.array([1.0 / counts[r.source] for r in order])
    shares = (np.cumsum(weights) - 0.5 * weights) / weights.sum()
    values = np.array([r.value for r in order])
    return float(np.interp(ENDS[0], shares, values)), float(np.interp(ENDS[1], shares, values))


def fit(key: str, rows: list[Residual], everyone: list[Residual]) -> dict[str, object]:
    """The spread of a group, drawn towards the pool where few sources inform it."""
    figure = "time/borrowed" if key.startswith("time/borrowed") else key.split("/")[0]
    others = APART if key.endswith("/expert") else (*APART, "expert")
    pool = ends([r for r in everyone if r.figure == figure and r.kind not in others])
    own, n_sources = ends(rows), len({r.source for r in rows})
    share = n_sources / (n_sources + 2.0)
    least = NARROWEST[figure.split("/")[0]]
    low = min(share * own[0] + (1 - share) * pool[0], -least)
    high = max(share * own[1] + (1 - share) * pool[1], least)
    return {
        "key": key, "low": round(math.exp(low), 3), "high": round(math.exp(high), 3), "n_runs": len(rows),
        "n_sources": n_sources, "source": SOURCE,
    }  # fmt: skip


def report(residuals: list[Residual]) -> None:
    """Coverage of each source's rows by spreads fitted without it."""
    print("\ncoverage of a source left out (rows, share inside the 90 % range)")
    for source in sorted({r.source for r in residuals}):
        rest = [r for r in residuals if r.source != source]
        table = {key: fit(key, rows, rest) for key, rows in groups(rest).items()}
        own = [r for r in residuals if r.source == source]
        inside = [_inside(r, table) for r in own]
        if len(own) >= 5:
            print(f"{source[:50]:50s} {len(own):4d} {np.mean(inside) * 100:4.0f} %")


def _inside(r: Residual, table: Mapping[str, Mapping[str, Any]]) -> bool:
    keys = (f"{r.figure}/{r.kind}", r.figure) if r.kind in APART else keys_of(r.figure, r.family, r.kind)
    spread = next(table[key] for key in keys if key in table)
    return bool(math.log(spread["low"]) <= r.value <= math.log(spread["high"]))


if __name__ == "__main__":
    main()

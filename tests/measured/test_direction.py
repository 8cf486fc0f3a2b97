"""One field of a row changed, as a user would: the typical figures move as everybody knows, whatever stays open.

Beside `test_sensitivity`, which looks at parts: here nothing else of the row is touched, so that open fields are
chosen again, and only the figures that users read are compared.
"""

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuplan.app.validate import predict_all
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.measured import run_of

HERE = Path(__file__)
SAMPLE = HERE.parents[1] / "data" / "measured_sample.jsonl"
SHARED = HERE.parents[2].parent / "shared" / "measured"
ROWS = 24
"""Of each file."""
RIGHT = 0.98
Row = dict[str, Any]
MEMORY, TIME, SPEED, CHANCE = "allocated_gib device_gib", "step_time_s", "tokens_per_s_per_gpu", "fits_probability"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue()


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The frozen sample, and some rows of every shared file where there are any."""
    found = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    for name in ("finetune", "pretrain", "vtrain", "user_cases"):
        path = SHARED / f"{name}.jsonl"
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            found += [json.loads(line) for line in random.Random(5).sample(lines, ROWS)]
    for row in found:
        for section in ("parallel", "lora", "host"):
            row[section] = row.get(section) or {}
    return found


def at(row: Row, path: str) -> Any:
    section, _, name = path.rpartition(".")
    return (row[section] if section else row).get(name)


def with_(row: Row, path: str, value: Any) -> Row:
    changed = copy.deepcopy(row)
    section, _, name = path.rpartition(".")
    (changed[section] if section else changed)[name] = value
    return changed


def pairs(rows: list[Row], path: str, old: Any, new: Any, suits: Callable[[Row], bool]) -> list[tuple[Row, Row]]:
    """Rows before and after: `old` is put first unless it is None; a factor as `new` multiplies what is stated."""
    found = []
    for row in rows:
        before = row if old is None else with_(row, path, old)
        value = at(before, path)
        if value is None or not suits(row):
            continue
        found.append((before, with_(before, path, new(value) if callable(new) else new)))
    return found


def trains_whole(row: Row) -> bool:
    return row["task"] in ("pretrain", "full_ft")


def many_gpus(row: Row) -> bool:
    return (row["hardware"].get("n_gpus") or 1) > 8


def anything(row: Row) -> bool:
    return True


def adapts(row: Row) -> bool:
    return row["task"] in ("lora", "qlora")


def whole_batch_is_open(row: Row) -> bool:
    return not row.get("global_batch_seqs")


def reshards(row: Row) -> bool:
    """torchtitan keeps weights whole under a pipeline; elsewhere an embedding loses half its data-parallel shards."""
    return "titan" not in (row.get("framework") or "")


def twice(value: float) -> float:
    return value * 2


def tenth(value: float) -> float:
    return value / 10


UP, DOWN = 1, -1
CASES: list[tuple[str, str, Any, Any, Callable[[Row], bool], dict[str, int]]] = [
    ("length", "seq_len", None, twice, anything, {MEMORY: UP, TIME: UP, CHANCE: DOWN}),
    ("micro-batch", "micro_batch", None, twice, anything, {MEMORY: UP, CHANCE: DOWN}),
    ("micro-batch feeds the card", "micro_batch", None, twice, whole_batch_is_open, {SPEED: UP}),
    ("accumulation", "grad_accum", None, twice, anything, {TIME: UP}),
    ("global batch", "global_batch_seqs", None, twice, anything, {TIME: UP}),
    ("gpus", "hardware.n_gpus", None, twice, many_gpus, {MEMORY: DOWN, CHANCE: UP}),
    ("tensor parallel", "parallel.tp", None, twice, anything, {MEMORY: DOWN, CHANCE: UP}),
    ("pipeline parallel", "parallel.pp", None, twice, reshards, {CHANCE: UP}),
    ("context parallel", "parallel.cp", None, twice, anything, {MEMORY: DOWN, CHANCE: UP}),
    ("expert parallel", "parallel.ep", None, twice, lambda r: bool(r["model"].get("experts")), {MEMORY: DOWN}),
    ("zero 1", "parallel.zero", "0", "1", lambda r: trains_whole(r) and many_gpus(r), {MEMORY: DOWN, CHANCE: UP}),
    ("recompute", "recompute", "none", "full", anything, {MEMORY: DOWN, TIME: UP, SPEED: DOWN, CHANCE: UP}),
    ("fp32", "precision", "bf16", "fp32", anything, {TIME: UP, SPEED: DOWN}),
    ("8-bit Adam", "optimizer", "adamw", "adamw8bit", trains_whole, {MEMORY: DOWN, CHANCE: UP}),
    ("sgd", "optimizer", "adamw8bit", "sgd", trains_whole, {MEMORY: DOWN, CHANCE: UP}),
    ("rank", "lora.rank", None, lambda rank: 4 * rank, anything, {MEMORY: UP, TIME: UP, CHANCE: DOWN}),
    ("targets", "lora.targets", "q,v", "all-linear", adapts, {MEMORY: UP, TIME: UP, CHANCE: DOWN}),
    ("offload", "parallel.offload", "none", "optimizer", trains_whole, {MEMORY: DOWN, TIME: UP, CHANCE: UP}),
    ("flash attention", "flash_attention", True, False, anything, {MEMORY: UP, CHANCE: DOWN}),
    ("layers", "model.layers", None, twice, anything, {MEMORY: UP, TIME: UP, SPEED: DOWN, CHANCE: DOWN}),
    ("hidden width", "model.hidden", None, twice, anything, {MEMORY: UP, TIME: UP, SPEED: DOWN, CHANCE: DOWN}),
    ("feed-forward width", "model.ffn", None, twice, anything, {MEMORY: UP, TIME: UP, SPEED: DOWN, CHANCE: DOWN}),
    ("vocabulary", "model.vocab", None, twice, anything, {MEMORY: UP, TIME: UP, SPEED: DOWN, CHANCE: DOWN}),
    ("a newer card", "hardware.gpu", "A100-SXM-80GB", "H100-SXM-80GB", anything, {TIME: DOWN, SPEED: UP}),
    ("a larger card", "hardware.gpu", "A100-SXM-40GB", "A100-SXM-80GB", anything, {CHANCE: UP}),
    ("a larger class", "hardware.gpu", "24GB-class", "80GB-class", anything, {CHANCE: UP}),
    ("network", "hardware.inter_gbps_per_gpu", 400, tenth, many_gpus, {TIME: UP, SPEED: DOWN}),
    ("links", "hardware.intra", "nvlink", "pcie", many_gpus, {TIME: UP, SPEED: DOWN}),
    ("host memory", "host.ram_gb", 2000, 64, anything, {CHANCE: DOWN}),
]  # fmt: skip


def typical(answer: Row | None, name: str) -> float | None:
    found = answer[name] if answer else None
    return found["typical"] if isinstance(found, dict) else found


@pytest.mark.parametrize(("name", "path", "old", "new", "suits", "figures"), CASES, ids=[case[0] for case in CASES])
def test_one_changed_field_moves_the_typical_figures_as_everybody_knows(
    catalogue: Catalogue, rows: list[Row], name: str, path: str, old: Any, new: Any,
    suits: Callable[[Row], bool], figures: dict[str, int],
) -> None:  # fmt: skip
    found = pairs(rows, path, old, new, suits)
    runs = [run_of(row, where="row")[0] for pair in found for row in pair]
    answers = [answer["predicted"] for answer in predict_all(runs, catalogue)]
    for names, direction in figures.items():
        for figure in names.split():
            moved, wrong = 0, []
            for (row, _), before, after in zip(found, answers[::2], answers[1::2], strict=True):
                a, b = typical(before, figure), typical(after, figure)
                if a is None or b is None:
                    continue
                step = direction * (b - a) / (1.0 if figure == CHANCE else max(a, 1e-12))
                moved += step > 0
                if step < -1e-3:
                    wrong.append((row["id"], a, b))
            n = sum(typical(answer, figure) is not None for answer in answers[::2])
            assert moved >= 1, (name, figure, n)
            assert len(wrong) <= max(1, (1 - RIGHT) * n), (name, figure, n, wrong)

"""Changing one stated field moves the answer in the direction that everybody knows."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuplan.app.validate import predict
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.measured import run_of

HERE = Path(__file__)
SAMPLE = HERE.parents[1] / "data" / "measured_sample.jsonl"
SHARED = HERE.parents[2].parent / "shared" / "measured"
ROWS = 200
Row = dict[str, Any]
Change = Callable[[Row], bool]
Figure = Callable[[Row], float | None]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue()


def lines(path: Path) -> Iterator[Row]:
    yield from (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def rows(catalogue: Catalogue) -> list[tuple[Row, Row]]:
    """200 rows with their predictions: the frozen sample, and every ninth shared row where there are any."""
    found = list(lines(SAMPLE))
    if SHARED.exists():
        for name in ("finetune", "pretrain", "vtrain"):
            found += list(lines(SHARED / f"{name}.jsonl"))[:: {"finetune": 6, "pretrain": 13, "vtrain": 40}[name]]
    kept = []
    for row in found:
        row.setdefault("parallel", {})
        answer = predict(run_of(row, where="row")[0], catalogue)
        if answer["predicted"]:
            kept.append((row, answer["predicted"]))
    return kept[:ROWS]


def put(path: str, value: Any) -> Change:
    """Sets a field that the row states."""

    def change(row: Row) -> bool:
        section, _, name = path.rpartition(".")
        target = row.get(section) if section else row
        if not target or target.get(name) in (None, value):
            return False
        target[name] = value
        return True

    return change


def times(path: str, factor: float, *also: str) -> Change:
    """Multiplies a stated number, and others with it."""

    def change(row: Row) -> bool:
        for field in (path, *also):
            section, _, name = field.rpartition(".")
            target = row.get(section) if section else row
            if not target or not target.get(name):
                return False
            target[name] = target[name] * factor
        return True

    return change


def both(*changes: Change) -> Change:
    return lambda row: all(change(row) for change in changes)


def where(condition: Callable[[Row], bool], change: Change) -> Change:
    return lambda row: condition(row) and change(row)


def typical(name: str) -> Figure:
    return lambda answer: answer[name]["typical"] if answer[name] else None


def state(*names: str) -> Figure:
    return lambda answer: sum(answer["memory"]["states"][name] for name in names)


def part(name: str) -> Figure:
    return lambda answer: answer["memory"]["parts"][name]


def chance(answer: Row) -> float | None:
    return answer["fits_probability"]  # type: ignore[no-any-return]


def drop_batch(row: Row) -> bool:
    """Leaves micro-batch and accumulation to say what the batch is."""
    row["global_batch_seqs"] = None
    return row.get("grad_accum") is not None


def degrees(row: Row) -> Row:
    return row.get("parallel") or {}


def sharded(row: Row) -> bool:
    return str(degrees(row).get("zero")) in ("1", "2", "3") and (degrees(row).get("dp") or 0) > 1


def trains_whole(row: Row) -> bool:
    return row["task"] in ("pretrain", "full_ft")


def split_is_stated(row: Row) -> bool:
    """Where the degrees are open, a larger model is split over more GPUs."""
    return all(degrees(row).get(name) is not None for name in ("tp", "pp", "zero"))


def keeps_adam(row: Row) -> bool:
    return trains_whole(row) and row.get("optimizer") in ("adam", "adamw")


def is_lora(row: Row) -> bool:
    return row["task"] == "lora"


ALL = ("weights", "frozen", "gradients", "master", "moments")
more, less = 1.0, -1.0
CASES: list[tuple[str, Change, Figure, float]] = [
    ("micro_batch doubles activations", both(times("micro_batch", 2), drop_batch), part("saved"), more),
    ("micro_batch raises the peak", both(times("micro_batch", 2), drop_batch), typical("allocated_gib"), more),
    ("seq_len raises the peak", times("seq_len", 2), typical("allocated_gib"), more),
    ("seq_len costs time", times("seq_len", 2), typical("step_time_s"), more),
    ("grad_accum costs time", where(split_is_stated, both(times("grad_accum", 2), drop_batch)),
     typical("step_time_s"), more),
    ("global_batch costs time", times("global_batch_seqs", 4, "grad_accum"), typical("step_time_s"), more),
    ("tp cuts weights", times("parallel.tp", 2, "hardware.n_gpus"), state("weights", "frozen"), less),
    ("pp cuts weights", times("parallel.pp", 2, "hardware.n_gpus"), state("weights", "frozen"), less),
    ("cp cuts activations", times("parallel.cp", 2, "hardware.n_gpus"), part("saved"), less),
    ("dp cuts sharded states", where(sharded, times("parallel.dp", 2, "hardware.n_gpus")), state(*ALL), less),
    (
        "zero 3 cuts states",
        where(lambda r: degrees(r).get("zero") in ("0", "1") and (degrees(r).get("dp") or 0) > 1,
              put("parallel.zero", "3")),
        state("weights", "frozen", "moments"), less,
    ),
    ("recompute keeps less", where(lambda r: r.get("recompute") == "none", put("recompute", "full")),
     part("saved"), less),
    ("recompute costs time", where(lambda r: r.get("recompute") == "none", put("recompute", "full")),
     typical("forward_backward_s"), more),
    ("8-bit Adam cuts moments", where(keeps_adam, put("optimizer", "adamw8bit")), state("moments"), less),
    ("sgd has no moments", where(keeps_adam, put("optimizer", "sgd")), state("moments"), less),
    ("fp32 is slower", where(lambda r: r.get("precision") == "bf16", put("precision", "fp32")),
     typical("forward_backward_s"), more),
    ("more layers, more weights", where(split_is_stated, times("model.layers", 2)), state("weights", "frozen"), more),
    ("more layers cost time", where(split_is_stated, times("model.layers", 2)), typical("step_time_s"), more),
    ("a wider model is heavier", where(split_is_stated, times("model.hidden", 2, "model.heads")),
     state("weights", "frozen"), more),
    ("a larger vocabulary, a larger embedding", where(split_is_stated, times("model.vocab", 2)),
     state("weights", "frozen"), more),
    ("a higher rank, more adapter weights", times("lora.rank", 8), state("weights", "moments"), more),
    ("4-bit weights are smaller", where(is_lora, put("precision", "nf4")), state("frozen"), less),
    ("adapters have few gradients", where(lambda r: r["task"] == "full_ft", put("task", "lora")),
     state("gradients", "moments"), less),
    ("an older card is slower",
     where(lambda r: str(r["hardware"].get("gpu")).startswith("H100"), put("hardware.gpu", "A100-SXM-80GB")),
     typical("step_time_s"), more),
    ("a smaller card fits less", put("hardware.gpu", "8GB-class"), chance, less),
    ("offload frees the card",
     where(lambda r: trains_whole(r) and degrees(r).get("offload") == "none", put("parallel.offload", "optimizer")),
     state("moments"), less),
    ("without flash attention scores stay",
     where(lambda r: r.get("flash_attention") is True and r.get("recompute") == "none", put("flash_attention", False)),
     part("saved"), more),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "figure", "direction"), CASES, ids=[case[0] for case in CASES])
def test_the_answer_moves_as_everybody_knows(
    catalogue: Catalogue, rows: list[tuple[Row, Row]], name: str, change: Change, figure: Figure, direction: float
) -> None:
    moved, still, wrong = 0, 0, []
    for row, before in rows:
        changed = copy.deepcopy(row)
        if not change(changed):
            continue
        answer = predict(run_of(changed, where="row")[0], catalogue)["predicted"]
        old, new = figure(before), figure(answer) if answer else None
        if old is None or new is None or max(old, new) == 0:
            continue
        step = direction * (new - old)
        if step < -1e-4 * max(old, new):
            wrong.append((row["id"], old, new))
        moved, still = moved + (step > 0), still + (step == 0)
    assert not wrong, (name, len(wrong), wrong[:5])
    assert moved >= max(1, 3 * still), (name, moved, still)

"""A prediction reads configuration, host and date; nothing else of a row can move it."""

import json
import random
from pathlib import Path

import pytest

from gpuplan.app.validate import predict, validate
from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.measured import read_runs

HERE = Path(__file__)
SAMPLE = HERE.parents[1] / "data" / "measured_sample.jsonl"
SHARED = HERE.parents[2].parent / "shared" / "measured"
UNREAD = ("measured", "figure", "notes", "derived", "confidence")
SOURCE = ("repo", "path", "commit", "title", "url")


def shuffled(rows: list[dict[str, object]], seed: int) -> list[dict[str, object]]:
    """The rows with everything unread dealt out anew, and their order and ids too."""
    deal = random.Random(seed)
    made = [json.loads(json.dumps(row)) for row in rows]
    for key in UNREAD:
        values = [row.get(key) for row in made]
        deal.shuffle(values)
        for row, value in zip(made, values, strict=True):
            row[key] = value
    for key in SOURCE:
        values = [(row.get("source") or {}).get(key) for row in made]
        deal.shuffle(values)
        for row, value in zip(made, values, strict=True):
            row["source"] = {**(row.get("source") or {}), key: value}
    for number, row in enumerate(made):
        row["id"] = f"row {number}"
    deal.shuffle(made)
    return made


def predictions(rows: list[dict[str, object]], path: Path) -> dict[str, str]:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    answer = validate(read_runs(path).rows, open_catalogue())
    return {row["id"]: json.dumps({k: v for k, v in row.items() if k != "id"}) for row in answer["rows"]}


@pytest.mark.parametrize("name", ["sample", "pretrain", "finetune"])
def test_what_is_not_configuration_is_not_read(name: str, tmp_path: Path) -> None:
    source = SAMPLE if name == "sample" else SHARED / f"{name}.jsonl"
    if not source.exists():
        pytest.skip("no shared measured runs beside this checkout")
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()][
        :: 1 if name == "sample" else 7
    ]
    plain = predictions([{**row, "id": f"row {number}"} for number, row in enumerate(rows)], tmp_path / "a.jsonl")
    dealt = predictions(shuffled(rows, seed=7), tmp_path / "b.jsonl")
    assert plain == dealt


def test_a_row_alone_says_what_it_says_among_others() -> None:
    catalogue = open_catalogue()
    source = SHARED / "pretrain.jsonl"
    runs = [*read_runs(SAMPLE).rows, *(read_runs(source).rows[::25] if source.exists() else ())]
    assert [predict(run, catalogue) for run in runs] == validate(runs, catalogue)["rows"]

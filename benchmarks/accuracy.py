"""Accuracy on measured runs: python benchmarks/accuracy.py [FOLDER]

Predicts every language-model row of the measured runs (FOLDER, else ../shared/measured beside this checkout) from
its configuration alone, compares with what it measured, and writes benchmarks/accuracy.md. Corrections are to the
*measured* figures, where a source counts in another unit; predictions are never touched:

- QwenLM/Qwen README prints memory in units of 1e9 bytes (of an unknown kind, taken as the device);
- litgpt prints the time of one micro-step, so the row's accumulation is divided out of the prediction.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gpuplan.app.run_score import MEMORY_KIND, TIMES, score
from gpuplan.app.validate import validate
from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.measured import read_runs
from gpuplan.data.trainers import front_end
from gpuplan.units import GB, GIB

HERE: Final = Path(__file__).resolve()
FILES: Final = ("pretrain", "vtrain", "finetune")
FEW: Final = 4
"""Groups with fewer rows are counted together."""
Row = Mapping[str, Any]


def main(folder: Path) -> None:
    """Predict, compare, write."""
    raw: dict[str, Row] = {}
    runs = []
    for name in FILES:
        path = folder / f"{name}.jsonl"
        runs += read_runs(path).rows
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            raw[row["id"]] = {**row, "file": name}
    started = time.perf_counter()
    answers = {row["id"]: row for row in validate(runs, open_catalogue())["rows"]}
    seconds = time.perf_counter() - started
    lines = report(raw, answers, seconds) + user_lines(folder)
    text = "\n".join(lines) + "\n"
    (HERE.parent / "accuracy.md").write_text(text, encoding="utf-8")
    print(text)


def compared(row: Row, answer: Row) -> Iterator[tuple[str, float, Mapping[str, float]]]:
    """Figures of a row with the prediction that each judges: name, measured, range."""
    predicted, measured = answer["predicted"], row["measured"]
    for name in TIMES:
        if measured.get(name) and predicted[name]:
            found = predicted[name]
            if name == "step_time_s" and front_end(row["framework"]) == "litgpt":
                found = {k: v / micro_steps(row) for k, v in found.items()}
            yield name, measured[name], found
    if measured.get("peak_mem_gib"):
        kind = MEMORY_KIND.get(str(measured.get("peak_mem_kind")))
        qwen = (row.get("source") or {}).get("repo") == "QwenLM/Qwen"
        value = measured["peak_mem_gib"] * (GB / GIB if qwen else 1.0)
        yield kind or "peak of unknown kind, as device", value, predicted[kind or "device_gib"]


def micro_steps(row: Row) -> float:
    """Micro-steps of one predicted step, so that a litgpt row is judged by its own unit."""
    dp = (row.get("parallel") or {}).get("dp") or row["hardware"].get("n_gpus") or 1
    batch = row.get("global_batch_seqs")
    return max((batch or 1) / ((row.get("micro_batch") or 1) * dp), 1.0)


def report(raw: Mapping[str, Row], answers: Mapping[str, Row], seconds: float) -> list[str]:
    """The page."""
    figures: dict[str, list[Any]] = defaultdict(list)
    families: dict[tuple[str, str], list[Any]] = defaultdict(list)
    sources: dict[tuple[str, str], list[Any]] = defaultdict(list)
    verdicts: Counter[tuple[str, str]] = Counter()
    skipped: Counter[str] = Counter()
    wrong = []
    for key, row in raw.items():
        answer = answers[key]
        if answer["skipped"]:
            skipped[answer["skipped"]] += 1
            continue
        source = (row.get("source") or {}).get("repo") or "papers and pages"
        for name, value, found in compared(row, answer):
            pair = (value, found)
            figures[name].append(pair)
            families[front_end(row["framework"]) or "other", name].append(pair)
            sources[source, name].append(pair)
        outcome = row["measured"].get("outcome")
        word = {True: "fits", False: "does not fit", None: "unsure"}[answer["predicted"]["fits"]]
        if outcome in ("fits", "oom"):
            verdicts[outcome, word] += 1
            if (outcome, word) in (("oom", "fits"), ("fits", "does not fit")):
                wrong.append((outcome, key, answer["predicted"]))
    n = len(raw)
    return [
        "# Accuracy on measured runs",
        "",
        "Written by `python benchmarks/accuracy.py`; how a row is read is in docs/measured.md. Error = predicted /",
        "measured - 1 of the typical value: median and 90 % point of its size, median with sign (bias), and the share",
        "of measured values inside the 90 % interval. The constants of the model were fitted on many of these rows,",
        "so this is not a blind test.",
        "",
        f"{n} rows, {n - sum(skipped.values())} predicted in {seconds:.1f} s ({1000 * seconds / n:.1f} ms a row).",
        "",
        *table("All rows", figures_only=True, groups={("", k): v for k, v in figures.items()}),
        *verdict_lines(verdicts, wrong),
        *table("By software", groups=families),
        *table("By source", groups=sources),
        "## Skipped",
        "",
        *(f"- {count} x {reason}" for reason, count in skipped.most_common()),
    ]


def user_lines(folder: Path) -> list[str]:
    """Verdicts on what users report: most rows leave length, batch or recompute open."""
    path = folder / "user_cases.jsonl"
    if not path.exists():
        return []
    runs = read_runs(path).rows
    verdicts: Counter[tuple[str, str]] = Counter()
    wrong = []
    for run, answer in zip(runs, validate(runs, open_catalogue())["rows"], strict=True):
        outcome = run.measured.get("outcome")
        if answer["skipped"] or outcome not in ("fits", "oom"):
            continue
        word = {True: "fits", False: "does not fit", None: "unsure"}[answer["predicted"]["fits"]]
        verdicts[outcome, word] += 1
        if (outcome, word) in (("oom", "fits"), ("fits", "does not fit")):
            wrong.append((outcome, run.id, answer["predicted"]))
    lines = verdict_lines(verdicts, wrong)
    return ["", "## Users' reports", "", *lines[2:]]


def table(title: str, *, groups: Mapping[tuple[str, str], list[Any]], figures_only: bool = False) -> list[str]:
    """One table of groups, large ones first."""
    head = "| figure |" if figures_only else "| group | figure |"
    rule = "|---|" if figures_only else "|---|---|"
    lines = [f"## {title}", "", f"{head} rows | median | p90 | bias | in interval |", f"{rule}---|---|---|---|---|"]
    few = 0
    for (group, name), pairs in sorted(groups.items(), key=lambda item: (item[0][1], -len(item[1]), item[0])):
        if len(pairs) < FEW:
            few += len(pairs)
            continue
        found = score(pairs)
        cells = [name] if figures_only else [group, name]
        shares = (f"{100 * found[k]:+.1f} %" if k == "bias" else f"{100 * found[k]:.1f} %"
                  for k in ("median", "p90", "bias", "coverage"))  # fmt: skip
        lines.append("| " + " | ".join([*cells, str(found["n"]), *shares]) + " |")
    return [*lines, "", *([f"{few} figures in groups of fewer than {FEW} are left out here.", ""] if few else [])]


def verdict_lines(verdicts: Mapping[tuple[str, str], int], wrong: list[Any]) -> list[str]:
    """What was said against what happened, and every false verdict by name."""
    words = ("fits", "unsure", "does not fit")
    lines = ["## Verdicts", "", "| measured | " + " | ".join(words) + " |", "|---|---|---|---|"]
    for outcome, shown in (("fits", "ran"), ("oom", "out of memory")):
        lines.append(f"| {shown} | " + " | ".join(str(verdicts.get((outcome, word), 0)) for word in words) + " |")
    lines += ["", 'Out of memory, called "fits":', ""]
    for outcome, key, predicted in wrong:
        if outcome == "oom":
            device = predicted["device_gib"]
            lines.append(f"- `{key}`: device {device['low']:.1f} to {device['high']:.1f} GiB")
    count = sum(1 for outcome, *_ in wrong if outcome == "fits")
    return [*lines, "", f'Ran, called "does not fit": {count} rows.', ""]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1].parent / "shared" / "measured")

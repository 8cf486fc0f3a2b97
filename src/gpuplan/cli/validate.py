"""`gpuplan validate`: predictions for a file of measured runs, and how far they lie from what was measured."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpuplan.app.files import read_measured
from gpuplan.app.validate import validate
from gpuplan.cli.asked import catalogue_of
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import count
from gpuplan.cli.page import Block, Heading, Table, Text
from gpuplan.cli.pieces import section
from gpuplan.locale import say

Answer = Mapping[str, Any]


def answer(request: Request) -> Answer:
    """Every row predicted, and the summary."""
    runs = read_measured(request.arguments["RUNS"])
    return validate(runs.rows, catalogue_of(request), ignored=runs.ignored, lang=request.lang)


def show(answer: Answer, request: Request) -> Sequence[Block]:
    """The summary; the rows are in `--json`."""
    lang, summary = request.lang, answer["summary"]
    counts = {"rows": count(summary["rows"]), "predicted": count(summary["predicted"])}
    blocks: list[Block] = [Text(say(lang, "show.validate.counts", **counts))]
    if summary["errors"]:
        blocks += [Heading(say(lang, "show.validate.errors")), _errors(summary["errors"], lang)]
    if summary["verdicts"]:
        blocks += [Heading(say(lang, "show.validate.verdicts")), _verdicts(summary["verdicts"], lang)]
    blocks += section(lang, "show.validate.skipped", [f"{count(n)} x {why}" for why, n in summary["skipped"].items()])
    ignored = [f"{key} ({count(n)})" for key, n in summary["ignored_keys"].items()]
    return [*blocks, *section(lang, "show.validate.ignored", ignored)]


def _errors(errors: Sequence[Answer], lang: str) -> Table:
    head = tuple(
        say(lang, f"show.error.{name}") for name in ("family", "figure", "n", "median", "p90", "bias", "coverage")
    )
    shares = ("median", "p90", "bias", "coverage")
    rows = [
        (row["family"], row["figure"], count(row["n"]), *(f"{row[name] * 100:.1f} %" for name in shares))
        for row in errors
    ]
    return Table(head, tuple(rows))


def _verdicts(verdicts: Mapping[str, Mapping[str, int]], lang: str) -> Table:
    words = ("fits", "unsure", "does_not_fit")
    head = (say(lang, "show.validate.measured"), *(say(lang, f"show.verdict.word.{word}") for word in words))
    names = {"fits": "fits", "oom": "does_not_fit"}
    rows = [
        (say(lang, f"show.verdict.word.{names[outcome]}"), *(count(row[word]) for word in words))
        for outcome, row in verdicts.items()
    ]
    return Table(head, tuple(rows))

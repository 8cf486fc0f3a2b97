"""`gpuplan plan`: what to train on, with the reasons."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuplan.app.files import save_json
from gpuplan.app.plan import plan
from gpuplan.cli.asked import catalogue_of, question_of_request
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import count, disk, hours, known, money, price, ranged, span, three
from gpuplan.cli.page import Block, Commands, Heading, Table, Text
from gpuplan.cli.pieces import (
    assumed_lines,
    command_line,
    cost_words,
    layout_words,
    memory_words,
    question_words,
    section,
)
from gpuplan.locale import say

Answer = Mapping[str, Any]
ASKED: Final = ("method", "samples", "tokens", "seq_len", "mean_len", "epochs", "framework", "precision")
"""Keys that a suggested command repeats."""


def answer(request: Request) -> Answer:
    """The plan as a dict; saved where `--save` says."""
    found = plan(question_of_request(request), catalogue=catalogue_of(request), today=date.today()).to_json()
    if "save" in request.options:
        save_json(found, request.options["save"])
    return found


def show(answer: Answer, request: Request) -> Sequence[Block]:
    """What was understood, the picks side by side, then why, what else, and what to do next."""
    lang, picks = request.lang, answer["picks"]
    blocks: list[Block] = [Text(_understood(answer["question"], lang)), Text("")]
    if picks:
        blocks.append(_picks(picks, lang))
        blocks += section(lang, "show.runner_ups", _runner_ups(picks, lang))
    else:
        blocks.append(Text(say(lang, "show.no_pick")))
    blocks += section(lang, "show.rejected", [f"{r['what']}: {r['reason']}" for r in answer["rejected"]])
    blocks += section(lang, "show.assumed", assumed_lines(_all(answer, "assumed"), lang))
    blocks += section(lang, "show.warnings", _all(answer, "warnings"))
    blocks += [Heading(say(lang, "show.next")), Commands(tuple(_next(answer, request)))]
    return blocks

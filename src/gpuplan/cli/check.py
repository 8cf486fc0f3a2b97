"""`gpuplan check`: does it fit on this hardware, and why."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gpuplan.app.check import check
from gpuplan.cli.asked import catalogue_of, question_of_request
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import gib, hours, price, ranged, rate, span
from gpuplan.cli.page import Block, Commands, Heading, Table, Text
from gpuplan.cli.parts import memory_blocks, time_blocks, verdict_line
from gpuplan.cli.pieces import (
    assumed_lines,
    command_line,
    cost_words,
    gpus_words,
    layout_words,
    memory_words,
    mfu_words,
    said_words,
    section,
    understood,
)
from gpuplan.locale import say

Answer = Mapping[str, Any]


def answer(request: Request) -> Answer:
    """The check as plain values."""
    question = question_of_request(request)
    return check(question, catalogue=catalogue_of(request), today=date.today(), lang=request.lang).to_json()


def show(answer: Answer, request: Request) -> Sequence[Block]:
    """The verdict, its arithmetic, what would work; then the figures and what was assumed."""
    lang, question = request.lang, answer["question"]
    blocks: list[Block] = [verdict_line(answer["verdict"], answer["fits_probability"], answer["limit"], lang)]
    blocks += [Text(line) for line in understood(question, lang)]
    blocks += section(lang, "show.arithmetic", answer["arithmetic"])
    blocks += section(lang, "show.nearest", [_nearest(one, lang) for one in answer["nearest"]])
    if answer["layout"] is not None:
        blocks += [Heading(say(lang, "show.check.figures")), Table(("", ""), tuple(_figures(answer, lang)))]
        blocks += memory_blocks(answer["memory"], lang)
    if answer["time"] is not None:
        blocks += time_blocks(answer["time"], lang)
    assumed = [*question["assumed"], *answer["assumed"]]
    blocks += section(lang, "show.assumed", list(dict.fromkeys(assumed_lines(assumed, lang))))
    blocks += section(lang, "show.warnings", answer["warnings"])
    return [*blocks, Heading(say(lang, "show.next")), Commands(_next(answer, request))]


def _figures(answer: Answer, lang: str) -> list[tuple[str, str]]:
    """One figure a row, with its range."""
    rows = [
        ("gpus", gpus_words(1, answer["gpus"], answer["gpu"], lang)),
        ("layout", layout_words(answer["layout"], lang)),
        ("memory", memory_words(answer["memory"], lang)),
    ]
    if answer["step_time_s"] is not None:
        rows += [
            ("step_time", ranged(lang, answer["step_time_s"], span(lang))),
            ("speed", ranged(lang, answer["tokens_per_s"], rate(lang))),
            ("mfu", mfu_words(answer["mfu"], answer["question"].get("precision"), lang)),
            ("duration", ranged(lang, answer["duration_hours"], hours(lang))),
        ]
    if answer["cost"] is not None:
        rows += [("cost", cost_words(answer["cost"], lang)), ("price", _price(answer["offer"], lang))]
    return [(say(lang, f"show.row.{name}"), text) for name, text in rows]


def _price(offer: Answer, lang: str) -> str:
    """The cheapest offer of such machines, where the cost comes from."""
    paid = say(
        lang,
        "show.price",
        price=price(offer["price"], offer["currency"]),
        kind=f"{offer['provider']} {offer['instance_type']}",
    )
    day = offer["source_date"] or say(lang, "show.undated")
    return f"{paid}{say(lang, 'show.comma')}{day}"


def _nearest(change: Answer, lang: str) -> str:
    """A change that makes it fit, with its memory and its time."""
    memory = ranged(lang, change["memory"]["needed_gib"], gib)
    capacity = gib(change["memory"]["capacity_gib"])
    used = say(lang, "show.of", used=memory, capacity=capacity)
    step = ranged(lang, change["time"]["step_time_s"], span(lang))
    return say(lang, "show.nearest.line", change=change["change"], memory=used, step=step)


def _next(answer: Answer, request: Request) -> tuple[str, ...]:
    """Three commands to go on with: where else, what the card is, how the figures came about."""
    question, program = answer["question"], request.program
    return (
        command_line(program, ["plan", *said_words(question, "plan", without="layout")]),
        command_line(program, ["facts", "chips", answer["gpu"]]),
        command_line(program, ["facts", "offers", answer["gpu"]]),
    )

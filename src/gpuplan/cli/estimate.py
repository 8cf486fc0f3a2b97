"""`gpuplan estimate`: every part of memory and time of one given run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuplan.app.estimate import estimate_file
from gpuplan.cli.asked import catalogue_of
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import Format, gib, ranged, span, three
from gpuplan.cli.page import Block, Heading, Table, Text
from gpuplan.cli.parts import memory_blocks, time_blocks, verdict_line
from gpuplan.cli.pieces import assumed_lines, gpus_words, layout_words, section
from gpuplan.locale import say

Answer = Mapping[str, Any]
WORD: Final = {True: "fits", False: "does_not_fit", None: "unsure"}


def answer(request: Request) -> Answer:
    """The estimate as plain values."""
    return estimate_file(Path(request.arguments["RUN"]), catalogue_of(request), lang=request.lang)


def show(answer: Answer, request: Request) -> Sequence[Block]:
    """The verdict, the figures with their ranges, the parts, what was assumed."""
    lang, found, layout = request.lang, answer["predicted"], answer["layout"]
    about = {"model": answer["model"], "trainer": answer["trainer"], "layout": layout_words(layout, lang)}
    blocks: list[Block] = [
        verdict_line(WORD[found["fits"]], found["fits_probability"], found["limit"], lang),
        Text(
            say(lang, "show.estimate.of", gpus=gpus_words(1, layout["n_gpus"], answer["gpu"] or "GPU", lang), **about)
        ),
        Heading(say(lang, "show.estimate.figures")),
        Table(("", ""), tuple(_figures(found, lang))),
        *memory_blocks(found["memory"], lang),
    ]
    if found["time"] is not None:
        blocks += time_blocks(found["time"], lang)
    return [*blocks, *section(lang, "show.assumed", assumed_lines(answer["assumed"], lang))]


def _figures(found: Answer, lang: str) -> list[tuple[str, str]]:
    formats: dict[str, Format] = {
        "allocated_gib": gib,
        "reserved_gib": gib,
        "device_gib": gib,
        "step_time_s": span(lang),
        "forward_backward_s": span(lang),
        "tokens_per_s_per_gpu": three,
        "samples_per_s": three,
    }
    return [(say(lang, f"show.figure.{name}"), ranged(lang, found[name], shown)) for name, shown in formats.items()]

"""`gpuplan plan`: what to train on, with the reasons."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuplan.app.files import save_json
from gpuplan.app.plan import plan
from gpuplan.cli.asked import catalogue_of, question_of_request
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import chance, count, gib, hours, price, ranged, rate, span
from gpuplan.cli.page import Block, Commands, Heading, Table, Text
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
    short_path,
    understood,
)
from gpuplan.locale import say

Answer = Mapping[str, Any]
REASONS_SHOWN: Final = 8
KINDS: Final = ("list", "spot", "secure", "community", "per_gpu", "per_chip")
"""Kinds of price that have a word of their own."""


def answer(request: Request) -> Answer:
    """The plan as plain values; saved where `--save` says."""
    question = question_of_request(request)
    found = plan(question, catalogue=catalogue_of(request), today=date.today(), lang=request.lang).to_json()
    if "save" in request.options:
        save_json(found, request.options["save"])
    return found


def show(answer: Answer, request: Request) -> Sequence[Block]:
    """What was understood, the picks side by side, then why, what else, and what to do next."""
    lang, picks = request.lang, _distinct(answer, request.lang)
    blocks: list[Block] = [Text(line) for line in understood(answer["question"], lang)]
    if picks:
        blocks += [Heading(say(lang, "show.picks")), _picks(picks, lang)]
        blocks += section(lang, "show.runner_ups", _runner_ups(picks, lang))
    else:
        blocks += [Text(""), Text(say(lang, "show.no_pick"))]
        blocks += section(lang, "show.nearest", answer["nearest"])
    left_out = [
        say(lang, "show.rejected.line", **_only(one, "what", "reason")) for one in answer["rejected"][:REASONS_SHOWN]
    ]
    blocks += section(lang, "show.rejected", [*left_out, _considered(answer, lang)])
    blocks += section(lang, "show.assumed", _assumed(answer, lang))
    blocks += section(lang, "show.warnings", [*answer["warnings"], *_by_label(picks, lang)])
    return [*blocks, Heading(say(lang, "show.next")), Commands(_next(answer, request))]


def _distinct(answer: Answer, lang: str) -> Sequence[Answer]:
    """The picks, those that are one machine in one layout put together under all their labels."""
    found: list[dict[str, Any]] = []
    for pick in answer["picks"]:
        label = say(lang, f"show.label.{pick['label']}")
        if pick["label"] == "fastest" and answer["question"].get("budget"):
            label = say(lang, "show.label.fastest_within")
        same = next((one for one in found if all(one[k] == pick[k] for k in ("offer", "nodes", "layout"))), None)
        if same is None:
            found.append({**pick, "label": label, "precision": answer["question"].get("precision")})
        else:
            same["label"] += say(lang, "show.comma") + label
    return found


def _picks(picks: Sequence[Answer], lang: str) -> Table:
    """The picks as columns; each row one figure."""
    head = ("", *(pick["label"] for pick in picks))
    is_own = all(pick["offer"]["provider"] == "own" for pick in picks)
    rows = [
        (say(lang, f"show.row.{name}"), *(shown(pick, lang) for pick in picks))
        for name, shown in ROWS.items()
        if not (is_own and name in RENTED)
    ]
    return Table(head, tuple(rows))


def _machine(pick: Answer, lang: str) -> str:
    offer = pick["offer"]
    return say(lang, "show.own") if offer["provider"] == "own" else f"{offer['provider']} {offer['instance_type']}"


def _price(pick: Answer, lang: str) -> str:
    offer = pick["offer"]
    if offer["price"] is None:
        return say(lang, "show.unknown" if offer["provider"] == "own" else "show.ask")
    kind = offer["price_kind"]
    kind = say(lang, f"show.kind.{kind}") if kind in KINDS else kind.replace("_", " ")
    return say(lang, "show.price", price=price(offer["price"], offer["currency"]), kind=kind)


def _source(pick: Answer, lang: str) -> str:
    offer = pick["offer"]
    if offer["provider"] == "own":
        return say(lang, "show.none")
    day = offer["source_date"] or say(lang, "show.undated")
    return say(lang, "show.source", date=day, confidence=say(lang, f"show.confidence.{offer['confidence']}"))


def _needs(pick: Answer, lang: str) -> str:
    """Host memory of a node and room on disk."""
    host, disk = pick["host"], pick["disk"]
    return say(lang, "show.needs", ram=gib(host["ram_gib_needed"]), disk=gib(disk["needed_gib"]))


ROWS: Final = {
    "machine": _machine,
    "region": lambda pick, lang: pick["offer"]["region"] or say(lang, "show.any"),
    "gpus": lambda pick, lang: gpus_words(pick["nodes"], pick["offer"]["gpus_per_node"], pick["offer"]["gpu"], lang),
    "price": _price,
    "duration": lambda pick, lang: ranged(lang, pick["duration_hours"], hours(lang)),
    "cost": lambda pick, lang: cost_words(pick["cost"], lang),
    "memory": lambda pick, lang: memory_words(pick["memory"], lang),
    "fits": lambda pick, lang: chance(pick["memory"]["fits_probability"]),
    "layout": lambda pick, lang: layout_words(pick["layout"], lang),
    "global_batch": lambda pick, lang: say(lang, "show.sequences", n=count(pick["global_batch"])),
    "step_time": lambda pick, lang: ranged(lang, pick["step_time_s"], span(lang)),
    "speed": lambda pick, lang: ranged(lang, pick["tokens_per_s"], rate(lang)),
    "mfu": lambda pick, lang: mfu_words(pick["mfu"], pick["precision"], lang),
    "needs": _needs,
    "source": _source,
}  # fmt: skip


RENTED: Final = ("region", "source")
"""Rows that tell nothing about hardware of one's own."""


def _only(answer: Answer, *names: str) -> dict[str, str]:
    return {name: answer[name] for name in names}


def _runner_ups(picks: Sequence[Answer], lang: str) -> list[str]:
    """The next best from another provider, for each pick."""
    lines = []
    for pick in picks:
        other = pick["runner_up"]
        if other is not None:
            offer = other["offer"]
            lines.append(
                say(
                    lang,
                    "show.runner_up",
                    label=pick["label"],
                    machine=_machine(other, lang),
                    gpus=gpus_words(other["nodes"], offer["gpus_per_node"], offer["gpu"], lang),
                    duration=ranged(lang, other["duration_hours"], hours(lang)),
                    cost=cost_words(other["cost"], lang),
                )
            )
    return lines


def _considered(answer: Answer, lang: str) -> str:
    return say(lang, "show.considered", n=count(answer["considered"]["candidates"]))


def _assumed(answer: Answer, lang: str) -> list[str]:
    found = [*answer["question"]["assumed"], *(one for pick in answer["picks"] for one in pick["assumed"])]
    return list(dict.fromkeys(assumed_lines(found, lang)))


def _by_label(picks: Sequence[Answer], lang: str) -> list[str]:
    """Warnings once each, with the picks that they are about where that is not all of them."""
    labels: dict[str, list[str]] = {}
    for pick in picks:
        for text in pick["warnings"]:
            labels.setdefault(text, []).append(pick["label"])
    return [
        text if len(found) == len(picks) else say(lang, "show.of_picks", labels=", ".join(found), text=text)
        for text, found in labels.items()
    ]


def _next(answer: Answer, request: Request) -> tuple[str, ...]:
    """Three commands to go on with: keep the plan, check its first pick, look at the prices behind it."""
    question, program = answer["question"], request.program
    file = request.options.get("question")
    kept = said_words(question, "plan") if file is None else ["--question", short_path(file)]
    commands = [command_line(program, ["plan", *kept, "--save", "plan.json"])]
    if not answer["picks"]:
        return (*commands, command_line(program, ["facts", "offers"]), command_line(program, ["plan", "--help"]))
    pick = answer["picks"][0]
    gpu, nodes = pick["offer"]["gpu"], pick["nodes"]
    where = ["--on", f"{pick['offer']['gpus_per_node']}x{gpu}", *(["--nodes", str(nodes)] if nodes > 1 else [])]
    return (
        *commands,
        command_line(program, ["check", *said_words(question, "check"), *where]),
        command_line(program, ["facts", "offers", gpu]),
    )

"""Memory by part and by phase, and time by cause, as tables; parts of nothing are left out."""

from collections.abc import Mapping
from typing import Any, Final

from gpuplan.cli.figures import chance, gib, share, span
from gpuplan.cli.page import Block, Heading, Table, Verdict
from gpuplan.locale import say

Answer = Mapping[str, Any]
LEAST: Final = 1e-4
"""Share of a step below which a cause is not worth a line."""
KINDS: Final = {"fits": "good", "does_not_fit": "bad", "unsure": "unsure"}


def verdict_line(word: str, probability: float | None, limit: str | None, lang: str) -> Verdict:
    """The verdict with its probability and what decides it."""
    text = say(lang, f"show.verdict.{word}")
    if probability is not None:
        text = say(lang, "show.verdict.chance", verdict=text, chance=chance(probability))
    if limit is not None:
        text = say(lang, "show.verdict.limit", verdict=text, limit=_limit(limit, lang))
    return Verdict(text, KINDS[word])


def _limit(limit: str, lang: str) -> str:
    """What decides, in words: a phase, the host, the layout, or a field that would settle it."""
    kind, _, phase = limit.partition(".")
    if kind == "memory":
        return say(lang, "show.limit.memory", phase=say(lang, f"show.phase.{phase}"))
    named = {"host": "show.limit.host", "layout": "show.limit.layout", "on": "show.limit.chip"}
    return say(lang, named[limit]) if limit in named else say(lang, "show.limit.field", field=limit)


def memory_blocks(memory: Answer, lang: str) -> list[Block]:
    """What lies on the worst GPU, by part, then the peak of each phase, then the host."""
    parts = {**memory["states"], **memory["parts"]}
    rows = [(say(lang, f"show.part.{name}"), gib(value)) for name, value in parts.items() if value > 0]
    phases = [(say(lang, f"show.phase.{name}"), gib(value)) for name, value in memory["phases"].items()]
    phases += [(say(lang, f"show.phase.{name}"), gib(memory[name])) for name in ("host_per_node", "checkpoint")]
    return [
        Heading(say(lang, "show.memory.parts")),
        Table(("", ""), tuple(rows)),
        Heading(say(lang, "show.memory.phases")),
        Table(("", ""), tuple(phases)),
    ]


def time_blocks(time: Answer, lang: str) -> list[Block]:
    """Seconds of one optimizer step by cause."""
    total = time["total_s"]
    causes = {name: value for name, value in time.items() if name != "total_s" and value > LEAST * total}
    rows = [(say(lang, f"show.time.{name}"), span(lang)(value), share(value / total)) for name, value in causes.items()]
    rows.append((say(lang, "show.time.total_s"), span(lang)(total), ""))
    return [Heading(say(lang, "show.time")), Table(("", "", ""), tuple(rows))]

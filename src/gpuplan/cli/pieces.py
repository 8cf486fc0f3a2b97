"""Pieces that several answers show: layout, memory, cost, assumptions, warnings."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuplan.cli.figures import count, gib, money, ranged
from gpuplan.cli.page import Block, Bullets, Heading
from gpuplan.locale import say

RECOMPUTE: Final = ("none", "selective", "full")
OFFLOAD: Final = ("none", "optimizer", "all")
DEGREES: Final = (
    "data_parallel", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel",
    "expert_tensor_parallel", "virtual_stages",
)  # fmt: skip
Answer = Mapping[str, Any]


def layout_words(layout: Answer, lang: str) -> str:
    """A layout in the words of the field: ZeRO-3, tensor 8, micro-batch 2 x 4, recompute full."""
    words = [say(lang, "show.layout.zero", stage=int(layout["zero"]))] if layout.get("zero") else []
    for degree in DEGREES:
        ranks = layout.get(degree) or 1
        if ranks > 1:
            words.append(say(lang, f"show.layout.{degree}", n=count(ranks)))
    if layout.get("sequence_parallel"):
        words.append(say(lang, "show.layout.sequence_parallel"))
    words.append(
        say(lang, "show.layout.batch", micro=count(layout["micro_batch"]), accumulation=count(layout["grad_accum"]))
    )
    recompute, offload = _word(layout.get("recompute"), RECOMPUTE), _word(layout.get("offload"), OFFLOAD)
    words.append(say(lang, f"show.layout.recompute.{recompute}"))
    if offload != "none":
        words.append(say(lang, f"show.layout.offload.{offload}"))
    return say(lang, "show.comma").join(words)


def _word(value: Any, words: Sequence[str]) -> str:
    if isinstance(value, str):
        return value
    return words[int(value or 0)]


def section(lang: str, key: str, lines: Sequence[str]) -> list[Block]:
    """A heading with a list, or nothing where there is nothing to say."""
    return [Heading(say(lang, key)), Bullets(tuple(lines))] if lines else []


def assumed_lines(assumed: Sequence[Answer], lang: str) -> list[str]:
    """What nobody stated, what was taken for it, why, and what hangs on it."""
    return [
        say(lang, "show.assumed.line", **{k: a[k] for k in ("field", "value", "source", "effect")}) for a in assumed
    ]


def memory_words(memory: Answer, lang: str) -> str:
    """Memory of the worst GPU against what the card has."""
    used = ranged(lang, memory.get("device_gib"), gib)
    capacity = memory.get("capacity_gib")
    return used if capacity is None else say(lang, "show.of", used=used, capacity=gib(capacity))


def cost_words(cost: Answer | None, lang: str) -> str:
    """A cost with its range and currency."""
    return say(lang, "show.unknown") if cost is None else ranged(lang, cost, money(cost["currency"]))


def command_line(program: str, words: Sequence[str]) -> str:
    """A command to copy: the program as the user called it, the words quoted where a shell needs it."""
    return " ".join([program, *(shlex.quote(word) for word in words)])


def question_words(question: Answer, keys: Sequence[str]) -> list[str]:
    """The options that ask the same question again."""
    words = []
    for key in keys:
        value = question.get(key)
        if value is None:
            continue
        option = "--" + key.replace("_", "-")
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words += [option, count(value).replace(",", "") if isinstance(value, int | float) else str(value)]
    return words

"""Pieces that several answers show: the question, layout, memory, cost, assumptions, commands."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuplan.cli.commands import COMMANDS
from gpuplan.cli.figures import count, gib, large, money, ranged, share, three
from gpuplan.cli.page import Block, Bullets, Heading
from gpuplan.locale import say
from gpuplan.units import BILLION

Answer = Mapping[str, Any]
DEGREES: Final = (
    "data_parallel", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel",
    "expert_tensor_parallel", "virtual_stages",
)  # fmt: skip


def understood(question: Answer, lang: str) -> list[str]:
    """The question in one or two sentences, as the program took it."""
    lines = [
        say(
            lang,
            "show.understood",
            method=question["method"],
            model=question["model_id"],
            params=three(question["params"] / BILLION),
            framework=question["framework"],
            seq_len=count(question["seq_len"]),
            global_batch=count(question["global_batch"]),
        )
    ]
    if question["trained_tokens"] is None:
        return [*lines, say(lang, "show.per_million")]
    runs = count(question.get("runs") or 1)
    return [*lines, say(lang, "show.trained", tokens=ranged(lang, question["trained_tokens"], large), runs=runs)]


def layout_words(layout: Answer, lang: str) -> str:
    """A layout in the words of the field: ZeRO-3, tensor parallel 8, micro-batch 2 x 4, recompute full."""
    words = [f"ZeRO-{count(layout['zero'])}"] if layout["zero"] else []
    for degree in DEGREES:
        if layout[degree] > 1:
            words.append(say(lang, f"show.layout.{degree}", n=count(layout[degree])))
    if layout["sequence_parallel"]:
        words.append(say(lang, "show.layout.sequence_parallel"))
    words.append(
        say(lang, "show.layout.batch", micro=count(layout["micro_batch"]), accumulation=count(layout["grad_accum"]))
    )
    words.append(say(lang, f"show.layout.recompute.{layout['recompute']}"))
    if layout["offload"] != "none":
        words.append(say(lang, f"show.layout.offload.{layout['offload']}"))
    return say(lang, "show.comma").join(words)


def gpus_words(nodes: float, per_node: float, gpu: str, lang: str) -> str:
    """8 x H100, or 2 nodes of 8 x H100."""
    one = f"{count(per_node)} x {gpu}"
    return one if nodes == 1 else say(lang, "show.nodes", nodes=count(nodes), one=one)


def section(lang: str, key: str, lines: Sequence[str]) -> list[Block]:
    """A heading with a list, or nothing where there is nothing to say."""
    return [Heading(say(lang, key)), Bullets(tuple(lines))] if lines else []


def assumed_lines(assumed: Sequence[Answer], lang: str) -> list[str]:
    """What nobody stated, what was taken for it, why, and what hangs on it."""
    names = ("field", "value", "source", "effect")
    return [say(lang, "show.assumed.line", **{name: one[name] for name in names}) for one in assumed]


def memory_words(memory: Answer, lang: str) -> str:
    """Memory of the worst GPU, as nvidia-smi shows it, against what the card has."""
    used = ranged(lang, memory["device_gib"], gib)
    return say(lang, "show.of", used=used, capacity=gib(memory["capacity_gib"]))


def mfu_words(mfu: float, precision: str | None, lang: str) -> str:
    """Share of the card's peak that the step reaches; below 16 bits it is still the peak of bf16."""
    return say(lang, "show.mfu.bf16", share=share(mfu)) if precision in ("fp8", "fp4") else share(mfu)


def cost_words(cost: Answer | None, lang: str) -> str:
    """A cost with its range and currency."""
    return say(lang, "show.unknown") if cost is None else ranged(lang, cost, money(cost["currency"]))


def command_line(program: str, words: Sequence[str]) -> str:
    """A command to copy: the program as the user called it, the words quoted where a shell needs it."""
    return " ".join([program, *(shlex.quote(word) for word in words)])


def short_path(path: str) -> str:
    """A path as somebody in the working directory would type it."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def said_words(question: Answer, command: str, without: str = "") -> list[str]:
    """Model and options that ask the same question again, but for what was assumed and a group of options."""
    offered = next(one.options for one in COMMANDS if one.name == command)
    assumed = {one["field"] for one in question["assumed"]}
    words = [question["model"]]
    for option in offered:
        value = question.get(option.key)
        if value is None or option.key in assumed or option.group in ("hardware", without):
            continue
        if isinstance(value, bool):
            words.append(option.name if value else option.name.replace("--", "--no-", 1))
        else:
            words += [option.name, f"{value:.10g}" if isinstance(value, int | float) else str(value)]
    return words

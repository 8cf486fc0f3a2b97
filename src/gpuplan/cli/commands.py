"""The commands as a table. Each is answered by the module of its name, imported when it is called."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuplan.cli.options import (
    CSV,
    CURRENCY,
    DATA,
    GOAL,
    HARDWARE,
    JOB,
    LAYOUT,
    OUTPUT,
    PLACE,
    QUESTION_FILE,
    SAVE,
    Option,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A positional argument; `help.argument.<name>` explains it."""

    name: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command; `command.<name>` says what it does, `example.<name>.<n>` explains each example."""

    name: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    examples: tuple[str, ...]

    @property
    def module(self) -> str:
        """Where it is answered: functions `answer(request)` and `show(answer, request)`."""
        return f"gpuplan.cli.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user typed, read but not yet understood."""

    lang: str
    program: str
    """How the user calls gpuplan, for the commands we suggest."""
    arguments: Mapping[str, str]
    options: Mapping[str, str]
    """By key; a flag is "yes" or "no"."""

    def has(self, flag: str) -> bool:
        """True where the flag was given."""
        return self.options.get(flag) == "yes"


COMMANDS: Final = (
    Command(
        name="plan",
        arguments=(Argument(name="MODEL", required=False),),
        options=(*JOB, *DATA, *GOAL, *PLACE, *LAYOUT, QUESTION_FILE, SAVE, CURRENCY, *OUTPUT),
        examples=(
            "plan Qwen2.5-7B --method lora --samples 50000 --seq-len 2048 --epochs 3 --budget 100usd",
            "plan llama-3-70b --method full --tokens 1B --deadline 5d --cloud aws,gcp,lambda",
            "plan 7B --method qlora --own 1xT4 --samples 1000 --seq-len 1024",
            "plan --question question.toml --save plan.json",
        ),
    ),
    Command(
        name="check",
        arguments=(Argument(name="MODEL", required=False),),
        options=(*HARDWARE, *LAYOUT, *JOB, *DATA, QUESTION_FILE, CURRENCY, *OUTPUT),
        examples=(
            "check llama-3-70b --method full --on 8xH100 --zero 3 --seq-len 4096",
            "check llama-2-7b --method qlora --on 1xT4 --seq-len 512",
            "check Qwen2.5-7B --method lora --on 4x4090 --json",
        ),
    ),
    Command(
        name="estimate",
        arguments=(Argument(name="RUN"),),
        options=OUTPUT,
        examples=("estimate run.json", "estimate run.toml --json"),
    ),
    Command(
        name="validate",
        arguments=(Argument(name="RUNS"),),
        options=OUTPUT,
        examples=("validate runs.jsonl", "validate runs.jsonl --json > predicted.json"),
    ),
    Command(
        name="facts",
        arguments=(Argument(name="KIND"), Argument(name="NAME", required=False)),
        options=(CSV, *OUTPUT),
        examples=("facts chips 4090", "facts offers H100 --csv", "facts models Qwen2.5-7B --json", "facts check"),
    ),
)

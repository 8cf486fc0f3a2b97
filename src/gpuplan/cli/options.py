"""The options of the command line as a table: one row a key of the question, in the order of the help text.

A key `seq_len` is the option `--seq-len`. Values are passed on as text: the question reads them, so that a mistake
is explained in the same words on the command line, in a question file and in a call.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option; its help text is the sentence `option.<key>`."""

    key: str
    group: str
    """Heading of the help text: the sentence `help.group.<group>`."""
    metavar: str = ""
    """Placeholder of the value; empty for a flag."""
    negative: bool = False
    """A flag that can be denied: --spot and --no-spot."""
    joins: bool = False
    """Given several times, the values are joined by commas."""

    @property
    def name(self) -> str:
        """As typed: --seq-len."""
        return "--" + self.key.replace("_", "-")


def _group(group: str, *rows: tuple[str, str]) -> tuple[Option, ...]:
    return tuple(
        Option(key=key, group=group, metavar=metavar, negative=metavar == "", joins=metavar in ("LIST", "GPUS"))
        for key, metavar in rows
    )


JOB: Final = _group(
    "job",
    ("method", "WORD"),
    ("framework", "NAME"),
    ("framework_version", "TEXT"),
    ("precision", "WORD"),
    ("optimizer", "NAME"),
    ("lora_rank", "N"),
    ("lora_targets", "LIST"),
    ("quantisation", "WORD"),
)
DATA: Final = _group(
    "data",
    ("tokens", "N"),
    ("samples", "N"),
    ("seq_len", "N"),
    ("mean_len", "N"),
    ("p95_len", "N"),
    ("epochs", "X"),
    ("packing", ""),
    ("global_batch", "N"),
    ("runs", "N"),
)
GOAL: Final = _group("goal", ("budget", "MONEY"), ("deadline", "TIME"), ("prefer", "WORD"))
PLACE: Final = _group(
    "place",
    ("cloud", "LIST"),
    ("region", "LIST"),
    ("own", "GPUS"),
    ("nodes_max", "N"),
    ("spot", ""),
)
CURRENCY: Final = Option(key="currency", group="output", metavar="WORD")
HARDWARE: Final = _group("hardware", ("on", "GPUS"), ("nodes", "N"))
LAYOUT: Final = _group(
    "layout",
    ("micro_batch", "N"),
    ("grad_accum", "N"),
    ("zero", "0-3"),
    ("tp", "N"),
    ("pp", "N"),
    ("cp", "N"),
    ("ep", "N"),
    ("recompute", "WORD"),
    ("offload", "WORD"),
)
QUESTION_FILE: Final = Option(key="question", group="output", metavar="FILE")
SAVE: Final = Option(key="save", group="output", metavar="FILE")
CSV: Final = Option(key="csv", group="output")
OUTPUT: Final = (
    Option(key="facts", group="output", metavar="DIR"),
    Option(key="json", group="output"),
    Option(key="lang", group="output", metavar="en|zh"),
)

"""Words of the facts that are no proper names: in every language where the catalogue has them, else as stated."""

from typing import Final

from gpuplan.locale import say
from gpuplan.question.note import Words, note

_FABRICS: Final = {None: "fabric.unknown", "ethernet (no RDMA)": "fabric.ethernet", "stated": "fabric.stated"}
_RULES: Final = ("export.2022_10", "export.2023_10", "export.2025_04", "export.2026_01", "export.none")


def fabric_words(fabric: str | None) -> Words:
    """The network between nodes; EFA, RoCE v2 and the like are names."""
    return note(_FABRICS[fabric]) if fabric in _FABRICS else fabric or ""


def export_words(text: str) -> Words:
    """A dated rule that the facts state, with its sources behind it.

    >>> export_words("a rule of one's own file")
    "a rule of one's own file"
    """
    for key in _RULES:
        rule = say("en", key)
        if text.startswith(rule):
            return note("export.rule", rule=note(key), source=text[len(rule) :].strip().removeprefix("(")[:-1])
    return text

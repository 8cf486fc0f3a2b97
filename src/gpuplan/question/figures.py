"""A figure with its range, and how it came about."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as made
from typing import Final

from gpuplan.question.note import Note, Words, said
from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A 90 % interval around a typical value."""

    low: Num
    typical: Num
    high: Num


SAID: Final = ("value", "source", "effect")
"""Parts of an assumption that may be sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """A field that nobody stated, what was taken for it, why, and what hangs on it; in English."""

    field: str
    value: str
    source: str
    effect: str
    notes: Mapping[str, Note] = made(default_factory=dict)
    """Of value, source and effect those that are sentences of the catalogue."""

    def say(self, lang: str) -> dict[str, str]:
        """All parts in `lang`."""
        words = {name: self.notes.get(name, getattr(self, name)) for name in SAID}
        return {"field": self.field, **{name: said(word, lang) for name, word in words.items()}}


def assumption(field: str, value: Words, *, source: Words, effect: Words) -> Assumed:
    """An assumption whose parts are names and figures, or sentences that every language has."""
    words = {"value": value, "source": source, "effect": effect}
    notes = {name: word for name, word in words.items() if isinstance(word, Note)}
    return Assumed(field=field, **{name: said(word, "en") for name, word in words.items()}, notes=notes)

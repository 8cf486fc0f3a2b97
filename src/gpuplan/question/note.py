"""A sentence to be said: its key in the catalogue and the values in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from gpuplan.locale import say
from gpuplan.units import DAY, HOUR, MINUTE, YEAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One reason, warning or remark; the same in every language. A value that is itself said is a note too."""

    key: str
    values: Mapping[str, Union[str, "Note"]] = field(default_factory=dict)

    def say(self, lang: str) -> str:
        """The sentence."""
        return say(lang, self.key, **{name: said(value, lang) for name, value in self.values.items()})


Words = str | Note
"""A text: a name, figure or citation that is the same in every language, or a note."""


def said(words: Words, lang: str) -> str:
    """A text in `lang`."""
    return words.say(lang) if isinstance(words, Note) else words


def note(key: str, **values: object) -> Note:
    """A note with its values as people read them: three significant digits."""
    return Note(key=key, values={name: v if isinstance(v, Note) else figure(v) for name, v in values.items()})


def counted(thing: str, n: float) -> Note:
    """So many of a thing: `1 node`, `64 nodes`."""
    return note(f"count.{thing}.one" if n == 1 else f"count.{thing}.many", n=n)


def spent(hours: float) -> Note:
    """A length of time in the largest unit that it holds twice: seconds, minutes, hours, days or years."""
    seconds = hours * HOUR
    for unit, size in (("years", YEAR), ("days", DAY), ("hours", HOUR), ("minutes", MINUTE)):
        if seconds >= 2 * size:
            return note(f"count.{unit}", n=seconds / size)
    return note("count.seconds", n=seconds)


def figure(value: object) -> str:
    """A value with three significant digits, whole above a thousand.

    >>> figure(0.12345), figure(12345.6), figure(8.0), figure("aws")
    ('0.123', '12,346', '8', 'aws')
    """
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"

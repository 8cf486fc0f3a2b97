"""A sentence to be said: its key in the catalogue and the values in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplan.locale import say


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One reason or warning; the same in every language."""

    key: str
    values: Mapping[str, str] = field(default_factory=dict)

    def say(self, lang: str) -> str:
        """The sentence."""
        return say(lang, self.key, **self.values)


def note(key: str, **values: object) -> Note:
    """A note with its values as people read them: three significant digits."""
    return Note(key=key, values={name: figure(value) for name, value in values.items()})


def figure(value: object) -> str:
    """A value with three significant digits, whole above a thousand.

    >>> figure(0.12345), figure(12345.6), figure(8.0), figure("aws")
    ('0.123', '12,346', '8', 'aws')
    """
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"

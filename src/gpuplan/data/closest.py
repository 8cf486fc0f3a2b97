"""The nearest known words to one that nobody knows, for messages."""

from collections.abc import Iterable
from difflib import SequenceMatcher


def closest(word: str, known: Iterable[str], *, n: int = 3) -> list[str]:
    """The `n` known words most like `word`, best first; never empty unless nothing is known."""
    lowered = word.casefold()[:200]

    def likeness(candidate: str) -> float:
        name = candidate.casefold()
        short = name.rsplit("/", 1)[-1]
        return max(SequenceMatcher(None, lowered, text).ratio() for text in (name, short))

    return sorted(known, key=likeness, reverse=True)[:n]

"""Text in terminal cells: a Chinese character takes two, a combining mark none."""

import re
import unicodedata
from collections.abc import Iterator

_ATOMS = re.compile(r"\s+|[^\s\u2e80-\uffef]+|[\u2e80-\uffef]")
_NEVER_FIRST = "，。、；：！？）】》」』％"
"""Chinese punctuation that must not open a line."""
_NEVER_LAST = "（【《「『"
"""Chinese punctuation that must not close a line."""


def cells(text: str) -> int:
    """Terminal cells that `text` takes."""
    return len(text) if text.isascii() else sum(_of_character(character) for character in text)


def pad(text: str, width: int) -> str:
    """`text` filled with spaces to `width` cells."""
    return text + " " * (width - cells(text))


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` cells where words allow it; longer words are cut."""
    lines = [""]
    for atom in _atoms(text, width):
        if atom.isspace():
            lines[-1] += " " if lines[-1] else ""
        elif cells(lines[-1]) + cells(atom) <= width or not lines[-1]:
            lines[-1] += atom
        else:
            lines[-1] = lines[-1].rstrip()
            lines.append(atom)
    lines[-1] = lines[-1].rstrip()
    return lines


def _atoms(text: str, width: int) -> Iterator[str]:
    """Pieces that a line break may stand between."""
    pieces: list[str] = []
    for piece in _ATOMS.findall(text):
        last = pieces[-1] if pieces else " "
        if not piece.isspace() and ((piece in _NEVER_FIRST and not last.isspace()) or last[-1] in _NEVER_LAST):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    for piece in pieces:
        yield from _cut(piece, width) if cells(piece) > width else (piece,)


def _cut(word: str, width: int) -> Iterator[str]:
    """Parts of a word longer than a line, cut behind a hyphen, slash or the like where one is near."""
    part = ""
    for character in word:
        if part and cells(part) + _of_character(character) > width:
            joint = max(part.rfind(mark) for mark in "-/_.:,") + 1
            head = part[:joint] if joint > len(part) // 2 else part
            yield head
            part = part[len(head) :]
        part += character
    yield part


def _of_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

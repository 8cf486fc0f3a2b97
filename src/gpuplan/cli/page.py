"""What a command shows, as blocks: a page is built once and drawn plain or, at a terminal, with rich."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gpuplan.cli.width import cells, pad, wrap


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer itself, in one line; `kind` is good, bad or unsure."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to be copied into a shell; a narrow terminal gets them broken behind backslashes."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; cells are wrapped, and a table too wide for the terminal becomes a list."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Text | Verdict | Bullets | Commands | Table
_GAP = 2
_NARROW = 80
"""Cells below which a terminal counts as narrow; a wider one breaks a long command by itself, and it stays whole."""
_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"])+"""
_WORDS = re.compile(rf"--\S+ (?!--){_WORD}|{_WORD}")
"""Words of a command, quoted ones whole, an option with its value."""
_NARROWEST = 11
"""Cells below which a column is no longer read with ease."""


def plain(blocks: Sequence[Block], width: int) -> str:
    """The page as text of at most `width` cells a line."""
    lines: list[str] = []
    for block in blocks:
        lines += _drawn(block, width)
    return "\n".join(lines) + "\n"


def _drawn(block: Block, width: int) -> list[str]:
    match block:
        case Heading(text):
            return ["", *wrap(text, width)]
        case Text(text) | Verdict(text, _):
            return wrap(text, width)
        case Bullets(items):
            return [line for item in items for line in hanging("  - ", item, width)]
        case Commands(lines):
            return [part for line in lines for part in folded(line, width)]
        case Table(head, rows):
            return _table(head, rows, width)


def folded(command: str, width: int) -> list[str]:
    """A command, indented; broken between its words, as a shell reads it, where the terminal is narrow."""
    if width >= _NARROW or cells(command) + 2 <= width:
        return [f"  {command}"]
    lines: list[str] = []
    for word in _WORDS.findall(command):
        if lines and cells(lines[-1]) + cells(word) + 3 <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(("    " if lines else "  ") + word)
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def hanging(mark: str, text: str, width: int) -> list[str]:
    """`text` behind a mark, further lines indented under the first."""
    first, *others = wrap(text, max(width - cells(mark), 10))
    return [mark + first, *(" " * cells(mark) + other for other in others)]


def column_widths(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Cells for each column, the widest cut first; None where the table cannot stand in `width`."""
    widths = [max(cells(row[i]) for row in (head, *rows)) for i in range(len(head))]
    spare = width - 2 - _GAP * (len(head) - 1)
    while sum(widths) > spare:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            return None
        widths[widest] -= 1
    return widths


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    widths = column_widths(head, rows, width)
    if widths is None:
        return _as_list(head, rows, width)
    lines = []
    for row in (head, *rows) if any(head) else rows:
        columns = [wrap(cell, column) for cell, column in zip(row, widths, strict=True)]
        for i in range(max(map(len, columns))):
            pieces = [pad(c[i] if i < len(c) else "", w) for c, w in zip(columns, widths, strict=True)]
            lines.append(("  " + (" " * _GAP).join(pieces)).rstrip())
    return lines


def _as_list(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    lines = []
    for row in rows:
        lines += hanging("  ", row[0], width)
        for name, cell in zip(head[1:], row[1:], strict=True):
            lines += hanging("    ", f"{name}: {cell}" if name else cell, width)
    return lines

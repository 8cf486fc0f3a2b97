"""Help texts: drawn from the catalogue of sentences, wrapped in terminal cells."""

from collections.abc import Iterable

from gpuplan.cli.options import Option
from gpuplan.cli.page import folded, hanging
from gpuplan.cli.width import cells, pad, wrap
from gpuplan.locale import say


def page(*, lang: str, width: int, usage: str, text: str, parts: Iterable[tuple[str, list[tuple[str, str]]]]) -> str:
    """A help page: usage, what the command does, then headed lists of (term, explanation)."""
    lines = [*hanging("", f"{say(lang, 'help.usage')} {usage}", width), ""]
    for paragraph in text.split("\n"):
        lines += wrap(paragraph, width)
    for heading, rows in parts:
        lines += ["", *wrap(heading, width), *_listed(rows, width)]
    return "\n".join(lines) + "\n"


def option_rows(lang: str, options: Iterable[Option]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Options under the heading of their group, in the order given."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for option in options:
        groups.setdefault(option.group, []).append((_term(option), say(lang, f"option.{option.key}")))
    groups.setdefault("output", []).append(("--help", say(lang, "option.help")))
    return [(say(lang, f"help.group.{group}"), rows) for group, rows in groups.items()]


def _term(option: Option) -> str:
    if option.negative:
        return f"{option.name}, {option.name.replace('--', '--no-', 1)}"
    return f"{option.name} {option.metavar}".rstrip()


def _listed(rows: list[tuple[str, str]], width: int) -> list[str]:
    """Terms in a column and explanations beside them; below them where the terminal is narrow."""
    column = max(cells(term) for term, _ in rows) + 4
    if width - column < 24 or not any(text for _, text in rows):
        return [line for term, text in rows for line in (*folded(term, width), *_indented(text, 6, width))]
    lines = []
    for term, text in rows:
        first, *others = wrap(text, width - column)
        lines.append(pad(f"  {term}", column) + first)
        lines += [" " * column + other for other in others]
    return lines


def _indented(text: str, indent: int, width: int) -> list[str]:
    return [" " * indent + line for line in wrap(text, width - indent)] if text else []

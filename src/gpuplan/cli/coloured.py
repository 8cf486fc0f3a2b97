"""A page at a terminal, drawn with rich: the same words and line breaks as the plain one, with colour."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text as Styled

from gpuplan.cli.page import Block, Commands, Heading, Table, Verdict, plain

_VERDICT_STYLE = {"good": "bold green", "bad": "bold red", "unsure": "bold yellow"}


def draw(blocks: Sequence[Block], width: int) -> None:
    """Print each block in the style of its kind."""
    console = Console(highlight=False, soft_wrap=True)
    for block in blocks:
        console.print(_styled(block, width))


def _styled(block: Block, width: int) -> Styled:
    text = plain([block], width).rstrip("\n")
    match block:
        case Heading():
            return Styled(text, style="bold")
        case Verdict(_, kind):
            return Styled(text, style=_VERDICT_STYLE[kind])
        case Commands():
            return Styled(text, style="cyan")
        case Table(head, _):
            styled = Styled(text)
            styled.stylize("dim", 0, text.find("\n") if head[0] in text.split("\n", 1)[0] else 0)
            return styled
        case _:
            return Styled(text)

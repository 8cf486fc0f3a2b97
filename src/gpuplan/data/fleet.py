"""Hardware as people write it: `8xH100`, `8 x H100`, `H100x8`, `8*4090`, `8×A100 80G`, `4090`."""

import re
from typing import Final

from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip

MAX_GPUS: Final = 100_000
BOARD_GPUS: Final = 8
"""GPUs of a usual server; larger own fleets are cut into nodes of this size."""
_TIMES: Final = r"\s*[x×✕*Xх]\s*"
_COUNT_FIRST: Final = re.compile(rf"(-?\d+){_TIMES}(\S.*)")
_COUNT_LAST: Final = re.compile(rf"(\S.*?)(?<!\bR)(?<!\bRT)(?<!\bGT){_TIMES}(-?\d+)", re.IGNORECASE)
"""The x of RX, RTX and GTX belongs to the name."""
_DANGLING: Final = re.compile(rf"(-?\d+)?{_TIMES}(.*{_TIMES}\S*)?")
"""A count without a card, or two counts."""
_LONGEST: Final = 80


def parse_fleet(text: str) -> tuple[int, str]:
    """Count and name of the cards; of two numbers the smaller is the count.

    >>> parse_fleet("8xH100"), parse_fleet("H100 x 8"), parse_fleet("8×A100 80G"), parse_fleet("RTX 4090")
    ((8, 'H100'), (8, 'H100'), (8, 'A100 80G'), (1, 'RTX 4090'))
    >>> parse_fleet("4090x2")
    (2, '4090')
    """
    cleaned = text.strip()
    count, name = _count_and_name(cleaned)
    if (
        not re.search(r"\w", name)
        or len(cleaned) > _LONGEST
        or _DANGLING.fullmatch(name)
        or _COUNT_FIRST.fullmatch(name)
    ):
        raise QuestionError("fleet_malformed", text=" ".join(cleaned[:_LONGEST].split()))
    if len(count) > 9 or not 1 <= int(count) <= MAX_GPUS:
        raise QuestionError("fleet_count", text=" ".join(cleaned.split()), count=count[:20], limit=MAX_GPUS)
    return int(count), name


def _count_and_name(cleaned: str) -> tuple[str, str]:
    first, last = _COUNT_FIRST.fullmatch(cleaned), _COUNT_LAST.fullmatch(cleaned)
    if first and last and first[2].isdecimal() and len(first[1]) > len(first[2]):
        return last[2], last[1]
    if first:
        return first[1], first[2]
    return (last[2], last[1]) if last else ("1", cleaned)


def split_fleet(chip: Chip, n_gpus: int) -> tuple[int, int]:
    """Nodes and GPUs a node of an own fleet: whole servers of eight (four where a tray holds four)."""
    board = 4 if chip.id.startswith(("GB200", "GB300")) else BOARD_GPUS
    if n_gpus <= board or n_gpus % board:
        return 1, n_gpus
    return n_gpus // board, board

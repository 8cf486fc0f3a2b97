"""Words into values: numbers, money, spans of time, lists and flags as people write them.

Each parser takes the name of the field and whatever stood there, and gives the plain value or raises a
`QuestionError` of one line: what is wrong, where, and the mend. Parsers accept their own output unchanged.
"""

import math
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Final, TypeAlias

from gpuplan.errors import QuestionError
from gpuplan.units import DAY, HOUR, MINUTE

Scalar: TypeAlias = str | float | bool | None
Parser: TypeAlias = Callable[[str, object], Scalar]

CURRENCIES: Final = ("USD", "CNY", "EUR")
_SIGNS: Final = {
    "$": "USD",
    "¥": "CNY",
    "￥": "CNY",
    "€": "EUR",
    "元": "CNY",
    "RMB": "CNY",
    "US$": "USD",
    "DOLLAR": "USD",
}
_SCALE: Final = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12, "万": 1e4, "亿": 1e8}
_SPAN_S: Final = {"m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_SPAN_WORDS: Final = {
    "分钟": "min",
    "小时": "h",
    "天": "d",
    "周": "w",
    "hour": "h",
    "hours": "h",
    "day": "d",
    "days": "d",
}
_NUMBER: Final = re.compile(
    r"([-+]?[0-9][0-9_,]*\.?[0-9]*(?:e\+?[0-9]{1,3})?|\.[0-9]+)\s*([kmbgt万亿]?)", re.IGNORECASE
)
_SPAN: Final = re.compile(r"([0-9]+\.?[0-9]*)\s*(\D+)")
_GPUS: Final = re.compile(r"(?:([0-9]{1,7})\s*[x×*]\s*)?(?:([0-9]{1,7})\s*[x×*]\s*)?(\w.*)", re.IGNORECASE)
_GPUS_LAST: Final = re.compile(r"(.*?[0-9].*?)\s*[x×*]\s*([0-9]{1,7})", re.IGNORECASE)
"""`H100x8`, `RTX 4090 x 2`: a digit must stand before the sign, so that `RTX 4090` is a name."""
_GPU_SLIPS: Final = (
    (re.compile(r"[x×*]\s*([0-9]{1,6})\s*[x×*]?\s*([a-z\d].*)", re.IGNORECASE), "question.gpus_sign"),
    (re.compile(r"([1-9][0-9]?)\s+([a-z]+[\s-]?[0-9].*)", re.IGNORECASE), "question.gpus_sign"),
    (re.compile(r"([0-9]*[.,][0-9]+)\s*[x×*]\s*(.+)", re.IGNORECASE), "question.gpus_whole"),
)
"""Ways to write a count that are no count, and what is wrong with them."""
_MOST_TEXT: Final = 400


def number(least: float, most: float, *, whole: bool = False) -> Parser:
    """Parser of a number between `least` and `most`; `50k`, `2.5M`, `1B`, `1T`, `5万` are understood."""

    def parse(field: str, value: object) -> Scalar:
        amount = _amount(field, value)
        if amount < least or amount > most:
            raise QuestionError(
                "question.out_of_range", field=field, value=shown(value), least=f"{least:g}", most=f"{most:g}"
            )
        if whole and amount != int(amount):
            raise QuestionError("question.not_whole", field=field, value=shown(value), near=f"{max(1, round(amount))}")
        return float(amount)

    return parse


def flag(field: str, value: object) -> Scalar:
    """True or false."""
    if isinstance(value, bool):
        return value
    known = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "是": True, "否": False}
    if isinstance(value, str) and value.strip().lower() in known:
        return known[value.strip().lower()]
    raise QuestionError("question.not_flag", field=field, value=shown(value))


def word(choices: tuple[str, ...], also: dict[str, str] | None = None) -> Parser:
    """Parser of one of `choices`, in any case; `also` maps other spellings to them."""

    def parse(field: str, value: object) -> Scalar:
        wanted = text(field, value)
        low = str(wanted).lower()
        low = (also or {}).get(low, low)
        if low in choices:
            return low
        raise QuestionError(
            "question.unknown_word",
            field=field,
            value=shown(value),
            near=nearest(low, (*choices, *(also or {})), choices[0]),
            choices=", ".join(choices),
        )

    return parse


def text(field: str, value: object) -> Scalar:
    """A short printable line."""
    if not isinstance(value, str) or isinstance(value, bool):
        raise QuestionError("question.not_text", field=field, value=shown(value))
    line = value.strip()
    if not line:
        raise QuestionError("question.empty", field=field)
    if len(line) > _MOST_TEXT:
        raise QuestionError("question.long", field=field, value=shown(value), most=_MOST_TEXT)
    if not line.isprintable():
        raise QuestionError("question.unprintable", field=field, value=shown(value))
    return line


def words(field: str, value: object) -> Scalar:
    """A list of words as `aws,gcp`; in a file also a list of strings."""
    if isinstance(value, (list, tuple)):
        if not all(isinstance(item, str) for item in value):
            raise QuestionError("question.not_text", field=field, value=shown(value))
        value = ",".join(value)
    line = str(text(field, value))
    parts = [part.strip() for part in re.split(r"[,;，、]", line) if part.strip()]
    if not parts:
        raise QuestionError("question.empty", field=field)
    return ",".join(parts)


def money(field: str, value: object) -> Scalar:
    """An amount that keeps its currency, as `200usd`."""
    amount, currency = split_money(field, value)
    return f"{_plain(amount)}{currency.lower()}"


def split_money(field: str, value: object) -> tuple[float, str]:
    """Amount and currency of `200usd`, `1500 CNY`, `¥1500`, `$1.5k`, `1500元`."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise QuestionError("question.no_currency", field=field, value=shown(value), known=_known_currencies())
    line = str(text(field, value)).upper()
    found = [s for s in (*_SIGNS, *CURRENCIES) if line.startswith(s) or line.endswith(s)]
    if not found:
        mistake = "question.no_currency" if _NUMBER.fullmatch(line) else "question.bad_money"
        raise QuestionError(mistake, field=field, value=shown(value), known=_known_currencies())
    sign = max(found, key=len)
    amount = _amount(field, line.removeprefix(sign).removesuffix(sign).strip())
    if not 0 < amount <= 1e12:
        raise QuestionError("question.out_of_range", field=field, value=shown(value), least="0", most="1e+12")
    return amount, _SIGNS.get(sign, sign)


def span(field: str, value: object) -> Scalar:
    """A length of time, as `3d`."""
    seconds = span_s(field, value)
    unit, size = next(((u, s) for u, s in (("d", DAY), ("h", HOUR)) if seconds % s == 0), ("min", MINUTE))
    return f"{_plain(seconds / size)}{unit}"


def span_s(field: str, value: object) -> float:
    """Seconds of `3d`, `36h`, `90min`, `2w`."""
    if not isinstance(value, str):
        raise QuestionError("question.bad_span", field=field, value=shown(value))
    match = _SPAN.fullmatch(value.strip().lower())
    unit = match.group(2).strip() if match else ""
    size = _SPAN_S.get(_SPAN_WORDS.get(unit, unit))
    if match is None or size is None:
        raise QuestionError("question.bad_span", field=field, value=shown(value))
    seconds = float(match.group(1)) * size
    if not MINUTE <= seconds <= 3650 * DAY:
        raise QuestionError("question.out_of_range", field=field, value=shown(value), least="1min", most="3650d")
    return seconds


def gpus(field: str, value: object) -> Scalar:
    """Hardware as `8xH100`, or `2x8xH100` for two nodes of eight; several kinds with commas."""
    parts = [split_gpus(field, part) for part in str(words(field, value)).split(",")]
    return ",".join(f"{nodes}x{count}x{chip}" if nodes > 1 else f"{count}x{chip}" for nodes, count, chip in parts)


def split_gpus(field: str, value: object) -> tuple[int, int, str]:
    """Nodes, GPUs of one node and chip of `8xH100`, `H100x8`, `2x8xH100` or `H100`."""
    line = str(text(field, value))
    for pattern, mistake in _GPU_SLIPS:
        slip = pattern.fullmatch(line)
        if slip is not None:
            raise QuestionError(mistake, field=field, value=shown(line), count=slip[1], chip=slip[2].strip())
    match = _GPUS.fullmatch(line)
    if match is None:
        raise QuestionError("question.bad_gpus", field=field, value=shown(value))
    first, second, chip = match.groups()
    last = _GPUS_LAST.fullmatch(chip)
    if last is not None and second is None:
        chip, second = last.groups()
    nodes, count = (int(first or 1), int(second)) if second else (1, int(first or 1))
    if not 1 <= nodes <= 100_000 or not 1 <= count <= 100_000 or re.fullmatch(r"[x×*\d\s.-]*[x×*]", chip):
        raise QuestionError("question.bad_gpus", field=field, value=shown(value))
    return nodes, count, chip.strip()


def nearest(wanted: str, known: Iterable[str], otherwise: str) -> str:
    """The known word that looks most like `wanted`."""
    return (get_close_matches(wanted[:80], list(known), n=1, cutoff=0.5) or [otherwise])[0]


def shown(value: object) -> str:
    """`value` short enough for one line."""
    line = repr(value) if isinstance(value, str) else str(value)
    line = line.encode("ascii", "backslashreplace").decode() if not line.isprintable() else line
    return line if len(line) <= 60 else line[:57] + "..."


def _amount(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise QuestionError("question.not_number", field=field, value=shown(value))
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if match is None:
            raise QuestionError("question.not_number", field=field, value=shown(value))
        amount = float(re.sub(r"[_,]", "", match.group(1))) * _SCALE[match.group(2).lower()]
    else:
        amount = float(value) if abs(value) < 1e300 else math.inf
    if not math.isfinite(amount):
        raise QuestionError("question.not_finite", field=field, value=shown(value))
    return amount


def _plain(amount: float) -> str:
    return f"{int(amount)}" if amount == int(amount) else f"{amount!r}"


def _known_currencies() -> str:
    return ", ".join(code.lower() for code in CURRENCIES)

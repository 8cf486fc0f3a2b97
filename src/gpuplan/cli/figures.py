"""Figures as people read them: three significant digits, a unit, a range where one is known.

An unknown figure is said to be unknown; it is never shown as 0.
"""

from collections.abc import Callable, Mapping
from math import floor, log10
from typing import Any

from gpuplan.locale import say
from gpuplan.units import BILLION, DAY, GIB, HOUR, MILLION, MINUTE, TB, YEAR

Format = Callable[[float], str]


def three(value: float) -> str:
    """Three significant digits with thousands separators: 0.0123, 1.23, 12,300.

    >>> [three(x) for x in (0.012345, 1.2345, 99.96, 12345, 0)]
    ['0.0123', '1.23', '100', '12,300', '0']
    """
    if value == 0:
        return "0"
    if abs(value) >= 1e15 or abs(value) < 1e-6:
        return f"{value:.3g}"
    rounded = float(f"{value:.3g}")
    decimals = max(0, 2 - floor(log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def count(value: float) -> str:
    """A whole number in full: 50,000."""
    return f"{value:,.0f}" if value == int(value) else three(value)


def gib(value: float) -> str:
    """Memory given in GiB; small parts in MiB."""
    return f"{three(value)} GiB" if value >= 0.1 or value == 0 else f"{three(value * 1024)} MiB"


def bytes_as_gib(value: float) -> str:
    """Memory given in bytes."""
    return gib(value / GIB)


def disk(value: float) -> str:
    """Room on a disk, given in bytes; disks are sold in powers of ten."""
    return f"{three(value / TB)} TB" if value >= TB else f"{three(value / 1e9)} GB"


def span(lang: str) -> Format:
    """Seconds in the largest unit that they hold twice, milliseconds to years."""

    def shown(seconds: float) -> str:
        for unit, size in (("y", YEAR), ("d", DAY), ("h", HOUR), ("min", MINUTE)):
            if seconds >= 2 * size:
                return f"{three(seconds / size)} {say(lang, f'show.unit.{unit}')}"
        if seconds >= 1 or seconds == 0:
            return f"{three(seconds)} {say(lang, 'show.unit.s')}"
        return f"{three(seconds * 1000)} {say(lang, 'show.unit.ms')}"

    return shown


def hours(lang: str) -> Format:
    """Hours as the unit that suits them."""
    shown = span(lang)
    return lambda value: shown(value * HOUR)


def money(currency: str) -> Format:
    """An amount with its currency: 12.3 USD."""
    return lambda value: f"{three(value)} {currency.upper()}"


def price(amount: float, currency: str) -> str:
    """A stated price, in full: 1.006 USD."""
    digits = f"{amount:,.4f}".rstrip("0")
    whole, _, cents = digits.partition(".")
    return f"{whole}.{cents:0<2} {currency.upper()}"


def large(value: float) -> str:
    """A count too long to read: 71.7M, 1.20B."""
    for suffix, size in (("T", 1e12), ("B", BILLION), ("M", MILLION)):
        if value >= size:
            return f"{three(value / size)}{suffix}"
    return count(round(value))


def rate(lang: str) -> Format:
    """Tokens a second, of the whole run."""
    return lambda value: f"{three(value)} {say(lang, 'show.unit.tokens_per_s')}"


def share(value: float) -> str:
    """A part of a whole: 38 %, or 0.3 %."""
    return f"{value * 100:.0f} %" if value >= 0.01 or value == 0 else f"{value * 100:.1f} %"


def chance(value: float) -> str:
    """A probability; no estimate is as sure as 0 or 100 %."""
    if value > 0.99:
        return "> 99 %"
    return "< 1 %" if value < 0.01 else share(value)


def known(lang: str, value: float | None, shown: Format) -> str:
    """A figure, or the word for "unknown"."""
    return say(lang, "show.unknown") if value is None else shown(value)


def ranged(lang: str, figure: Mapping[str, Any] | float | None, shown: Format) -> str:
    """A figure with its 90 % interval where one is known: 12.3 USD (10.1 to 15.2)."""
    if not isinstance(figure, Mapping):
        return known(lang, figure, shown)
    typical, low, high = (figure.get(name) for name in ("typical", "low", "high"))
    if typical is None and low is not None and high is not None:
        return say(lang, "show.between", low=shown(low), high=shown(high))
    if typical is None or low is None or high is None or shown(low) == shown(high):
        return known(lang, typical, shown)
    ends = [shown(low).rpartition(" "), shown(high).rpartition(" ")]
    unit = shown(typical).rpartition(" ")[2]
    if all(end[2] == unit for end in ends):
        return say(lang, "show.range", typical=shown(typical), low=ends[0][0], high=ends[1][0])
    return say(lang, "show.range", typical=shown(typical), low=shown(low), high=shown(high))

"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "show.between": (
        "{low} to {high}",
        "{low} 至 {high}",
    ),
    "show.range": (
        "{typical} ({low} to {high})",
        "{typical}（{low} 至 {high}）",
    ),
    "show.unit.d": (
        "d",
        "天",
    ),
    "show.unit.h": (
        "h",
        "小时",
    ),
    "show.unit.min": (
        "min",
        "分钟",
    ),
    "show.unit.ms": (
        "ms",
        "毫秒",
    ),
    "show.unit.s": (
        "s",
        "秒",
    ),
    "show.unknown": (
        "unknown",
        "未知",
    ),
}

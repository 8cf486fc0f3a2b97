"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "show.between": (
        "{low} to {high}",
        "{low} 至 {high}",
    ),
    "show.facts.broken": (
        "{n} findings.",
        "发现 {n} 处问题。",
    ),
    "show.facts.clean": (
        "All facts hold: every figure has a source, a known unit and a unique id.",
        "全部数据自洽：每个数字都有出处、单位可识别、编号唯一。",
    ),
    "show.facts.count": (
        "{n} {kind}; name one to see its sources, --csv or --json for all fields.",
        "共 {n} 条 {kind}；加名称可查看出处，--csv 或 --json 输出全部字段。",
    ),
    "show.no": (
        "no",
        "否",
    ),
    "show.none": (
        "none",
        "无",
    ),
    "show.range": (
        "{typical} ({low} to {high})",
        "{typical}（{low} 至 {high}）",
    ),
    "show.sources": (
        "Sources:",
        "出处：",
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
    "show.yes": (
        "yes",
        "是",
    ),
}

"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "show.between": (
        "{low} to {high}",
        "{low} 至 {high}",
    ),
    "show.error.bias": (
        "bias",
        "偏差",
    ),
    "show.error.coverage": (
        "in range",
        "区间覆盖率",
    ),
    "show.error.family": (
        "software",
        "软件",
    ),
    "show.error.figure": (
        "figure",
        "指标",
    ),
    "show.error.median": (
        "median",
        "中位误差",
    ),
    "show.error.n": (
        "rows",
        "行数",
    ),
    "show.error.p90": (
        "90 % below",
        "90% 分位",
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
    "show.validate.counts": (
        "{rows} rows read, {predicted} predicted. Every row is in --json.",
        "读入 {rows} 行，给出预测 {predicted} 行。逐行结果见 --json。",
    ),
    "show.validate.errors": (
        "Errors (predicted / measured - 1)",
        "误差（预测值 / 实测值 - 1）",
    ),
    "show.validate.ignored": (
        "Keys that nothing reads (occurrences)",
        "未使用的字段（出现次数）",
    ),
    "show.validate.measured": (
        "measured",
        "实测",
    ),
    "show.validate.skipped": (
        "Skipped",
        "跳过的行",
    ),
    "show.validate.verdicts": (
        "Verdicts (rows)",
        "能否放下的判断（行数）",
    ),
    "show.verdict.word.does_not_fit": (
        "does not fit",
        "放不下",
    ),
    "show.verdict.word.fits": (
        "fits",
        "放得下",
    ),
    "show.verdict.word.unsure": (
        "unsure",
        "不确定",
    ),
    "show.yes": (
        "yes",
        "是",
    ),
}

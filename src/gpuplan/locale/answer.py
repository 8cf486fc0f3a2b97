"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "show.any": (
        "any",
        "不限",
    ),
    "show.ask": (
        "ask the provider",
        "需询价",
    ),
    "show.assumed": (
        "Assumed (nobody stated it)",
        "假定（未给出）",
    ),
    "show.assumed.line": (
        "{field} = {value}: {source}; decides {effect}",
        "{field} = {value}：{source}；影响{effect}",
    ),
    "show.between": (
        "{low} to {high}",
        "{low} 至 {high}",
    ),
    "show.comma": (
        ", ",
        "，",
    ),
    "show.considered": (
        "{n} combinations of machine, nodes and layout were considered",
        "共考虑了 {n} 种机器、节点数与布局的组合",
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
    "show.label.balanced": (
        "balanced",
        "均衡",
    ),
    "show.label.cheapest": (
        "cheapest",
        "最便宜",
    ),
    "show.label.fastest": (
        "fastest",
        "最快",
    ),
    "show.layout.batch": (
        "micro-batch {micro} x {accumulation} accumulation",
        "micro batch {micro} × 累积 {accumulation}",
    ),
    "show.layout.context_parallel": (
        "context parallel {n}",
        "上下文并行 {n}",
    ),
    "show.layout.data_parallel": (
        "data parallel {n}",
        "数据并行 {n}",
    ),
    "show.layout.expert_parallel": (
        "expert parallel {n}",
        "专家并行 {n}",
    ),
    "show.layout.expert_tensor_parallel": (
        "expert tensor parallel {n}",
        "专家张量并行 {n}",
    ),
    "show.layout.offload.all": (
        "weights and optimizer offloaded to the host",
        "权重与优化器卸载到内存",
    ),
    "show.layout.offload.optimizer": (
        "optimizer offloaded to the host",
        "优化器卸载到内存",
    ),
    "show.layout.pipeline_parallel": (
        "pipeline {n}",
        "流水线并行 {n}",
    ),
    "show.layout.recompute.full": (
        "full recompute",
        "全部重计算",
    ),
    "show.layout.recompute.none": (
        "no recompute",
        "不重计算",
    ),
    "show.layout.recompute.selective": (
        "selective recompute",
        "选择性重计算",
    ),
    "show.layout.sequence_parallel": (
        "sequence parallel",
        "序列并行",
    ),
    "show.layout.tensor_parallel": (
        "tensor parallel {n}",
        "张量并行 {n}",
    ),
    "show.layout.virtual_stages": (
        "{n} virtual stages",
        "虚拟流水段 {n}",
    ),
    "show.nearest": (
        "What would work",
        "可行的改动",
    ),
    "show.needs": (
        "host memory {ram} a node, disk {disk}",
        "每节点内存 {ram}，磁盘 {disk}",
    ),
    "show.next": (
        "Next",
        "下一步",
    ),
    "show.no": (
        "no",
        "否",
    ),
    "show.no_pick": (
        "Nothing in the catalogue does this.",
        "库中没有能完成该任务的方案。",
    ),
    "show.nodes": (
        "{nodes} nodes of {one}",
        "{nodes} 节点，每节点 {one}",
    ),
    "show.none": (
        "none",
        "无",
    ),
    "show.of": (
        "{used} of {capacity}",
        "{used}，共 {capacity}",
    ),
    "show.of_picks": (
        "({labels}) {text}",
        "（{labels}）{text}",
    ),
    "show.own": (
        "your own",
        "自有机器",
    ),
    "show.per_million": (
        "No amount of data was given: time and cost are for one million trained tokens.",
        "未给出数据量：时间与费用按每百万训练 token 计。",
    ),
    "show.picks": (
        "Picks",
        "推荐方案",
    ),
    "show.price": (
        "{price}/h, {kind}",
        "{price}/小时，{kind}",
    ),
    "show.range": (
        "{typical} ({low} to {high})",
        "{typical}（{low} 至 {high}）",
    ),
    "show.rejected": (
        "Ruled out",
        "被排除的选项",
    ),
    "show.row.cost": (
        "cost in all",
        "总费用",
    ),
    "show.row.duration": (
        "time in all",
        "总用时",
    ),
    "show.row.fits": (
        "chance to fit",
        "放得下的概率",
    ),
    "show.row.global_batch": (
        "global batch",
        "全局批大小",
    ),
    "show.row.gpus": (
        "GPUs",
        "GPU",
    ),
    "show.row.layout": (
        "layout",
        "并行与切分",
    ),
    "show.row.machine": (
        "machine",
        "机器",
    ),
    "show.row.memory": (
        "memory, worst GPU",
        "显存（最满的卡）",
    ),
    "show.row.mfu": (
        "MFU",
        "MFU",
    ),
    "show.row.needs": (
        "also needed",
        "另需",
    ),
    "show.row.price": (
        "price of a node",
        "单节点价格",
    ),
    "show.row.region": (
        "region",
        "地域",
    ),
    "show.row.source": (
        "price seen",
        "价格来源",
    ),
    "show.row.speed": (
        "speed, all GPUs",
        "速度（全部 GPU）",
    ),
    "show.row.step_time": (
        "optimizer step",
        "每次参数更新",
    ),
    "show.runner_up": (
        "{label}: {machine}, {gpus}, {duration}, {cost}",
        "{label}：{machine}，{gpus}，{duration}，{cost}",
    ),
    "show.runner_ups": (
        "Runners-up from other providers",
        "其他厂商的备选",
    ),
    "show.sequences": (
        "{n} sequences",
        "{n} 条序列",
    ),
    "show.source": (
        "{date}, {confidence} confidence",
        "{date}，可信度 {confidence}",
    ),
    "show.sources": (
        "Sources:",
        "出处：",
    ),
    "show.spot": (
        "spot",
        "竞价",
    ),
    "show.trained": (
        "Trained tokens of one run: {tokens}; runs: {runs}. Time and cost are of all runs; a range holds the truth in nine of ten cases.",
        "每次训练的 token 数：{tokens}；训练次数：{runs}。时间与费用为全部训练合计；区间十有九次包含真实值。",
    ),
    "show.undated": (
        "undated",
        "日期不详",
    ),
    "show.understood": (
        "{method} of {model} ({params}B parameters) with {framework}: sequences of up to {seq_len} tokens, {global_batch} of them an optimizer step.",
        "{method} 训练 {model}（{params}B 参数），框架 {framework}：单条序列最长 {seq_len} token，每次参数更新 {global_batch} 条。",
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
    "show.unit.tokens_per_s": (
        "tokens/s",
        "token/秒",
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
    "show.warnings": (
        "Mind",
        "注意",
    ),
    "show.yes": (
        "yes",
        "是",
    ),
}

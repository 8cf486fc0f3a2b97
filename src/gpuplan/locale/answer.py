"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "show.any": (
        "any",
        "不限",
    ),
    "show.arithmetic": (
        "Arithmetic",
        "计算过程",
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
        "{field} = {value} ({source}); effect: {effect}",
        "{field} = {value}（{source}）；{effect}",
    ),
    "show.between": (
        "{low} to {high}",
        "{low} 至 {high}",
    ),
    "show.check.figures": (
        "Figures of the layout",
        "该并行配置的各项指标",
    ),
    "show.comma": (
        ", ",
        "，",
    ),
    "show.confidence.high": (
        "high confidence",
        "可信度高",
    ),
    "show.confidence.low": (
        "low confidence",
        "可信度低",
    ),
    "show.confidence.medium": (
        "medium confidence",
        "可信度中",
    ),
    "show.confidence.none": (
        "not vouched for",
        "可信度不明",
    ),
    "show.considered": (
        "{n} combinations of machine, nodes and layout were considered",
        "共考虑了 {n} 种机器、节点数与并行配置的组合",
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
    "show.estimate.figures": (
        "Figures, with the range that holds the truth in nine of ten cases",
        "各项指标（区间十有九次包含真实值）",
    ),
    "show.estimate.of": (
        "{model} with {trainer} on {gpus}: {layout}. All memory is of the worst GPU.",
        "{model}，{trainer}，{gpus}：{layout}。显存均指最满的那张卡。",
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
    "show.figure.allocated_gib": (
        "memory allocated at the peak",
        "显存峰值（已分配）",
    ),
    "show.figure.device_gib": (
        "memory as nvidia-smi shows it",
        "显存（nvidia-smi 所示）",
    ),
    "show.figure.forward_backward_s": (
        "of it forward and backward",
        "其中前向与反向",
    ),
    "show.figure.reserved_gib": (
        "memory reserved by the allocator",
        "显存（分配器占用）",
    ),
    "show.figure.samples_per_s": (
        "samples a second, whole run",
        "全部 GPU 每秒样本数",
    ),
    "show.figure.step_time_s": (
        "one optimizer step",
        "每次参数更新",
    ),
    "show.figure.tokens_per_s_per_gpu": (
        "tokens a second, each GPU",
        "每卡每秒 token 数",
    ),
    "show.kind.community": (
        "community",
        "社区",
    ),
    "show.kind.list": (
        "list price",
        "标价",
    ),
    "show.kind.per_chip": (
        "sold by the chip",
        "按芯片计价",
    ),
    "show.kind.per_gpu": (
        "sold by the GPU",
        "按卡计价",
    ),
    "show.kind.secure": (
        "secure cloud",
        "安全云",
    ),
    "show.kind.spot": (
        "spot",
        "竞价",
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
    "show.label.fastest_within": (
        "fastest within budget",
        "预算内最快",
    ),
    "show.layout.batch": (
        "micro-batch {micro} x {accumulation} accumulation",
        "微批 {micro} × 梯度累积 {accumulation}",
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
    "show.limit.chip": (
        "which variant of the GPU it is: name it",
        "GPU 的具体型号：请写明",
    ),
    "show.limit.field": (
        "the field {field}: state it",
        "字段 {field}：请给出",
    ),
    "show.limit.host": (
        "host memory",
        "主机内存",
    ),
    "show.limit.layout": (
        "the layout: no legal one exists on these GPUs",
        "并行配置：这些 GPU 上没有可行的",
    ),
    "show.limit.memory": (
        'GPU memory in the phase "{phase}"',
        "“{phase}”阶段的显存",
    ),
    "show.memory.parts": (
        "Memory of the worst GPU by part, at the peak of each",
        "显存明细（最满的卡，各项峰值）",
    ),
    "show.memory.phases": (
        "Memory by phase (allocated), and beside the GPU",
        "各阶段显存（已分配）及卡外占用",
    ),
    "show.nearest": (
        "What would work",
        "可行的改动",
    ),
    "show.nearest.line": (
        "{change}: needs {memory}; optimizer step {step}",
        "{change}：需要 {memory}；每次参数更新 {step}",
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
        "No machine in the catalogue does this within what was asked.",
        "库中没有满足全部要求的方案。",
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
    "show.part.buckets": (
        "communication buckets",
        "通信缓冲",
    ),
    "show.part.context": (
        "driver context and communicators",
        "驱动上下文与通信器",
    ),
    "show.part.dequantised": (
        "dequantised weights",
        "反量化权重",
    ),
    "show.part.fragmentation": (
        "reserved and unused",
        "已占用未使用（碎片）",
    ),
    "show.part.frozen": (
        "frozen weights",
        "冻结权重",
    ),
    "show.part.gathered": (
        "gathered weights (ZeRO-3/FSDP)",
        "聚合的权重（ZeRO-3/FSDP）",
    ),
    "show.part.gradients": (
        "gradients",
        "梯度",
    ),
    "show.part.layer": (
        "one layer at its worst moment",
        "单层反向峰值",
    ),
    "show.part.logits": (
        "logits and loss",
        "logits 与损失",
    ),
    "show.part.master": (
        "fp32 master weights",
        "fp32 主权重",
    ),
    "show.part.moments": (
        "optimizer moments",
        "优化器动量",
    ),
    "show.part.optimizer_temp": (
        "temporaries of the optimizer step",
        "参数更新的临时占用",
    ),
    "show.part.other_roles": (
        "other models of the method",
        "该方法的其他模型",
    ),
    "show.part.rollout": (
        "generation engine",
        "生成引擎",
    ),
    "show.part.saved": (
        "activations kept for backward",
        "保留的激活",
    ),
    "show.part.weights": (
        "trained weights",
        "可训练权重",
    ),
    "show.part.workspace": (
        "library workspaces",
        "算子库工作区",
    ),
    "show.per_million": (
        "No amount of data was given: time and cost are for one million trained tokens.",
        "未给出数据量：时间与费用按每百万训练 token 计。",
    ),
    "show.phase.backward": (
        "backward",
        "反向",
    ),
    "show.phase.checkpoint": (
        "one checkpoint on disk",
        "单个检查点（磁盘）",
    ),
    "show.phase.evaluation": (
        "evaluation",
        "评估",
    ),
    "show.phase.forward": (
        "forward",
        "前向",
    ),
    "show.phase.host_per_node": (
        "host memory of a node",
        "每节点主机内存",
    ),
    "show.phase.load": (
        "load",
        "加载",
    ),
    "show.phase.optimizer": (
        "optimizer step",
        "参数更新",
    ),
    "show.phase.save": (
        "save",
        "保存",
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
    "show.rejected.line": (
        "{what}: {reason}",
        "{what}：{reason}",
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
        "能放下的概率",
    ),
    "show.row.global_batch": (
        "global batch",
        "全局批次",
    ),
    "show.row.gpus": (
        "GPUs",
        "GPU",
    ),
    "show.row.layout": (
        "layout",
        "并行配置",
    ),
    "show.row.machine": (
        "machine",
        "机器",
    ),
    "show.row.memory": (
        "memory, worst GPU",
        "显存（最满的卡）",
    ),
    "show.mfu.bf16": (
        "{share} of the bf16 peak",
        "{share}（按 bf16 峰值）",
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
        "{date}, {confidence}",
        "{date}，{confidence}",
    ),
    "show.sources": (
        "Sources:",
        "出处：",
    ),
    "show.time": (
        "Time of one optimizer step by cause",
        "每次参数更新的时间构成",
    ),
    "show.time.attention_s": (
        "attention",
        "注意力",
    ),
    "show.time.bubble_s": (
        "pipeline bubble",
        "流水线气泡",
    ),
    "show.time.context_comm_s": (
        "context parallel traffic",
        "上下文并行通信",
    ),
    "show.time.data_comm_s": (
        "gradient reduction not hidden",
        "未被掩盖的梯度归约",
    ),
    "show.time.expert_comm_s": (
        "expert parallel traffic",
        "专家并行通信",
    ),
    "show.time.gather_s": (
        "weight gathering not hidden",
        "未被掩盖的权重聚合",
    ),
    "show.time.head_s": (
        "head and loss",
        "输出层与损失",
    ),
    "show.time.launch_s": (
        "waiting for the host to launch",
        "等待主机下发",
    ),
    "show.time.memory_s": (
        "memory-bound operations",
        "访存受限算子",
    ),
    "show.time.offload_s": (
        "offload",
        "卸载",
    ),
    "show.time.optimizer_s": (
        "optimizer",
        "优化器",
    ),
    "show.time.overhead_s": (
        "fixed cost of a step",
        "每步固定开销",
    ),
    "show.time.pipeline_comm_s": (
        "pipeline traffic",
        "流水线通信",
    ),
    "show.time.products_s": (
        "matrix products",
        "矩阵乘",
    ),
    "show.time.recompute_s": (
        "recompute",
        "重计算",
    ),
    "show.time.tensor_comm_s": (
        "tensor parallel traffic",
        "张量并行通信",
    ),
    "show.time.total_s": (
        "in all",
        "合计",
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
        "Training ({method}) of {model} ({params}B parameters) with {framework}: sequences of up to {seq_len} tokens, {global_batch} of them an optimizer step.",
        "用 {method} 方法训练 {model}（{params}B 参数），框架 {framework}：单条序列最长 {seq_len} token，每次参数更新 {global_batch} 条。",
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
    "show.unit.y": (
        "years",
        "年",
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
    "show.verdict.chance": (
        "{verdict} (chance to fit: {chance})",
        "{verdict}（概率 {chance}）",
    ),
    "show.verdict.does_not_fit": (
        "It does not fit",
        "放不下",
    ),
    "show.verdict.fits": (
        "It fits",
        "放得下",
    ),
    "show.verdict.limit": (
        "{verdict}; decided by {limit}",
        "{verdict}；取决于{limit}",
    ),
    "show.verdict.unsure": (
        "Unsure whether it fits",
        "不确定能否放下",
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

"""Sentences of reasons, warnings, limits and assumptions: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "arithmetic.above": (
        "needed: {needed} GiB ({low} to {high}); the card {chip} has {capacity} GiB",
        "需要 {needed} GiB（{low} 至 {high}）；{chip} 每卡有 {capacity} GiB",
    ),
    "arithmetic.below": (
        "needed: {needed} GiB ({low} to {high}), below the {capacity} GiB of the card {chip}",
        "需要 {needed} GiB（{low} 至 {high}），低于 {chip} 每卡的 {capacity} GiB",
    ),
    "arithmetic.peak": (
        "worst phase: {phase}, {gib} GiB allocated",
        "峰值阶段：{phase}，已分配 {gib} GiB",
    ),
    "arithmetic.peak_parts": (
        "beside the states (GiB): {parts}; not all at once",
        "状态之外（GiB）：{parts}；不会同时出现",
    ),
    "arithmetic.quantised": (
        "frozen weights in {name}: {bytes} bytes a parameter",
        "冻结权重以 {name} 存储：每参数 {bytes} 字节",
    ),
    "arithmetic.state_parts": (
        "states (GiB): {parts}",
        "状态（GiB）：{parts}",
    ),
    "arithmetic.states": (
        "{params}e9 parameters x {bytes} bytes / {gpus} = {gib} GiB of states on each GPU",
        "{params}e9 参数 x {bytes} 字节 / {gpus} = 每卡 {gib} GiB 状态",
    ),
    "assumed.chip": ("memory, speed and price", "影响显存、速度和价格"),
    "assumed.deadline": ("plans that take longer are left out", "耗时更长的方案不列出"),
    "assumed.epochs": ("time and cost grow with it", "时间和费用随之成比例增长"),
    "assumed.fabric": ("time of every step over several nodes", "影响多机每一步的时间"),
    "assumed.framework": ("memory, speed and how to resume", "影响显存、速度和断点续训方式"),
    "assumed.global_batch": (
        "number of steps, and which layouts are legal; equal for all layouts compared",
        "影响步数以及哪些并行配置可行；参与比较的方案均相同",
    ),
    "assumed.layout": ("memory and speed; the fastest that fits was taken", "影响显存和速度；取能放下的最快方案"),
    "assumed.lora_rank": ("trained parameters, memory by little", "影响可训练参数量，对显存影响很小"),
    "assumed.lora_targets": ("trained parameters and activations", "影响可训练参数量和激活显存"),
    "assumed.mean_len": ("time and cost in proportion; memory not at all", "时间和费用成比例变化；不影响显存"),
    "assumed.method": ("memory, speed and result", "影响显存、速度和效果"),
    "assumed.optimizer": ("optimizer states in memory", "影响优化器状态的显存"),
    "assumed.packing": ("padding costs time; packing avoids it", "填充会浪费时间；打包可避免"),
    "assumed.precision": ("speed and memory", "影响速度和显存"),
    "assumed.quantisation": ("memory of the frozen weights", "影响冻结权重的显存"),
    "assumed.seq_len": ("activations and logits in memory; time", "影响激活和 logits 的显存以及时间"),
    "assumed.states": ("memory", "影响显存"),
    "states.part": ("{bytes} {name}", "{name} {bytes}"),
    "states.value": ("{bytes} bytes a trained parameter: {parts}", "每个训练参数 {bytes} 字节：{parts}"),
    "warn.pure_16_bit": (
        "pure 16-bit states ({trainer}): small updates are lost; with fp32 states this layout needs {gib} GiB of the {capacity} GiB of a card",
        "状态全为 16 位（{trainer}）：较小的更新会丢失；若用 fp32 状态，该并行配置每卡需要 {gib} GiB（每卡共 {capacity} GiB）",
    ),
    "assumed.tokens": ("the figures are per million tokens", "结果按每百万 token 计"),
    "hint.idle": (
        "the cards mostly wait (MFU {mfu} %): {cause} takes {share} % of a step",
        "显卡大部分时间在等待（MFU {mfu}%）：{cause}占每步的 {share}%",
    ),
    "hint.idle.bubble": ("the pipeline bubble", "流水线空泡"),
    "hint.idle.communication": ("communication", "通信"),
    "hint.idle.launch": ("launching kernels and fixed cost", "内核下发与固定开销"),
    "hint.idle.memory": ("reading and writing GPU memory", "显存读写"),
    "hint.idle.offload": ("traffic with the host", "与主机之间的传输"),
    "hint.idle.optimizer": ("the optimizer step", "优化器更新"),
    "hint.likely": (
        "worth a try: a layout that fits with a probability of {chance} % would be {times} times as fast ({layout})",
        "值得一试：另一种并行配置能放下的概率为 {chance}%，速度为 {times} 倍（{layout}）",
    ),
    "hint.variant": (
        "the figures are of {shown}; with {other} the same run would be {times} times as fast: name the one that you have",
        "以上为 {shown} 的结果；若为 {other}，速度为 {times} 倍：请写明您的型号",
    ),
    "limit.layout": (
        "no layout divides the model and a global batch of {batch} over {gpus} GPUs",
        "没有并行配置能把模型和全局批次 {batch} 分到 {gpus} 张卡上",
    ),
    "nearest.both": (
        "raise the budget to {cost} and allow {hours}: {what}",
        "把预算提高到 {cost}，并把期限放宽到 {hours}：{what}",
    ),
    "nearest.budget": (
        "raise the budget to {cost}: {what}, {hours}",
        "把预算提高到 {cost}：{what}，{hours}",
    ),
    "nearest.deadline": (
        "allow {hours}: {what}, {cost}",
        "把期限放宽到 {hours}：{what}，{cost}",
    ),
    "nearest.any_cloud": (
        "on any cloud: {what}, {cost}, {hours}",
        "不限云厂商：{what}，{cost}，{hours}",
    ),
    "nearest.method_plan": (
        "method {method}: {what}, {cost}, {hours}",
        "改用 {method}：{what}，{cost}，{hours}",
    ),
    "nearest.more_gpus": (
        "{gpus} GPUs ({nodes} nodes of {per_node})",
        "使用 {gpus} 张卡（{nodes} 台 × {per_node} 卡）",
    ),
    "nearest.more_cards": ("{gpus} GPUs in one node", "单机 {gpus} 卡"),
    "nearest.short_method": ("method {method}, length {seq_len}", "改用 {method}，序列长度 {seq_len}"),
    "nearest.likely": (
        "{change} (may fit, with a probability of {chance})",
        "{change}（可能放得下，概率 {chance}）",
    ),
    "nearest.cost": ("{cost} {currency}", "{cost} {currency}"),
    "nearest.no_cost": ("no rent", "无需租金"),
    "nearest.timed": ("{change}: {hours}", "{change}：{hours}"),
    "nearest.method": ("method {method}", "改用 {method}"),
    "nearest.offload": (
        "offload {offload} to the host ({host_gib} GiB of host memory a node)",
        "把{offload}卸载到主机内存（每台需 {host_gib} GiB）",
    ),
    "nearest.seq_len": ("length {seq_len}", "序列长度 {seq_len}"),
    "nearest.free_layout": ("another layout: {layout}", "换一种并行配置：{layout}"),
    "nearest.chip": ("{what}", "{what}"),
    "reason.budget": (
        "costs {cost} {currency} at the least ({hours}), above the budget of {budget} {currency}",
        "最低也要 {cost} {currency}（{hours}），超出预算 {budget} {currency}",
    ),
    "reason.cost": (
        "costs {cost} {currency} in {hours}, {times} times the cheapest, and is not faster",
        "{hours}花费 {cost} {currency}，是最便宜方案的 {times} 倍，且不更快",
    ),
    "reason.cost_faster": (
        "costs {cost} {currency} in {hours}, {times} times the cheapest",
        "{hours}花费 {cost} {currency}，是最便宜方案的 {times} 倍",
    ),
    "reason.deadline": (
        "takes {hours} at the least, above the deadline of {deadline_hours} (would cost {cost} {currency})",
        "最快也要 {hours}，超出期限 {deadline_hours}（费用 {cost} {currency}）",
    ),
    "reason.memory": (
        'needs {needed_gib} GiB ({low_gib} to {high_gib}) on a card of {capacity_gib} GiB in the layout that needs least ({gpus}; tried up to {most_gpus}{alone}); decided by the phase "{phase}"',
        "最省显存的并行配置（{gpus}，最多试过 {most_gpus}{alone}）每卡也需要 {needed_gib} GiB（{low_gib} 至 {high_gib}），而每卡只有 {capacity_gib} GiB；取决于“{phase}”阶段",
    ),
    "reason.fabric": (
        "fits only on several nodes, and nobody states the network between them",
        "需要多机才能放下，但没有来源说明机器之间的网络",
    ),
    "reason.host": (
        "needs {needed_gib} GiB of host memory on each node, which has {host_gib} GiB",
        "每台机器需要 {needed_gib} GiB 主机内存，而只有 {host_gib} GiB",
    ),
    "reason.layout": (
        "no layout divides the model and the global batch over these GPUs",
        "没有并行配置能把模型和全局批次分到这些卡上",
    ),
    "reason.offers_price": (
        "{count} without a public price: ask the provider",
        "{count}没有公开价格：请询价",
    ),
    "reason.offers_confidence": (
        "{count} of low confidence, shown only when nothing else exists",
        "{count}可信度低，仅在没有其他选择时列出",
    ),
    "reason.offers_kind": (
        "{count} at prices that cannot be rented by the hour (reservations, averages, parts)",
        "{count}的价格不能按小时租用（预留、均价、部件价等）",
    ),
    "reason.offers_spot": (
        "{count} at spot prices: not wanted, or the trainer cannot resume",
        "{count}为竞价实例：未允许使用，或训练框架不能断点续训",
    ),
    "reason.offers_on_demand": ("{count} on demand: only spot was wanted", "{count}为按量计费：只要求竞价实例"),
    "reason.offers_framework": (
        "{count} on chips that the trainer does not run on",
        "{count}所用的芯片不支持该训练框架",
    ),
    "reason.offers_precision": (
        "{count} on chips without the wanted precision",
        "{count}所用的芯片不支持要求的精度",
    ),
    "reason.none": ("no offer matches the clouds and regions", "没有符合云厂商和地域条件的报价"),
    "warn.budget_edge": (
        "the high end of the cost, {high} {currency}, is above the budget of {budget} {currency}",
        "费用区间的上限 {high} {currency} 高于预算 {budget} {currency}",
    ),
    "warn.chip_assumed": (
        "the source does not state the variant of the card; the slower one, {chip}, was taken",
        "来源未说明显卡的具体型号，按较慢的 {chip} 计算",
    ),
    "warn.chip_borrowed": (
        "no kernels were measured on {chip}; speed is carried over from {donor}, with a wider range",
        "没有 {chip} 的实测算子数据；速度由 {donor} 推算，区间更宽",
    ),
    "warn.export": (
        "export rules for {chip}: {text}; a dated note, not legal advice",
        "{chip} 的出口管制：{text}；仅为带日期的提示，不是法律意见",
    ),
    "value.fabric": ("{fabric}, {rate} Gbit/s a GPU", "{fabric}，每卡 {rate} Gbit/s"),
    "warn.fabric_assumed": (
        "the network between the nodes is not stated: {fabric} at {rate} Gbit/s a GPU is assumed, and the time depends on it",
        "未给出机器之间的网络：假设为 {fabric}，每卡 {rate} Gbit/s；耗时取决于它",
    ),
    "warn.no_gpudirect": (
        "{fabric} of this machine does not reach the GPUs directly: data between nodes passes through the host",
        "该机型的 {fabric} 不能直达 GPU：机器间数据要经过主机内存",
    ),
    "warn.generation": (
        "time of generating answers is not included; the real run is longer",
        "未包含生成回答的时间；实际运行更长",
    ),
    "warn.host_unknown": (
        "needs {gib} GiB of host memory on each node, and nobody states how much there is",
        "每台机器需要 {gib} GiB 主机内存，但没有来源说明实际有多少",
    ),
    "warn.positions": (
        "a length of {seq_len} is above the {limit} positions that the model was made for",
        "序列长度 {seq_len} 超过模型设计的 {limit} 个位置",
    ),
    "warn.precision": (
        "{chip} has no {asked}: products run in {used}",
        "{chip} 不支持 {asked}：矩阵乘法以 {used} 运行",
    ),
    "warn.low_confidence": (
        "the price is of low confidence ({source}); nothing better exists",
        "价格可信度低（{source}）；没有更好的来源",
    ),
    "warn.marketplace": (
        "a marketplace host ({kind}): hosts differ, and may vanish",
        "第三方主机（{kind}）：机器差异大，且可能下线",
    ),
    "warn.mean_len": (
        "the mean length of the samples is unknown: time and cost are a wide range",
        "样本平均长度未知：时间和费用区间较宽",
    ),
    "warn.no_bf16": ("{chip} has no bf16: fp16 with loss scaling", "{chip} 不支持 bf16：使用 fp16 和 loss scaling"),
    "warn.no_p2p": (
        "{chip} cannot reach its peers over PCIe: collectives go through the host",
        "{chip} 不支持 PCIe 点对点：集合通信要经过主机",
    ),
    "warn.no_rdma": (
        "the network between nodes has no RDMA ({fabric}); test it before the run",
        "机器之间的网络没有 RDMA：{fabric}；正式运行前请先测试",
    ),
    "warn.offload": (
        "offload was needed: its speed depends on the host's cores and memory; more GPUs are usually cheaper",
        "需要卸载到主机：速度取决于主机的核数和内存；通常加卡更便宜",
    ),
    "warn.only_own": (
        "{keys}: without effect, for only your own hardware is planned; add cloud to compare with rented machines",
        "{keys}：不起作用，因为只规划自有硬件；若要与租用机器比较，请加上 cloud",
    ),
    "warn.own_cost": (
        "own hardware: cost is not known without your price and power",
        "自有硬件：没有您的价格和电费，费用未知",
    ),
    "warn.price_age": (
        "the price is {days} days old ({date}); rents moved by 17 to 32 % within five months of 2026",
        "价格已有 {days} 天（{date}）；2026 年租金在五个月内变动 17% 至 32%",
    ),
    "warn.price_undated": ("the price is undated", "价格没有日期"),
    "warn.rate": (
        "converted at {rate} USD for one {currency} ({date})",
        "按 1 {currency} = {rate} USD 换算（{date}）",
    ),
    "warn.spot": (
        "spot: the machine may be taken away about every {typical} (between {often} and {seldom}); resume is automatic",
        "竞价实例：机器大约每 {typical}可能被收回（{often} 至 {seldom}）；会自动续训",
    ),
    "warn.spot_price": (
        "spot prices of Google Cloud differ by region and month up to five times (a3-highgpu-8g in 2026: 9.07 to 50.32 USD an hour)",
        "Google Cloud 的竞价实例价格因地域和月份相差可达五倍（a3-highgpu-8g 在 2026 年为每小时 9.07 至 50.32 USD）",
    ),
    "warn.spot_flag": (
        "spot: the machine may be taken away about every {typical} (between {often} and {seldom}); the trainer resumes only where the command says so",
        "竞价实例：机器大约每 {typical}可能被收回（{often} 至 {seldom}）；需在命令中指定才会续训",
    ),
    "warn.years": (
        "every pick takes more than a year, no plan for a real run; instead: {way}",
        "所有方案都要一年以上，不是现实的计划；可改为：{way}",
    ),
    "warn.years.none": ("a smaller model or fewer tokens", "换更小的模型或更少的 token"),
    "warn.unsure": (
        "it fits with a probability of {chance} %: run the longest batch first",
        "能放下的概率为 {chance}%：请先用最长的批次试跑",
    ),
    "warn.vendor": (
        "the software stack of {vendor} chips differs: check that the trainer supports them",
        "{vendor} 芯片的软件栈不同：请确认训练框架支持",
    ),
    "assumed.model": ("memory and time", "影响显存和时间"),
    "arithmetic.part": ("{name} {gib}", "{name} {gib}"),
    "arithmetic.sum": ("{left} + {right}", "{left} + {right}"),
    "part.buckets": ("buckets", "通信缓冲"),
    "part.context": ("context", "驱动上下文"),
    "part.dequantised": ("dequantised", "反量化权重"),
    "part.fragmentation": ("fragmentation", "碎片"),
    "part.frozen": ("frozen", "冻结权重"),
    "part.gathered": ("gathered", "聚合的权重"),
    "part.gradients": ("gradients", "梯度"),
    "part.layer": ("layer", "单层峰值"),
    "part.logits": ("logits", "输出 logits"),
    "part.master": ("master", "主权重"),
    "part.moments": ("moments", "优化器动量"),
    "part.optimizer_temp": ("optimizer temp", "参数更新临时占用"),
    "part.other_roles": ("other roles", "其他模型"),
    "part.rollout": ("rollout", "生成引擎"),
    "part.saved": ("saved", "保存的激活"),
    "part.weights": ("weights", "可训练权重"),
    "part.workspace": ("workspace", "算子库工作区"),
    "nearest.offload.all": ("all", "权重和优化器状态"),
    "nearest.offload.optimizer": ("optimizer", "优化器状态"),
    "fabric.ethernet": ("ethernet (no RDMA)", "以太网（无 RDMA）"),
    "fabric.stated": ("stated", "由用户给出"),
    "fabric.unknown": ("?", "不详"),
    "export.rule": ("{rule} ({source})", "{rule}（{source}）"),
    "export.2022_10": (
        "BIS rule of 2022-10-07: A100/H100 class needs a licence for China",
        "BIS 2022-10-07 规则：A100/H100 级芯片对华出口需许可",
    ),
    "export.2023_10": (
        "BIS rule of 2023-10-17: widened to A800/H800/L40S/RTX 4090 class",
        "BIS 2023-10-17 规则：范围扩大到 A800/H800/L40S/RTX 4090 级",
    ),
    "export.2025_04": ("April 2025: H20 put under licence requirement for China", "2025 年 4 月：H20 对华出口需许可"),
    "export.2026_01": (
        "BIS final rule of 2026-01-13 (effective 2026-01-15): H200/MI325X class to China/Macau case by case; 25% tariff proclamation 2026-01-14",
        "BIS 2026-01-13 最终规则（2026-01-15 生效）：H200/MI325X 级对中国大陆和澳门出口逐案审批；2026-01-14 公告加征 25% 关税",
    ),
    "export.none": ("no specific restriction found in the sources read", "所查阅的资料中未发现专门限制"),
    "count.gpu.one": ("{n} GPU", "{n} 张卡"),
    "count.gpu.many": ("{n} GPUs", "{n} 张卡"),
    "count.offer.one": ("{n} offer", "{n} 条报价"),
    "count.offer.many": ("{n} offers", "{n} 条报价"),
    "count.percent": ("{n} %", "{n}%"),
    "reason.offers": ("offers", "报价"),
    "reason.memory_unsure": (
        'unsure, fits with a probability of {chance}: needs {needed_gib} GiB ({low_gib} to {high_gib}) on a card of {capacity_gib} GiB in the layout that needs least ({gpus}; tried up to {most_gpus}{alone}); decided by the phase "{phase}"',
        "不确定（能放下的概率为 {chance}）：最省显存的并行配置（{gpus}，最多试过 {most_gpus}{alone}）每卡需要 {needed_gib} GiB（{low_gib} 至 {high_gib}），而每卡有 {capacity_gib} GiB；取决于“{phase}”阶段",
    ),
    "count.minutes": ("{n} min", "{n} 分钟"),
    "count.seconds": ("{n} s", "{n} 秒"),
    "count.hours": ("{n} h", "{n} 小时"),
    "count.days": ("{n} days", "{n} 天"),
    "count.years": ("{n} years", "{n} 年"),
    "assumed.trainer": ("memory and launch", "影响显存和下发开销"),
    "reason.alone": (", for nobody states the network between such nodes", "，因为没有来源说明这类机器之间的网络"),
}

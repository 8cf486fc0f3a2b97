"""Sentences about the command line: help, options, headings: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "command.check": (
        "Says whether a training job fits on given hardware, with the arithmetic, and the nearest that works where it does not.",
        "判断训练任务在指定硬件上能否放下，列出计算过程；放不下时给出最接近的可行方案。",
    ),
    "command.check.short": (
        "does it fit on this hardware, and why",
        "在指定硬件上能否放下，原因何在",
    ),
    "command.estimate": (
        "Every part of memory and time of one run whose layout is given.",
        "针对并行配置已定的一次训练，列出显存与时间的每个组成部分。",
    ),
    "command.estimate.short": (
        "every part of memory and time for one given layout",
        "给定并行配置的显存与时间明细",
    ),
    "command.facts": (
        "Shows the facts behind the answers, each figure with its source.",
        "查看结论所依据的数据，每个数字都有出处。",
    ),
    "command.facts.short": (
        "the figures behind the answers, with sources",
        "结论背后的数据与出处",
    ),
    "command.gpuplan": (
        "Plans training on GPUs: what fits, on what, how fast, how long, for how much. Works offline from facts with sources.",
        "训练算力规划：放不放得下、用什么卡、多快、多久、花多少钱。离线可用，数据均有出处。",
    ),
    "command.plan": (
        "Finds the machines and layouts for a training job, and names the cheapest, the fastest within budget and a balanced one, with the reasons.",
        "为训练任务寻找机器与并行方案，给出最便宜、预算内最快和均衡三种选择，并说明理由。",
    ),
    "command.plan.short": (
        "what to train on: cheapest, fastest within budget, balanced",
        "在什么机器上训练：最便宜、预算内最快、均衡",
    ),
    "command.validate": (
        "Predicts measured runs from their configuration alone, to compare with what was measured.",
        "仅凭配置预测实测训练的显存与速度，以便与实测值对照。",
    ),
    "command.validate.short": (
        "predictions for a file of measured runs",
        "对一批实测记录做预测",
    ),
    "example.check.1": (
        "70B full fine-tuning on one node",
        "单机全参微调 70B",
    ),
    "example.check.2": (
        "7B QLoRA on a 16 GB card",
        "16 GB 显卡上做 7B QLoRA",
    ),
    "example.check.3": (
        "the same as JSON",
        "以 JSON 输出",
    ),
    "example.estimate.1": (
        "the parts as a table",
        "以表格显示各组成部分",
    ),
    "example.estimate.2": (
        "the same as JSON",
        "以 JSON 输出",
    ),
    "example.facts.1": (
        "what is known of a card",
        "查看某张卡的数据",
    ),
    "example.facts.2": (
        "offers as CSV",
        "以 CSV 输出报价",
    ),
    "example.facts.3": (
        "one model as JSON",
        "以 JSON 输出某个模型",
    ),
    "example.facts.4": (
        "prove the invariants of all facts",
        "检查全部数据是否自洽",
    ),
    "example.plan.1": (
        "LoRA on 50,000 samples for at most 100 US dollars",
        "5 万条样本做 LoRA，预算不超过 100 美元",
    ),
    "example.plan.2": (
        "full fine-tuning on 1 billion tokens within 5 days, on three clouds",
        "10 亿 token 全参微调，5 天内完成，限三家云",
    ),
    "example.plan.3": (
        "QLoRA on a card you own",
        "在自有显卡上做 QLoRA",
    ),
    "example.plan.4": (
        "a question from a file; the plan is kept",
        "从文件读取问题，并保存方案",
    ),
    "example.validate.1": (
        "a summary",
        "显示汇总",
    ),
    "example.validate.2": (
        "every row as JSON",
        "以 JSON 输出每一行",
    ),
    "fault": (
        "this is a fault of gpuplan, not yours ({kind}: {text}): please report it with the command you typed; GPUPLAN_DEBUG=1 shows where it happened",
        "这是 gpuplan 自身的错误，与您无关（{kind}: {text}）：请附上所输入的命令反馈给我们；设置 GPUPLAN_DEBUG=1 可查看出错位置",
    ),
    "help.argument.KIND": (
        "models, chips, machines, offers, frameworks, costs, failures, or check (proves the invariants)",
        "models、chips、machines、offers、frameworks、costs、failures，或 check（检查数据自洽）",
    ),
    "help.argument.MODEL": (
        "a model as people write it (Qwen2.5-7B, llama-3-70b, 7B), or a config.json",
        "模型名（Qwen2.5-7B、llama-3-70b、7B 等常见写法），或 config.json 文件",
    ),
    "help.argument.NAME": (
        "show only what matches this name",
        "只显示匹配该名称的条目",
    ),
    "help.argument.RUN": (
        "one run as JSON or TOML, in the words of docs/measured.md",
        "一次训练的 JSON 或 TOML 描述，字段见 docs/measured.md",
    ),
    "help.argument.RUNS": (
        "measured runs, one JSON object a line, in the words of docs/measured.md",
        "实测训练记录，每行一个 JSON 对象，字段见 docs/measured.md",
    ),
    "help.arguments": (
        "Arguments:",
        "参数：",
    ),
    "help.command": (
        "COMMAND [OPTIONS]",
        "命令 [选项]",
    ),
    "help.commands": (
        "Commands:",
        "命令：",
    ),
    "help.examples": (
        "Examples:",
        "示例：",
    ),
    "help.group.data": (
        "Data:",
        "数据：",
    ),
    "help.group.goal": (
        "Goal:",
        "目标：",
    ),
    "help.group.hardware": (
        "Hardware:",
        "硬件：",
    ),
    "help.group.job": (
        "What is trained:",
        "训练内容：",
    ),
    "help.group.layout": (
        "Layout (what is not given is chosen and named):",
        "并行与切分（未给出的由程序选定并注明）：",
    ),
    "help.group.output": (
        "Input and output:",
        "输入与输出：",
    ),
    "help.group.place": (
        "Where:",
        "算力来源：",
    ),
    "help.options": (
        "[OPTIONS]",
        "[选项]",
    ),
    "help.usage": (
        "Usage:",
        "用法：",
    ),
    "option.budget": (
        "most that all runs together may cost, as in 200usd or 1500cny",
        "全部实验合计的预算上限，如 200usd 或 1500cny",
    ),
    "option.cloud": (
        "providers, as in aws,alibaba; any for all",
        "云厂商，如 aws,alibaba；any 表示全部",
    ),
    "option.cp": (
        "context parallel degree",
        "上下文并行度",
    ),
    "option.csv": (
        "print CSV",
        "以 CSV 输出",
    ),
    "option.currency": (
        "currency of the answer: usd, cny or eur",
        "结果所用币种：usd、cny 或 eur",
    ),
    "option.deadline": (
        "longest that all runs together may take, as in 3d or 36h",
        "全部实验合计的最长用时，如 3d 或 36h",
    ),
    "option.ep": (
        "expert parallel degree",
        "专家并行度",
    ),
    "option.epochs": (
        "passes over the data",
        "训练轮数",
    ),
    "option.facts": (
        "a folder of facts files that extend or override ours",
        "补充或覆盖内置数据的文件夹",
    ),
    "option.framework": (
        "the trainer: trl, llama-factory, megatron, ...",
        "训练框架：trl、llama-factory、megatron 等",
    ),
    "option.framework_version": (
        "version of the trainer",
        "训练框架的版本",
    ),
    "option.global_batch": (
        "sequences of one optimizer step, over all GPUs",
        "全局批大小：每次参数更新的序列数（所有 GPU 合计）",
    ),
    "option.grad_accum": (
        "micro-batches of one optimizer step on a GPU",
        "梯度累积步数",
    ),
    "option.help": (
        "show this text",
        "显示本说明",
    ),
    "option.json": (
        "print JSON",
        "以 JSON 输出",
    ),
    "option.lang": (
        "language of the answer",
        "输出语言",
    ),
    "option.lora_rank": (
        "rank of the adapters",
        "LoRA 的秩（rank）",
    ),
    "option.lora_targets": (
        "products that carry an adapter: q, k, v, o, gate, up, down",
        "挂 LoRA 的线性层：q、k、v、o、gate、up、down",
    ),
    "option.mean_len": (
        "mean sample length in tokens",
        "样本平均长度（token）",
    ),
    "option.method": (
        "full, lora, qlora, freeze, pretrain, continue, dpo, orpo, kto, rm, grpo, ppo",
        "训练方法：full、lora、qlora、freeze、pretrain、continue、dpo、orpo、kto、rm、grpo、ppo",
    ),
    "option.micro_batch": (
        "sequences a GPU handles at once",
        "单卡一次处理的序列数（micro batch）",
    ),
    "option.nodes": (
        "nodes of that kind",
        "该类节点的数量",
    ),
    "option.nodes_max": (
        "most nodes of one kind",
        "同类节点的最大数量",
    ),
    "option.offload": (
        "kept in host memory: none, optimizer or all",
        "卸载到主机内存：none、optimizer 或 all",
    ),
    "option.on": (
        "GPUs of one node, as in 8xH100",
        "单节点 GPU，如 8xH100",
    ),
    "option.optimizer": (
        "adamw, adamw_8bit, adafactor, sgd, ...",
        "优化器：adamw、adamw_8bit、adafactor、sgd 等",
    ),
    "option.own": (
        "hardware you have, as in 4x4090 or 2x8xH100",
        "自有硬件，如 4x4090 或 2x8xH100",
    ),
    "option.p95_len": (
        "length that 95 % of the samples stay below, in tokens",
        "95% 样本不超过的长度（token）",
    ),
    "option.packing": (
        "several samples in one sequence, or not",
        "是否把多条样本拼接成一条序列（packing）",
    ),
    "option.pp": (
        "pipeline parallel degree",
        "流水线并行度",
    ),
    "option.precision": (
        "of the matrix products: fp32, tf32, fp16, bf16, fp8, fp4",
        "矩阵乘精度：fp32、tf32、fp16、bf16、fp8、fp4",
    ),
    "option.prefer": (
        "which pick stands first: cheapest, fastest or balanced",
        "首选哪一种：cheapest、fastest 或 balanced",
    ),
    "option.quantisation": (
        "storage of frozen weights: nf4, nf4-double, fp4, int4, int8, none",
        "冻结权重的量化方式：nf4、nf4-double、fp4、int4、int8、none",
    ),
    "option.question": (
        "read the question from a TOML file; options override it (docs/question.md)",
        "从 TOML 文件读取问题，命令行选项优先（见 docs/question.md）",
    ),
    "option.recompute": (
        "activations computed again: none, selective or full",
        "激活重计算：none、selective 或 full",
    ),
    "option.region": (
        "regions (or how they begin), as in us-east-1,cn-",
        "地域（或其开头），如 us-east-1,cn-",
    ),
    "option.runs": (
        "experiments of this size, one after the other",
        "依次进行的同规模实验次数",
    ),
    "option.samples": (
        "samples of one epoch, as in 50k",
        "每个 epoch 的样本数，如 50k 或 5万",
    ),
    "option.save": (
        "write the plan to a JSON file",
        "将方案写入 JSON 文件",
    ),
    "option.seq_len": (
        "longest sample in tokens (longer ones are cut), or the packed length",
        "单条样本的最大 token 数（超长截断），或拼接后的长度",
    ),
    "option.spot": (
        "only spot machines, or none of them",
        "只用竞价实例，或不用",
    ),
    "option.tokens": (
        "tokens of one epoch, as in 1B; give this or --samples",
        "每个 epoch 的 token 数，如 1B；与 --samples 二选一",
    ),
    "option.tp": (
        "tensor parallel degree",
        "张量并行度",
    ),
    "option.zero": (
        "ZeRO stage (3 is FSDP full shard)",
        "ZeRO 阶段（3 即 FSDP full shard）",
    ),
    "usage.both": (
        "{name} and {other} exclude each other: give one of them",
        "{name} 与 {other} 互斥：只写其中一个",
    ),
    "usage.command": (
        "unknown command {name!r}: write one of {known}",
        "未知命令 {name!r}：请使用 {known} 之一",
    ),
    "usage.command.close": (
        "unknown command {name!r}: did you mean {close}?",
        "未知命令 {name!r}：您是想写 {close} 吗？",
    ),
    "usage.encoding": (
        "the argument {value} is not text in {encoding}, the encoding of your locale: correct LANG, or type it in {encoding}",
        "参数 {value} 不是当前 locale 编码（{encoding}）的文本：请修正 LANG，或使用 {encoding} 输入",
    ),
    "usage.extra": (
        "{command} does not know what to do with {value!r}: leave it out, or put quotes around values with spaces",
        "{command} 不需要参数 {value!r}：请删去，或给含空格的值加上引号",
    ),
    "usage.flag_value": (
        "{name} takes no value: write {name} alone",
        "{name} 不带值：只写 {name} 即可",
    ),
    "usage.kind": (
        "{value!r} is no kind of fact: write one of {known}",
        "没有 {value!r} 这类数据：请使用 {known} 之一",
    ),
    "usage.lang": (
        "unknown language {value!r}: write en or zh",
        "未知语言 {value!r}：请写 en 或 zh",
    ),
    "usage.missing": (
        "{command} needs {name}: see `gpuplan {command} --help`",
        "{command} 缺少 {name}：参见 `gpuplan {command} --help`",
    ),
    "usage.no_fact": (
        "no {kind} match {name!r}: see `gpuplan facts {kind}`",
        "{kind} 中没有与 {name!r} 匹配的条目：参见 `gpuplan facts {kind}`",
    ),
    "usage.no_output": (
        "the answer cannot be written to standard output ({why}): check where it goes",
        "无法写入标准输出（{why}）：请检查输出的去向",
    ),
    "usage.no_value": (
        "{name} needs a value: write it after {name}",
        "{name} 需要一个值：请写在 {name} 之后",
    ),
    "usage.not_a_file": (
        "{path} is a folder, a device or the like, not a regular file: choose a file name",
        "{path} 是目录、设备等，不是普通文件：请换一个文件名",
    ),
    "usage.not_written": (
        "{path} cannot be written ({why}): choose another place",
        "无法写入 {path}（{why}）：请换一个位置",
    ),
    "usage.option": (
        "unknown option {name}: see `{command} --help`",
        "未知选项 {name}：参见 `{command} --help`",
    ),
    "usage.option.close": (
        "unknown option {name}: did you mean {close}?",
        "未知选项 {name}：您是想写 {close} 吗？",
    ),
    "usage.other": (
        "the command cannot be read ({text}): see `gpuplan --help`",
        "无法理解该命令（{text}）：参见 `gpuplan --help`",
    ),
    "usage.twice": (
        "{name} is given twice: give it once",
        "{name} 出现了两次：只写一次",
    ),
}

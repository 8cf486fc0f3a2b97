"""Sentences about the question and its fields: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "question.not_number": (
        "{field}: {value} is not a number; write it as 50000, 50k, 2.5M or 1B",
        "{field}：{value} 不是数字；请写成 50000、50k、2.5M 或 1B",
    ),
    "question.not_finite": (
        "{field}: {value} is not a finite number; give a number of ordinary size",
        "{field}：{value} 不是有限的数；请给出正常大小的数字",
    ),
    "question.out_of_range": (
        "{field}: {value} is out of range; it must lie between {least} and {most}",
        "{field}：{value} 超出范围；应在 {least} 到 {most} 之间",
    ),
    "question.not_whole": (
        "{field}: {value} must be a whole number; did you mean {near}?",
        "{field}：{value} 必须是整数；是否想写 {near}？",
    ),
    "question.not_flag": (
        "{field}: {value} is neither true nor false; write true or false",
        "{field}：{value} 既不是 true 也不是 false；请写 true 或 false",
    ),
    "question.unknown_word": (
        "{field}: {value} is unknown; did you mean {near}? Known: {choices}",
        "{field}：不认识 {value}；是否想写 {near}？可选：{choices}",
    ),
    "question.not_text": (
        "{field}: {value} is not text; put it in quotes",
        "{field}：{value} 不是文本；请加上引号",
    ),
    "question.software": (
        "{field}: {value} has no {what} ({source}); use {instead}, or leave {field} out",
        "{field}：{value} 不支持 {what}（{source}）；请改用 {instead}，或去掉 {field}",
    ),
    "question.empty": ("{field} is empty; give a value or leave it out", "{field} 为空；请给出值，或去掉它"),
    "question.long": (
        "{field}: {value} is longer than {most} characters; shorten it",
        "{field}：{value} 超过 {most} 个字符；请缩短",
    ),
    "question.unprintable": (
        "{field}: {value} has characters that cannot be printed; give one line of plain text",
        "{field}：{value} 含不可打印字符；请给出一行普通文本",
    ),
    "question.gpus_sign": (
        "{field}: {value} is not how a count is written; write {count}x{chip}",
        "{field}：{value} 的写法不对；请写成 {count}x{chip}",
    ),
    "question.gpus_whole": (
        "{field}: {value} is not a whole number of GPUs; write e.g. 1x{chip} or 2x{chip}",
        "{field}：{value} 的卡数不是整数；请写成 1x{chip} 或 2x{chip}",
    ),
    "question.apple": (
        "{field}: {value}: Apple chips are not covered; name another accelerator (see: gpuplan facts chips)",
        "{field}：{value}：暂不支持 Apple 芯片；请换其他加速卡（见 gpuplan facts chips）",
    ),
    "question.no_adapter": (
        "{field} is of adapters, but {method} has none; use lora or qlora, or leave {field} out",
        "{field} 用于适配器，而 {method} 没有适配器；请改用 lora 或 qlora，或去掉 {field}",
    ),
    "question.unquantised": (
        "{field}: {method} means quantised weights; use {near} for weights that are not, or leave {field} out",
        "{field}：{method} 即量化权重；若不量化请改用 {near}，或去掉 {field}",
    ),
    "question.nodes_twice": (
        "{field}: {value} contradicts on ({on}); give the nodes only once",
        "{field}：{value} 与 on（{on}）矛盾；节点数请只写一处",
    ),
    "question.unknown_region": (
        "{field}: no offer is in a region {value}; did you mean {near}? Regions are in gpuplan facts offers",
        "{field}：没有 {value} 地域的报价；是否想写 {near}？地域见 gpuplan facts offers",
    ),
    "question.no_currency": (
        "{field}: {value} has no currency; write it as 200usd or 1500cny (known: {known})",
        "{field}：{value} 没有币种；请写成 200usd 或 1500cny（可用：{known}）",
    ),
    "question.bad_money": (
        "{field}: {value} is not an amount of money in a known currency; write it as 200usd or 1500cny (known: {known})",
        "{field}：{value} 不是已知币种的金额；请写成 200usd 或 1500cny（可用：{known}）",
    ),
    "question.bad_span": (
        "{field}: {value} is not a length of time; write it as 3d, 36h or 90min",
        "{field}：{value} 不是时长；请写成 3d、36h 或 90min",
    ),
    "question.bad_gpus": (
        "{field}: {value} is not a count of GPUs; write it as 8xH100, or 2x8xH100 for two nodes",
        "{field}：{value} 不是 GPU 数量；请写成 8xH100，两台机器写成 2x8xH100",
    ),
    "question.one_kind": (
        "{field}: {value} names several kinds; check one kind at a time",
        "{field}：{value} 含多种硬件；每次请只检查一种",
    ),
    "question.either": (
        "{field} and {other} are both given; give only one of them",
        "{field} 和 {other} 同时给出；请只给其中一个",
    ),
    "question.order": (
        "{field}: {value} is more than {other} ({bound}); lower it or raise {other}",
        "{field}：{value} 大于 {other}（{bound}）；请调小它或调大 {other}",
    ),
    "question.unknown_key": (
        "{field} is not a key of a question; did you mean {near}? All keys are in docs/question.md",
        "{field} 不是问题文件的键；是否想写 {near}？全部键见 docs/question.md",
    ),
    "question.no_model": (
        "{field} is missing; name one, e.g. Qwen2.5-7B or 7B",
        "缺少 {field}；请给出模型，例如 Qwen2.5-7B 或 7B",
    ),
    "question.quantised_full": (
        "{field}: {value} freezes the weights, but {method} trains them; use lora or qlora, or leave {field} out",
        "{field}：{value} 会冻结权重，而 {method} 要训练权重；请改用 lora 或 qlora，或去掉 {field}",
    ),
    "question.offload_frozen": (
        "{field}: {value} is computed only where all weights train, not for {method}; use optimizer or none",
        "{field}：仅在训练全部权重时才计算 {value}，{method} 不适用；请用 optimizer 或 none",
    ),
    "question.not_covered": (
        "model: {model} has layers that gpuplan cannot compute yet (state space, linear attention); try a model of attention layers",
        "model：{model} 含有 gpuplan 暂不能计算的层（状态空间、线性注意力等）；请换用注意力结构的模型",
    ),
    "question.no_hardware": (
        "on is missing; name the hardware to check, e.g. --on 8xH100",
        "缺少 on；请给出要检查的硬件，例如 --on 8xH100",
    ),
    "question.file_missing": (
        "{file}: no such file; check the path",
        "{file}：文件不存在；请检查路径",
    ),
    "question.file_unreadable": (
        "{file}: cannot be read ({cause}); check the path and its permissions",
        "{file}：无法读取（{cause}）；请检查路径和权限",
    ),
    "question.file_large": (
        "{file}: larger than {most} MB; a question file is a few lines of TOML",
        "{file}：超过 {most} MB；问题文件只需几行 TOML",
    ),
    "question.file_binary": (
        "{file}: is not text in UTF-8; a question file is TOML, see docs/question.md",
        "{file}：不是 UTF-8 文本；问题文件应为 TOML，见 docs/question.md",
    ),
    "question.file_broken": (
        "{file}: is not valid {form} ({cause}); mend the line, see docs/question.md",
        "{file}：不是有效的 {form}（{cause}）；请修正该行，见 docs/question.md",
    ),
    "question.plan_broken": (
        "{file}: is not a plan of this version ({cause}); make it again with gpuplan plan --save",
        "{file}：不是本版本的计划文件（{cause}）；请用 gpuplan plan --save 重新生成",
    ),
    "source.batch.full": (
        "Stanford Alpaca and Vicuna recipes: 128 sequences",
        "Stanford Alpaca 与 Vicuna 的配方：128 条序列",
    ),
    "source.batch.freeze": (
        "half of the Stanford Alpaca recipe: fewer weights move",
        "Stanford Alpaca 配方的一半：更新的权重较少",
    ),
    "source.batch.lora": (
        "QLoRA, arXiv:2305.14314 appendix B: 16 sequences",
        "QLoRA，arXiv:2305.14314 附录 B：16 条序列",
    ),
    "source.batch.qlora": (
        "QLoRA, arXiv:2305.14314 appendix B: 16 sequences",
        "QLoRA，arXiv:2305.14314 附录 B：16 条序列",
    ),
    "source.batch.dpo": ("DPO, arXiv:2305.18290 appendix B: 64 pairs", "DPO，arXiv:2305.18290 附录 B：64 对样本"),
    "source.batch.orpo": ("as DPO, arXiv:2305.18290 appendix B", "同 DPO，arXiv:2305.18290 附录 B"),
    "source.batch.kto": ("KTO, arXiv:2402.01306 section 4: 32 examples", "KTO，arXiv:2402.01306 第 4 节：32 条样本"),
    "source.batch.rm": (
        "InstructGPT, arXiv:2203.02155 appendix C: 64 comparisons",
        "InstructGPT，arXiv:2203.02155 附录 C：64 组比较",
    ),
    "source.batch.grpo": (
        "DeepSeekMath, arXiv:2402.03300 section 4.2: 1024 answers",
        "DeepSeekMath，arXiv:2402.03300 第 4.2 节：1024 条回答",
    ),
    "source.batch.ppo": (
        "InstructGPT, arXiv:2203.02155 appendix C: 512 episodes",
        "InstructGPT，arXiv:2203.02155 附录 C：512 个回合",
    ),
    "source.batch.gpt": (
        "{tokens} tokens a step for this size, arXiv:2005.14165 table 2.1",
        "该规模每步 {tokens} token，arXiv:2005.14165 表 2.1",
    ),
    "source.batch.llama": (
        "{tokens} tokens a step, Llama 2, arXiv:2307.09288",
        "每步 {tokens} token，Llama 2，arXiv:2307.09288",
    ),
    "source.batch.tenth": (
        "a tenth of the data, so that there are steps to learn in",
        "取数据量的十分之一，保证有足够的更新步数",
    ),
    "source.batch.stated": (
        "micro_batch x grad_accum x data-parallel ranks, as stated",
        "micro_batch × grad_accum × 数据并行数，均为给定值",
    ),
    "source.batch.suited": (
        "{source}; raised or cut to suit {ranks} ranks",
        "{source}；已调整为能被 {ranks} 个数据并行进程整除",
    ),
    "source.chip": ("the slowest of the variants; also {others}", "取各型号中最慢的；另有 {others}"),
    "source.states": ("as {trainer} keeps them", "{trainer} 的做法"),
    "source.deadline": ("nobody stated one, and some plans end within a year", "未给出期限，且有方案可在一年内完成"),
    "source.default_of": ("default of {framework}", "{framework} 的默认值"),
    "source.epochs": ("one pass", "训练一轮"),
    "source.framework.splits": ("it can split a model in the stated way", "支持所要求的模型切分方式"),
    "source.framework.method": ("the usual choice for this method", "该方法的常用框架"),
    "source.framework.experts": (
        "runs all experts in one kernel; transformers visits them one by one (docs/time.md)",
        "所有专家在一个算子中计算；transformers 则逐个计算专家（docs/time.md）",
    ),
    "source.framework.usual": ("the usual choice for this method and size", "该方法和规模的常用框架"),
    "source.layout": ("the fastest of the legal layouts that fit", "能放下的并行配置中最快的"),
    "source.layout.smallest": (
        "the fastest of the legal layouts that fit, else the smallest",
        "能放下的并行配置中最快的；都放不下时取最省显存的",
    ),
    "source.length.pretrain": ("Llama 2 pre-training length", "Llama 2 的预训练长度"),
    "source.length.tune": ("default of LLaMA-Factory's cutoff_len", "LLaMA-Factory 中 cutoff_len 的默认值"),
    "source.length.needs": ("the next power of two above the stated samples", "大于给定样本长度的最小 2 的幂"),
    "source.length.limit": ("limit of the model", "模型的长度上限"),
    "source.lora_rank": ("Axolotl and ms-swift examples: 8 to 32", "Axolotl 与 ms-swift 示例：8 至 32"),
    "source.lora_targets": (
        "QLoRA, arXiv:2305.14314 section 4: all layers are needed",
        "QLoRA，arXiv:2305.14314 第 4 节：需要作用于所有层",
    ),
    "source.mean_len.unknown": (
        "nobody stated it: short instructions to samples that fill the length",
        "未给出：从短指令到填满长度的样本都有可能",
    ),
    "source.mean_len.full": (
        "tokens were stated without a mean: every row counts as full",
        "只给出 token 数而没有平均长度：每条都按满长度计",
    ),
    "source.method": (
        "the cheapest method that tunes every layer (arXiv:2106.09685)",
        "能调整所有层的最省的方法（arXiv:2106.09685）",
    ),
    "source.packing": ("as the trainer does by default", "训练框架的默认行为"),
    "source.precision.bf16": ("usual for training; no loss scaling", "训练的常用精度；无需 loss scaling"),
    "source.precision.fp16": ("the chip has no bf16", "该芯片不支持 bf16"),
    "source.tokens": (
        "no data was stated: time and cost are per million tokens",
        "未给出数据量：时间和费用按每百万 token 计",
    ),
    "value.all_linear": ("all linear layers", "全部线性层"),
    "value.range": ("{typical} ({low} to {high})", "{typical}（{low} 至 {high}）"),
    "value.searched": ("searched", "由搜索选出"),
    "source.trainer": ("figures of it taken from its nearest relative: {n}", "其中 {n} 项参数取自最相近的框架"),
    "question.file_not_table": (
        "{file}: holds no table of keys; give one object, see docs/question.md",
        "{file}：内容不是键值表；请给出一个对象，见 docs/question.md",
    ),
    "question.plan_not_json": (
        "{file}: is not a plan; give what gpuplan plan --save wrote",
        "{file}：不是计划文件；请给出 gpuplan plan --save 生成的文件",
    ),
}

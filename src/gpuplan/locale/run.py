"""Sentences about measured runs, trainers and methods: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "run.method.unknown": (
        "method: {word!r} is not known; take one of {known}",
        "method：不认识 {word!r}；可选：{known}",
    ),
    "run.method.not_training": (
        "method: {word!r} does not train a model; take full, lora, qlora, freeze, pretrain, dpo, ...",
        "method：{word!r} 不是训练任务；可选 full、lora、qlora、freeze、pretrain、dpo 等",
    ),
    "run.method.diffusion": (
        "method: {word!r}: diffusion models have no table of operations yet; language models are covered",
        "method：{word!r}：扩散模型暂无算子表；目前只支持语言模型",
    ),
    "run.trainer.twice": (
        "trainers.jsonl: {id} stands twice; remove one of them",
        "trainers.jsonl：{id} 重复出现；请删除其中一条",
    ),
    "run.trainer.no_source": (
        "trainers.jsonl: {id}: no source for {field}; add it to sources",
        "trainers.jsonl：{id}：{field} 没有来源；请在 sources 中补充",
    ),
    "run.row.missing": (
        "{where}: no {field}; every row needs id, model, task and hardware",
        "{where}：缺少 {field}；每行都需要 id、model、task 和 hardware",
    ),
    "run.row.count": ("{where}: {field} must be a number above 0", "{where}：{field} 应为大于 0 的数"),
    "run.row.unit": ("{where}: {field} must be a number of at least 1", "{where}：{field} 应为不小于 1 的数"),
    "run.row.figure": ("{where}: {field} must be a number of at least 0", "{where}：{field} 应为不小于 0 的数"),
    "run.row.text": ("{where}: {field} must be text in quotes", "{where}：{field} 应为带引号的文本"),
    "run.row.flag": ("{where}: {field} must be true or false", "{where}：{field} 应为 true 或 false"),
    "run.row.word": ("{where}: {field} must be a word or a whole number", "{where}：{field} 应为单词或整数"),
    "run.row.section": (
        "{where}: {field} must be an object with named values",
        "{where}：{field} 应为带字段名的对象",
    ),
    "run.row.number": (
        "{where}: {field} is {value}; give a finite number below 1e16",
        "{where}：{field} 为 {value}；请给出小于 1e16 的有限数",
    ),
    "run.row.range.count": (
        "{where}: {field} is {value}; it must be above 0",
        "{where}：{field} 为 {value}；必须大于 0",
    ),
    "run.row.range.unit": (
        "{where}: {field} is {value}; it must be at least 1",
        "{where}：{field} 为 {value}；必须不小于 1",
    ),
    "run.row.range.figure": (
        "{where}: {field} is {value}; it cannot be negative",
        "{where}：{field} 为 {value}；不能为负数",
    ),
    "run.row.json": (
        "{where}: not JSON ({why}); write one object a line",
        "{where}：不是合法的 JSON（{why}）；请每行写一个对象",
    ),
    "run.row.object": ("{where}: not an object; write one object a line", "{where}：不是对象；请每行写一个对象"),
    "run.row.unknown": (
        "{where}: unknown key {field}; docs/measured.md lists all keys",
        "{where}：未知字段 {field}；全部字段见 docs/measured.md",
    ),
    "run.row.unknown_near": (
        "{where}: unknown key {field}; do you mean {near}?",
        "{where}：未知字段 {field}；是否想写 {near}？",
    ),
    "run.file.unreadable": ("{file}: cannot be read ({why}); check the path", "{file}：无法读取（{why}）；请检查路径"),
    "run.file.large": (
        "{file}: over 16 MB; split it into smaller files",
        "{file}：超过 16 MB；请拆分成较小的文件",
    ),
    "run.file.binary": ("{file}: not UTF-8 text; give JSON lines", "{file}：不是 UTF-8 文本；请提供 JSON Lines 文件"),
    "run.file.toml": ("{file}: not TOML ({why}); mend that line", "{file}：不是合法的 TOML（{why}）；请修正该行"),
    "run.skip.kind": (
        "a {kind} model has no table of operations yet; attention decoders and encoders are covered",
        "{kind} 模型暂无算子表；目前支持注意力解码器和编码器",
    ),
    "run.skip.uncovered": (
        "{name} has layers of a kind that is not covered yet (state space, linear attention, convolution)",
        "{name} 含有尚不支持的层（状态空间、线性注意力、卷积）",
    ),
    "run.skip.model": (
        "model {name!r} is not known, and neither its shape nor its size is stated",
        "不认识模型 {name!r}，且没有给出结构或参数量",
    ),
    "run.skip.task": ("no task is stated", "没有给出任务类型"),
}

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
}

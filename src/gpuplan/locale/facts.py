"""Sentences about facts files and names: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "fact_duplicate_id": (
        "{file}: id {id} stands twice; delete or rename one",
        "{file}：id {id} 重复；请删除或改名其中一个",
    ),
    "fact_no_source": (
        "{file}: {id}: no source for {field}; name where the figure comes from",
        "{file}：{id}：{field} 没有来源；请注明该数据的出处",
    ),
    "fact_unknown_unit": (
        "{file}: {id}: {field} has the unknown unit {unit}; use one of the units in docs/facts.md",
        "{file}：{id}：{field} 的单位 {unit} 无法识别；请使用 docs/facts.md 中列出的单位",
    ),
    "fx_unknown": (
        "no exchange rate for {currency}; known: {known}",
        "没有 {currency} 的汇率；已知的有：{known}",
    ),
    "chip_unknown": (
        "unknown GPU '{text}'; nearest: {nearest} (see: gpuplan facts chips)",
        "未知的 GPU“{text}”；最接近的有：{nearest}（参见：gpuplan facts chips）",
    ),
    "chip_unknown_memory": (
        "no {chip} with {memory} GB is known; known: {nearest}",
        "没有 {memory} GB 的 {chip}；已知型号：{nearest}",
    ),
    "model_unknown": (
        "unknown model '{text}'; nearest: {nearest} (see: gpuplan facts models, or give a config.json)",
        "未知的模型“{text}”；最接近的有：{nearest}（参见：gpuplan facts models，或直接给出 config.json）",
    ),
    "model_size_missing": (
        "'{text}' comes in several sizes: {sizes}; name one",
        "“{text}”有多种规模：{sizes}；请指定其中一个",
    ),
    "model_not_language": (
        "'{text}' has a vision or audio tower, which is not planned yet; nearest text model: {nearest}",
        "“{text}”带有视觉或语音塔，暂不支持；最接近的纯文本模型：{nearest}",
    ),
    "kernels_unmeasured": (
        "{chip}: no measured kernels; use the donor that the chip's facts name, one of {known}",
        "{chip}：没有实测的算子数据；请使用该芯片条目里 donor 指定的芯片，可选：{known}",
    ),
    "factor_missing": (
        "efficiency.toml: {factor} is missing; add [{factor}] with source and value",
        "efficiency.toml：缺少 {factor}；请添加 [{factor}]，并写明 source 和 value",
    ),
    "factor_unknown": (
        "efficiency.toml: unknown factor {factor}; remove it or correct its name",
        "efficiency.toml：无法识别的系数 {factor}；请删除或改正名称",
    ),
}

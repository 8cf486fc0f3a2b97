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
    "facts_dir_missing": (
        "--facts {path}: no such folder; give a folder with .toml files",
        "--facts {path}：目录不存在；请给出包含 .toml 文件的目录",
    ),
    "file_not_plain": (
        "{path}: not a plain file; give a regular file",
        "{path}：不是普通文件；请给出普通文件",
    ),
    "file_too_big": (
        "{path}: larger than {limit} MB; split it or check that it is the right file",
        "{path}：超过 {limit} MB；请拆分，或确认文件是否正确",
    ),
    "file_unreadable": (
        "{path}: cannot be read ({cause}); check the path and its permissions",
        "{path}：无法读取（{cause}）；请检查路径和权限",
    ),
    "file_not_toml": (
        "{path}: not valid TOML ({cause}); correct that place",
        "{path}：不是合法的 TOML（{cause}）；请修正该处",
    ),
    "overlay_unknown_key": (
        "{file}: unknown key {where}; nearest: {known}",
        "{file}：未知的键 {where}；最接近的有：{known}",
    ),
    "overlay_missing_key": (
        "{file}: {where} is missing; add it",
        "{file}：缺少 {where}；请补上",
    ),
    "overlay_bad_value": (
        "{file}: {where}: {value} cannot be used ({cause}); correct it",
        "{file}：{where} 的值 {value} 无效（{cause}）；请修正",
    ),
    "overlay_unknown_base": (
        "facts file: {id}: based_on = '{base}' is not known; nearest: {nearest} (see: gpuplan facts {kind})",
        "事实文件：{id}：based_on = “{base}” 未知；最接近的有：{nearest}（参见：gpuplan facts {kind}）",
    ),
    "overlay_unknown_donor": (
        "facts file: {id}: donor '{donor}' has no measured kernels; use one of: {known}",
        "事实文件：{id}：donor “{donor}” 没有实测算子数据；可用的有：{known}",
    ),
    "overlay_incomplete": (
        "facts file: {id}: missing {missing}; add them, or based_on with a known name",
        "事实文件：{id}：缺少 {missing}；请补上，或用 based_on 指定一个已知名称",
    ),
    "config_not_object": (
        "{where}: not a JSON object; give the config.json of a language model",
        "{where}：不是 JSON 对象；请给出语言模型的 config.json",
    ),
    "config_tower": (
        "{where}: has {name}: models with a vision or audio tower are not planned yet; give the text model's config",
        "{where}：含有 {name}：暂不支持带视觉或语音塔的模型；请给出纯文本模型的 config",
    ),
    "config_missing": (
        "{where}: {names} is missing; a config.json as the model hub has it is needed",
        "{where}：缺少 {names}；需要模型仓库中的完整 config.json",
    ),
    "config_bad_value": (
        "{where}: {name} cannot be {value}; correct it",
        "{where}：{name} 不能是 {value}；请修正",
    ),
    "config_unsupported": (
        "{where}: model_type '{type}' is not known; nearest: {nearest}; state the shape in a facts file instead",
        "{where}：未知的 model_type“{type}”；最接近的有：{nearest}；可改为在事实文件中写明模型结构",
    ),
    "config_strange_layers": (
        "{where}: layers of kind {kinds} are not planned yet; only attention layers are",
        "{where}：暂不支持 {kinds} 类型的层；目前只支持注意力层",
    ),
    "overlay_bad_shape": (
        "facts file: {id}: {name} cannot be {value}; correct it",
        "事实文件：{id}：{name} 不能是 {value}；请修正",
    ),
    "check_peaks": (
        "{id}: peak of {narrow} is below that of {wide}; one of the two is wrong",
        "{id}：{narrow} 的峰值低于 {wide}；其中之一有误",
    ),
    "check_implausible": (
        "{id}: {field} {value} lies outside what is possible; correct it",
        "{id}：{field} 的值 {value} 超出合理范围；请修正",
    ),
    "check_above_label": (
        "{id}: usable memory is above its label of {label} GB; correct it",
        "{id}：可用显存大于标称的 {label} GB；请修正",
    ),
    "check_donor": (
        "{id}: refers to {donor}, which is not a chip that serves; name a known one",
        "{id}：引用了不可用的芯片 {donor}；请改为已知芯片",
    ),
    "check_alias": (
        "{name}: means both {first} and {second}; drop one",
        "{name}：同时指向 {first} 和 {second}；请删除其一",
    ),
    "check_date": (
        "{id}: date {date} does not parse or lies in the future; write YYYY-MM-DD, YYYY-MM or YYYY",
        "{id}：日期 {date} 无法解析或在未来；请写成 YYYY-MM-DD、YYYY-MM 或 YYYY",
    ),
    "model.versions": ("the largest of the versions that the name leaves open", "名称未写明版本，取其中最大的"),
    "model.models": ("the largest of the models that the name leaves open", "名称对应多个模型，取其中最大的"),
    "model.grown": ("the model that it grew from: {source}", "按其基座模型计算：{source}"),
    "model.kin": ("a relative with the same shape but for its last layer", "同系列模型，除最后一层外结构相同"),
    "model.tuned": ("a fine-tune of that model, by its name", "从名称看是该模型的微调版本"),
    "model.tower": (
        "text model of a relative with another tower, which is not counted",
        "取带有其他模态塔的同系列模型的文本部分；该塔未计入",
    ),
    "model.by.sources": (
        "of that size, most independent sources ({n} since {since}) published measured runs of this shape",
        "该规模中，公布过实测结果的独立来源最多的结构（{since} 以来 {n} 个）",
    ),
    "model.by.variants": (
        "of that size, the shape with most published variants ({n}); no measured runs since {since}",
        "该规模中，公开变体最多的结构（{n} 个）；{since} 以来没有实测结果",
    ),
}

"""Sentences about offers, machines and prices: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "provider_unknown": (
        'cloud "{text}" is not known; nearest: {nearest}. Write names with commas, or china, or any',
        "不认识云厂商“{text}”；最接近的是：{nearest}。多个名称用逗号分隔，也可写 china 或 any",
    ),
    "fleet_malformed": (
        '"{text}" does not name GPUs; write a count and a card, such as 8xH100 or 4x4090',
        "“{text}”不是有效的显卡写法；请写数量和型号，例如 8xH100 或 4x4090",
    ),
    "fleet_count": (
        '"{text}" asks for {count} GPUs; the count must be from 1 to {limit}',
        "“{text}”要求 {count} 张卡；数量必须在 1 到 {limit} 之间",
    ),
    "fabric_rate": (
        "network of {value} Gbit/s per GPU is not possible; give a number above 0 and at most {limit}",
        "每卡网络带宽 {value} Gbit/s 不合理；请给出大于 0 且不超过 {limit} 的数值",
    ),
    "offer_unknown_key": (
        "{where}: unknown key {name}; known keys: {known}",
        "{where}：未知的键 {name}；可用的键：{known}",
    ),
    "offer_missing": (
        "{where}: {name} is missing; every offer needs provider, instance_type, chip, gpus and source",
        "{where}：缺少 {name}；每条报价都需要 provider、instance_type、chip、gpus 和 source",
    ),
    "offer_value": (
        "{where}: {name} = {value} is not possible; give {expected}",
        "{where}：{name} = {value} 不合理；请给出{expected}",
    ),
    "offer_unknown_chip": (
        "{where}: chip {value} is not known; use an id of `gpuplan facts chips`",
        "{where}：不认识芯片 {value}；请使用 `gpuplan facts chips` 中的 id",
    ),
    "offer_no_rate": (
        "no exchange rate for {currency} (an offer of {provider}); state one in the costs table",
        "缺少 {currency} 的汇率（{provider} 的报价）；请在 costs 表中给出",
    ),
    "offer_columns": (
        "{file}: the columns are not the expected ones; they are: {known}",
        "{file}：列名不符；应为：{known}",
    ),
    "fabric_generic": (
        "commonest fabric of clouds with {chip} ({count} node types)",
        "云上 {chip} 机型中最常见的网络（{count} 种机型）",
    ),
    "fabric_none": (
        "no cloud states a fabric for {chip}; that of PCIe nodes is taken",
        "没有云厂商公布 {chip} 的节点网络；按 PCIe 机型的常见网络计算",
    ),
}

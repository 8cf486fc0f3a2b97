"""Checks a shape that a user stated: what cannot be a model is named, field and value."""

from typing import Final

from gpuplan.facts.arch import Architecture

LARGEST: Final = 10**8
"""Above any width, depth or vocabulary that a model can have."""


def shape_mistake(model: Architecture) -> tuple[str, str] | None:
    """The first field whose value cannot be: not positive, absurdly large, or at odds with another one."""
    counts = {name: getattr(model, name) for name in ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab")}
    if model.moe is not None:
        moe = model.moe
        counts |= {"experts": moe.experts, "experts_per_token": moe.experts_per_token, "expert_ffn": moe.expert_ffn}
    if model.moe is None or model.moe.dense_layers:
        counts["ffn"] = model.ffn
    for name, value in counts.items():
        if not 0 < value <= LARGEST:
            return name, str(value)
    if model.heads % model.kv_heads:
        return "kv_heads", f"{model.kv_heads} (heads {model.heads} is no multiple of it)"
    if model.windowed_layers > model.layers:
        return "windowed_layers", f"{model.windowed_layers} of {model.layers}"
    if model.moe is not None:
        if model.moe.experts_per_token > model.moe.experts:
            return "experts_per_token", f"{model.moe.experts_per_token} of {model.moe.experts}"
        if model.moe.moe_layers + model.moe.dense_layers != model.layers:
            return "moe_layers", f"{model.moe.moe_layers} + {model.moe.dense_layers} dense of {model.layers}"
    return None

"""The parts of a config that differ most between model types: attention, windows, latent attention, experts."""

from collections.abc import Mapping
from typing import Any, Final

from gpuplan.data.config_reader import Reader
from gpuplan.errors import QuestionError
from gpuplan.facts.arch import Mla, Moe

PLAIN_LAYERS: Final = {"full_attention", "sliding_attention", "chunked_attention", "global", "local", "attention"}
WINDOWED: Final = {"sliding_attention", "chunked_attention", "local"}


def attention_fields(reader: Reader, traits: Mapping[str, Any], *, hidden: int) -> dict[str, Any]:
    """Heads, their size, biases and norms of queries and keys."""
    heads = reader.count("num_attention_heads", "n_head", "num_heads", "n_heads")
    kv_heads = _kv_heads(reader, heads)
    if traits.get("mla"):
        head_dim = reader.count("qk_nope_head_dim") + reader.count("qk_rope_head_dim")
    else:
        head_dim = reader.maybe("head_dim", "kv_channels") or hidden // max(heads, 1)
    kind = traits.get("qk_norm")
    if kind is None and (reader.flag("use_qk_norm") or reader.flag("qk_layernorm")):
        kind = "head" if reader.word("model_type") == "glm4_moe" else "full"
    norms = {None: 0, "head": 2 * head_dim, "full": (heads + kv_heads) * head_dim}[kind]
    return {
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "qkv_bias": traits.get("qkv_bias", False),
        "attn_out_bias": traits.get("out_bias", False),
        "qk_norm_params": norms,
        "attention_sink_params": heads if traits.get("sinks") else 0,
    }


def _kv_heads(reader: Reader, heads: int) -> int:
    """Heads of keys and values; one where the type says multi-query, as many as heads where it says nothing."""
    old_falcon = reader.word("model_type") == "falcon" and not reader.flag("new_decoder_architecture")
    if old_falcon or reader.word("model_type") == "gpt_bigcode":
        return 1 if reader.flag("multi_query", default=True) else heads
    return reader.maybe("num_key_value_heads", "num_kv_heads", "multi_query_group_num") or heads


def window_fields(reader: Reader, traits: Mapping[str, Any], *, layers: int) -> dict[str, Any]:
    """Width of the window and the layers that have one."""
    kinds = reader.config.get("layer_types")
    width = reader.maybe("sliding_window", "window_size", "attention_chunk_size")
    rule = traits.get("window")
    if isinstance(kinds, list):
        strange = sorted({str(kind) for kind in kinds} - PLAIN_LAYERS)
        if strange:
            raise QuestionError("config_strange_layers", where=reader.where, kinds=", ".join(strange)[:100])
        windowed = sum(kind in WINDOWED for kind in kinds)
    elif rule == "all":
        windowed = layers
    elif isinstance(rule, int):
        windowed = layers - layers // (reader.maybe("sliding_window_pattern") or rule)
    elif rule == "switch" and reader.flag("use_sliding_window"):
        windowed = max(layers - (reader.maybe("max_window_layers") or 0), 0)
    else:
        windowed = 0
    return {"sliding_window": width, "windowed_layers": windowed} if width and windowed else {}


def mla_of(reader: Reader, traits: Mapping[str, Any]) -> Mla | None:
    """Ranks and head sizes of latent attention."""
    if not traits.get("mla"):
        return None
    if reader.flag("attention_bias"):
        raise QuestionError("config_bad_value", where=reader.where, name="attention_bias", value="true")
    return Mla(
        q_lora_rank=reader.maybe("q_lora_rank"),
        kv_lora_rank=reader.count("kv_lora_rank"),
        qk_nope_head_dim=reader.count("qk_nope_head_dim"),
        qk_rope_head_dim=reader.count("qk_rope_head_dim"),
        v_head_dim=reader.count("v_head_dim"),
    )


def moe_of(reader: Reader, traits: Mapping[str, Any], *, layers: int) -> Moe | None:
    """Experts; a type that can have them but states none is dense."""
    if "moe" not in traits:
        return None
    experts = reader.maybe("num_local_experts", "num_experts", "n_routed_experts")
    if not experts:
        return None
    width = reader.maybe("moe_intermediate_size") or reader.count("intermediate_size")
    dense = min(_dense_layers(reader, traits, layers=layers), layers)
    return Moe(
        experts=experts,
        experts_per_token=reader.count("num_experts_per_tok", "experts_per_token", "moe_topk"),
        expert_ffn=width,
        shared_ffn=_shared_ffn(reader, width),
        dense_ffn=reader.maybe("intermediate_size_mlp", "intermediate_size") if dense else None,
        moe_layers=layers - dense,
        dense_layers=dense,
    )


def _shared_ffn(reader: Reader, width: int) -> int:
    stated = reader.maybe("shared_expert_intermediate_size", "shared_intermediate_size")
    if stated is not None:
        return stated
    return width * (reader.maybe("n_shared_experts", "num_shared_expert", "num_shared_experts") or 0)


def _dense_layers(reader: Reader, traits: Mapping[str, Any], *, layers: int) -> int:
    """Layers without experts: the first ones, named ones, or all but every n-th."""
    if traits["moe"] == "first_dense":
        return reader.maybe("first_k_dense_replace") or 0
    named = reader.config.get("mlp_only_layers")
    n_named = len(named) if isinstance(named, list) else 0
    step = reader.maybe("decoder_sparse_step", "interleave_moe_layer_step") or 1
    return max(layers - layers // step, n_named)

"""The shape of a language model: the fields of a config that decide parameters, FLOPs and memory."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Mla:
    """Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1)."""

    q_lora_rank: int | None
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moe:
    """Mixture of experts in place of the feed-forward block on `moe_layers` of the layers."""

    experts: int
    experts_per_token: int
    expert_ffn: int
    shared_ffn: int
    """Width of all shared experts together; 0 where there is none."""
    dense_ffn: int | None
    """Width of the feed-forward block on the dense layers."""
    moe_layers: int
    dense_layers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """Shape fields of a decoder (or encoder) of attention layers.

    `covered is False` where some layers are of a kind that the table of operations lacks (state space,
    linear attention, convolution): parameters are then the published count and other figures are refused.
    """

    id: str
    aliases: tuple[str, ...] = ()
    family: str | None = None
    kind: str = "decoder"
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    gated_mlp: bool
    activation: str = "silu"
    vocab: int
    tied_embeddings: bool
    max_positions: int | None = None
    position_params: int = 0
    """Learned absolute positions and similar parameters beside the token embedding."""
    sliding_window: int | None = None
    windowed_layers: int = 0
    norm: str = "RMSNorm"
    norms_per_layer: int = 2
    norm_bias: bool = False
    qk_norm_params: int = 0
    final_norm_params: int | None = None
    embedding_norm_params: int = 0
    qkv_bias: bool = False
    attn_out_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    shared_expert_gate_params: int = 0
    attention_sink_params: int = 0
    router_bias_params: int = 0
    extra_params: int = 0
    """Parameters that no row of the table explains, stated with their source in `notes`."""
    vision_params: int | None = None
    mla: Mla | None = None
    moe: Moe | None = None
    covered: bool = True
    published_params: int | None = None
    """Exact count from building the model, where one exists; judges the table, never feeds it."""
    confidence: str = "high"
    notes: str | None = None
    sources: Mapping[str, str]

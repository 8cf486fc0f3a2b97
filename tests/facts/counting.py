"""A plain count of parameters from an `Architecture` alone; tests judge the fields with it."""

from gpuplan.facts.arch import Architecture


def parameters(a: Architecture) -> int:
    """Parameters of the text model, from the shape fields only."""
    vectors = 2 if a.norm_bias else 1
    final = a.hidden * vectors if a.final_norm_params is None else a.final_norm_params
    total = a.vocab * a.hidden + a.position_params + a.embedding_norm_params + final + a.extra_params
    if not a.tied_embeddings:
        total += a.vocab * a.hidden
    if a.head_bias:
        total += a.vocab
    layer = _attention(a) + a.qk_norm_params + a.attention_sink_params + a.norms_per_layer * a.hidden * vectors
    total += a.layers * layer
    if a.moe is None:
        return total + a.layers * _mlp(a, a.ffn)
    m = a.moe
    sparse = m.experts * _mlp(a, m.expert_ffn) + a.hidden * m.experts
    sparse += a.router_bias_params + a.shared_expert_gate_params
    if m.shared_ffn:
        sparse += _mlp(a, m.shared_ffn)
    dense = _mlp(a, m.dense_ffn or a.ffn) if m.dense_layers else 0
    return total + m.moe_layers * sparse + m.dense_layers * dense


def _attention(a: Architecture) -> int:
    if a.mla is None:
        q, kv = a.heads * a.head_dim, a.kv_heads * a.head_dim
        weights = 2 * a.hidden * q + 2 * a.hidden * kv
        return weights + (q + 2 * kv if a.qkv_bias else 0) + (a.hidden if a.attn_out_bias else 0)
    m = a.mla
    q = a.heads * (m.qk_nope_head_dim + m.qk_rope_head_dim)
    down_and_up = a.hidden * q
    if m.q_lora_rank:
        down_and_up = m.q_lora_rank * (a.hidden + q + 1)
    latent = a.hidden * (m.kv_lora_rank + m.qk_rope_head_dim) + m.kv_lora_rank
    latent += m.kv_lora_rank * a.heads * (m.qk_nope_head_dim + m.v_head_dim)
    return down_and_up + latent + a.heads * m.v_head_dim * a.hidden


def _mlp(a: Architecture, width: int) -> int:
    inner = 2 if a.gated_mlp else 1
    return (inner + 1) * a.hidden * width + (inner * width + a.hidden if a.mlp_bias else 0)

"""Transformer language models: dense, grouped queries, gated or not, windows, latent attention, experts."""

from gpuplan.facts.arch import Architecture, Mla, Moe
from gpuplan.model.operations import (
    Activation,
    Attention,
    Exchange,
    Group,
    Lookup,
    Model,
    Norm,
    Parameters,
    Product,
    Residual,
    Row,
)


def decoder(arch: Architecture) -> Model:
    """The table of operations of `arch`."""
    return Model(
        id=arch.id,
        hidden=arch.hidden,
        vocab=arch.vocab,
        groups=(_first(arch), *_layers(arch), _last(arch)),
    )


def _first(arch: Architecture) -> Group:
    """Embedding, its norm, and what only counts: a vision tower, parameters that no row explains."""
    rows: list[Row] = [Lookup(name="embed", vocab=arch.vocab, width=arch.hidden, positions=arch.position_params)]
    if arch.embedding_norm_params:
        rows.append(
            Norm(name="embed_norm", width=arch.hidden, params=arch.embedding_norm_params, writes="embed.normed")
        )
    for name, params in (("vision_tower", arch.vision_params), ("unexplained", arch.extra_params)):
        if params:
            rows.append(Parameters(name=name, params=params))
    return Group(name="embedding", rows=tuple(rows), count=1, position="first")


def _last(arch: Architecture) -> Group:
    final = arch.hidden * (2 if arch.norm_bias else 1) if arch.final_norm_params is None else arch.final_norm_params
    rows: tuple[Row, ...] = (
        Norm(name="final_norm", width=arch.hidden, params=final, writes="final.out", is_rms=arch.norm == "RMSNorm"),
        Product(
            name="head",
            n_in=arch.hidden,
            parts=(("head", arch.vocab),),
            reads="final.out",
            split="columns",
            bias=arch.head_bias,
            compute_only=arch.tied_embeddings,
        ),
    )
    return Group(name="head", rows=rows, count=1, position="last")


def _layers(arch: Architecture) -> tuple[Group, ...]:
    """Groups of equal layers; windowed and full layers, dense and expert layers are spread evenly over each other."""
    moe_layers = arch.moe.moe_layers if arch.moe else 0
    kinds = (("dense", arch.layers - moe_layers, None), ("expert", moe_layers, arch.moe))
    groups: list[Group] = []
    for feed_name, n_layers, moe in kinds:
        windowed = round(arch.windowed_layers * n_layers / arch.layers)
        for window_name, count, window in (
            ("full", n_layers - windowed, None),
            ("windowed", windowed, arch.sliding_window),
        ):
            if count:
                rows = (*_attention(arch, window), *_feed_forward(arch, moe), *_closing(arch, moe))
                groups.append(Group(name=f"{feed_name}-{window_name}", rows=rows, count=count, position="body"))
    return tuple(groups)


def _norm(arch: Architecture, name: str, writes: str) -> Norm:
    params = 0 if arch.norms_per_layer == 0 else arch.hidden * (2 if arch.norm_bias else 1)
    return Norm(name=name, width=arch.hidden, params=params, writes=writes, is_rms=arch.norm == "RMSNorm")


def _attention(arch: Architecture, window: int | None) -> tuple[Row, ...]:
    norm = _norm(arch, "attn_norm", "attn_norm.out")
    if arch.mla is not None:
        return (norm, *_latent(arch, arch.mla))
    q, kv = arch.heads * arch.head_dim, arch.kv_heads * arch.head_dim
    return (
        norm,
        Product(
            name="qkv",
            n_in=arch.hidden,
            parts=(("q", q), ("k", kv), ("v", kv)),
            reads="attn_norm.out",
            split="columns",
            bias=arch.qkv_bias,
        ),
        Norm(name="qk_norm", width=q + kv, params=arch.qk_norm_params, writes="qk", moves_residual=False),
        Attention(
            name="core",
            heads=arch.heads,
            kv_heads=arch.kv_heads,
            qk_dim=arch.head_dim,
            v_dim=arch.head_dim,
            window=window,
            causal=arch.kind == "decoder",
            params=arch.attention_sink_params,
        ),
        Product(
            name="o",
            n_in=q,
            parts=(("o", arch.hidden),),
            reads="attn.out",
            split="rows",
            bias=arch.attn_out_bias,
        ),
        Exchange(name="attn_reduce", kind="all_reduce", group="tensor", elements_per_token=arch.hidden),
        Exchange(name="kv_ring", kind="ring", group="context", elements_per_token=2.0 * kv),
        Residual(name="attn_residual", width=arch.hidden),
    )


def _latent(arch: Architecture, mla: Mla) -> tuple[Row, ...]:
    """Multi-head latent attention, expanded as in training (arXiv:2405.04434, section 2.1)."""
    heads, nope, rope = arch.heads, mla.qk_nope_head_dim, mla.qk_rope_head_dim
    if mla.q_lora_rank is None:
        queries: tuple[Row, ...] = (
            Product(
                name="q",
                n_in=arch.hidden,
                parts=(("q", heads * (nope + rope)),),
                reads="attn_norm.out",
                split="columns",
            ),
        )
    else:
        rank = mla.q_lora_rank
        queries = (
            Product(name="q_a", n_in=arch.hidden, parts=(("q_a", rank),), reads="attn_norm.out", bias=arch.qkv_bias),
            Norm(name="q_norm", width=rank, params=rank, writes="q_norm.out", domain="whole"),
            Product(
                name="q_b",
                n_in=rank,
                parts=(("q_b", heads * (nope + rope)),),
                reads="q_norm.out",
                split="columns",
                reads_whole=True,
            ),
        )
    kv_rank = mla.kv_lora_rank
    return (
        *queries,
        Product(
            name="kv_a",
            n_in=arch.hidden,
            parts=(("kv_a", kv_rank + rope),),
            reads="attn_norm.out",
            bias=arch.qkv_bias,
        ),
        Norm(name="kv_norm", width=kv_rank, params=kv_rank, writes="kv_norm.out", domain="whole"),
        Product(
            name="kv_b",
            n_in=kv_rank,
            parts=(("kv_b", heads * (nope + mla.v_head_dim)),),
            reads="kv_norm.out",
            split="columns",
            reads_whole=True,
        ),
        Attention(
            name="core",
            heads=heads,
            kv_heads=heads,
            qk_dim=nope + rope,
            v_dim=mla.v_head_dim,
            latent_width=heads * (nope + mla.v_head_dim),
            params=arch.attention_sink_params,
        ),
        Product(
            name="o",
            n_in=heads * mla.v_head_dim,
            parts=(("o", arch.hidden),),
            reads="attn.out",
            split="rows",
            bias=arch.attn_out_bias,
        ),
        Exchange(name="attn_reduce", kind="all_reduce", group="tensor", elements_per_token=arch.hidden),
        Exchange(
            name="kv_ring", kind="ring", group="context", elements_per_token=heads * (nope + rope + mla.v_head_dim)
        ),
        Residual(name="attn_residual", width=arch.hidden),
    )


def _feed_forward(arch: Architecture, moe: Moe | None) -> tuple[Row, ...]:
    """Dense or expert block; with one norm a layer (GPT-J, Falcon) it reads what attention reads."""
    norms: tuple[Row, ...] = ()
    if arch.norms_per_layer != 1:
        norms = (_norm(arch, "ffn_norm", "ffn_norm.out"),)
    if moe is None:
        width = arch.moe.dense_ffn if arch.moe and arch.moe.dense_ffn else arch.ffn
        return (*norms, *_dense_block(arch, width, prefix=""), *_ffn_end(arch))
    shared: tuple[Row, ...] = ()
    if moe.shared_ffn:
        shared = _dense_block(arch, moe.shared_ffn, prefix="shared_")
    return (*norms, *_experts(arch, moe), *shared, *_ffn_end(arch))


def _ffn_input(arch: Architecture) -> str:
    return "attn_norm.out" if arch.norms_per_layer == 1 else "ffn_norm.out"


def _ffn_end(arch: Architecture) -> tuple[Row, ...]:
    return (
        Exchange(name="ffn_reduce", kind="all_reduce", group="tensor", elements_per_token=arch.hidden),
        Residual(name="ffn_residual", width=arch.hidden),
    )


def _up_parts(arch: Architecture, width: int, prefix: str) -> tuple[tuple[str, int], ...]:
    up = (f"{prefix}up", width)
    return ((f"{prefix}gate", width), up) if arch.gated_mlp else (up,)


def _dense_block(arch: Architecture, width: int, *, prefix: str) -> tuple[Row, ...]:
    return (
        Product(
            name=f"{prefix}gate_up",
            n_in=arch.hidden,
            parts=_up_parts(arch, width, prefix),
            reads=_ffn_input(arch),
            split="columns",
            bias=arch.mlp_bias,
        ),
        Activation(name=f"{prefix}act", width=width, gated=arch.gated_mlp),
        Product(
            name=f"{prefix}down",
            n_in=width,
            parts=((f"{prefix}down", arch.hidden),),
            reads=f"{prefix}act.out",
            split="rows",
            bias=arch.mlp_bias,
        ),
    )


def _experts(arch: Architecture, moe: Moe) -> tuple[Row, ...]:
    """Router, dispatch, the experts' two products and the way back."""
    visits, width = float(moe.experts_per_token), moe.expert_ffn
    return (
        Product(name="router", n_in=arch.hidden, parts=(("router", moe.experts),), reads=_ffn_input(arch)),
        Exchange(name="dispatch", kind="all_to_all", group="expert", elements_per_token=visits * arch.hidden),
        Product(
            name="expert_gate_up",
            n_in=arch.hidden,
            parts=_up_parts(arch, width, "expert_"),
            reads="experts.in",
            split="columns",
            bias=arch.mlp_bias,
            experts=moe.experts,
            routed=visits,
            is_routed=True,
        ),
        Activation(name="expert_act", width=width, gated=arch.gated_mlp, is_routed=True, routed=visits),
        Product(
            name="expert_down",
            n_in=width,
            parts=(("expert_down", arch.hidden),),
            reads="expert_act.out",
            split="rows",
            bias=arch.mlp_bias,
            experts=moe.experts,
            routed=visits,
            is_routed=True,
        ),
        Exchange(name="combine", kind="all_to_all", group="expert", elements_per_token=visits * arch.hidden),
    )


def _closing(arch: Architecture, moe: Moe | None) -> tuple[Row, ...]:
    """Norms beyond the usual two (Gemma-2 has four), and small parameters that only count."""
    rows: list[Row] = []
    for index in range(max(arch.norms_per_layer - 2, 0)):
        rows.append(_norm(arch, f"extra_norm_{index}", f"extra_{index}.out"))
    small = arch.shared_expert_gate_params + arch.router_bias_params
    if moe is not None and small:
        rows.append(Parameters(name="gates", params=small))
    return tuple(rows)

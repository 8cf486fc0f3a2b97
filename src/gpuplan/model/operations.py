"""The table of operations: every row knows its parameters, FLOPs, bytes moved, bytes saved and bytes sent.

Notation of `gpuplan.model` (per GPU unless said otherwise):

    T  tokens of one micro-batch on this rank, b s / c      t  tensor-parallel ranks
    b  sequences of one micro-batch                         c  context-parallel ranks
    s  tokens of a sequence                                 e  expert-parallel ranks
    h  hidden width                                         x  expert-tensor ranks
    V  vocabulary                                           p  pipeline stages

A model is groups of (table, count, position). Parameters, memory, time and communication are folds over the same
rows, so they cannot disagree. Rows of other kinds (convolution, scan, cache read) may join: a fold asks a row only
for what every row can say.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gpuplan.model.regime import Regime, Saved
from gpuplan.model.shape import Domain, Shape
from gpuplan.units import Num

Position: TypeAlias = Literal["first", "body", "last"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A matrix product y[T, n_out] = x[T, n_in] W[n_in, n_out], once for each expert where there are several."""

    name: str
    n_in: int
    parts: tuple[tuple[str, int], ...]
    """Weights computed together, (name, output width): q, k and v, or gate and up."""
    reads: str
    """Name of the input tensor."""
    split: Literal["columns", "rows", "none"] = "none"
    bias: bool = False
    experts: int = 1
    routed: float = 1.0
    """Rows an incoming token makes: experts per token for routed experts."""
    is_routed: bool = False
    compute_only: bool = False
    """True where another row owns the weight (a tied head)."""
    reads_whole: bool = False
    """True where the input is whole on every tensor rank (latent vectors)."""

    @property
    def n_out(self) -> int:
        """Output width of all parts."""
        return sum(width for _, width in self.parts)

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of the parts."""
        return tuple(name for name, _ in self.parts)

    @property
    def params(self) -> int:
        """Weights and biases."""
        return self.weights + self.biases

    @property
    def weights(self) -> int:
        """Entries of the weight matrix, over all experts."""
        return 0 if self.compute_only else self.experts * self.n_in * self.n_out

    @property
    def biases(self) -> int:
        """Entries of the bias."""
        return self.experts * self.n_out if self.bias else 0

    def forward_flops(self, shape: Shape) -> Num:
        """2 T n_in n_out, times the experts a token visits; whole layer, all tensor ranks together."""
        return 2.0 * shape.tokens * self.routed * self.n_in * self.n_out

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """The input, once, if it is needed again; and a copy for each adapter of another dtype or with dropout.

        One product of q, k and v has one adapter input.
        """
        width, domain = self.n_in * self.routed, self._input_domain
        if regime.keeps_gathered_input and domain == "residual":
            domain = "whole"
        kept: list[Saved] = []
        if regime.keeps_input(self.part_names):
            kept.append(Saved(tensor=self.reads, bytes_per_token=regime.element_bytes * width, domain=domain))
        adapted = [part for part in self.part_names if part in regime.adapted]
        if regime.copies_adapter_input:
            per_element = regime.adapter_input_bytes + (1.0 if regime.adapter_dropout else 0.0)
            for part in adapted[:1] if regime.fused_qkv else adapted:
                kept.append(Saved(tensor=f"{part}.adapter_in", bytes_per_token=per_element * width, domain=domain))
        return tuple(kept)

    @property
    def _input_domain(self) -> Domain:
        if self.reads_whole:
            return "whole"
        if self.is_routed:
            return "dispatched_tensor" if self.split == "rows" else "dispatched"
        return "tensor" if self.split == "rows" else "residual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """The attention core: scores, softmax, weighted sum."""

    name: str
    heads: int
    kv_heads: int
    qk_dim: int
    v_dim: int
    window: int | None = None
    causal: bool = True
    latent_width: int = 0
    """Width of the expanded keys and values that latent attention concatenates from; 0 elsewhere."""
    params: int = 0
    """Sinks and the like."""

    @property
    def q_width(self) -> int:
        """Width of the queries."""
        return self.heads * self.qk_dim

    @property
    def out_width(self) -> int:
        """Width of the result."""
        return self.heads * self.v_dim

    def forward_flops(self, shape: Shape) -> Num:
        """2 T s a (d_qk + d_v) x 1/2 if causal; a window w < s leaves about w of s keys."""
        span = shape.seq_len / 2.0 if self.causal else shape.seq_len
        if self.window is not None:
            span = np.minimum(span, float(self.window))
        return 2.0 * shape.tokens * span * self.heads * (self.qk_dim + self.v_dim)

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """q, k, v and the result; fused kernels add the log-sum, others the score matrix.

        Unfused half-precision scores keep 2 bytes (softmax) and with dropout 3 more (mask and scaled copy); eager
        Hugging Face attention keeps an fp32 softmax and its 16-bit copy, 6 bytes.
        """
        byte = regime.element_bytes
        keys = self.heads if regime.attention in ("sdpa", "eager") else self.kv_heads
        kept = [
            Saved(tensor="attn.q", bytes_per_token=byte * self.q_width, domain="tensor"),
            Saved(tensor="attn.k", bytes_per_token=byte * keys * self.qk_dim, domain="tensor"),
            Saved(tensor="attn.v", bytes_per_token=byte * keys * self.v_dim, domain="tensor"),
            Saved(tensor="attn.out", bytes_per_token=byte * self.out_width, domain="tensor"),
        ]
        if regime.attention in ("flash", "sdpa"):
            kept.append(Saved(tensor="attn.lse", bytes_per_token=4.0 * self.heads, domain="tensor"))
            return (*kept, *self._views(regime))
        per_score = 6.0 if regime.attention == "eager" else byte + (3.0 if regime.dropout else 0.0)
        scores = Saved(
            tensor="attn.scores",
            bytes_per_token=0.0,
            bytes_per_token_and_length=per_score * self.heads,
            domain="tensor",
            is_scores=True,
        )
        return (*kept, *self._views(regime), scores)

    def _views(self, regime: Regime) -> tuple[Saved, ...]:
        """What v keeps alive as a view: latent attention's expansion and unjoined queries, or the whole q, k, v."""
        if self.latent_width:
            extra = self.q_width + self.latent_width - self.heads * self.v_dim
        elif regime.fused_qkv:
            extra = self.q_width + self.kv_heads * self.qk_dim
        else:
            return ()
        return (Saved(tensor="attn.views", bytes_per_token=regime.element_bytes * extra, domain="tensor"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """A normalisation over the hidden width (or over heads, where only parameters matter)."""

    name: str
    width: int
    params: int
    writes: str
    is_rms: bool = True
    moves_residual: bool = True
    domain: Domain = "residual"

    def forward_flops(self, shape: Shape) -> Num:
        """Counted as memory traffic, not as FLOPs; under 0.1 % at 7B."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """Its input; written out in PyTorch an fp32 copy instead, and the normalised value if its weight trains.

        The output belongs to the product that reads it.
        """
        if not self.moves_residual:
            return ()
        fused = regime.fused_norm
        kept = [Saved(tensor=f"{self.name}.in", bytes_per_token=self._input_bytes(regime, fused), domain=self.domain)]
        if not fused and self.is_rms and regime.trains_weights:
            unit = Saved(
                tensor=f"{self.name}.unit", bytes_per_token=regime.element_bytes * self.width, domain=self.domain
            )
            kept.append(unit)
        return tuple(kept)

    def _input_bytes(self, regime: Regime, fused: bool) -> float:
        return (regime.element_bytes if fused else 4.0) * self.width


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """The non-linearity between the two products of a feed-forward block."""

    name: str
    width: int
    gated: bool
    is_routed: bool = False
    routed: float = 1.0
    params: int = 0

    def forward_flops(self, shape: Shape) -> Num:
        """Counted as memory traffic."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """Inputs of the activation (gate and up, or one); unfused and gated also the activated gate."""
        byte = regime.element_bytes * self.width * self.routed
        domain: Domain = "dispatched_tensor" if self.is_routed else "tensor"
        kept = [Saved(tensor=f"{self.name}.in", bytes_per_token=byte * (2 if self.gated else 1), domain=domain)]
        if self.gated and not regime.fused_activation:
            kept.append(Saved(tensor=f"{self.name}.gate", bytes_per_token=byte, domain=domain))
        return tuple(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """The addition that closes a block, with its dropout."""

    name: str
    width: int
    params: int = 0

    def forward_flops(self, shape: Shape) -> Num:
        """Counted as memory traffic."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """One byte of dropout mask an element, where dropout is on."""
        if not regime.dropout:
            return ()
        return (Saved(tensor=f"{self.name}.mask", bytes_per_token=float(self.width), domain="residual"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A collective inside the layer, forward; backward sends the same."""

    name: str
    kind: Literal["all_reduce", "all_to_all", "ring"]
    group: Literal["tensor", "expert", "context"]
    elements_per_token: float
    params: int = 0

    def forward_flops(self, shape: Shape) -> Num:
        """None."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """Tokens sent to experts are kept twice: as they come back, and weighted."""
        if self.group != "expert" or self.name == "dispatch":
            return ()
        byte = regime.element_bytes * self.elements_per_token
        return (
            Saved(tensor="experts.out", bytes_per_token=byte, domain="dispatched"),
            Saved(tensor="experts.weighted", bytes_per_token=byte, domain="dispatched_tensor"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Token embedding, and learned positions."""

    name: str
    vocab: int
    width: int
    positions: int = 0

    @property
    def params(self) -> int:
        """V h, and the positions."""
        return self.vocab * self.width + self.positions

    def forward_flops(self, shape: Shape) -> Num:
        """None: rows are copied."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """A dropout mask where dropout is on; token ids are not counted."""
        if not regime.dropout:
            return ()
        return (Saved(tensor="embed.mask", bytes_per_token=float(self.width), domain="residual"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters too small to be an operation of their own (gates, router biases)."""

    name: str
    params: int

    def forward_flops(self, shape: Shape) -> Num:
        """None worth counting."""
        return 0.0 * shape.tokens

    def saved(self, regime: Regime) -> tuple[Saved, ...]:
        """Nothing."""
        return ()


Row: TypeAlias = Product | Attention | Norm | Activation | Residual | Exchange | Lookup | Parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A table that occurs `count` times."""

    name: str
    rows: tuple[Row, ...]
    count: int
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """All groups of one model, in order; `hidden` is the width of the residual stream."""

    id: str
    hidden: int
    vocab: int
    groups: tuple[Group, ...]

    @property
    def body(self) -> tuple[Group, ...]:
        """The repeated layers."""
        return tuple(group for group in self.groups if group.position == "body")

    @property
    def layers(self) -> int:
        """Number of repeated layers."""
        return sum(group.count for group in self.body)

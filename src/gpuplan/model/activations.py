"""Activations: what forward keeps for backward. Notation in `gpuplan.model.operations`.

    kept = in-flight micro-batches x layers x sum over saved tensors (bytes a token) x T x share of the rank

Each tensor name counts once, however many rows read it.
"""

import numpy as np

from gpuplan.model.operations import Activation, Attention, Group, Model, Norm, Product, Row
from gpuplan.model.regime import Regime, Saved
from gpuplan.model.shape import Domain, Shape
from gpuplan.question.layout import Recompute
from gpuplan.units import Num


def saved_tensors(rows: tuple[Row, ...], regime: Regime) -> dict[str, Saved]:
    """Tensors that one pass through `rows` keeps, by name."""
    return {saved.tensor: saved for row in rows for saved in row.saved(regime)}


def saved_bytes(rows: tuple[Row, ...], regime: Regime, shape: Shape, *, scores: bool = True) -> Num:
    """Bytes that one pass through `rows` keeps on one rank; `scores=False` leaves attention scores out."""
    total: Num = 0.0
    for saved in saved_tensors(rows, regime).values():
        if saved.is_scores and not scores:
            continue
        per_token = saved.bytes_per_token + saved.bytes_per_token_and_length * shape.seq_len
        total = total + per_token * shape.tokens * shape.share(saved.domain)
    return total


def layer_input_bytes(model: Model, regime: Regime, shape: Shape) -> Num:
    """The input of one layer, all that full recompute keeps: 2 h T / t."""
    return regime.element_bytes * model.hidden * shape.tokens * shape.share("residual")


def alternate_products_bytes(group: Group, model: Model, regime: Regime, shape: Shape) -> Num:
    """Selective recompute by operations (torchtitan): layer input, attention result, every second product.

    6h + 2k + 2f bytes a token for a gated layer: q, v and gate of q, k, v, o, gate, up, down; the last product is
    the next layer's input.
    """
    widths = [width * row.routed for row in group.rows if isinstance(row, Product) for _, width in row.parts]
    out = sum(row.out_width for row in group.rows if isinstance(row, Attention))
    kept = regime.element_bytes * (sum(widths[:-1:2]) + out)
    return kept * shape.tokens * shape.share("tensor") + layer_input_bytes(model, regime, shape)


def kept_layer_bytes(model: Model, regime: Regime, shape: Shape, recompute: Num, selective: str) -> Num:
    """Bytes that an average layer keeps under each kind of recompute."""
    total: Num = 0.0
    for group in model.body:
        kept = kept_group_bytes(group, model, regime, shape, recompute=recompute, selective=selective)
        total = total + group.count / model.layers * kept
    return total


def kept_group_bytes(
    group: Group, model: Model, regime: Regime, shape: Shape, *, recompute: Num, selective: str
) -> Num:
    """Bytes that one layer of `group` keeps: all, all but scores or every second product, or its input."""
    whole = saved_bytes(group.rows, regime, shape)
    if selective == "operations":
        some = np.minimum(alternate_products_bytes(group, model, regime, shape), whole)
    else:
        some = saved_bytes(group.rows, regime, shape, scores=False)
    inputs = layer_input_bytes(model, regime, shape)
    kind = np.asarray(recompute)
    return np.where(kind == Recompute.FULL, inputs, np.where(kind == Recompute.SELECTIVE, some, whole))


def backward_layer_bytes(model: Model, regime: Regime, shape: Shape, recompute: Num, selective: str) -> Num:
    """One layer at the worst moment of its backward pass, beyond what is kept.

    What recompute dropped and makes again; always the gradients of the residual (2h) and of the feed-forward block
    (6f gated, 4f else). Traced in memory_model section 4.
    """
    worst: Num = 0.0
    full = np.asarray(recompute) == Recompute.FULL
    for group in model.body:
        whole = saved_bytes(group.rows, regime, shape)
        kept = kept_group_bytes(group, model, regime, shape, recompute=recompute, selective=selective)
        again = np.where(full, whole, np.maximum(whole - kept, 0.0))
        worst = np.maximum(worst, again + _gradient_bytes(group, model, regime, shape))
    return worst


def end_bytes(model: Model, regime: Regime, shape: Shape) -> tuple[Num, Num]:
    """Saved by the embedding, and by the final norm before the head (in and out)."""
    first = [row for group in model.groups if group.position == "first" for row in group.rows]
    last = [row for group in model.groups if group.position == "last" for row in group.rows if isinstance(row, Norm)]
    norm_out = regime.element_bytes * model.hidden * shape.tokens
    return saved_bytes(tuple(first), regime, shape), saved_bytes(tuple(last), regime, shape) + norm_out


def _gradient_bytes(group: Group, model: Model, regime: Regime, shape: Shape) -> Num:
    """Gradients alive inside one layer: of the residual and of the feed-forward block."""
    total = regime.element_bytes * model.hidden * shape.tokens * shape.share("residual")
    for row in group.rows:
        if isinstance(row, Activation):
            tensors = 3.0 if row.gated else 2.0
            domain: Domain = "dispatched_tensor" if row.is_routed else "tensor"
            total = total + (
                tensors * regime.element_bytes * row.width * row.routed * shape.tokens * shape.share(domain)
            )
    return total

"""Parameters: of the whole model, and on one rank of a layout. Notation in `gpuplan.model.operations`."""

from dataclasses import dataclass

import numpy as np

from gpuplan.model.operations import Group, Lookup, Model, Product, Row
from gpuplan.question.layout import Layout
from gpuplan.units import Num


def total_params(model: Model) -> int:
    """Parameters of the whole model, shared tensors once."""
    return sum(group.count * sum(row.params for row in group.rows) for group in model.groups)


def end_params(model: Model) -> float:
    """Parameters of the embedding matrix and of a head of its own."""
    return sum(_ends(model))


def active_params(model: Model) -> float:
    """Parameters that one token visits: all but the experts it does not go to."""
    idle = sum(
        group.count * row.weights * (1.0 - row.routed / row.experts)
        for group in model.groups
        for row in group.rows
        if isinstance(row, Product) and row.is_routed
    )
    return total_params(model) - idle


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalParams:
    """Parameters on one rank after tensor, pipeline and expert cuts, by what happens to them."""

    linear: Num
    """Matrices of the layers, but for routed experts; what 4-bit loading quantises."""
    experts: Num
    small: Num
    """Norms, biases, routers, gates."""
    embedding: Num
    head: Num
    layer: Num
    """Largest single layer: the unit that FSDP gathers."""
    body_share: Num
    """This stage's part of all layers."""

    @property
    def dense(self) -> Num:
        """All but routed experts."""
        return self.linear + self.small + self.embedding + self.head

    @property
    def total(self) -> Num:
        """Everything on the rank."""
        return self.dense + self.experts


def local_params(model: Model, layout: Layout, *, first: bool, last: bool, vocab_multiple: int = 1) -> LocalParams:
    """Parameters of a rank on the first or last pipeline stage (both, where there is one stage).

    Layers of different kinds are averaged over the stages; the largest stage holds ceil(L / p) layers.
    """
    alone = np.asarray(layout.pipeline_parallel) <= 1
    share = np.ceil(model.layers / layout.pipeline_parallel) / model.layers
    linear: Num = 0.0
    experts: Num = 0.0
    small: Num = 0.0
    layer: Num = 0.0
    for group in model.body:
        parts = _group_params(group, layout)
        linear = linear + share * group.count * parts[0]
        experts = experts + share * group.count * parts[1]
        small = small + share * group.count * parts[2]
        layer = np.maximum(layer, parts[0] + parts[1] + parts[2])
    has_first, has_last = np.logical_or(alone, first), np.logical_or(alone, last)
    vocab_growth = padded_vocab(model.vocab, layout.tensor_parallel, vocab_multiple) / model.vocab
    embedding, head = _ends(model)
    owns_head = np.where(head > 0, head, np.where(alone, 0.0, embedding))
    return LocalParams(
        linear=linear,
        experts=experts,
        small=small
        + np.where(has_first, _end_small(model, "first"), 0)
        + np.where(has_last, _end_small(model, "last"), 0),
        embedding=np.where(has_first, embedding * vocab_growth / layout.tensor_parallel, 0.0),
        head=np.where(has_last, owns_head * vocab_growth / layout.tensor_parallel, 0.0),
        layer=layer,
        body_share=share,
    )


def padded_vocab(vocab: int, tensor_parallel: Num, multiple: int) -> Num:
    """Vocabulary rounded up so that each tensor rank holds a multiple of `multiple` rows."""
    step = multiple * tensor_parallel if multiple > 1 else 1.0
    return np.ceil(vocab / step) * step


def _group_params(group: Group, layout: Layout) -> tuple[Num, Num, Num]:
    """Matrices, routed experts and small parameters of one layer of `group` on one rank."""
    linear: Num = 0.0
    experts: Num = 0.0
    small: Num = 0.0
    for row in group.rows:
        if not isinstance(row, Product):
            small = small + row.params
        elif row.is_routed:
            experts = experts + row.params / (layout.expert_parallel * layout.expert_tensor_parallel)
        elif row.name == "router":
            small = small + row.params
        else:
            linear = linear + row.weights / _cut(row, layout)
            small = small + row.biases / (_cut(row, layout) if row.split == "columns" else 1.0)
    return linear, experts, small


def _cut(row: Product, layout: Layout) -> Num:
    return 1.0 if row.split == "none" else layout.tensor_parallel


def _ends(model: Model) -> tuple[float, float]:
    """Embedding matrix and head matrix; a tied head counts as 0 (a last stage of its own keeps a copy)."""
    embedding = sum(row.vocab * row.width for row in _rows(model, "first") if isinstance(row, Lookup))
    head = sum(row.weights for row in _rows(model, "last") if isinstance(row, Product))
    return float(embedding), float(head)


def _end_small(model: Model, position: str) -> float:
    """Norms, biases and learned positions of one end of the model; every tensor rank holds them whole."""
    total = 0
    for row in _rows(model, position):
        if isinstance(row, Lookup):
            total += row.positions
        else:
            total += row.biases if isinstance(row, Product) else row.params
    return float(total)


def _rows(model: Model, position: str) -> tuple[Row, ...]:
    return tuple(row for group in model.groups if group.position == position for row in group.rows)

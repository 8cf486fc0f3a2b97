"""Every layout that a job could have on some node counts, as one array `Layout`; illegal ones are counted by reason.

A candidate is legal where
    n = t p c d            (GPUs are cut without rest),
    B = b a d              (every layout has the same global batch),
    t <= GPUs of a node, heads mod t = 0, experts mod e = 0, (n/p) mod e = 0,
    ceil(L/p) (p - 1) < L  (no stage is empty; the largest decides, docs/memory.md),
    a >= p                 (a pipeline that is never filled is no candidate),
    offload of the optimizer has ZeRO 2 or 3 (or the stated stage), of weights too ZeRO 3 and trains all of them.
Notation: n GPUs, t tensor, p pipeline, c context, e expert, d data parallel, b micro-batch, a accumulation,
B global batch, L layers.
"""

from collections import Counter
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.facts.arch import Architecture
from gpuplan.question.layout import Layout, Offload
from gpuplan.search.variant import Variant

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TENSOR: Final = (1.0, 2.0, 4.0, 8.0)
PIPELINE: Final = (1.0, 2.0, 4.0, 8.0, 16.0)
CONTEXT: Final = (1.0, 2.0, 4.0, 8.0)
EXPERT: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
MICRO_BATCH: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
CONTEXT_FROM: Final = 16384
"""Shorter sequences are not cut over context ranks: tensor parallel and recompute do it cheaper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Node counts to try: `gpus_per_node[i]` GPUs on each of `nodes[i]` nodes."""

    gpus_per_node: Floats
    nodes: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Legal layouts of one variant, and how many others were left out, by reason."""

    layout: Layout
    total: int
    pruned: Counter[str]

    def __len__(self) -> int:
        return int(np.size(self.layout.n_gpus))


def candidates_of(variant: Variant, fleet: Fleet, *, global_batch: float) -> Candidates:
    """Legal layouts of a variant on each node count of the fleet."""
    model = variant.job.policy.model
    splits, inner = _splits(variant, model, fleet), _inner(variant)
    total = int(splits["n"].size * inner["zero"].size)
    pruned: Counter[str] = Counter()
    splits = _keep(splits, _legal_splits(splits, model), pruned, weight=int(inner["zero"].size))
    table = _outer(splits, inner)
    table["data"] = table["n"] / (table["tensor"] * table["pipeline"] * table["context"])
    fixed_accum = variant.fixed.get("grad_accum")
    table["accum"] = global_batch / (table["data"] * table["micro"])
    table = _keep(table, _legal_batches(table, variant, fixed_accum), pruned, weight=1)
    return Candidates(layout=_layout(table), total=total, pruned=pruned)


def column(layout: Layout, name: str) -> Floats:
    """One field of an array layout."""
    return np.asarray(getattr(layout, name), dtype=float)


def among(values: Floats, few: Floats) -> Mask:
    """Which values are one of a few; np.isin would load masked arrays for it, 20 ms of a 0.8 s plan."""
    found: Mask = np.any(values[:, None] == few, axis=1)
    return found


def take(layout: Layout, where: Mask | NDArray[np.intp]) -> Layout:
    """Some candidates of an array layout."""
    return Layout(**{f.name: np.asarray(getattr(layout, f.name))[where] for f in fields(Layout)})


def joined(layouts: list[Layout]) -> Layout:
    """Array layouts one after the other."""
    return Layout(**{f.name: np.concatenate([getattr(one, f.name) for one in layouts]) for f in fields(Layout)})


def _splits(variant: Variant, model: Architecture, fleet: Fleet) -> dict[str, Floats]:
    """Node counts x degrees of the model's cuts."""
    long = np.max(variant.job.seq_len) >= CONTEXT_FROM
    experts = model.moe.experts if model.moe is not None else 1
    free = {
        "tensor": TENSOR,
        "pipeline": tuple(p for p in PIPELINE if p <= model.layers),
        "context": CONTEXT if long else (1.0,),
        "expert": tuple(e for e in EXPERT if e <= experts),
    }
    axes = [
        variant.options(f"{axis}_parallel", choices if axis in variant.axes else (1.0,))
        for axis, choices in free.items()
    ]
    rows = np.arange(fleet.nodes.size, dtype=float)
    row, *cuts = (grid.ravel() for grid in np.meshgrid(rows, *axes, indexing="ij"))
    index = row.astype(int)
    table = dict(zip(free, cuts, strict=True))
    return {**table, "node": fleet.gpus_per_node[index], "n": (fleet.gpus_per_node * fleet.nodes)[index]}


def _inner(variant: Variant) -> dict[str, Floats]:
    """What is chosen inside one split."""
    choices = (
        variant.options("zero", tuple(float(z) for z in variant.zero)),
        variant.options("micro_batch", MICRO_BATCH),
        variant.options("recompute", tuple(float(r) for r in variant.recompute)),
        variant.options("offload", tuple(float(o) for o in variant.offload)),
    )
    grids = np.meshgrid(*choices, indexing="ij")
    return dict(zip(("zero", "micro", "recompute", "offload"), (g.ravel() for g in grids), strict=True))


def _legal_splits(table: dict[str, Floats], model: Architecture) -> list[tuple[str, Mask]]:
    t, p, c, e = table["tensor"], table["pipeline"], table["context"], table["expert"]
    experts = float(model.moe.experts) if model.moe is not None else 1.0
    kv_apart = np.logical_and(model.kv_heads % t > 0, t % model.kv_heads > 0)
    return [
        ("gpus", np.logical_or(table["n"] % (t * p * c) > 0, (table["n"] / p) % e > 0)),
        ("node", t > table["node"]),
        ("heads", np.logical_or(model.heads % t > 0, kv_apart)),
        ("layers", np.ceil(model.layers / p) * (p - 1) >= model.layers),
        ("experts", experts % e > 0),
    ]


def _legal_batches(table: dict[str, Floats], variant: Variant, fixed_accum: float | None) -> list[tuple[str, Mask]]:
    accum, ranks = table["accum"], table["data"] * table["context"]
    uneven = np.logical_or(np.abs(accum - np.round(accum)) > 1e-9, accum < 0.5)
    if fixed_accum is not None:
        uneven = np.logical_or(uneven, accum != fixed_accum)
    same = (ranks <= 1) & (table["zero"] > min(variant.zero)) & (table["offload"] == 0) & ("zero" not in variant.fixed)
    stage = table["zero"]
    needs_stage = ((table["offload"] > 0) & (stage < 2)) | ((table["offload"] == Offload.ALL) & (stage < 3))
    if "zero" in variant.fixed:
        needs_stage = needs_stage & (table["offload"] == Offload.ALL)
    frozen = (table["offload"] == Offload.ALL) & (variant.job.policy.trains != "all")
    empty_pipeline = (table["pipeline"] > accum) & ("pipeline_parallel" not in variant.fixed)
    return [
        ("batch", uneven),
        ("pipeline", empty_pipeline),
        ("same", same),
        ("offload", np.logical_or(needs_stage, frozen)),
    ]


def _keep(
    table: dict[str, Floats], illegal: list[tuple[str, Mask]], pruned: Counter[str], *, weight: int
) -> dict[str, Floats]:
    """Rows that no mask hits; each left-out row is counted under the first reason that hits it."""
    alive = np.ones(table["n"].shape, dtype=bool)
    for reason, mask in illegal:
        hit = np.logical_and(alive, mask)
        count = int(np.count_nonzero(hit)) * weight
        if count:
            pruned[reason] += count
        alive &= ~mask
    return {name: column[alive] for name, column in table.items()}


def _outer(left: dict[str, Floats], right: dict[str, Floats]) -> dict[str, Floats]:
    n_left, n_right = next(iter(left.values())).size, next(iter(right.values())).size
    table = {name: np.repeat(column, n_right) for name, column in left.items()}
    return {**table, **{name: np.tile(column, n_left) for name, column in right.items()}}


def _layout(table: dict[str, Floats]) -> Layout:
    zeros = np.zeros_like(table["n"])
    return Layout(
        n_gpus=table["n"],
        gpus_per_node=table["node"],
        micro_batch=table["micro"],
        grad_accum=np.round(table["accum"]),
        data_parallel=table["data"],
        tensor_parallel=table["tensor"],
        pipeline_parallel=table["pipeline"],
        context_parallel=table["context"],
        expert_parallel=table["expert"],
        expert_tensor_parallel=zeros + 1.0,
        virtual_stages=zeros + 1.0,
        sequence_parallel=(table["tensor"] > 1).astype(float),
        zero=table["zero"],
        shard_group=zeros,
        recompute=table["recompute"],
        offload=table["offload"],
    )

"""Candidates against a plain enumeration, one loop a field, that says the rules once more in other words."""

import math
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from gpuplan.facts.arch import Moe
from gpuplan.question.layout import Layout
from gpuplan.search.candidates import (
    CONTEXT,
    EXPERT,
    MICRO_BATCH,
    PIPELINE,
    TENSOR,
    Fleet,
    candidates_of,
    column,
    joined,
    take,
)
from gpuplan.search.prune import fits_host, worth_timing
from gpuplan.search.variant import MEGATRON_AXES, TITAN_AXES, Variant, axes_of, recomputes_of
from gpuplan.units import GIB
from tests.unit.factories import HF, LLAMA_3_8B, MEGATRON, full_job, lora_job

NODES = ((1.0, 1.0), (4.0, 1.0), (8.0, 1.0), (8.0, 2.0), (8.0, 4.0))
FLEET = Fleet(gpus_per_node=np.array([g for g, _ in NODES]), nodes=np.array([n for _, n in NODES]))
MIXTRAL = replace(
    LLAMA_3_8B,
    id="moe",
    moe=Moe(
        experts=8, experts_per_token=2, expert_ffn=14336, shared_ffn=0, dense_ffn=None, moe_layers=32, dense_layers=0
    ),
)
ODD = replace(LLAMA_3_8B, id="odd", layers=9, heads=12, kv_heads=4, hidden=1536)

VARIANTS: dict[str, Variant] = {
    "hf": Variant(job=full_job(LLAMA_3_8B, HF), zero=(2, 3), offload=(0, 1, 2)),
    "hf plain": Variant(job=full_job(LLAMA_3_8B, HF), zero=(0,)),
    "hf stated stage": Variant(
        job=full_job(LLAMA_3_8B, HF), zero=(1,), offload=(0, 1, 2), fixed={"zero": 1.0, "offload": 1.0}
    ),
    "adapter": Variant(job=lora_job(LLAMA_3_8B, HF), zero=(0, 3), offload=(0, 1, 2)),
    "megatron": Variant(job=full_job(LLAMA_3_8B, MEGATRON), zero=(0, 1), axes=MEGATRON_AXES, recompute=(0, 1, 2)),
    "titan": Variant(job=full_job(ODD, HF), zero=(3,), axes=TITAN_AXES, recompute=(0, 1, 2)),
    "long": Variant(job=full_job(LLAMA_3_8B, MEGATRON, seq_len=32768.0), zero=(1,), axes=MEGATRON_AXES),
    "experts": Variant(job=full_job(MIXTRAL, MEGATRON), zero=(1,), axes=MEGATRON_AXES),
    "stated": Variant(
        job=full_job(LLAMA_3_8B, MEGATRON), zero=(0, 1), axes=MEGATRON_AXES,
        fixed={"tensor_parallel": 2.0, "pipeline_parallel": 4.0, "micro_batch": 3.0, "recompute": 2.0},
    ),
    "stated accumulation": Variant(job=full_job(LLAMA_3_8B, HF), zero=(3,), fixed={"grad_accum": 4.0}),
}  # fmt: skip


def enumerated(variant: Variant, batch: float) -> set[tuple[float, ...]]:
    """Every legal (n, per node, t, p, c, e, d, b, a, zero, recompute, offload)."""
    model, fixed, found = variant.job.policy.model, variant.fixed, set()
    experts = model.moe.experts if model.moe else 1
    long = float(np.max(variant.job.seq_len)) >= 16384

    def options(name: str, free: Any, allowed: bool = True) -> Any:
        return (fixed[name],) if name in fixed else free if allowed else (1.0,)

    tensors = options("tensor_parallel", TENSOR, "tensor" in variant.axes)
    pipelines = options("pipeline_parallel", PIPELINE, "pipeline" in variant.axes)
    contexts = options("context_parallel", CONTEXT, "context" in variant.axes and long)
    parts = options("expert_parallel", EXPERT, "expert" in variant.axes)
    for (per_node, nodes), t, p, c, e in product(NODES, tensors, pipelines, contexts, parts):
        n = per_node * nodes
        stage = math.ceil(model.layers / p)
        if n % (t * p * c) or t > per_node or model.heads % t or experts % e or (n / p) % e:
            continue
        if (model.kv_heads % t and t % model.kv_heads) or stage * (p - 1) >= model.layers:
            continue
        d = n / (t * p * c)
        inner = product(
            options("micro_batch", MICRO_BATCH), options("zero", variant.zero),
            options("recompute", variant.recompute), options("offload", variant.offload),
        )  # fmt: skip
        for b, zero, recompute, offload in inner:
            a = batch / (b * d)
            if a < 1 or a != int(a) or a != fixed.get("grad_accum", a):
                continue
            if p > a and "pipeline_parallel" not in fixed:
                continue
            if d * c == 1 and zero > min(variant.zero) and offload == 0 and "zero" not in fixed:
                continue
            if offload == 1 and zero < 2 and "zero" not in fixed:
                continue
            if offload == 2 and (zero < 3 or variant.job.policy.trains != "all"):
                continue
            found.add((n, per_node, t, p, c, e, d, b, a, float(zero), float(recompute), float(offload)))
    return found


NAMES = (
    "n_gpus", "gpus_per_node", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel",
    "data_parallel", "micro_batch", "grad_accum", "zero", "recompute", "offload",
)  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("batch", [1.0, 12.0, 64.0, 96.0])
def test_candidates_are_those_of_a_plain_enumeration(name: str, batch: float) -> None:
    found = candidates_of(VARIANTS[name], FLEET, global_batch=batch).layout
    rows = zip(*(column(found, field).tolist() for field in NAMES), strict=True)
    assert set(rows) == enumerated(VARIANTS[name], batch)


def test_what_is_not_searched_has_its_plain_value() -> None:
    layout = candidates_of(VARIANTS["megatron"], FLEET, global_batch=64.0).layout
    assert np.all(column(layout, "virtual_stages") == 1) and np.all(column(layout, "expert_tensor_parallel") == 1)
    assert np.all(column(layout, "shard_group") == 0)
    assert np.array_equal(column(layout, "sequence_parallel"), column(layout, "tensor_parallel") > 1)


def test_left_out_layouts_are_counted_by_the_first_rule_that_they_break() -> None:
    counts = candidates_of(VARIANTS["hf plain"], FLEET, global_batch=4.0)
    # 5 node counts x 7 micro-batches x 2 recomputes; legal: b d divides 4
    assert counts.total == 5 * 7 * 2
    assert len(counts) == 2 * (3 + 1 + 0 + 0 + 0)
    assert counts.pruned == {"batch": counts.total - len(counts)}


def test_layouts_are_joined_in_order() -> None:
    layout = candidates_of(VARIANTS["hf"], FLEET, global_batch=16.0).layout
    first, second = take(layout, np.array([0, 1])), take(layout, np.array([2]))
    both = joined([first, second])
    for field in fields(Layout):
        assert column(both, field.name).tolist() == column(layout, field.name)[:3].tolist()


def test_two_fleets_with_as_many_gpus_are_kept_apart() -> None:
    fleet = Fleet(gpus_per_node=np.array([4.0, 8.0]), nodes=np.array([2.0, 1.0]))
    layout = candidates_of(VARIANTS["hf"], fleet, global_batch=16.0).layout
    kept = worth_timing(layout, np.ones(np.shape(layout.n_gpus), dtype=bool))
    assert set(column(layout, "gpus_per_node")[kept].tolist()) == {4.0, 8.0}
    # where only offload fits on nodes of four, it stays there although nodes of eight need none
    four = column(layout, "gpus_per_node") == 4
    fits = ~four | (column(layout, "offload") == 2)
    kept = worth_timing(layout, fits)
    assert np.any(column(layout, "offload")[kept][four[kept]] == 2)
    assert np.all(column(layout, "offload")[kept][~four[kept]] == 0)


def test_a_tenth_of_the_host_is_left_to_the_system() -> None:
    assert fits_host(np.array([89.0, 91.0]) * GIB, 100 * GIB, 0.0).tolist() == [True, False]


def test_axes_and_recompute_follow_the_trainer() -> None:
    assert (
        axes_of("megatron/dist-opt", "te") == MEGATRON_AXES and axes_of("torchtitan/now", "fsdp-compiled") == TITAN_AXES
    )
    assert axes_of("transformers/bf16", "hf") == ()
    assert recomputes_of("hf") == (0, 2) and recomputes_of("te") == (0, 1, 2)

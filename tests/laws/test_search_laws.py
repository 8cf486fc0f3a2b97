"""Laws of the search: what holds for every fleet, batch and trainer."""

from dataclasses import fields, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from gpuplan.model.memory import memory_of
from gpuplan.model.terms import Memory
from gpuplan.question.data_size import data_of
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, at
from gpuplan.search.candidates import Candidates, Fleet, candidates_of, column, take
from gpuplan.search.charge import charge, run_of
from gpuplan.search.prune import fastest_each, fits_host, worth_timing
from gpuplan.search.variant import MEGATRON_AXES, Variant
from gpuplan.units import GIB
from tests.unit.factories import HF, LLAMA_3_8B, MEGATRON, full_job, lora_job

FLEET = Fleet(gpus_per_node=np.array([1.0, 4.0, 8.0, 8.0, 8.0]), nodes=np.array([1.0, 1.0, 1.0, 2.0, 8.0]))
VARIANTS = st.sampled_from(
    [
        Variant(job=full_job(LLAMA_3_8B, HF), zero=(3,), offload=(0, 1, 2)),
        Variant(job=lora_job(LLAMA_3_8B, HF), zero=(0,)),
        Variant(job=full_job(LLAMA_3_8B, MEGATRON), zero=(0, 1), axes=MEGATRON_AXES, recompute=(0, 1, 2)),
    ]
)
BATCHES = st.sampled_from([1.0, 3.0, 16.0, 24.0, 128.0, 512.0])


def found(variant: Variant, batch: float) -> Candidates:
    return candidates_of(variant, FLEET, global_batch=batch)


@given(VARIANTS, BATCHES)
@settings(max_examples=18, deadline=None)
def test_every_candidate_uses_all_gpus_and_has_the_same_global_batch(variant: Variant, batch: float) -> None:
    layout = found(variant, batch).layout
    used = layout.tensor_parallel * layout.pipeline_parallel * layout.context_parallel * layout.data_parallel
    assert np.array_equal(used, layout.n_gpus)
    assert np.all(layout.global_batch == batch)
    assert np.all(column(layout, "grad_accum") >= column(layout, "pipeline_parallel"))
    assert np.all(column(layout, "tensor_parallel") <= column(layout, "gpus_per_node"))
    assert np.all(32.0 % column(layout, "tensor_parallel") == 0)


def test_a_model_of_61_layers_is_cut_into_uneven_stages_none_of_them_empty() -> None:
    arch = replace(LLAMA_3_8B, layers=61)
    variant = Variant(job=full_job(arch, MEGATRON), zero=(1,), axes=MEGATRON_AXES)
    stages = set(column(found(variant, 512.0).layout, "pipeline_parallel").tolist())
    assert stages == {1.0, 2.0, 4.0, 8.0, 16.0}
    few = Variant(job=full_job(replace(arch, layers=9), MEGATRON), zero=(1,), axes=MEGATRON_AXES)
    # ceil(9 / 8) = 2 layers a stage leave three of eight stages empty
    assert set(column(found(few, 512.0).layout, "pipeline_parallel").tolist()) == {1.0, 2.0}


@given(VARIANTS, BATCHES)
@settings(max_examples=18, deadline=None)
def test_every_candidate_is_counted_once(variant: Variant, batch: float) -> None:
    one = found(variant, batch)
    assert len(one) + sum(one.pruned.values()) == one.total
    rows = {tuple(float(column(one.layout, f.name)[i]) for f in fields(Layout)) for i in range(len(one))}
    assert len(rows) == len(one)


@given(VARIANTS, BATCHES, st.integers(0, 10**6))
@settings(max_examples=18, deadline=None)
def test_one_candidate_alone_has_the_memory_it_has_among_many(variant: Variant, batch: float, seed: int) -> None:
    layout = found(variant, batch).layout
    n = int(np.size(layout.n_gpus))
    if n:
        many, alone = memory_of(variant.job, layout), memory_of(variant.job, at(layout, seed % n))
        assert float(np.broadcast_to(many.peak_bytes, n)[seed % n]) == approx(float(alone.peak_bytes), rel=1e-12)


@given(VARIANTS, BATCHES, st.sampled_from([8, 16, 24, 40, 80, 180]))
@settings(max_examples=18, deadline=None)
def test_pruning_keeps_a_layout_of_every_node_count_on_which_something_fits(
    variant: Variant, batch: float, gib: int
) -> None:
    layout = found(variant, batch).layout
    fits = np.broadcast_to(memory_of(variant.job, layout).peak_bytes, np.shape(layout.n_gpus)) <= gib * GIB
    kept = worth_timing(layout, fits)
    assert np.all(fits[kept])
    gpus = column(layout, "n_gpus")
    assert set(gpus[kept]) == set(gpus[fits])


@given(VARIANTS, BATCHES)
@settings(max_examples=12, deadline=None)
def test_a_left_out_layout_differs_from_a_kept_one_only_by_more_recompute_or_offload(
    variant: Variant, batch: float
) -> None:
    layout = found(variant, batch).layout
    fits = np.ones(np.shape(layout.n_gpus), dtype=bool)
    kept = set(worth_timing(layout, fits).tolist())
    same = [f.name for f in fields(Layout) if f.name not in ("recompute", "offload")]
    key = {tuple(float(column(layout, n)[i]) for n in same): i for i in kept}
    for i in range(0, fits.size, 7):
        better = key[tuple(float(column(layout, n)[i]) for n in same)]
        for name in ("recompute", "offload"):
            assert column(layout, name)[better] <= column(layout, name)[i]


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0.1, 9)), min_size=1, max_size=30))
def test_the_fastest_of_each_node_count_is_found(pairs: list[tuple[int, float]]) -> None:
    keys, seconds = (np.array([float(pair[i]) for pair in pairs]) for i in (0, 1))
    best = fastest_each(keys, seconds)
    assert [float(keys[i]) for i in best] == sorted(set(keys.tolist()))
    for i in best:
        assert seconds[i] == min(s for k, s in pairs if k == keys[i])


def test_offloading_needs_a_host_that_is_known_and_large_enough() -> None:
    offload = np.array([0.0, 1.0, 1.0])
    host = np.array([10.0, 10.0, 95.0]) * GIB
    assert fits_host(host, None, offload).tolist() == [True, False, False]
    assert fits_host(host, 100 * GIB, offload).tolist() == [True, True, False]


RUN = run_of(
    data_of(2048.0, True, samples=None, tokens=1e9, mean_len=None), 128.0, runs=1.0, weight_bytes=1.4e10
)  # fmt: skip


@given(st.floats(0.1, 100), st.floats(0.1, 100), st.sampled_from([0.0, 1.0]), st.floats(0, 1e12))
@settings(deadline=None)
def test_a_slower_step_or_spot_never_makes_a_run_shorter_or_cheaper_at_one_price(
    one: float, other: float, spot: float, stored: float
) -> None:
    fast, slow = min(one, other), max(one, other)
    a, b = (
        charge(RUN, s, n_gpus=16.0, n_nodes=2.0, checkpoint_bytes=stored, price_per_hour=10.0, spot=spot)
        for s in (fast, slow)
    )
    assert a.total_s <= b.total_s and a.cost.total <= b.cost.total
    calm = charge(RUN, fast, n_gpus=16.0, n_nodes=2.0, checkpoint_bytes=stored, price_per_hour=10.0)
    assert calm.total_s <= a.total_s * (1 + 1e-12)


def test_many_charges_are_those_of_each_alone() -> None:
    steps, nodes = np.array([0.5, 1.0, 7.0]), np.array([1.0, 2.0, 64.0])
    many = charge(RUN, steps, n_gpus=8 * nodes, n_nodes=nodes, checkpoint_bytes=1e11, price_per_hour=30.0, spot=1.0)
    for i in range(3):
        alone = charge(
            RUN, float(steps[i]), n_gpus=8 * float(nodes[i]), n_nodes=float(nodes[i]), checkpoint_bytes=1e11,
            price_per_hour=30.0, spot=1.0,
        )  # fmt: skip
        assert float(np.asarray(many.total_s)[i]) == approx(float(alone.total_s))
        assert float(np.asarray(many.cost.total)[i]) == approx(float(alone.cost.total))


def needed_of(memory: Memory, job: Job) -> Range:
    return Range(low=memory.peak_bytes * 0.9, typical=memory.peak_bytes * 1.0, high=memory.peak_bytes * 1.1)


def test_taking_candidates_keeps_every_field() -> None:
    layout = found(Variant(job=full_job(LLAMA_3_8B, HF), zero=(3,)), 16.0).layout
    some = take(layout, np.array([0, 2]))
    assert all(column(some, f.name)[1] == column(layout, f.name)[2] for f in fields(Layout))
    assert replace(some) == some

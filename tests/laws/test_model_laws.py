"""Laws of the arithmetic that hold for every layout."""

from dataclasses import fields, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from gpuplan.facts.trainer import Trainer
from gpuplan.model.adapters import adapter_params, total_adapter_params
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.memory import memory_of
from gpuplan.model.optimizers import OPTIMIZERS
from gpuplan.model.params import local_params, total_params
from gpuplan.model.states import role_states, sharding, trained_params
from gpuplan.question.job import Adapter, Role
from gpuplan.question.layout import Layout, at
from tests.unit.factories import HF, LLAMA_2_7B, MEGATRON, full_job, layout, lora_job

POWERS = st.sampled_from([1.0, 2.0, 4.0, 8.0])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """A layout whose degrees multiply to its GPUs."""
    tensor, pipeline, data, context = (draw(POWERS) for _ in range(4))
    return layout(
        n_gpus=tensor * pipeline * data * context,
        micro_batch=draw(POWERS),
        grad_accum=draw(POWERS),
        data_parallel=data,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        sequence_parallel=draw(st.sampled_from([0.0, 1.0])),
        zero=draw(st.sampled_from([0.0, 1.0, 2.0, 3.0])),
        recompute=draw(st.sampled_from([0.0, 1.0, 2.0])),
        offload=draw(st.sampled_from([0.0, 1.0, 2.0])),
    )


TRAINERS = st.sampled_from([HF, MEGATRON])


@given(layouts(), TRAINERS)
@settings(max_examples=60, deadline=None)
def test_more_data_parallel_ranks_never_need_more_memory_each(where: Layout, trainer: Trainer) -> None:
    job = full_job(LLAMA_2_7B, trainer)
    first = replace(where, data_parallel=2.0 * where.data_parallel, n_gpus=2.0 * where.n_gpus)
    more = replace(where, data_parallel=4.0 * where.data_parallel, n_gpus=4.0 * where.n_gpus)
    assert float(memory_of(job, more).peak_bytes) <= float(memory_of(job, first).peak_bytes) * (1 + 1e-12)


@given(layouts(), TRAINERS)
@settings(max_examples=60, deadline=None)
def test_a_longer_sequence_or_a_larger_micro_batch_never_needs_less(where: Layout, trainer: Trainer) -> None:
    job = full_job(LLAMA_2_7B, trainer)
    base = float(memory_of(job, where).peak_bytes)
    assert float(memory_of(replace(job, seq_len=2.0 * job.seq_len), where).peak_bytes) >= base
    assert float(memory_of(job, replace(where, micro_batch=2.0 * where.micro_batch)).peak_bytes) >= base


@given(layouts(), TRAINERS)
@settings(max_examples=60, deadline=None)
def test_recompute_never_keeps_more_activations(where: Layout, trainer: Trainer) -> None:
    job = full_job(LLAMA_2_7B, trainer)
    kept = [float(memory_of(job, replace(where, recompute=kind)).saved_bytes) for kind in (0.0, 1.0, 2.0)]
    assert kept[0] >= kept[1] >= kept[2] > 0


@given(st.lists(layouts(), min_size=2, max_size=6), TRAINERS)
@settings(max_examples=30, deadline=None)
def test_many_layouts_at_once_give_what_each_gives_alone(many: list[Layout], trainer: Trainer) -> None:
    job = full_job(LLAMA_2_7B, trainer)
    stacked = Layout(**{f.name: np.array([getattr(one, f.name) for one in many]) for f in fields(Layout)})
    together = memory_of(job, stacked)
    for index in range(len(many)):
        alone = memory_of(job, at(stacked, index))
        assert together.peak_bytes[index] == approx(float(alone.peak_bytes), rel=1e-12)
        assert together.host_bytes_per_node[index] == approx(float(alone.host_bytes_per_node), rel=1e-12)


@given(layouts(), TRAINERS)
@settings(max_examples=60, deadline=None)
def test_no_phase_is_above_the_sum_of_all_parts_nor_below_the_states(where: Layout, trainer: Trainer) -> None:
    memory = memory_of(full_job(LLAMA_2_7B, trainer), where)
    parts = (
        memory.states.total_bytes + memory.saved_bytes + memory.layer_bytes + memory.logits_bytes
        + memory.gathered_bytes + memory.buckets_bytes + memory.optimizer_temp_bytes + memory.workspace_bytes
    )  # fmt: skip
    assert float(memory.allocated_bytes) <= float(parts) * (1 + 1e-9)
    assert float(memory.allocated_bytes) >= float(memory.states.total_bytes)
    assert float(memory.device_bytes) >= float(memory.reserved_bytes) >= float(memory.allocated_bytes)


@given(POWERS, POWERS, st.sampled_from([0.0, 1.0, 3.0]))
def test_shards_of_the_states_add_up_to_the_whole(tensor: float, data: float, zero: float) -> None:
    """Sharded moments of all ranks together are 8 bytes a parameter, however they are cut."""
    where = layout(n_gpus=tensor * data, tensor_parallel=tensor, data_parallel=data, zero=max(zero, 1.0))
    job, model = full_job(LLAMA_2_7B), decoder(LLAMA_2_7B)
    local = local_params(model, where, first=True, last=True)
    trained = trained_params(job.policy, model, local, where)
    states = role_states(job.policy, MEGATRON, OPTIMIZERS["adamw"], trained=trained, layout=where)
    replicated_norms = 8.0 * float(local.small) * (tensor - 1)
    assert float(states.moments_bytes) * data * tensor == approx(8.0 * total_params(model) + replicated_norms)


def test_a_higher_zero_stage_never_keeps_more_states() -> None:
    job = full_job(LLAMA_2_7B, HF)
    totals = [
        float(memory_of(job, layout(n_gpus=8.0, data_parallel=8.0, zero=zero)).states.total_bytes)
        for zero in (0.0, 1.0, 2.0, 3.0)
    ]
    assert totals == sorted(totals, reverse=True)
    assert totals[3] == approx(8 * total_params(decoder(LLAMA_2_7B)) / 8)


@given(st.integers(1, 256), st.sets(st.sampled_from(["q", "k", "v", "o", "gate", "up", "down"]), min_size=1))
def test_adapters_have_rank_times_the_widths_they_join(rank: int, targets: set[str]) -> None:
    model, adapter = decoder(LLAMA_2_7B), Adapter(rank=rank, targets=tuple(sorted(targets)))
    widths = {"q": 8192, "k": 8192, "v": 8192, "o": 8192, "gate": 15104, "up": 15104, "down": 15104}
    assert total_adapter_params(model, adapter) == 32 * rank * sum(widths[name] for name in targets)
    assert float(adapter_params(model, adapter, layout()).total) == total_adapter_params(model, adapter)


def test_adapter_training_keeps_states_for_adapters_only() -> None:
    """16 bytes an fp32 adapter parameter beside 2 bytes a frozen one."""
    job = lora_job(LLAMA_2_7B, rank=16)
    states = memory_of(job, layout()).states
    adapter = job.policy.adapter
    assert adapter is not None
    n = total_adapter_params(decoder(LLAMA_2_7B), adapter)
    assert float(states.total_bytes) == approx(2 * total_params(decoder(LLAMA_2_7B)) + 16 * n)


def test_experts_are_shared_over_the_ranks_that_hold_the_same_ones() -> None:
    where = layout(n_gpus=64.0, data_parallel=32.0, tensor_parallel=2.0, expert_parallel=8.0)
    cut = sharding(where)
    assert (float(cut.dense), float(cut.experts)) == (32.0, 8.0)


def test_a_reference_that_is_the_policy_itself_costs_no_memory_and_another_model_does() -> None:
    job = lora_job(LLAMA_2_7B)
    reference = Role(name="reference", model=LLAMA_2_7B, trains="none", shared=True)
    alone, shared, apart = (
        float(memory_of(replace(job, roles=roles), layout()).states.total_bytes)
        for roles in (job.roles, (*job.roles, reference), (*job.roles, replace(reference, shared=False)))
    )
    assert shared == alone
    assert apart - alone == approx(2 * total_params(decoder(LLAMA_2_7B)))


def test_paged_states_are_not_counted_on_the_card() -> None:
    job = full_job(LLAMA_2_7B, HF)
    whole, paged = (memory_of(replace(job, optimizer=name), layout()).states for name in ("adamw", "paged_adamw8bit"))
    assert float(whole.moments_bytes) == approx(4 * total_params(decoder(LLAMA_2_7B)))
    assert float(paged.moments_bytes) == 0.0
    assert float(paged.weights_bytes) == float(whole.weights_bytes)

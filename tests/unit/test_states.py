"""States, gathered weights and buckets: who holds what under which layout."""

from dataclasses import replace

import pytest

from gpuplan.model.adapters import total_adapter_params
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.memory import memory_of, stage_memory
from gpuplan.model.params import total_params
from gpuplan.question.job import Adapter, Quantisation, Role
from tests.unit.factories import HF, LLAMA_2_7B, MEGATRON, full_job, gpt, layout, lora_job

N = total_params(decoder(LLAMA_2_7B))
V_H = 32000 * 4096
EIGHT = {"n_gpus": 8.0, "data_parallel": 8.0}


def test_one_gpu_shares_gathers_and_buckets_nothing_whatever_the_stage() -> None:
    trainer = replace(HF, reduce_bucket_bytes=1e9)
    for zero in (0.0, 1.0, 2.0, 3.0):
        memory = memory_of(full_job(LLAMA_2_7B, trainer), layout(zero=zero))
        assert float(memory.states.total_bytes) == pytest.approx(8 * N)
        assert float(memory.gathered_bytes) == 0.0
        assert float(memory.buckets_bytes) == 0.0


def test_each_stage_shares_one_more_state() -> None:
    states = [memory_of(full_job(LLAMA_2_7B, HF), layout(**EIGHT, zero=zero)).states for zero in (1.0, 2.0, 3.0)]
    assert [float(s.moments_bytes) for s in states] == pytest.approx([4 * N / 8] * 3)
    assert [float(s.gradients_bytes) for s in states] == pytest.approx([2 * N, 2 * N / 8, 2 * N / 8])
    assert [float(s.weights_bytes) for s in states] == pytest.approx([2 * N, 2 * N, 2 * N / 8])


def test_ddp_keeps_its_gradients_twice_and_only_with_several_ranks() -> None:
    job = full_job(LLAMA_2_7B, HF)
    assert float(memory_of(job, layout(**EIGHT)).states.gradients_bytes) == pytest.approx(4 * N)
    assert float(memory_of(job, layout()).states.gradients_bytes) == pytest.approx(2 * N)


def test_the_largest_unit_and_both_ends_are_gathered_under_zero_3() -> None:
    memory = memory_of(full_job(LLAMA_2_7B, replace(HF, gather_units=2)), layout(**EIGHT, zero=3.0))
    layer = (N - 2 * V_H - 4096) / 32
    assert float(memory.gathered_bytes) == pytest.approx(2 * (2 * layer + 2 * V_H))
    capped = memory_of(
        full_job(LLAMA_2_7B, replace(HF, gather_units=2, zero3_live_params=1e6)), layout(**EIGHT, zero=3.0)
    )
    assert float(capped.gathered_bytes) == pytest.approx(2 * (1e6 + 2 * V_H))


def test_buckets_exist_where_gradients_are_shared_and_never_exceed_the_model() -> None:
    trainer = replace(HF, reduce_bucket_bytes=1e9)
    assert float(memory_of(full_job(LLAMA_2_7B, trainer), layout(**EIGHT, zero=2.0)).buckets_bytes) == 1e9
    assert float(memory_of(full_job(LLAMA_2_7B, trainer), layout(**EIGHT, zero=1.0)).buckets_bytes) == 0.0
    small = gpt(layers=1, hidden=64, heads=2, vocab=100)
    found = memory_of(full_job(small, trainer), layout(**EIGHT, zero=2.0)).buckets_bytes
    assert float(found) == pytest.approx(4 * total_params(decoder(small)))


def test_offloading_the_optimizer_leaves_weights_and_offloading_all_leaves_what_is_gathered() -> None:
    job = full_job(LLAMA_2_7B, HF)
    optimizer = memory_of(job, layout(**EIGHT, zero=3.0, offload=1.0))
    assert float(optimizer.states.moments_bytes) == 0.0 and float(optimizer.states.gradients_bytes) == 0.0
    assert float(optimizer.states.weights_bytes) == pytest.approx(2 * N / 8)
    everything = memory_of(job, layout(**EIGHT, zero=3.0, offload=2.0))
    assert float(everything.states.total_bytes) == 0.0 and float(everything.gathered_bytes) > 0
    assert float(optimizer.host_bytes_per_node) > float(memory_of(job, layout(**EIGHT, zero=3.0)).host_bytes_per_node)


def test_autocast_copies_live_in_forward_only() -> None:
    plain = memory_of(full_job(LLAMA_2_7B, HF), layout())
    copies = memory_of(full_job(LLAMA_2_7B, replace(HF, compute_copy_bytes=2)), layout())
    assert float(copies.phases["forward"] - plain.phases["forward"]) == pytest.approx(2 * N)
    assert float(copies.phases["optimizer"]) == float(plain.phases["optimizer"])
    assert float(
        memory_of(full_job(LLAMA_2_7B, replace(HF, compute_copy_bytes=2)), layout(**EIGHT, zero=3.0)).phases["forward"]
    ) == float(memory_of(full_job(LLAMA_2_7B, HF), layout(**EIGHT, zero=3.0)).phases["forward"])


def test_foreach_lists_live_in_the_step_and_a_sub_group_caps_them_under_zero_3() -> None:
    trainer = replace(HF, step_temp_bytes=6, step_temp_cap_params=1e8)
    one = memory_of(full_job(LLAMA_2_7B, trainer), layout())
    assert float(one.optimizer_temp_bytes) == pytest.approx(6 * N)
    assert float(
        memory_of(full_job(LLAMA_2_7B, trainer), layout(**EIGHT, zero=2.0)).optimizer_temp_bytes
    ) == pytest.approx(6 * N / 8)
    assert float(
        memory_of(full_job(LLAMA_2_7B, trainer), layout(**EIGHT, zero=3.0)).optimizer_temp_bytes
    ) == pytest.approx(6e8)


def test_deferred_sync_keeps_whole_gradients_of_every_parameter_while_batches_accumulate() -> None:
    job = lora_job(LLAMA_2_7B, replace(HF, no_sync_grad_bytes=2.0))
    once, often = (memory_of(job, layout(**EIGHT, zero=3.0, grad_accum=m)).states.gradients_bytes for m in (1.0, 2.0))
    assert float(often) == pytest.approx(2 * N)
    assert float(once) < 0.1 * N


def test_trained_embedding_and_head_are_second_copies_beside_the_frozen_ones() -> None:
    job = lora_job(LLAMA_2_7B)
    adapter = Adapter(rank=8, targets=("q", "v", "embed", "head"))
    both = replace(job, roles=(Role(name="policy", model=LLAMA_2_7B, trains="adapter", adapter=adapter),))
    states = memory_of(both, layout()).states
    n_adapter = total_adapter_params(decoder(LLAMA_2_7B), adapter)
    assert float(states.frozen_bytes) == pytest.approx(2 * N)
    assert float(states.weights_bytes) == pytest.approx(2 * 2 * V_H + 4 * n_adapter)


def test_4_bit_weights_leave_embedding_head_and_norms_wide() -> None:
    nf4 = Quantisation(name="nf4", bytes_per_param=0.5625, source="test")
    job = lora_job(LLAMA_2_7B, replace(HF, kbit_wide_bytes=4))
    role = replace(job.policy, quantisation=nf4)
    memory = memory_of(replace(job, roles=(role,)), layout())
    wide = 2 * V_H + (2 * 32 + 1) * 4096
    assert float(memory.states.frozen_bytes) == pytest.approx(0.5625 * (N - wide) + 4 * wide)
    assert float(memory.dequantised_bytes) == 2 * 4096 * 11008


def test_the_last_n_layers_alone_are_trained_when_the_rest_is_frozen() -> None:
    job = full_job(LLAMA_2_7B, HF, roles=(Role(name="policy", model=LLAMA_2_7B, trains="last:2"),))
    states = memory_of(job, layout()).states
    layers = N - 2 * V_H - (2 * 32 + 1) * 4096
    assert float(states.moments_bytes) == pytest.approx(4 * layers * 2 / 32)
    assert float(states.frozen_bytes) == pytest.approx(2 * (N - layers * 2 / 32))


def test_a_tied_head_on_a_stage_of_its_own_is_a_copy_of_the_embedding() -> None:
    tied = replace(LLAMA_2_7B, tied_embeddings=True)
    where = layout(n_gpus=2.0, pipeline_parallel=2.0)
    weights = [float(stage_memory(full_job(tied), where, is_first=f).states.weights_bytes) for f in (True, False)]
    layers = (N - 2 * V_H - 4096) / 2
    assert weights == pytest.approx([2 * (layers + V_H), 2 * (layers + V_H + 4096)])


def test_the_worse_stage_is_reported_field_by_field() -> None:
    job, where = full_job(LLAMA_2_7B, MEGATRON), layout(n_gpus=4.0, pipeline_parallel=4.0, grad_accum=8.0)
    first, last = (stage_memory(job, where, is_first=f) for f in (True, False))
    whole = memory_of(job, where)
    worse = first if float(first.peak_bytes) > float(last.peak_bytes) else last
    assert float(whole.peak_bytes) == float(worse.peak_bytes)
    assert float(whole.saved_bytes) == float(worse.saved_bytes)
    assert float(whole.states.weights_bytes) == float(worse.states.weights_bytes)
    assert float(whole.phases["load"]) == float(worse.phases["load"])


def test_chosen_and_rejected_go_through_the_model_together_activations_and_logits() -> None:
    job = full_job(LLAMA_2_7B, HF)
    pair = replace(job, roles=(replace(job.policy, passes=2.0),))
    one, two = memory_of(job, layout()), memory_of(pair, layout())
    assert float(two.logits_bytes) == pytest.approx(2 * float(one.logits_bytes))
    assert float(two.saved_bytes) == pytest.approx(2 * float(one.saved_bytes))
    assert float(two.states.total_bytes) == float(one.states.total_bytes)

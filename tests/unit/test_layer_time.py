"""Each factor of the layer's time acts on the elements it names, and each collective on its own bytes."""

from dataclasses import replace
from typing import Any

import pytest

from gpuplan.facts.arch import Architecture, Moe
from gpuplan.facts.efficiency import Efficiency
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.collectives import collective_s
from gpuplan.model.hardware import Hardware
from gpuplan.model.layer_time import Pace, head_s, launch_s, layer_backward, layer_forward, pace_of
from gpuplan.model.memory import shape_of
from gpuplan.model.operations import Activation, Attention, Product
from gpuplan.model.step import step_of
from gpuplan.question.job import Job, Quantisation
from gpuplan.question.layout import Layout
from tests.unit.factories import HF, LLAMA_2_7B, MEGATRON, full_job, gpt, layout, lora_job
from tests.unit.test_step import A100, H100, hardware

T, H, F, V = 2 * 2048.0, 4096, 11008, 32000
TWO = layout(micro_batch=2.0)
EXPERTS = replace(
    LLAMA_2_7B,
    moe=Moe(
        experts=8, experts_per_token=2, expert_ffn=1024, shared_ffn=0, dense_ffn=None, moe_layers=32, dense_layers=0
    ),
)


def pace(job: Job, where: Layout, on: Hardware, **factors: Any) -> Pace:
    tuned: Efficiency = replace(on.efficiency, **factors)
    return pace_of(job, where, shape_of(job, where, job.time_len), replace(on, efficiency=tuned))


def bandwidth(on: Hardware) -> float:
    found = on.machine.chip.memory_bytes_per_s
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("factor", "elements"),
    [("norm_bytes", T * H), ("ffn_bytes", T * 2 * F), ("qkv_bytes", T * 3 * H)],
)
def test_memory_bound_bytes_count_the_elements_they_name(factor: str, elements: float) -> None:
    """Two norms and two residuals at a quarter of norm_bytes each; gate and up; q, k and v."""
    job, on, model = full_job(LLAMA_2_7B), hardware(A100), decoder(LLAMA_2_7B)
    fusion = on.efficiency.fusion["megatron-deepspeed"]
    times = [float(layer_forward(model, pace(job, TWO, on, **{factor: bytes_})).memory_s) for bytes_ in (5.0, 6.0)]
    assert times[1] - times[0] == pytest.approx(fusion * elements / bandwidth(on), rel=1e-6)


def test_backward_moves_memory_bound_bytes_twice() -> None:
    job, on, model = full_job(LLAMA_2_7B), hardware(A100), decoder(LLAMA_2_7B)
    one = pace(job, TWO, on)
    assert float(layer_backward(model, one).memory_s) == pytest.approx(2 * float(layer_forward(model, one).memory_s))


def test_casts_to_8_bit_read_every_input_of_a_product() -> None:
    job, on, model = full_job(LLAMA_2_7B, precision="fp8"), hardware(H100), decoder(LLAMA_2_7B)
    fusion = on.efficiency.fusion["megatron-deepspeed"]
    times = [float(layer_forward(model, pace(job, TWO, on, cast_bytes=bytes_)).memory_s) for bytes_ in (1.0, 2.0)]
    assert times[1] - times[0] == pytest.approx(fusion * T * (3 * H + F) / bandwidth(on), rel=1e-6)


def test_casts_of_routed_tokens_count_each_visit() -> None:
    job, on, model = full_job(EXPERTS, precision="fp8"), hardware(H100), decoder(EXPERTS)
    fusion = on.efficiency.fusion["megatron-deepspeed"]
    times = [float(layer_forward(model, pace(job, TWO, on, cast_bytes=bytes_)).memory_s) for bytes_ in (1.0, 2.0)]
    inputs = 2 * H + H + 2 * (H + 1024)
    assert times[1] - times[0] == pytest.approx(fusion * T * inputs / bandwidth(on), rel=1e-6)


def test_permutation_moves_each_visit_twice() -> None:
    job, on, model = full_job(EXPERTS), hardware(A100), decoder(EXPERTS)
    times = [float(layer_forward(model, pace(job, TWO, on, permute_bytes=bytes_)).memory_s) for bytes_ in (1.0, 2.0)]
    assert times[1] - times[0] == pytest.approx(2 * 2 * T * H / bandwidth(on), rel=1e-6)


def test_4_bit_weights_are_unpacked_each_pass() -> None:
    nf4 = Quantisation(name="nf4", bytes_per_param=0.5625, source="test")
    job = lora_job(LLAMA_2_7B)
    job = replace(job, roles=(replace(job.policy, quantisation=nf4),))
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    times = [float(layer_forward(model, pace(job, TWO, on, dequant_bytes=bytes_)).memory_s) for bytes_ in (1.0, 2.0)]
    assert times[1] - times[0] == pytest.approx((4 * H * H + 3 * H * F) / bandwidth(on), rel=1e-6)


def test_the_loss_moves_its_bytes_for_each_logit_of_the_rank() -> None:
    job, on, model = full_job(LLAMA_2_7B), hardware(A100), decoder(LLAMA_2_7B)
    for tensor in (1.0, 4.0):
        where = layout(micro_batch=2.0, n_gpus=tensor, tensor_parallel=tensor)
        times = [float(head_s(model, pace(job, where, on, head_bytes={"": bytes_}))) for bytes_ in (10.0, 11.0)]
        assert times[1] - times[0] == pytest.approx(T * V / tensor / bandwidth(on), rel=1e-4)


def test_the_head_does_three_products_and_two_where_it_is_frozen() -> None:
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    trained = float(head_s(model, pace(full_job(LLAMA_2_7B, HF), TWO, on, head_bytes={"": 0.0})))
    frozen = float(head_s(model, pace(lora_job(LLAMA_2_7B), TWO, on, head_bytes={"": 0.0}, lora_factor={"": 1.0})))
    assert frozen / trained == pytest.approx(2 / 3, rel=0.1)


def test_launches_grow_with_adapters_and_with_expert_layers() -> None:
    on = hardware(A100)
    base = on.efficiency.launch_us["hf"] * 1e-6
    dense, experts = decoder(LLAMA_2_7B), decoder(EXPERTS)
    assert float(launch_s(dense, pace(full_job(LLAMA_2_7B, HF), TWO, on))) == pytest.approx(base)
    assert float(launch_s(dense, pace(lora_job(LLAMA_2_7B), TWO, on))) == pytest.approx(
        base * on.efficiency.launch_lora
    )
    more = on.efficiency.launch_us_moe[""] * 1e-6
    assert float(launch_s(experts, pace(full_job(EXPERTS, HF), TWO, on))) == pytest.approx(base + more)
    half = replace(EXPERTS, moe=replace(EXPERTS.moe, moe_layers=16, dense_layers=16, dense_ffn=11008))
    assert float(launch_s(decoder(half), pace(full_job(half, HF), TWO, on))) == pytest.approx(base + more / 2)


def test_tensor_ranks_reduce_twice_a_layer() -> None:
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    where = layout(micro_batch=2.0, n_gpus=4.0, tensor_parallel=4.0)
    found = layer_forward(model, pace(full_job(LLAMA_2_7B), where, on, exposed_tensor={"": 0.5})).tensor_comm_s
    once = collective_s(on.kernels, on.machine, "all_reduce", bytes_=2 * T * H, ranks_in_node=4.0, nodes=1.0)
    assert float(found) == pytest.approx(0.5 * 2 * float(once))
    assert float(layer_forward(model, pace(full_job(LLAMA_2_7B), TWO, on)).tensor_comm_s) == 0.0


def test_tokens_go_to_their_experts_and_come_back() -> None:
    on, model = hardware(A100), decoder(EXPERTS)
    where = layout(micro_batch=2.0, n_gpus=8.0, data_parallel=8.0, expert_parallel=8.0)
    found = layer_forward(model, pace(full_job(EXPERTS), where, on, exposed_expert=0.5)).expert_comm_s
    once = collective_s(on.kernels, on.machine, "all_to_all", bytes_=2 * 2 * T * H, ranks_in_node=8.0, nodes=1.0)
    assert float(found) == pytest.approx(0.5 * 2 * float(once))
    assert float(layer_backward(model, pace(full_job(EXPERTS), where, on, exposed_expert=0.5)).expert_comm_s) == (
        pytest.approx(float(found))
    )
    assert float(layer_forward(model, pace(full_job(EXPERTS), TWO, on)).expert_comm_s) == 0.0


def test_keys_and_values_go_round_the_ring_of_context_ranks() -> None:
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    where = layout(micro_batch=2.0, n_gpus=4.0, context_parallel=4.0)
    found = layer_forward(model, pace(full_job(LLAMA_2_7B), where, on, exposed_context=0.5)).context_comm_s
    hop = collective_s(on.kernels, on.machine, "p2p", bytes_=2 * (T / 4) * 2 * H, ranks_in_node=2.0, nodes=1.0)
    assert float(found) == pytest.approx(0.5 * 3 * float(hop))
    assert float(layer_forward(model, pace(full_job(LLAMA_2_7B), TWO, on)).context_comm_s) == 0.0


def test_fused_attention_costs_its_factor_in_backward_and_half_as_much_where_pairs_are_causal() -> None:
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    one = pace(full_job(LLAMA_2_7B), TWO, on)
    forward, backward = (float(of(model, one).attention_s) for of in (layer_forward, layer_backward))
    assert backward == pytest.approx(on.efficiency.attention_backward * forward)
    encoder = replace(LLAMA_2_7B, kind="encoder")
    both = pace(full_job(encoder), TWO, on)
    assert float(layer_forward(decoder(encoder), both).attention_s) == pytest.approx(2 * forward)


def test_unfused_attention_counts_products_and_the_traffic_of_scores() -> None:
    on, model = hardware(A100), decoder(LLAMA_2_7B)
    job = full_job(LLAMA_2_7B, attention="unfused")
    scores = 2 * 32 * 2048.0**2
    found = [float(layer_forward(model, pace(job, TWO, on, softmax_bytes=b)).attention_s) for b in (8.0, 9.0)]
    assert found[1] - found[0] == pytest.approx(scores / bandwidth(on))
    assert found[0] == pytest.approx(4 * scores * 128 / 312e12 + 8 * scores / bandwidth(on))


def test_unfused_attention_is_never_faster_than_fused_not_even_where_kernels_are_tiny() -> None:
    on = hardware("V100-16GB-SXM2")
    encoder = gpt(layers=24, hidden=1024, heads=16, vocab=30522, kind="encoder")
    where = layout(micro_batch=8.0)
    fused, unfused = (
        step_of(full_job(encoder, HF, attention=kind, time_len=384.0, precision="fp16"), where, on)
        for kind in ("flash", "unfused")
    )
    assert float(unfused.attention_s) >= float(fused.attention_s)
    assert float(unfused.total_s) >= float(fused.total_s)


def test_deepspeed_zero_3_pays_for_its_hooks_each_layer_and_pass() -> None:
    on = hardware(A100)
    where = layout(n_gpus=8.0, data_parallel=8.0, micro_batch=4.0, zero=3.0)
    plain, hooked = (
        step_of(full_job(LLAMA_2_7B, replace(HF, id=name)), where, on) for name in ("test/hf", "deepspeed/zero3")
    )
    per_pass = on.efficiency.zero3_hook_us * 12e-6
    assert float(hooked.total_s - plain.total_s) == pytest.approx(2 * 32 * per_pass, rel=0.2)


def test_gathered_bytes_are_those_of_a_layer_without_the_ends_of_the_model() -> None:
    slow = hardware(A100, nic_bytes_per_s=0.02e9)
    where = layout(n_gpus=16.0, data_parallel=16.0, zero=3.0)
    with_small, with_large = (
        step_of(full_job(replace(LLAMA_2_7B, vocab=vocab), HF), where, slow) for vocab in (1000, 200_000)
    )
    assert float(with_large.gather_s) == pytest.approx(float(with_small.gather_s), rel=0.02)


def test_a_stage_waits_for_recompute_too() -> None:
    job, on = full_job(LLAMA_2_7B), hardware(A100)
    base = {"n_gpus": 4.0, "pipeline_parallel": 4.0, "grad_accum": 4.0, "micro_batch": 4.0}
    plain, again = (step_of(job, layout(**base, recompute=kind), on) for kind in (0.0, 2.0))
    busy = float(again.forward_backward_s - again.head_s - again.bubble_s) / 4
    assert float(again.bubble_s) == pytest.approx(3 * busy, rel=1e-6)
    assert float(again.bubble_s) > 1.2 * float(plain.bubble_s)


@pytest.mark.parametrize(("arch", "flops"), [(LLAMA_2_7B, 2 * (4 * H * H + 3 * H * F)), (EXPERTS, None)])
def test_forward_flops_of_products_are_two_a_weight_and_token_visited(arch: Architecture, flops: float | None) -> None:
    shape = shape_of(full_job(arch), TWO, 2048.0)
    rows = [row for row in decoder(arch).body[0].rows if isinstance(row, Product)]
    found = sum(float(row.forward_flops(shape)) for row in rows)
    expected = flops or 2 * (4 * H * H + 8 * H + 2 * 3 * H * 1024)
    assert found == pytest.approx(T * expected)


def test_attention_flops_halve_where_causal_and_stop_at_a_window() -> None:
    shape = shape_of(full_job(LLAMA_2_7B), TWO, 2048.0)
    core = next(row for row in decoder(LLAMA_2_7B).body[0].rows if isinstance(row, Attention))
    assert float(core.forward_flops(shape)) == pytest.approx(2 * T * 1024 * 32 * 256)
    assert float(replace(core, causal=False).forward_flops(shape)) == pytest.approx(2 * T * 2048 * 32 * 256)
    assert float(replace(core, window=512).forward_flops(shape)) == pytest.approx(2 * T * 512 * 32 * 256)


def test_a_model_of_layer_norms_keeps_no_fp32_copy_rows_that_rms_norms_keep() -> None:
    assert [row.is_rms for row in decoder(LLAMA_2_7B).groups[-1].rows if hasattr(row, "is_rms")] == [True]
    plain = gpt(layers=2, hidden=64, heads=2, vocab=100)
    assert [row.is_rms for row in decoder(plain).groups[-1].rows if hasattr(row, "is_rms")] == [False]
    assert all(row.gated for row in decoder(LLAMA_2_7B).body[0].rows if isinstance(row, Activation))
    assert full_job(plain, MEGATRON).policy.trains == "all"

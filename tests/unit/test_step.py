"""The step: its terms, their bounds, and worked examples of real runs (docs/time.md)."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.data.chips import load_chips
from gpuplan.data.kernels import load_efficiency, load_kernels
from gpuplan.facts.arch import Architecture
from gpuplan.facts.machine import Machine
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.hardware import Hardware
from gpuplan.model.params import total_params
from gpuplan.model.step import smax, step_of
from gpuplan.question.layout import Layout
from tests.unit.factories import HF, LLAMA_2_7B, MEGATRON, full_job, gpt, layout, lora_job


@cache
def hardware(chip_id: str, *, n_gpus: int = 8, nic_bytes_per_s: float | None = 25e9, domain: int = 8) -> Hardware:
    chip = load_chips()[chip_id]
    machine = Machine(
        chip=chip,
        n_gpus=n_gpus,
        link_kind=chip.link_kind,
        link_bytes_per_s=chip.link_bytes_per_s or 20e9,
        link_domain_gpus=domain,
        fabric="InfiniBand",
        nic_bytes_per_s_per_gpu=nic_bytes_per_s,
        rdma=True,
        vcpus=None,
        host_bytes=None,
        nvme_bytes=None,
        source="test",
        confidence="high",
    )
    donor = load_chips()[chip.donor]
    return Hardware(machine=machine, donor=donor, kernels=load_kernels(chip.donor), efficiency=load_efficiency())


A100 = "A100-80GB-SXM4"
H100 = "H100-80GB-SXM5"


def total(job: Any, where: Layout, on: Hardware) -> float:
    return float(step_of(job, where, on).total_s)


WORKED = {
    # name: (chip, shape, layout, sequence, milliseconds of the products, of the whole step as measured)
    "vtrain-single-0254": (
        A100, gpt(layers=20, hidden=2048, heads=16, vocab=51200),
        layout(n_gpus=8.0, micro_batch=4.0, grad_accum=2.0, tensor_parallel=8.0, recompute=2.0), 1024.0, 41.1, 198.0,
    ),
    "vtrain-single-0134": (
        A100, gpt(layers=20, hidden=2048, heads=16, vocab=51200),
        layout(n_gpus=8.0, micro_batch=1.0, grad_accum=8.0, data_parallel=2.0, pipeline_parallel=4.0, recompute=2.0),
        1024.0, 68.8, 275.0,
    ),
    "vtrain-multi-0045": (
        A100, gpt(layers=48, hidden=8192, heads=64, vocab=51200),
        layout(n_gpus=512.0, micro_batch=4.0, grad_accum=12.0, data_parallel=32.0, tensor_parallel=4.0,
               pipeline_parallel=4.0, recompute=2.0),
        2048.0, 6440.0, 15626.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WORKED)
def test_products_equal_the_worked_example_and_the_step_the_run(name: str) -> None:
    chip, arch, where, seq_len, products_ms, step_ms = WORKED[name]
    trainer = replace(MEGATRON, family="megatron")
    job = full_job(arch, trainer, seq_len=seq_len, time_len=seq_len, precision="fp16")
    step = step_of(job, where, hardware(chip))
    assert float(step.products_s) * 1e3 == pytest.approx(products_ms, rel=0.05)
    assert float(step.total_s) * 1e3 == pytest.approx(step_ms, rel=0.2)


def test_the_smooth_maximum_lies_between_the_maximum_and_an_eighth_above() -> None:
    for x, y in ((1.0, 1.0), (3.0, 0.1), (0.0, 2.0)):
        assert max(x, y) <= float(smax(x, y)) <= 1.13 * max(x, y)


def test_a_step_is_never_faster_than_its_arithmetic_at_peak() -> None:
    for method in (full_job(LLAMA_2_7B, HF), full_job(LLAMA_2_7B)):
        step = step_of(method, layout(), hardware(H100))
        flops = 6.0 * (total_params(decoder(LLAMA_2_7B)) - 32000 * 4096) * 2048
        assert float(step.total_s) > flops / 989e12


def test_full_recompute_costs_one_more_forward_pass_of_the_layers() -> None:
    job, on = full_job(LLAMA_2_7B), hardware(A100)
    plain, again = (step_of(job, layout(micro_batch=4.0, recompute=kind), on) for kind in (0.0, 2.0))
    assert float(plain.recompute_s) == 0.0
    products = float(plain.products_s) / 3.0
    assert float(again.recompute_s) == pytest.approx(products, rel=0.35)
    assert float(again.products_s) == pytest.approx(float(plain.products_s))


def test_selective_recompute_is_free_with_fused_attention_and_costs_the_core_without() -> None:
    on, where = hardware(A100), layout(recompute=1.0)
    assert float(step_of(full_job(LLAMA_2_7B), where, on).recompute_s) == pytest.approx(0.0, abs=1e-12)
    unfused = step_of(full_job(LLAMA_2_7B, attention="unfused"), where, on)
    assert float(unfused.recompute_s) == pytest.approx(float(unfused.attention_s) / 3.0)


def test_adapters_save_the_weight_gradients_only() -> None:
    on, where = hardware(A100), layout(micro_batch=4.0)
    full = step_of(full_job(LLAMA_2_7B, HF), where, on)
    lora = step_of(lora_job(LLAMA_2_7B), where, on)
    factor = load_efficiency().lora_factor["hf"]
    assert float(lora.products_s) / factor == pytest.approx(float(full.products_s) * 2 / 3, rel=0.05)
    assert float(lora.optimizer_s) < 0.02 * float(full.optimizer_s)


def test_the_bubble_shrinks_with_micro_batches_and_with_virtual_stages() -> None:
    job, on = full_job(LLAMA_2_7B), hardware(A100)
    base = {"n_gpus": 4.0, "pipeline_parallel": 4.0}
    few, many = (step_of(job, layout(**base, grad_accum=m), on) for m in (4.0, 16.0))
    interleaved = step_of(job, layout(**base, grad_accum=4.0, virtual_stages=4.0), on)
    assert float(few.bubble_s / few.total_s) > float(many.bubble_s / many.total_s)
    assert float(interleaved.bubble_s) < 0.5 * float(few.bubble_s)


def test_an_unknown_network_between_nodes_takes_forever_and_one_node_does_not_care() -> None:
    on = hardware(A100, nic_bytes_per_s=None)
    one = layout(n_gpus=8.0, data_parallel=8.0)
    two = layout(n_gpus=16.0, data_parallel=16.0)
    job = full_job(LLAMA_2_7B)
    assert np.isfinite(total(job, one, on))
    assert np.isinf(total(job, two, on))
    across = layout(n_gpus=16.0, tensor_parallel=16.0)
    assert np.isinf(total(job, across, on))
    gathered = layout(n_gpus=16.0, data_parallel=16.0, zero=3.0)
    assert np.isinf(total(job, gathered, on))


def test_gradients_travel_once_a_step_and_not_at_all_on_one_gpu() -> None:
    job, on = full_job(LLAMA_2_7B), hardware(A100)
    assert float(step_of(job, layout(), on).data_comm_s) == 0.0
    once = step_of(job, layout(n_gpus=8.0, data_parallel=8.0), on)
    often = step_of(job, layout(n_gpus=8.0, data_parallel=8.0, grad_accum=8.0), on)
    assert float(once.data_comm_s) == pytest.approx(float(often.data_comm_s)) and float(once.data_comm_s) > 0


def test_shared_weights_are_gathered_every_micro_batch_where_compute_cannot_hide_it() -> None:
    slow = hardware(A100, nic_bytes_per_s=0.1e9)
    where = layout(n_gpus=16.0, data_parallel=16.0, zero=3.0)
    job = full_job(LLAMA_2_7B)
    once, twice = (step_of(job, replace(where, grad_accum=m), slow) for m in (1.0, 2.0))
    assert float(twice.gather_s) == pytest.approx(2.0 * float(once.gather_s)) and float(once.gather_s) > 0
    assert float(step_of(job, where, hardware(A100)).gather_s) < 0.1 * float(once.gather_s)


def test_a_small_model_waits_for_launches() -> None:
    small = gpt(layers=12, hidden=256, heads=4, vocab=1000)
    step = step_of(full_job(small, HF, seq_len=128.0, time_len=128.0), layout(), hardware(H100))
    assert float(step.launch_s) > 0.5 * float(step.forward_backward_s)
    launches = 12 * 1110e-6 * (1 + 1.1)
    assert float(step.forward_backward_s) == pytest.approx(launches, rel=0.3)


def test_an_optimizer_on_the_host_costs_its_arithmetic_and_transfers() -> None:
    """7B on 4 cards: more than 4 s of host update and transfers were measured (ZenFlow blog)."""
    job, on = full_job(LLAMA_2_7B, HF), hardware(A100)
    where = layout(n_gpus=4.0, data_parallel=4.0, zero=2.0)
    card, host = (step_of(job, replace(where, offload=kind), on) for kind in (0.0, 1.0))
    whole = total_params(decoder(LLAMA_2_7B))
    assert float(card.offload_s) == 0.0 and float(host.optimizer_s) == 0.0
    assert float(host.offload_s) == pytest.approx(whole / 1.75e9 + 2 * whole / 4 / (0.8 * 32e9), rel=0.05)


def test_gradients_travel_to_the_host_each_micro_batch_where_compute_cannot_hide_them() -> None:
    """15 GB of gradients each way for each of 64 short micro-batches of a 7B model on one card."""
    job, on = full_job(LLAMA_2_7B, HF, time_len=128.0), hardware(A100)
    step = step_of(job, layout(zero=2.0, offload=1.0, grad_accum=64.0, recompute=2.0), on)
    whole = total_params(decoder(LLAMA_2_7B))
    traffic = 2 * whole * 127 / (0.8 * 32e9)
    compute = float(step.forward_backward_s - step.head_s - step.launch_s)
    expected = whole / 1.75e9 + 2 * whole / (0.8 * 32e9) + traffic - 0.5 * compute
    assert float(step.offload_s) == pytest.approx(expected, rel=0.05)
    assert float(step.offload_s) > 50.0


def test_states_that_are_stepped_on_the_card_cost_one_way_of_the_link() -> None:
    job = full_job(LLAMA_2_7B, replace(HF, offload_steps_on_card=True))
    where = layout(n_gpus=4.0, data_parallel=4.0, zero=2.0, offload=1.0)
    own = total_params(decoder(LLAMA_2_7B)) / 4
    assert float(step_of(job, where, hardware(A100)).offload_s) == pytest.approx(4 * own / (0.8 * 32e9), rel=0.05)


def test_fetching_weights_hides_behind_compute_and_shows_where_there_is_little() -> None:
    job, on = full_job(LLAMA_2_7B, HF), hardware(A100)
    away = layout(n_gpus=1.0, zero=3.0, offload=2.0)
    short = step_of(replace(job, time_len=32.0), away, on)
    long = step_of(replace(job, time_len=8192.0), away, on)
    optimizer = [
        float(step_of(replace(job, time_len=length), replace(away, offload=1.0), on).offload_s)
        for length in (32.0, 8192.0)
    ]
    assert float(short.offload_s) > optimizer[0] + 0.5
    assert float(long.offload_s) == pytest.approx(optimizer[1])


def test_a_chip_without_bf16_computes_in_fp16_at_its_own_rate() -> None:
    t4 = hardware("T4", n_gpus=1)
    step = step_of(full_job(LLAMA_2_7B, HF), layout(), t4)
    flops = 6.0 * (total_params(decoder(LLAMA_2_7B)) - 32000 * 4096) * 2048
    assert 1.0 < float(step.products_s) * 65e12 / flops < 4.0


@given(st.sampled_from([1.0, 2.0, 4.0, 8.0]), st.sampled_from([1.0, 2.0, 4.0]), st.sampled_from([0.0, 3.0]))
@settings(max_examples=25, deadline=None)
def test_terms_are_never_negative_and_add_up(micro_batch: float, accum: float, zero: float) -> None:
    where = layout(n_gpus=8.0, data_parallel=8.0, micro_batch=micro_batch, grad_accum=accum, zero=zero)
    step = step_of(full_job(LLAMA_2_7B, HF), where, hardware(A100))
    terms = [float(np.asarray(getattr(step, name))) for name in step.__slots__]
    assert all(term >= -1e-9 for term in terms)
    assert float(step.total_s) == pytest.approx(sum(terms))
    assert float(step.total_s) >= max(terms)


def test_many_layouts_at_once_take_the_times_that_each_takes_alone() -> None:
    job, on = full_job(LLAMA_2_7B), hardware(A100)
    tensor = np.array([1.0, 2.0, 4.0, 8.0])
    together = step_of(job, layout(n_gpus=8.0 + 0 * tensor, tensor_parallel=tensor, data_parallel=8.0 / tensor), on)
    for index, t in enumerate(tensor):
        alone = step_of(job, layout(n_gpus=8.0, tensor_parallel=float(t), data_parallel=8.0 / float(t)), on)
        assert together.total_s[index] == pytest.approx(float(alone.total_s), rel=1e-9)


def test_an_expert_layer_pays_for_the_experts_a_token_visits_not_for_all() -> None:
    from gpuplan.facts.arch import Moe

    def model(experts: int) -> Architecture:
        moe = Moe(
            experts=experts,
            experts_per_token=2,
            expert_ffn=2048,
            shared_ffn=0,
            dense_ffn=None,
            moe_layers=32,
            dense_layers=0,
        )
        return replace(LLAMA_2_7B, moe=moe)

    on, where = hardware(H100), layout(micro_batch=8.0)
    few, many = (step_of(full_job(model(n), MEGATRON), where, on) for n in (8, 16))
    assert float(many.products_s) < 1.3 * float(few.products_s)

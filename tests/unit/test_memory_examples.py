"""Memory equals published peaks of Megatron-LM's own tests (allocated bytes of the last rank, from its CI logs).

Shapes and figures: NVIDIA/Megatron-LM, tests/functional_tests, golden values; collected in docs/memory.md.
"""

from dataclasses import replace

import pytest

from gpuplan.facts.arch import Architecture, Moe
from gpuplan.model.memory import stage_memory
from gpuplan.question.layout import Layout
from gpuplan.units import GIB
from tests.unit.factories import MEGATRON, full_job, gpt, layout

DROPOUT = replace(MEGATRON, dropout=0.1)
SMALL = gpt(layers=12, hidden=512, heads=8, vocab=50304, position_params=1024 * 512)


def last_rank_gib(arch: Architecture, where: Layout, *, seq_len: float, dropout: bool, attention: str) -> float:
    job = full_job(arch, DROPOUT if dropout else MEGATRON, seq_len=seq_len, attention=attention)
    return float(stage_memory(job, where, is_first=False).allocated_bytes) / GIB


def eight_experts(*, ffn: int, layers: int) -> Moe:
    return Moe(
        experts=8, experts_per_token=2, expert_ffn=ffn, shared_ffn=0, dense_ffn=None, moe_layers=layers, dense_layers=0
    )  # fmt: skip


CASES = {
    "15b tensor 8, sharded optimizer": (
        gpt(layers=32, hidden=6144, heads=48, vocab=256000, ffn=24576, kv_heads=8, tied_embeddings=False,
            qkv_bias=False, attn_out_bias=False, mlp_bias=False, activation="relu2"),
        layout(n_gpus=128.0, micro_batch=4.0, data_parallel=16.0, tensor_parallel=8.0, sequence_parallel=1.0, zero=1.0),
        4096.0, False, "flash", 26.23,
    ),
    "7b tensor 4, no sequence parallel": (
        gpt(layers=32, hidden=4096, heads=32, vocab=131584, ffn=16384, kv_heads=8, tied_embeddings=False,
            position_params=8192 * 4096),
        layout(n_gpus=8.0, micro_batch=2.0, data_parallel=2.0, tensor_parallel=4.0, zero=1.0, grad_accum=4.0),
        8192.0, True, "flash", 53.22,
    ),
    "small, unfused, 8 ranks share the optimizer": (
        SMALL, layout(n_gpus=8.0, micro_batch=4.0, data_parallel=8.0, zero=1.0), 1024.0, True, "unfused", 4.379,
    ),
    "small, pipeline 4 interleaved 3": (
        SMALL,
        layout(n_gpus=8.0, micro_batch=4.0, data_parallel=2.0, pipeline_parallel=4.0, virtual_stages=3.0,
               grad_accum=16.0),
        1024.0, True, "unfused", 3.875,
    ),
    "small, tensor 2 pipeline 2 context 2": (
        replace(SMALL, vocab=50432),
        layout(n_gpus=8.0, micro_batch=4.0, tensor_parallel=2.0, sequence_parallel=1.0, pipeline_parallel=2.0,
               context_parallel=2.0, grad_accum=8.0),
        1024.0, False, "flash", 0.871,
    ),
    "small, tensor 4": (
        replace(SMALL, vocab=50688),
        layout(n_gpus=8.0, micro_batch=4.0, data_parallel=2.0, tensor_parallel=4.0, zero=1.0, grad_accum=4.0),
        1024.0, True, "unfused", 1.437,
    ),
    "mixtral 8x22b, 8 stages, 8 expert ranks": (
        Architecture(
            id="8x22b", layers=56, hidden=6144, heads=48, kv_heads=8, head_dim=128, ffn=16384, gated_mlp=True,
            vocab=32000, tied_embeddings=False, sources={"id": "test"},
            moe=eight_experts(ffn=16384, layers=56),
        ),
        layout(n_gpus=128.0, micro_batch=1.0, data_parallel=8.0, tensor_parallel=2.0, sequence_parallel=1.0,
               pipeline_parallel=8.0, expert_parallel=8.0, expert_tensor_parallel=2.0, zero=1.0, grad_accum=32.0),
        4096.0, False, "flash", 26.23,
    ),
    "mixtral 8x7b, 4 stages interleaved 8, 8 expert ranks": (
        Architecture(
            id="8x7b", layers=32, hidden=4096, heads=32, kv_heads=8, head_dim=128, ffn=14336, gated_mlp=True,
            vocab=32000, tied_embeddings=False, sources={"id": "test"},
            moe=eight_experts(ffn=14336, layers=32),
        ),
        layout(n_gpus=64.0, micro_batch=1.0, data_parallel=8.0, tensor_parallel=2.0, sequence_parallel=1.0,
               pipeline_parallel=4.0, virtual_stages=8.0, expert_parallel=8.0, zero=1.0, grad_accum=32.0),
        4096.0, False, "flash", 33.07,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_peak_of_the_last_rank_is_within_three_percent_of_the_published_one(name: str) -> None:
    arch, where, seq_len, dropout, attention, measured = CASES[name]
    found = last_rank_gib(arch, where, seq_len=seq_len, dropout=dropout, attention=attention)
    assert found == pytest.approx(measured, rel=0.03)


def test_fsdp_under_a_pipeline_keeps_weights_and_gradients_whole_until_the_step_is_over() -> None:
    """Llama-3.1-405B on 512 GPUs, tensor 8, pipeline 8: 6.3e9 parameters a rank, 2 + 4 bytes of them whole."""
    titan = replace(
        MEGATRON, weight_bytes=4, grad_bytes=4, master_bytes=0, grads_sharded_from_zero=2, keeps_grads=False
    )
    arch = gpt(layers=126, hidden=16384, heads=128, vocab=128256, ffn=53248, kv_heads=8, gated_mlp=True)
    where = layout(
        n_gpus=512.0, data_parallel=8.0, tensor_parallel=8.0, pipeline_parallel=8.0, zero=3.0, grad_accum=8.0
    )
    shared, whole = (
        stage_memory(full_job(arch, replace(titan, pipeline_keeps_whole=keeps)), where, is_first=True)
        for keeps in (False, True)
    )
    per_rank = float(shared.states.moments_bytes)
    assert float(whole.states.gradients_bytes - shared.states.gradients_bytes) == pytest.approx(per_rank / 8 * 4 * 7)
    assert float(whole.gathered_bytes) == pytest.approx(per_rank / 8 * 2 * 8)

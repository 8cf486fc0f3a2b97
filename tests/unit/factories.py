"""Small records for tests of the arithmetic, independent of the facts files."""

from dataclasses import replace
from typing import Any

from gpuplan.facts.arch import Architecture
from gpuplan.facts.trainer import Trainer
from gpuplan.question.job import Adapter, Job, Role
from gpuplan.question.layout import Layout
from gpuplan.units import GIB

MEGATRON = Trainer(
    id="test/megatron",
    framework="megatron",
    version=None,
    family="megatron",
    weight_bytes=2,
    compute_copy_bytes=0,
    grad_bytes=4,
    master_bytes=4,
    moment_bytes=8,
    step_temp_bytes=0,
    grads_sharded_from_zero=9,
    frozen_bytes=2,
    adapter_bytes=2,
    kbit_wide_bytes=2,
    fused_norm=True,
    fused_activation=True,
    autocast=False,
    logit_bytes_forward=6,
    logit_bytes_peak=6,
    logit_bytes_reserved=6,
    recompute_default="none",
    dropout=0.0,
    ddp_bucket=False,
    gather_units=2,
    zero3_live_params=1e9,
    reduce_bucket_bytes=0,
    fragmentation=1.0,
    context_bytes=1.5 * GIB,
    micro_batch_default=1,
    eval_batch_default=None,
    packing_default=True,
    padding="fixed",
    launch_us_per_layer=350,
    keeps_grads=True,
    sources={"id": "test"},
)

HF = replace(
    MEGATRON,
    id="test/hf",
    framework="transformers",
    family="hf",
    grad_bytes=2,
    master_bytes=0,
    moment_bytes=4,
    grads_sharded_from_zero=2,
    adapter_bytes=4,
    fused_norm=False,
    fused_activation=False,
    logit_bytes_forward=10,
    logit_bytes_peak=12,
    logit_bytes_reserved=16,
    ddp_bucket=True,
    keeps_grads=False,
    launch_us_per_layer=1110,
)

LLAMA_2_7B = Architecture(
    id="llama-2-7b",
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=32,
    head_dim=128,
    ffn=11008,
    gated_mlp=True,
    vocab=32000,
    tied_embeddings=False,
    sources={"id": "test"},
)

LLAMA_3_8B = replace(LLAMA_2_7B, id="llama-3-8b", kv_heads=8, ffn=14336, vocab=128256)


def gpt(*, layers: int, hidden: int, heads: int, vocab: int, ffn: int | None = None, **more: Any) -> Architecture:
    """A GPT-like shape: LayerNorm, no gate, tied head unless said otherwise."""
    fields: dict[str, Any] = {
        "id": "gpt",
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": hidden // heads,
        "ffn": ffn or 4 * hidden,
        "gated_mlp": False,
        "activation": "gelu",
        "vocab": vocab,
        "tied_embeddings": True,
        "norm": "LayerNorm",
        "norm_bias": True,
        "qkv_bias": True,
        "attn_out_bias": True,
        "mlp_bias": True,
        "sources": {"id": "test"},
    }
    return Architecture(**(fields | more))


def full_job(arch: Architecture, trainer: Trainer = MEGATRON, **more: Any) -> Job:
    """Every weight is trained."""
    fields: dict[str, Any] = {
        "method": "full",
        "roles": (Role(name="policy", model=arch),),
        "trainer": trainer,
        "precision": "bf16",
        "optimizer": "adamw",
        "seq_len": 2048.0,
        "time_len": 2048.0,
    }
    return Job(**(fields | more))


def lora_job(arch: Architecture, trainer: Trainer = HF, *, rank: int = 8, **more: Any) -> Job:
    """Adapters on every product of the layers."""
    adapter = Adapter(rank=rank, targets=("q", "k", "v", "o", "gate", "up", "down"))
    role = Role(name="policy", model=arch, trains="adapter", adapter=adapter)
    return full_job(arch, trainer, **({"method": "lora", "roles": (role,)} | more))


def layout(**fields: Any) -> Layout:
    """One GPU, one sequence, unless said otherwise."""
    base: dict[str, Any] = {
        "n_gpus": 1.0,
        "gpus_per_node": 8.0,
        "micro_batch": 1.0,
        "grad_accum": 1.0,
        "data_parallel": 1.0,
    }
    return Layout(**(base | fields))

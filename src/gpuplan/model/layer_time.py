"""Seconds of one average layer, one micro-batch, one rank, by cause. Notation in `gpuplan.model.operations`.

Products come from measured kernels times a factor from loop to real step; memory-bound work from bytes moved;
collectives from measured or modelled links times the share that stays exposed. See docs/time.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from gpuplan.facts.chip import Chip
from gpuplan.facts.efficiency import choose
from gpuplan.model.collectives import collective_s, group_span, joined_gpus
from gpuplan.model.hardware import Hardware
from gpuplan.model.kernels import attention_s, memory_s, misaligned, peak, product_s, usable_dtype
from gpuplan.model.operations import Activation, Attention, Exchange, Model, Norm, Product, Residual, Row
from gpuplan.model.shape import Domain, Shape
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout
from gpuplan.units import MICROSECOND, Num

SOFTWARE: Final = {
    "hf": "hf",
    "titan": "fsdp",
    "foundry": "fsdp",
    "litgpt": "fsdp",
    "te": "te",
    "jax": "te",
    "megatron": "megatron-deepspeed",
    "cpp": "cpp",
}
"""Software family of a trainer -> its key in the calibrated factors."""

NEW_EXPERT_SOFTWARE: Final = 2026.45
"""Release 26.06 of the TE stack: fused expert dispatch, few launches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTime:
    """Seconds of one pass over one average layer, by cause."""

    products_s: Num
    attention_s: Num
    memory_s: Num
    tensor_comm_s: Num
    expert_comm_s: Num
    context_comm_s: Num

    @property
    def total_s(self) -> Num:
        """Their sum."""
        return (
            self.products_s
            + self.attention_s
            + self.memory_s
            + self.tensor_comm_s
            + self.expert_comm_s
            + self.context_comm_s
        )

    def plus(self, other: "LayerTime", times: float = 1.0) -> "LayerTime":
        """This pass and `times` > 0 of another."""
        return LayerTime(
            products_s=self.products_s + times * other.products_s,
            attention_s=self.attention_s + times * other.attention_s,
            memory_s=self.memory_s + times * other.memory_s,
            tensor_comm_s=self.tensor_comm_s + times * other.tensor_comm_s,
            expert_comm_s=self.expert_comm_s + times * other.expert_comm_s,
            context_comm_s=self.context_comm_s + times * other.context_comm_s,
        )

    def scaled(self, times: Num) -> "LayerTime":
        """`times` x this pass; none of it is nothing, even where it takes forever."""
        some = np.greater(times, 0)
        return LayerTime(**{name: np.where(some, getattr(self, name), 0.0) * times for name in self.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What turns a row into seconds for one job on one machine."""

    job: Job
    layout: Layout
    shape: Shape
    hardware: Hardware
    software: str
    dtype: str
    """Of the layers' products; the head runs in 16 bit."""
    wide_dtype: str
    trains_weights: bool
    is_adapted: bool

    @property
    def chip(self) -> Chip:
        """The chip."""
        return self.hardware.machine.chip


def pace_of(job: Job, layout: Layout, shape: Shape, hardware: Hardware) -> Pace:
    """Software class and dtypes that hold for `job` on `hardware`."""
    software = SOFTWARE.get(job.trainer.family, "")
    if software == "fsdp" and job.compiled:
        software = "fsdp-compiled"
    chip = hardware.machine.chip
    return Pace(
        job=job,
        layout=layout,
        shape=shape,
        hardware=hardware,
        software=software,
        dtype=usable_dtype(chip, job.precision),
        wide_dtype=usable_dtype(chip, "bf16" if job.precision in ("fp8", "fp4") else job.precision),
        trains_weights=job.policy.trains not in ("adapter", "none"),
        is_adapted=job.policy.adapter is not None,
    )


def layer_forward(model: Model, pace: Pace) -> LayerTime:
    """Forward pass of the average layer."""
    return _average(model, pace, _row_forward)


def layer_backward(model: Model, pace: Pace) -> LayerTime:
    """Backward pass of the average layer, recompute apart."""
    return _average(model, pace, _row_backward)


def head_s(model: Model, pace: Pace) -> Num:
    """Logits, their two gradients and the loss, of one micro-batch on the last stage."""
    head = next(row for group in model.groups for row in group.rows if isinstance(row, Product) and row.name == "head")
    logits = pace.shape.tokens * model.vocab / pace.shape.tensor
    moved = choose(pace.hardware.efficiency.head_bytes, pace.software) * logits
    work = _forward_product(head, pace, pace.wide_dtype) + _backward_product(head, pace, pace.wide_dtype)
    return work + memory_s(pace.chip, pace.hardware.donor, moved)


def launch_s(model: Model, pace: Pace) -> Num:
    """Host time of one layer's forward pass: a layer cannot be faster than its kernels are launched."""
    efficiency = pace.hardware.efficiency
    base = choose(efficiency.launch_us, pace.software)
    if pace.is_adapted and pace.software == "hf":
        base = base * efficiency.launch_lora
    experts = sum(group.count for group in model.body for row in group.rows if _is_router(row)) / model.layers
    newest = "te-26.06" if pace.software == "te" and pace.job.year >= NEW_EXPERT_SOFTWARE else ""
    return MICROSECOND * (base + experts * choose(efficiency.launch_us_moe, newest))


def _average(model: Model, pace: Pace, of_row: Callable[[Row, Pace], LayerTime]) -> LayerTime:
    total = LayerTime(
        products_s=0.0, attention_s=0.0, memory_s=0.0, tensor_comm_s=0.0, expert_comm_s=0.0, context_comm_s=0.0
    )
    seen: dict[Row, LayerTime] = {}
    for group in model.body:
        for row in group.rows:
            if row not in seen:
                seen[row] = of_row(row, pace)
            total = total.plus(seen[row], group.count / model.layers)
    return total


def _time(**causes: Num) -> LayerTime:
    names = ("products_s", "attention_s", "memory_s", "tensor_comm_s", "expert_comm_s", "context_comm_s")
    return LayerTime(**{name: causes.get(name, 0.0) for name in names})


def _row_forward(row: Row, pace: Pace) -> LayerTime:
    if isinstance(row, Product):
        return _time(products_s=_forward_product(row, pace, pace.dtype), memory_s=_moved_product_s(row, pace))
    if isinstance(row, Attention):
        return _time(attention_s=_attention(row, pace))
    if isinstance(row, Exchange):
        return _exchange(row, pace)
    return _time(memory_s=_moved_s(row, pace))


def _row_backward(row: Row, pace: Pace) -> LayerTime:
    """Two gradients of each product, attention by its factor, memory-bound work twice, the same communication."""
    if isinstance(row, Product):
        return _time(products_s=_backward_product(row, pace, pace.dtype), memory_s=2.0 * _moved_product_s(row, pace))
    if isinstance(row, Attention):
        return _time(attention_s=_attention_backward(row, pace))
    if isinstance(row, Exchange):
        return _exchange(row, pace)
    return _time(memory_s=2.0 * _moved_s(row, pace))


def _kernel(pace: Pace, dtype: str, m: Num, n: Num, k: Num) -> Num:
    """One product in a real step: measured time x loop-to-step factor x penalty of odd sizes."""
    hardware, efficiency = pace.hardware, pace.hardware.efficiency
    factor = choose(efficiency.product_factor, pace.chip.id, pace.chip.arch or "")
    factor = factor * choose(efficiency.product_family, pace.software)
    if dtype in ("fp8", "fp4"):
        factor = factor * efficiency.fp8_factor
    if dtype == "fp4":
        factor = factor * choose(efficiency.fp4_factor, pace.chip.id)
    if pace.is_adapted:
        factor = factor * choose(efficiency.lora_factor, pace.software)
    time = product_s(hardware.kernels, pace.chip, hardware.donor, dtype=dtype, m=m, n=n, k=k)
    return time * factor * np.where(misaligned(n, k), 1.0 + efficiency.misaligned_penalty, 1.0)


def _local_sizes(row: Product, pace: Pace) -> tuple[Num, Num]:
    """Output and input width on one rank."""
    cut = pace.shape.expert_tensor if row.is_routed else pace.shape.tensor
    n_out = row.n_out / cut if row.split == "columns" else 1.0 * row.n_out
    n_in = row.n_in / cut if row.split == "rows" else 1.0 * row.n_in
    return n_out, n_in


def _forward_product(row: Product, pace: Pace, dtype: str) -> Num:
    n_out, n_in = _local_sizes(row, pace)
    if not row.is_routed:
        return _kernel(pace, dtype, pace.shape.tokens, n_out, n_in)
    return _grouped(row, pace, dtype, n_out, n_in)


def _backward_product(row: Product, pace: Pace, dtype: str) -> Num:
    """Data gradient y' W and, where the weight trains, weight gradient x' y'."""
    n_out, n_in = _local_sizes(row, pace)
    if row.is_routed:
        data = _grouped(row, pace, dtype, n_in, n_out)
        return data + (_grouped_weight_gradient(row, pace, dtype, n_out, n_in) if pace.trains_weights else 0.0)
    tokens = pace.shape.tokens
    data = _kernel(pace, dtype, tokens, n_in, n_out)
    return data + (_kernel(pace, dtype, n_in, n_out, tokens) if pace.trains_weights else 0.0)


def routed_tokens(row: Product | Exchange, pace: Pace, visits: float) -> Num:
    """Rows that one rank's experts see: T x visits, cut over tensor ranks where experts are whole."""
    split = pace.shape.tensor / pace.shape.expert_tensor
    return pace.shape.tokens * visits / split


def _grouped(row: Product, pace: Pace, dtype: str, n_out: Num, n_in: Num) -> Num:
    """Products of all local experts: rate of one large product, padded to 128 rows an expert (at most double).

    Never faster than reading the local experts' weights.
    """
    rows = routed_tokens(row, pace, row.routed)
    per_expert = rows * pace.shape.expert / row.experts
    padding = np.minimum(2.0, np.ceil(per_expert / 128.0) * 128.0 / per_expert)
    read = memory_s(pace.chip, pace.hardware.donor, 2.0 * row.experts / pace.shape.expert * n_out * n_in)
    return np.maximum(_kernel(pace, dtype, rows, n_out, n_in) * padding, read)


def _grouped_weight_gradient(row: Product, pace: Pace, dtype: str, n_out: Num, n_in: Num) -> Num:
    """Weight gradients of all local experts: rate of a product of 8192 rows; never below writing them in fp32."""
    rows = routed_tokens(row, pace, row.routed)
    whole = _kernel(pace, dtype, 8192.0, n_out, 8192.0)
    write = memory_s(pace.chip, pace.hardware.donor, 4.0 * row.experts / pace.shape.expert * n_out * n_in)
    return np.maximum(whole * rows * n_in / 8192.0**2, write)


def _attention(row: Attention, pace: Pace) -> Num:
    """Attention core, forward; context ranks share the pairs evenly. Unfused kernels are never faster than fused."""
    fused = _fused_attention(row, pace)
    return fused if pace.job.attention == "flash" else np.maximum(_unfused_attention(row, pace), fused)


def _attention_backward(row: Attention, pace: Pace) -> Num:
    """Fused: the forward time by its factor, for it computes the scores again. Unfused: two products for each one."""
    fused = _fused_attention(row, pace) * pace.hardware.efficiency.attention_backward
    return fused if pace.job.attention == "flash" else np.maximum(2.0 * _unfused_attention(row, pace), fused)


def _fused_attention(row: Attention, pace: Pace) -> Num:
    """From the measured table, by the class of the trainer's kernel."""
    shape = pace.shape
    window = float("inf") if row.window is None else float(row.window)
    time = attention_s(
        pace.hardware.kernels,
        pace.chip,
        pace.hardware.donor,
        batch_heads=shape.micro_batch * row.heads / shape.tensor,
        seq=shape.seq_len,
        head_dim=(row.qk_dim + row.v_dim) // 2,
        window=window,
        causal=row.causal,
    )
    return time * _attention_class(pace) / shape.context


def _unfused_attention(row: Attention, pace: Pace) -> Num:
    """Products of all pairs at peak, and the scores' traffic."""
    shape = pace.shape
    scores = shape.micro_batch * row.heads / shape.tensor * shape.seq_len**2 / shape.context
    flops = 2.0 * scores * (row.qk_dim + row.v_dim)
    moved = pace.hardware.efficiency.softmax_bytes * scores
    return flops / peak(pace.chip, pace.wide_dtype) + memory_s(pace.chip, pace.hardware.donor, moved)


def _attention_class(pace: Pace) -> float:
    """Time of the trainer's attention kernel over the measured one."""
    kernel = (
        "te"
        if pace.software in ("te", "cpp")
        else "triton-alibi"
        if pace.job.trainer.framework == "llm-foundry"
        else "fa2"
    )
    return choose(pace.hardware.efficiency.attention_class, f"{kernel}/{pace.chip.arch}", kernel)


def _moved_s(row: Row, pace: Pace) -> Num:
    """Memory-bound rows: norms and residuals (a quarter of `norm_bytes` each), and the activation."""
    efficiency, shape = pace.hardware.efficiency, pace.shape
    if isinstance(row, Norm | Residual):
        is_wide = isinstance(row, Residual) or row.moves_residual
        bytes_ = efficiency.norm_bytes / 4.0 * shape.tokens * row.width * shape.share("residual") * is_wide
    elif isinstance(row, Activation):
        width = row.width * (2.0 if row.gated else 1.0) * row.routed
        bytes_ = efficiency.ffn_bytes * shape.tokens * width * shape.share(_activation_domain(row))
    else:
        return 0.0
    return choose(efficiency.fusion, *_fusion_keys(pace)) * memory_s(pace.chip, pace.hardware.donor, bytes_)


def _moved_product_s(row: Product, pace: Pace) -> Num:
    """Memory-bound work around a product: rotary and layout of q, k, v; casts to 8 bit; 4-bit unpacking."""
    efficiency, shape = pace.hardware.efficiency, pace.shape
    bytes_: Num = 0.0
    if row.name in ("qkv", "q", "q_b", "kv_b"):
        bytes_ = bytes_ + efficiency.qkv_bytes * shape.tokens * row.n_out / shape.tensor
    if pace.dtype in ("fp8", "fp4") and row.name != "head":
        share = shape.share("tensor") if row.split == "rows" else 1.0
        bytes_ = bytes_ + efficiency.cast_bytes * shape.tokens * row.n_in * row.routed * share
    time = choose(efficiency.fusion, *_fusion_keys(pace)) * memory_s(pace.chip, pace.hardware.donor, bytes_)
    if row.is_routed:
        permuted = efficiency.permute_bytes * routed_tokens(row, pace, row.routed) * row.n_in
        time = time + memory_s(pace.chip, pace.hardware.donor, permuted * (row.split == "columns") * 2.0)
    if pace.job.policy.quantisation is not None and row.name != "head":
        unpacked = efficiency.dequant_bytes * row.weights / (shape.tensor if row.split != "none" else 1.0)
        time = time + memory_s(pace.chip, pace.hardware.donor, unpacked)
    return time


def _activation_domain(row: Activation) -> Domain:
    return "dispatched_tensor" if row.is_routed else "tensor"


def _fusion_keys(pace: Pace) -> tuple[str, ...]:
    if pace.software == "te" and pace.job.year >= NEW_EXPERT_SOFTWARE:
        return ("te-26.06", "te")
    return (pace.software,)


def _exchange(row: Exchange, pace: Pace) -> LayerTime:
    """Collectives of a layer's pass: tensor all-reduce, expert all-to-all, ring of keys and values."""
    hardware, shape, efficiency = pace.hardware, pace.shape, pace.hardware.efficiency
    machine, per_node = hardware.machine, _per_node(pace)
    if row.group == "tensor":
        ranks, nodes = group_span(1.0, shape.tensor, per_node)
        bytes_ = 2.0 * shape.tokens * row.elements_per_token
        time = collective_s(hardware.kernels, machine, row.kind, bytes_=bytes_, ranks_in_node=ranks, nodes=nodes)
        many = np.asarray(shape.tensor) > 1
        return _time(tensor_comm_s=np.where(many, choose(efficiency.exposed_tensor, pace.software) * time, 0.0))
    if row.group == "expert":
        ranks, nodes = group_span(shape.expert_tensor, shape.expert, per_node)
        bytes_ = 2.0 * routed_tokens(row, pace, 1.0) * row.elements_per_token
        time = collective_s(hardware.kernels, machine, row.kind, bytes_=bytes_, ranks_in_node=ranks, nodes=nodes)
        many = np.asarray(shape.expert) > 1
        return _time(expert_comm_s=np.where(many, efficiency.exposed_expert * time, 0.0))
    _, nodes = group_span(shape.tensor, shape.context, per_node)
    bytes_ = 2.0 * shape.tokens * row.elements_per_token / shape.tensor
    one = collective_s(hardware.kernels, machine, "p2p", bytes_=bytes_, ranks_in_node=2.0, nodes=nodes)
    many = np.asarray(shape.context) > 1
    return _time(context_comm_s=np.where(many, efficiency.exposed_context * one * (shape.context - 1.0), 0.0))


def _per_node(pace: Pace) -> Num:
    """GPUs that share the fast link: of the layout's node, or of the rack where the link joins boxes."""
    machine = pace.hardware.machine
    return np.where(machine.link_domain_gpus > machine.n_gpus, float(joined_gpus(machine)), pace.layout.gpus_per_node)


def _is_router(row: Row) -> bool:
    return isinstance(row, Product) and row.name == "router"

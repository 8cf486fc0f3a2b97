"""Measured kernels and the few calibrated factors that turn them into a real step."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Measured log(seconds per FLOP) on a grid of log2 axes; NaN where nothing was measured.

    `values` has one dimension an axis. Between nodes it is read linearly, outside the last rate is held.
    """

    axes: tuple[NDArray[np.float64], ...]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSet:
    """Kernels measured on one chip: matrix products by dtype, attention by head size, collectives in a node."""

    chip_id: str
    products: Mapping[str, Grid]
    """By dtype (bf16, fp8): axes log2 m, log2 n, log2 k."""
    attention: Mapping[int, Grid]
    """By head size: axes log2(batch x heads), log2 seq; causal forward, seconds per causal FLOP."""
    collectives: Mapping[str, Grid]
    """By kind (all_reduce, all_gather, reduce_scatter, all_to_all): axes log2 ranks, log2 bytes; seconds per byte."""
    memory_bytes_per_s: Num | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """Calibrated factors of the step-time model; notation and fit in docs/time.md.

    Every mapping is keyed by chip generation or by software family, with a "" entry for the unknown.
    """

    product_factor: Mapping[str, float]
    fp8_factor: float
    fp4_factor: Mapping[str, float]
    misaligned_penalty: float
    attention_backward: float
    attention_class: Mapping[str, float]
    fusion: Mapping[str, float]
    launch_us: Mapping[str, float]
    launch_us_moe: Mapping[str, float]
    launch_backward: float
    norm_bytes: float
    ffn_bytes: float
    qkv_bytes: float
    softmax_bytes: float
    permute_bytes: float
    cast_bytes: float
    head_bytes: Mapping[str, float]
    optimizer_bytes: float
    step_overhead_s: float
    exposed_tensor: Mapping[str, float]
    exposed_expert: float
    exposed_context: float
    exposed_data: float
    pipeline_message: float
    pipeline_virtual: float
    selective_forward: float
    lora_factor: Mapping[str, float]
    dequant_bytes: float
    zero3_hook_us: float
    zero3_hook_us_per_expert: float
    sources: Mapping[str, str]

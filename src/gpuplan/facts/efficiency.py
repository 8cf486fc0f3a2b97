"""Measured kernels and the few calibrated factors that turn them into a real step."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Measured log(seconds per FLOP) on a grid of log2 axes, without holes.

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
    link_kind: str | None
    """Link over which the collectives were measured; None where there are none."""
    link_bytes_per_s: float | None
    """Its rate, one direction per GPU, as the vendor states it."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """Calibrated factors of the step-time model; notation and fit in docs/kernels.md.

    A mapping is keyed by chip id or architecture (`product_factor`, `fp4_factor`), or by software family; its ""
    entry is for the unknown. Read one with `choose`.
    """

    product_factor: Mapping[str, float]
    """Time of a product in a real step over its time in a loop, by chip id or architecture."""
    product_family: Mapping[str, float]
    """Further factor on products by software family."""
    fp8_factor: float
    fp4_factor: Mapping[str, float]
    """On the fp8 table, on top of `fp8_factor`."""
    misaligned_penalty: float
    attention_backward: float
    attention_class: Mapping[str, float]
    """Time of the attention kernel over the measured table, by kernel and architecture."""
    fusion: Mapping[str, float]
    launch_us: Mapping[str, float]
    """Host time of one layer's forward pass, by software family."""
    launch_us_moe: Mapping[str, float]
    launch_backward: float
    launch_lora: float
    norm_bytes: float
    ffn_bytes: float
    qkv_bytes: float
    softmax_bytes: float
    permute_bytes: float
    cast_bytes: float
    head_bytes: Mapping[str, float]
    """Bytes moved per logit, by software family."""
    optimizer_bytes: float
    step_overhead_s: float
    exposed_tensor: Mapping[str, float]
    exposed_expert: float
    exposed_context: float
    exposed_data: Mapping[str, float]
    gather_factor: float
    """FSDP / ZeRO-3 traffic over the table's time, before compute hides it."""
    pipeline_message: float
    pipeline_virtual: float
    selective_forward: float
    lora_factor: Mapping[str, float]
    dequant_bytes: float
    zero3_hook_us: float
    """Per hooked module, layer and pass; a layer has 12 + 3 x experts of them."""
    moe_trend_per_year: float
    """Yearly fall of the time of MoE layers with new TE software: e^(-this (year - `moe_trend_year`))."""
    moe_trend_year: float
    sources: Mapping[str, str]


def choose(factors: Mapping[str, float], *keys: str) -> float:
    """The factor of the first key that the mapping has, else its "" entry.

    >>> choose({"Hopper": 1.26, "": 1.2}, "H100-80GB-SXM5", "Hopper"), choose({"Hopper": 1.26, "": 1.2}, "Volta")
    (1.26, 1.2)
    """
    return next((factors[key] for key in keys if key in factors), factors[""])

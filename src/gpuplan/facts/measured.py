"""A measured run as other people publish it: the input of `validate`. Words are in docs/measured.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """One row of a file of measured runs; every field but id, model, task and hardware may be missing.

    The nested mappings keep the words of the schema; `measured` is never read by a prediction.
    """

    id: str
    model: Mapping[str, Any]
    task: str
    hardware: Mapping[str, Any]
    parallel: Mapping[str, Any] = field(default_factory=dict)
    lora: Mapping[str, Any] = field(default_factory=dict)
    host: Mapping[str, Any] = field(default_factory=dict)
    seq_len: float | None = None
    micro_batch: float | None = None
    grad_accum: float | None = None
    global_batch_seqs: float | None = None
    mean_len: float | None = None
    """Mean tokens of a sample, where the row states it; `seq_len` is then the cap."""
    packing: bool | None = None
    image_size: Any = None
    precision: str | None = None
    optimizer: str | None = None
    master_weights_fp32: bool | None = None
    recompute: str | None = None
    flash_attention: bool | None = None
    compile: bool | None = None
    fused_kernels: str | None = None
    framework: str | None = None
    framework_version: str | None = None
    date: str | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)

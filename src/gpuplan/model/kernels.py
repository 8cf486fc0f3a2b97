"""Seconds of one kernel on one chip: matrix product, attention, memory-bound operation.

Notation: m, n, k sizes of y[m, n] = x[m, k] w[k, n]; P peak FLOP/s; BW memory bytes/s; a donor is the chip on
which the kernels were measured, often the chip itself. Method and accuracy: docs/kernels.md.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.facts.chip import Chip
from gpuplan.facts.efficiency import Grid, KernelSet
from gpuplan.units import Mask, Num

ELEMENT_BYTES: Final[Mapping[str, float]] = {
    "fp32": 4.0, "tf32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5,
}  # fmt: skip
"""Bytes of one operand element in each compute dtype."""

STEPS_DOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "fp4": ("fp4", "fp8", "bf16", "fp16", "fp32"),
    "fp8": ("fp8", "bf16", "fp16", "fp32"),
    "bf16": ("bf16", "fp16", "fp32"),
    "fp16": ("fp16", "bf16", "fp32"),
    "tf32": ("tf32", "fp32"),
    "fp32": ("fp32",),
}
"""What a program falls back to where a chip lacks a dtype, best first."""

PEAK_RATIO: Final[Mapping[str, float]] = {"fp32": 1 / 16, "tf32": 0.5, "bf16": 1.0, "fp16": 1.0, "fp8": 2.0}
"""Peak rates of server chips relative to bf16 (A100 and H100 data sheets), for formats that a source leaves out."""

WINDOW_REACH: Final = 2.5
"""Length, in windows, of the causal sequences that a windowed one costs like (fit on the measured windows)."""

MANY: Final = 4096
"""Sizes from which on looking for repeated ones pays."""

ALIGNMENT: Final = 64
"""Sizes that are no multiple of this fall off the fast tiles (fit on the shared measured runs)."""


def usable_dtype(chip: Chip, dtype: str) -> str:
    """The dtype in which `chip` really computes when asked for `dtype`; fp32 where it states nothing else.

    bf16 on Turing and Volta becomes fp16, fp8 on Ampere bf16, fp4 on Hopper fp8.
    """
    return next((step for step in STEPS_DOWN[dtype] if chip.supports(step)), "fp32")


def product_s(kernels: KernelSet, chip: Chip, donor: Chip, *, dtype: str, m: Num, n: Num, k: Num) -> Num:
    """Seconds of one y[m, n] = x[m, k] w[k, n] in `dtype`, which `chip` must support.

    t = 2 m n k rate(m, n, k), the measured rate between grid nodes linear in logarithms, outside held; carried
    from the donor to the chip (`carried`). Beyond the small end of the grid not faster than moving x, w and y once.
    fp16 reads the bf16 grid; tf32 and fp32 (assumed) scale it by peak rate and element size, as fp8 does where the
    donor has no fp8 grid; fp4 reads the fp8 grid and its own rate is left to the caller (`Efficiency.fp4_factor`).
    """
    if np.broadcast(m, n, k).size < MANY:
        return one_product_s(kernels, chip, donor, dtype=dtype, m=m, n=n, k=k)
    sizes = np.broadcast_arrays(m, n, k)
    first, back = distinct(*sizes)
    few = [size.ravel()[first] for size in sizes]
    return np.asarray(one_product_s(kernels, chip, donor, dtype=dtype, m=few[0], n=few[1], k=few[2]))[back]


def one_product_s(kernels: KernelSet, chip: Chip, donor: Chip, *, dtype: str, m: Num, n: Num, k: Num) -> Num:
    """`product_s` of each size, repeated ones too."""
    table = measured_dtype(kernels, dtype)
    counted = table if dtype == "fp4" and chip.supports(table) else dtype
    grid = kernels.products[table]
    flops = 2.0 * m * n * k
    elements = m * k + k * n + m * n
    measured = flops * np.exp(between(grid, np.log2(m), np.log2(n), np.log2(k)))
    time = carried(
        measured,
        flops=flops,
        bytes_=elements * ELEMENT_BYTES[table],
        peak=(peak(donor, table), peak(chip, counted)),
        bandwidth=(bandwidth(donor, donor), bandwidth(chip, donor) * ELEMENT_BYTES[table] / ELEMENT_BYTES[counted]),
    )
    small = (m < 2 ** grid.axes[0][0]) | (n < 2 ** grid.axes[1][0]) | (k < 2 ** grid.axes[2][0])
    floor = np.where(small, elements * ELEMENT_BYTES[counted] / bandwidth(chip, donor), 0.0)
    return np.maximum(time * chip.donor_scale, floor)


def attention_s(
    kernels: KernelSet,
    chip: Chip,
    donor: Chip,
    *,
    batch_heads: Num,
    seq: Num,
    head_dim: int,
    window: Num = np.inf,
    causal: bool = True,
) -> Num:
    """Seconds of one fused attention forward pass over `batch_heads` sequences x heads of length `seq`.

    Causal: 2 b a s^2 d FLOPs at the measured rate of the nearest head size; all pairs: twice that.
    A window of w keys is read as s / s0 sequences of s0 = min(s, 2.5 w); w = inf is none (median error on the
    measured windows: 18 % at 128 keys, 15 % at 1024, 6 % at 8192).
    """
    nearest = min(kernels.attention, key=lambda size: (abs(np.log(size / head_dim)), size))
    part = np.minimum(seq, WINDOW_REACH * window)
    parts = batch_heads * seq / part
    flops = 2.0 * parts * part**2 * head_dim
    measured = flops * np.exp(between(kernels.attention[nearest], np.log2(parts), np.log2(part)))
    dtype = usable_dtype(chip, "bf16")
    time = carried(
        measured,
        flops=flops,
        bytes_=4.0 * batch_heads * seq * head_dim * ELEMENT_BYTES["bf16"],
        peak=(peak(donor, "bf16"), peak(chip, dtype)),
        bandwidth=(bandwidth(donor, donor), bandwidth(chip, donor)),
    )
    return time * chip.donor_scale * (1.0 if causal else 2.0)


def memory_s(chip: Chip, donor: Chip, bytes_: Num) -> Num:
    """Seconds to move `bytes_` to or from device memory at the stated bandwidth."""
    return bytes_ / bandwidth(chip, donor)


def misaligned(n: Num, k: Num) -> Mask:
    """True where a size per GPU is no multiple of 64: slower tiles (hidden 14400 over 8 GPUs: +41 %)."""
    slow: Mask = np.logical_or(np.mod(n, ALIGNMENT) != 0, np.mod(k, ALIGNMENT) != 0)
    return slow


def carried(
    measured: Num, *, flops: Num, bytes_: Num, peak: tuple[float, float], bandwidth: tuple[float, float]
) -> Num:
    """Time on another chip of a kernel measured on the donor; pairs are (donor, chip).

    t = t_donor (w P_donor / P + (1 - w) BW_donor / BW),  w = (F / P_donor) / (F / P_donor + B / BW_donor)

    Median error between measured sets 7-15 %, fp8 up to 23 % (docs/kernels.md).
    """
    compute, transfer = flops / peak[0], bytes_ / bandwidth[0]
    share = compute / (compute + transfer)
    return measured * (share * peak[0] / peak[1] + (1 - share) * bandwidth[0] / bandwidth[1])


def measured_dtype(kernels: KernelSet, dtype: str) -> str:
    """Dtype of the grid that stands for `dtype`."""
    return "fp8" if dtype in ("fp8", "fp4") and "fp8" in kernels.products else "bf16"


def peak(chip: Chip, dtype: str) -> float:
    """Dense FLOP/s: as stated, else derived from the fastest stated format by `PEAK_RATIO` (assumed)."""
    if dtype in chip.peak_flops:
        return chip.peak_flops[dtype]
    return (
        max(chip.peak_flops[known] / PEAK_RATIO[known] for known in PEAK_RATIO if known in chip.peak_flops)
        * (PEAK_RATIO[dtype])
    )


def bandwidth(chip: Chip, donor: Chip) -> float:
    """Stated memory bytes/s; where nobody states it, the donor's in proportion to the peak rates (assumed)."""
    stated = (chip.memory_bytes_per_s, donor.memory_bytes_per_s)
    if stated[0] is not None:
        return stated[0]
    assert stated[1] is not None, f"donor {donor.id} has no memory bandwidth"
    return stated[1] * peak(chip, usable_dtype(chip, "bf16")) / peak(donor, "bf16")


def distinct(*columns: Num) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of the first of each distinct row, and for each row the place of its like: x[first][back] == x.

    Rows are told apart by a sum of irrational multiples; should two share one, every row stands for itself.
    """
    rows = np.broadcast_arrays(*columns)
    key = sum(row * np.sqrt(prime) for row, prime in zip(rows, (2.0, 3.0, 5.0, 7.0, 11.0, 13.0), strict=False))
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    if all(np.array_equal(row.ravel()[first][back], row) for row in rows):
        return first, back
    everyone = np.arange(rows[0].size, dtype=np.intp)
    return everyone, everyone.reshape(rows[0].shape)


def between(grid: Grid, *coordinates: Num) -> Num:
    """The grid's value at log2 coordinates: linear along each axis, held beyond its ends."""
    base: NDArray[np.intp] | int = 0
    corners = np.zeros(1, dtype=np.intp)
    fractions = []
    stride = grid.values.size
    for x, axis in zip(coordinates, grid.axes, strict=True):
        stride //= len(axis)
        place = np.interp(x, axis, np.arange(len(axis), dtype=np.float64))
        lower = np.minimum(np.floor(place), len(axis) - 2).astype(np.intp)
        fractions.append(place - lower)
        base = base + lower * stride
        corners = np.concatenate([corners, corners + stride])
    flat = grid.values.ravel()
    values: list[Num] = [flat[base + corner] for corner in corners]
    for fraction in reversed(fractions):
        half = len(values) // 2
        values = [low + fraction * (high - low) for low, high in zip(values[:half], values[half:], strict=True)]
    return values[0]

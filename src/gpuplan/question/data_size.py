"""How much data a run sees: rows, real tokens, and the padding that costs time but teaches nothing.

    tokens = samples x mean x epochs
    rows   = tokens / seq_len where samples are packed, else samples x epochs

Notation: L longest (cap), m mean, q 95 % point, b micro-batch. Lengths are taken as log-normal, the shape of
instruction data; a row of an unpacked micro-batch is padded to the longest of its b samples.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from gpuplan.question.figures import Range
from gpuplan.units import Num

Z95: Final = NormalDist().inv_cdf(0.95)
"""Standard deviations to the 95 % point."""

UNKNOWN_MEAN: Final = Range(low=0.15, typical=0.5, high=1.0)
"""Mean over cap where nobody states the mean: from short instructions under a wide cap to samples that fill it."""

PER_TOKENS: Final = 1e6
"""Without data the answer is for this many tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What one run reads in all its epochs; a range where the mean length is unknown."""

    seq_len: float
    mean_len: Range
    p95_len: float | None
    packed: bool
    tokens: Range
    """Real tokens, all epochs."""
    rows: Range
    """Sequences of the micro-batches, all epochs."""
    is_known: bool
    """False where no data was stated: the figures are then for `PER_TOKENS` tokens."""
    mean_is_known: bool


def data_of(
    seq_len: float,
    packed: bool,
    *,
    samples: float | None,
    tokens: float | None,
    mean_len: float | None,
    p95_len: float | None = None,
    epochs: float = 1.0,
) -> Data:
    """Data of a question; without samples and tokens it stands for a million tokens."""
    mean = _mean(seq_len, mean_len, full=samples is None)
    if samples is not None:
        seen = samples * epochs
        real = Range(low=seen * mean.low, typical=seen * mean.typical, high=seen * mean.high)
        unpacked = Range(low=seen, typical=seen, high=seen)
    else:
        total = PER_TOKENS if tokens is None else tokens * epochs
        real = Range(low=total, typical=total, high=total)
        unpacked = Range(low=total / mean.high, typical=total / mean.typical, high=total / mean.low)
    filled = Range(low=real.low / seq_len, typical=real.typical / seq_len, high=real.high / seq_len)
    return Data(
        seq_len=seq_len,
        mean_len=mean,
        p95_len=p95_len,
        packed=packed,
        tokens=real,
        rows=filled if packed else unpacked,
        is_known=samples is not None or tokens is not None,
        mean_is_known=mean_len is not None or samples is None,
    )


def spread(mean_len: float, p95_len: float | None, seq_len: float) -> float:
    """Standard deviation of the logarithm of the length.

    ln(q/m) = Z95 s - s^2/2 solved for s; without q it is taken as 2.7 m (instruction sets), capped at L.
    """
    point = min(p95_len if p95_len is not None else 2.7 * mean_len, seq_len)
    above = min(math.log(max(point / mean_len, 1.0)), Z95**2 / 2)
    return Z95 - math.sqrt(max(Z95**2 - 2 * above, 0.0))


def padded_len(data: Data, mean_len: Num, micro_batch: Num) -> Num:
    """Mean length of a row after padding to the longest of its micro-batch.

    exp(ln m - s^2/2 + s z(b)), z(b) the normal quantile of (b - 0.375)/(b + 0.25) (Blom, expected maximum of b),
    between m and L. A packed row is full.
    """
    if data.packed:
        return np.zeros_like(np.asarray(micro_batch, dtype=float)) + data.seq_len
    m = np.asarray(mean_len, dtype=float)
    s = spread(float(np.mean(m)), data.p95_len, data.seq_len)
    longest = np.exp(np.log(m) - s**2 / 2 + s * _blom(micro_batch))
    padded: Num = np.clip(longest, m, data.seq_len)
    return padded


def _blom(micro_batch: Num) -> Num:
    sizes, where = np.unique(np.asarray(micro_batch, dtype=float), return_inverse=True)
    normal = NormalDist()
    points = np.array([normal.inv_cdf((b - 0.375) / (b + 0.25)) for b in sizes])
    quantiles: Num = points[where].reshape(np.shape(micro_batch))
    return quantiles


def _mean(seq_len: float, mean_len: float | None, *, full: bool) -> Range:
    if mean_len is not None:
        return Range(low=mean_len, typical=mean_len, high=mean_len)
    if full:
        return Range(low=seq_len, typical=seq_len, high=seq_len)
    share = UNKNOWN_MEAN
    return Range(low=share.low * seq_len, typical=share.typical * seq_len, high=share.high * seq_len)

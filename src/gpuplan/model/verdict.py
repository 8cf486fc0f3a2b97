"""Does it fit? One function serves check, plan, estimate and validate.

    P(fits) = Phi(log(capacity / typical) / sigma)
    sigma   = log(high / typical) / 1.645 above the typical value, log(typical / low) / 1.645 below it

The interval is one of 90 %, so "fits" needs its high end on the card and "does not fit" its low end beyond it.
"""

from typing import Final

import numpy as np

from gpuplan.question.figures import Range
from gpuplan.units import Num

FITS: Final = 0.95
FAILS: Final = 0.05
Z_95: Final = 1.645


def fits_probability(needed: Range, capacity_bytes: Num) -> Num:
    """Probability that `needed` stays within `capacity_bytes`; inf capacity fits always."""
    distance = np.log(np.maximum(capacity_bytes, 1.0)) - np.log(np.maximum(needed.typical, 1.0))
    up = np.log(np.maximum(needed.high, 1.0)) - np.log(np.maximum(needed.typical, 1.0))
    down = np.log(np.maximum(needed.typical, 1.0)) - np.log(np.maximum(needed.low, 1.0))
    sigma = np.maximum(np.where(distance > 0, up, down) / Z_95, 1e-6)
    return normal_share(np.clip(distance / sigma, -8.0, 8.0))


def verdict(probability: float) -> str:
    """fits, does_not_fit or unsure."""
    if probability >= FITS - 1e-6:
        return "fits"
    return "does_not_fit" if probability <= FAILS + 1e-6 else "unsure"


def normal_share(z: Num) -> Num:
    """Share of a normal distribution below z (Page 1977; error under 0.0003).

    >>> round(float(normal_share(1.645)), 3), float(normal_share(0.0))
    (0.95, 0.5)
    """
    inner: Num = np.sqrt(2.0 / np.pi) * (z + 0.044715 * np.asarray(z) ** 3)
    share: Num = 0.5 * (1.0 + np.tanh(inner))
    return share

"""Base units and the only place where other units are converted.

Inside the package every number is in bytes, bytes/s, FLOP, FLOP/s, seconds, or a named currency.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Num: TypeAlias = float | NDArray[np.float64]
"""One value, or one value for each candidate of a search."""

Mask: TypeAlias = bool | NDArray[np.bool_]
"""One truth, or one for each candidate."""

KIB: Final = 1024.0
MIB: Final = 1024.0**2
GIB: Final = 1024.0**3
GB: Final = 1e9
TB: Final = 1e12
GBIT: Final = 1e9 / 8
TFLOP: Final = 1e12
MICROSECOND: Final = 1e-6
MILLISECOND: Final = 1e-3
MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 86400.0
YEAR: Final = 365.25 * DAY
BILLION: Final = 1e9
MILLION: Final = 1e6

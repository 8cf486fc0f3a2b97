"""Which candidates can win: those that fit, and of these the ones that nothing else beats for certain.

Two layouts that differ in one thing alone compare without computing their time: less recompute is faster than
more, no offload is faster than some, and one node count needs no offload where it fits without.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.question.layout import Layout
from gpuplan.units import Num

Mask = NDArray[np.bool_]
Ints = NDArray[np.intp]

HOST_SHARE: Final = 0.9
"""Of a node's memory that processes may use; the rest is the system's (reasoned)."""
_KEYS: Final = (
    "n_gpus", "gpus_per_node", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel",
    "zero", "micro_batch",
)  # fmt: skip


def fits_host(host_bytes: Num, available: float | None, offload: Num) -> Mask:
    """Candidates whose host memory suffices; where it is unknown, those that do not offload."""
    if available is None:
        unloaded: Mask = np.asarray(offload) == 0
        return unloaded
    enough: Mask = np.asarray(host_bytes) <= HOST_SHARE * available
    return enough


def worth_timing(layout: Layout, fits: Mask) -> Ints:
    """Indices of fitting candidates that could be the fastest of their node count."""
    index = np.flatnonzero(fits)
    if not index.size:
        return index
    offload = np.asarray(layout.offload)[index]
    fleet = np.asarray(layout.n_gpus)[index] * 1e4 + np.asarray(layout.gpus_per_node)[index]
    index = index[offload == _least(fleet, offload)]
    columns = [np.asarray(getattr(layout, name))[index] for name in _KEYS]
    recompute = np.asarray(layout.recompute)[index]
    order = np.lexsort((recompute, *columns))
    table = np.stack([column[order] for column in columns])
    first = np.ones(order.size, dtype=bool)
    first[1:] = np.any(table[:, 1:] != table[:, :-1], axis=0)
    kept: Ints = index[order[first]]
    return kept


def fastest_each(keys: NDArray[np.float64], seconds: NDArray[np.float64]) -> Ints:
    """Index of the least `seconds` for each distinct key, in the order of the keys."""
    order = np.lexsort((seconds, keys))
    first = np.ones(order.size, dtype=bool)
    first[1:] = keys[order][1:] != keys[order][:-1]
    best: Ints = order[first]
    return best


def _least(groups: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least value of each one's group."""
    names, where = np.unique(groups, return_inverse=True)
    least = np.full(names.size, np.inf)
    np.minimum.at(least, where, values)
    return least[where]

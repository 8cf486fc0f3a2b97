"""Pipeline schedules: micro-batches in flight and the bubble.

1F1B keeps min(p - i, m) micro-batches at stage i; interleaving keeps chunks, min(m v, 2 (p - i - 1) + (v - 1) p + 1)
of L / (p v) layers each (Megatron-LM, pipeline_parallel/schedules.py).
"""

import numpy as np

from gpuplan.question.layout import Layout
from gpuplan.units import Num


def layers_in_flight(layout: Layout, n_layers: int, stage: Num) -> Num:
    """Layers whose activations are alive at the peak of `stage`, summed over micro-batches."""
    p, v, m = layout.pipeline_parallel, layout.virtual_stages, layout.grad_accum
    own_layers = np.ceil(n_layers / p)
    plain = np.minimum(p - stage, m) * own_layers
    chunks = np.minimum(m * v, 2.0 * (p - stage - 1.0) + (v - 1.0) * p + 1.0)
    interleaved = chunks * own_layers / v
    piped = np.where(np.asarray(v) > 1, interleaved, plain)
    return np.where(np.asarray(p) > 1, piped, own_layers)


def bubble_share(layout: Layout) -> Num:
    """Idle time over busy time of a stage: (p - 1) / (v m)."""
    return (layout.pipeline_parallel - 1.0) / (layout.virtual_stages * layout.grad_accum)

"""Seconds from the first bill to the last step.

duration = runs (start + steps x step / goodput),   steps = rows / global batch, rounded up
"""

import numpy as np

from gpuplan.units import Num


def n_steps(rows: Num, global_batch: Num) -> Num:
    """Optimizer steps; the last one may be short."""
    return np.ceil(np.asarray(rows, dtype=float) / global_batch - 1e-9)


def duration_s(steps: Num, step_s: Num, *, goodput_share: Num, start_s: Num, runs: float = 1.0) -> Num:
    """Wall-clock seconds of all runs, one after the other."""
    return runs * (start_s + steps * step_s / goodput_share)


def model_flops_share(flops_per_step: Num, step_s: Num, *, n_gpus: Num, peak_flops: Num) -> Num:
    """MFU: the model's own FLOPs (no recompute) over what the chips could do (arXiv:2204.02311, appendix B)."""
    return flops_per_step / (step_s * n_gpus * peak_flops)

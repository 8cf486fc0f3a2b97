"""FLOPs that a model needs for one row, without recompute: a fold over the table of operations.

Notation in `gpuplan.model.operations`.
"""

from gpuplan.model.operations import Model
from gpuplan.model.shape import Shape
from gpuplan.question.job import Job, Role
from gpuplan.units import Num


def forward_flops(model: Model, seq_len: Num) -> Num:
    """FLOPs of one row of `seq_len` tokens, forward."""
    shape = Shape(micro_batch=1.0, seq_len=seq_len)
    total: Num = 0.0
    for group in model.groups:
        for row in group.rows:
            total = total + group.count * row.forward_flops(shape)
    return total


def passes_of(role: Role, layers: int) -> float:
    """Forward passes that a row costs: 3 where weights train (arXiv:2001.08361, section 2.1), 2 behind frozen ones.

    Only the last layers train: the backward pass visits those alone.
    """
    if role.trains == "none":
        return role.passes
    if role.trains.startswith("last:"):
        return role.passes * (1.0 + 2.0 * min(float(role.trains.removeprefix("last:")) / layers, 1.0))
    return role.passes * (2.0 if role.trains == "adapter" else 3.0)


def row_flops(job: Job, model: Model, seq_len: Num) -> Num:
    """FLOPs of one row, forward and backward, of the policy alone."""
    return passes_of(job.policy, model.layers) * forward_flops(model, seq_len)

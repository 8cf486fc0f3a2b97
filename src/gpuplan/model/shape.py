"""Where a row of the table is evaluated: one micro-batch on one rank, and what of a tensor that rank holds."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gpuplan.units import Num

Domain: TypeAlias = Literal["residual", "tensor", "dispatched", "dispatched_tensor", "whole"]
"""What cuts a tensor: sequence parallelism, tensor ranks, the dispatch to experts, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Where a row is evaluated: one micro-batch on one rank."""

    micro_batch: Num
    seq_len: Num
    tensor: Num = 1.0
    context: Num = 1.0
    expert: Num = 1.0
    expert_tensor: Num = 1.0
    sequence_parallel: Num = 0.0

    @property
    def tokens(self) -> Num:
        """T = b s / c."""
        return self.micro_batch * self.seq_len / self.context

    @property
    def residual_split(self) -> Num:
        """Ranks over which residual-wide tensors are cut: t with sequence parallelism, else 1."""
        return np.where(np.asarray(self.sequence_parallel) > 0, self.tensor, 1.0)

    def share(self, domain: Domain) -> Num:
        """Part of a tensor of `domain` that one rank holds.

        Experts receive tokens split over the sequence-parallel ranks; expert-tensor ranks gather them (x) and cut
        the expert width (1/x).
        """
        if domain == "residual":
            return 1.0 / self.residual_split
        if domain == "tensor":
            return 1.0 / self.tensor
        if domain == "dispatched":
            return self.expert_tensor / self.residual_split
        if domain == "dispatched_tensor":
            return 1.0 / self.residual_split
        return 1.0

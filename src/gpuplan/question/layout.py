"""A layout: how one job is spread over GPUs. Each field is one value or one for each candidate."""

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from gpuplan.units import Num


class Recompute(IntEnum):
    """What the backward pass computes again instead of keeping."""

    NONE = 0
    SELECTIVE = 1
    FULL = 2


class Offload(IntEnum):
    """What lives in host memory instead of on the card."""

    NONE = 0
    OPTIMIZER = 1
    ALL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a job is spread; products: gpus = tensor x context x pipeline x data."""

    n_gpus: Num
    gpus_per_node: Num
    micro_batch: Num
    """Sequences a GPU handles at once."""
    grad_accum: Num
    """Micro-batches a data-parallel rank handles per optimizer step."""
    data_parallel: Num
    tensor_parallel: Num = 1.0
    pipeline_parallel: Num = 1.0
    context_parallel: Num = 1.0
    expert_parallel: Num = 1.0
    expert_tensor_parallel: Num = 1.0
    virtual_stages: Num = 1.0
    sequence_parallel: Num = 0.0
    """1 where norms and residuals are split over the tensor-parallel ranks."""
    zero: Num = 0.0
    """0 replicated, 1 optimizer, 2 + gradients, 3 + weights (FSDP full shard)."""
    shard_group: Num = 0.0
    """Ranks over which states are sharded; 0 means all data- and context-parallel ranks."""
    recompute: Num = 0.0
    """A `Recompute`."""
    offload: Num = 0.0
    """An `Offload`."""

    @property
    def global_batch(self) -> Num:
        """Sequences of one optimizer step."""
        return self.micro_batch * self.grad_accum * self.data_parallel

    @property
    def shards(self) -> Num:
        """Ranks over which a sharded state of a dense parameter is cut."""
        whole = self.data_parallel * self.context_parallel
        return np.where(np.asarray(self.shard_group) > 0, self.shard_group, whole)

    @property
    def n_nodes(self) -> Num:
        """Nodes needed."""
        return np.ceil(self.n_gpus / self.gpus_per_node)


def at(layout: Layout, index: int) -> Layout:
    """Candidate `index` of an array layout, as plain numbers."""
    picked = {f.name: float(np.broadcast_to(getattr(layout, f.name), _size(layout))[index]) for f in fields(layout)}
    return Layout(**picked)


def _size(layout: Layout) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(getattr(layout, f.name)) for f in fields(layout)), (1,))

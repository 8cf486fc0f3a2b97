"""What the arithmetic returns: terms, not totals. Explanation, warning, chart and test read the same record."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """Bytes that live on the worst GPU through the whole run."""

    weights_bytes: Num
    frozen_bytes: Num
    gradients_bytes: Num
    master_bytes: Num
    moments_bytes: Num
    other_roles_bytes: Num

    @property
    def total_bytes(self) -> Num:
        """Their sum."""
        return (
            self.weights_bytes
            + self.frozen_bytes
            + self.gradients_bytes
            + self.master_bytes
            + self.moments_bytes
            + self.other_roles_bytes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes on the worst GPU, by part and by phase, and the host's share.

    `phases` maps load, forward, backward, optimizer, evaluation and save to bytes allocated in that phase.
    """

    states: States
    saved_bytes: Num
    """Activations kept for the backward pass, all micro-batches in flight."""
    layer_bytes: Num
    """One layer at the worst moment of its backward pass (recomputed values, gradients of activations)."""
    logits_bytes: Num
    gathered_bytes: Num
    """Weights gathered by ZeRO-3/FSDP and not yet freed."""
    buckets_bytes: Num
    dequantised_bytes: Num
    optimizer_temp_bytes: Num
    rollout_bytes: Num
    workspace_bytes: Num
    phases: Mapping[str, Num]
    fragmentation_bytes: Num
    """Reserved by the allocator and not in use at the peak."""
    context_bytes: Num
    """Outside the allocator: driver context, communicators, libraries."""
    host_bytes_per_node: Num
    checkpoint_bytes: Num
    """Of one resumable checkpoint, whole run."""

    @property
    def allocated_bytes(self) -> Num:
        """Peak of the steady training phases."""
        peak: Num = 0.0
        for name in ("forward", "backward", "optimizer"):
            peak = np.maximum(peak, self.phases[name])
        return peak

    @property
    def reserved_bytes(self) -> Num:
        """What the allocator holds at the peak."""
        return self.allocated_bytes + self.fragmentation_bytes

    @property
    def device_bytes(self) -> Num:
        """What nvidia-smi shows."""
        return self.reserved_bytes + self.context_bytes + self.rollout_bytes

    @property
    def peak_bytes(self) -> Num:
        """Device bytes at the worst phase of all, load, evaluation and save included."""
        extra = np.maximum(np.maximum(self.phases["load"], self.phases["evaluation"]), self.phases["save"])
        return np.maximum(self.device_bytes, extra + self.context_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Seconds of one optimizer step on the slowest rank, by cause."""

    products_s: Num
    attention_s: Num
    memory_s: Num
    recompute_s: Num
    head_s: Num
    tensor_comm_s: Num
    expert_comm_s: Num
    context_comm_s: Num
    launch_s: Num
    """Waiting of the GPU for the host, beyond the work above."""
    gather_s: Num
    """FSDP/ZeRO-3 traffic that compute could not hide."""
    bubble_s: Num
    pipeline_comm_s: Num
    data_comm_s: Num
    optimizer_s: Num
    offload_s: Num
    overhead_s: Num

    @property
    def forward_backward_s(self) -> Num:
        """Everything but gradient reduction, optimizer and fixed cost."""
        return (
            self.products_s + self.attention_s + self.memory_s + self.recompute_s + self.head_s
            + self.tensor_comm_s + self.expert_comm_s + self.context_comm_s
            + self.launch_s + self.gather_s + self.bubble_s + self.pipeline_comm_s
        )  # fmt: skip

    @property
    def total_s(self) -> Num:
        """Their sum."""
        return self.forward_backward_s + self.data_comm_s + self.optimizer_s + self.offload_s + self.overhead_s

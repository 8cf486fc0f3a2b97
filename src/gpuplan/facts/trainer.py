"""What a trainer really does with memory and time: a fact with a source, one record a framework and mode."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Trainer:
    """Behaviour of one framework in one mode, in the figures that the arithmetic needs.

    Bytes are per parameter before any sharding. `sources` names one source for each figure;
    `assumed` names the figures taken from the nearest relative, because none is stated.
    """

    id: str
    framework: str
    version: str | None
    family: str
    """Software stack that decides kernels: hf, titan, te (TransformerEngine), megatron, foundry, litgpt, cpp, jax."""
    # States of a trained parameter
    weight_bytes: float
    compute_copy_bytes: float
    """16-bit copy that autocast keeps of wider weights until the forward is over."""
    grad_bytes: float
    master_bytes: float
    moment_bytes: float
    step_temp_bytes: float
    """Only alive in the optimizer step (foreach lists, fp32 gradient copies), per local parameter."""
    grads_sharded_from_zero: int
    """Smallest ZeRO stage at which gradients are sharded (2; Megatron's distributed optimizer never: 9)."""
    # Frozen and adapted weights
    frozen_bytes: float
    adapter_bytes: float
    """Bytes of an adapter weight; its gradient is the same and its moments twice that."""
    kbit_wide_bytes: float
    """Bytes of embedding, head and norms beside quantised weights (4 after PEFT's k-bit preparation)."""
    # Activations and loss
    fused_norm: bool
    """True: input and output are saved. False: an fp32 copy and the normalised value too."""
    fused_activation: bool
    autocast: bool
    logit_bytes_forward: float
    logit_bytes_peak: float
    """Per token and vocabulary entry at the worst moment; 0 where logits are never whole."""
    logit_bytes_reserved: float
    recompute_default: str
    dropout: float
    # Communication buffers
    ddp_bucket: bool
    gather_units: float
    """Layers gathered at once under ZeRO-3/FSDP (current and prefetched)."""
    zero3_live_params: float
    reduce_bucket_bytes: float
    # Allocator and device
    fragmentation: float
    context_bytes: float
    # Defaults of data and batch
    micro_batch_default: int
    eval_batch_default: int | None
    packing_default: bool
    padding: str
    # Time
    launch_us_per_layer: float
    step_temp_cap_params: float = float("inf")
    """Parameters handled at once in the optimizer step (DeepSpeed's sub-group under ZeRO-3)."""
    keeps_grads: bool = False
    """True where gradient buffers live through the whole step (Megatron); False: freed before forward."""
    vocab_multiple: int = 1
    """The vocabulary is padded to a multiple of this times the tensor-parallel ranks."""
    selective: str = "scores"
    """What selective recompute drops: scores (Megatron), or operations (torchtitan keeps every second product)."""
    adapter_computes_fp32: bool = False
    """The adapter's input is kept as an fp32 copy (PEFT adapters outside autocast)."""
    repeats_kv: bool = False
    """Keys and values are repeated to all heads before attention (Hugging Face sdpa path)."""
    offload_steps_on_card: bool = False
    """Offloaded optimizer states travel to the card each step, which does the arithmetic; False: the host does it."""
    pipeline_keeps_whole: bool = False
    """FSDP under a pipeline: weights stay gathered and gradients whole until the last micro-batch of a step."""
    keeps_gathered_input: bool = False
    """Sequence parallelism keeps the gathered input of a product for backward (DTensor); Megatron gathers it again."""
    fused_qkv: bool = False
    """q, k and v are one product whose result stays alive through v, a view of it, beside the rotated q and k."""
    adapter_dropout: float = 0.0
    """Default dropout on the input of an adapter: keeps a dropped copy and a mask."""
    mixes_dtype_notes: str | None = None
    applies_when: str | None = None
    checkpoint_bytes: float | None = None
    """Of a resumable checkpoint, per trained parameter."""
    save_interval_steps: int | None = None
    resume_auto: bool | None = None
    optimizer_default: str = "adamw"
    checkpoints_on_host: bool = False
    """Layer inputs kept for recompute live in pinned host memory, not on the card."""
    no_sync_grad_bytes: float = 0.0
    """Unsharded gradient of *every* parameter, frozen ones too, under FSDP1 when micro-batches accumulate."""
    rollout_share: float = 0.0
    """Share of the card that a colocated generation engine keeps by default while training."""
    load_rank_host_bytes: float = 0.0
    """Host bytes per parameter that each rank of a node holds while loading."""
    save_rank_host_bytes: float = 0.0
    """Host bytes per parameter that each rank of a node holds while saving."""
    save_rank0_host_bytes: float = 0.0
    """Host bytes per parameter that rank 0 alone holds while saving."""
    offload_optimizer_host_bytes: float = 16.0
    """Host bytes per trained parameter, whole run, when optimizer state is offloaded."""
    offload_all_host_bytes: float = 20.0
    """The same when weights and optimizer state are offloaded."""
    sources: Mapping[str, str]
    assumed: tuple[str, ...] = ()

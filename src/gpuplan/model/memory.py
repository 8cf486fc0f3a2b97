"""Memory on the worst GPU, by part and by phase. Notation in `gpuplan.model.operations`.

    allocated = max over phases (states alive + activations + what only that phase holds)
    reserved  = allocated + fragmentation        device = reserved + context

Phases are not added up: the loss, one layer's backward and the optimizer step peak at different moments.
"""

from dataclasses import dataclass, fields

import numpy as np

from gpuplan.facts.trainer import Trainer
from gpuplan.model.activations import backward_layer_bytes, end_bytes, kept_layer_bytes
from gpuplan.model.adapters import adapted_parts
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.host import checkpoint_bytes, host_bytes_per_node
from gpuplan.model.operations import Model, Product
from gpuplan.model.optimizers import optimizer_of
from gpuplan.model.params import LocalParams, local_params, padded_vocab
from gpuplan.model.pipeline import layers_in_flight
from gpuplan.model.regime import Regime
from gpuplan.model.shape import Shape
from gpuplan.model.states import Trained, keeps_whole, optimizer_temp_bytes, role_states, trained_params
from gpuplan.model.terms import Memory, States
from gpuplan.question.job import Job, Role
from gpuplan.question.layout import Layout, Recompute
from gpuplan.units import GIB, Num

WORKSPACE_BYTES = 0.10 * GIB
"""cuBLAS and similar workspaces inside the allocator (fitted on Megatron rows, memory_model section 6)."""


def memory_of(job: Job, layout: Layout) -> Memory:
    """Memory of each candidate on its worst rank: first or last pipeline stage."""
    first = stage_memory(job, layout, is_first=True)
    if np.all(np.asarray(layout.pipeline_parallel) <= 1):
        return first
    last = stage_memory(job, layout, is_first=False)
    return _worse(first, last)


def regime_of(job: Job, role: Role, model: Model) -> Regime:
    """How the job's trainer keeps the tensors of `role`."""
    trainer, adapter = job.trainer, role.adapter
    element = 4.0 if job.precision in ("fp32", "tf32") and not trainer.autocast else 2.0
    return Regime(
        trains_weights=role.trains not in ("adapter", "none"),
        adapted=adapted_parts(model, adapter) if adapter is not None else frozenset(),
        adapter_input_bytes=4.0 if trainer.adapter_computes_fp32 else element,
        adapter_dropout=adapter is not None and max(adapter.dropout, trainer.adapter_dropout) > 0,
        fused_qkv=trainer.fused_qkv,
        keeps_gathered_input=trainer.keeps_gathered_input,
        quantised=role.quantisation is not None,
        fused_norm=trainer.fused_norm,
        fused_activation=trainer.fused_activation,
        dropout=trainer.dropout > 0,
        attention="sdpa" if job.attention == "flash" and trainer.repeats_kv else job.attention,
        element_bytes=element,
    )


def shape_of(job: Job, layout: Layout, seq_len: Num) -> Shape:
    """Where rows are evaluated for memory (`seq_len` = longest) or time (average)."""
    return Shape(
        micro_batch=layout.micro_batch,
        seq_len=seq_len,
        tensor=layout.tensor_parallel,
        context=layout.context_parallel,
        expert=layout.expert_parallel,
        expert_tensor=layout.expert_tensor_parallel,
        sequence_parallel=layout.sequence_parallel,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """What one stage holds, before phases are put together."""

    states: States
    saved: Num
    layer: Num
    logits_forward: Num
    logits_peak: Num
    logits_reserved: Num
    gathered: Num
    buckets: Num
    dequantised: Num
    optimizer_temp: Num
    compute_copy: Num


def stage_memory(job: Job, layout: Layout, *, is_first: bool) -> Memory:
    """Memory of a rank on the first or the last pipeline stage (both in one where there is one stage)."""
    trainer, role, optimizer = job.trainer, job.policy, optimizer_of(job.optimizer)
    model = decoder(role.model)
    local = local_params(model, layout, first=is_first, last=not is_first, vocab_multiple=trainer.vocab_multiple)
    trained = trained_params(role, model, local, layout)
    states = _with_other_roles(job, layout, role_states(role, trainer, optimizer, trained=trained, layout=layout))
    shape, regime = shape_of(job, layout, job.seq_len), regime_of(job, role, model)
    alone = np.asarray(layout.pipeline_parallel) <= 1
    has_head = np.logical_or(alone, not is_first)
    logits = _logits(model, layout, shape, trainer) * has_head * role.passes
    pieces = Pieces(
        states=states,
        saved=_saved(job, layout, model, regime, shape, is_first=is_first),
        layer=backward_layer_bytes(model, regime, shape, layout.recompute, trainer.selective),
        logits_forward=trainer.logit_bytes_forward * logits,
        logits_peak=trainer.logit_bytes_peak * logits + _chunked_logits(trainer, model, shape) * has_head,
        logits_reserved=trainer.logit_bytes_reserved * logits,
        gathered=_gathered(trainer, local, layout),
        buckets=_buckets(trainer, local, layout),
        dequantised=_dequantised(role, model, layout),
        optimizer_temp=optimizer_temp_bytes(trainer, trained, layout),
        compute_copy=_compute_copy(trainer, trained, layout),
    )
    return _assemble(job, layout, pieces, local=local, trained=trained)


def _assemble(job: Job, layout: Layout, pieces: Pieces, *, local: LocalParams, trained: Trained) -> Memory:
    """Phases from pieces; see the module docstring."""
    trainer, states = job.trainer, pieces.states
    grads = states.gradients_bytes
    resting = states.total_bytes - grads + WORKSPACE_BYTES + pieces.buckets + pieces.gathered
    held = np.where(trainer.keeps_grads | (np.asarray(layout.grad_accum) > 1), grads, 0.0)
    loss = resting + held + pieces.saved + pieces.logits_peak + pieces.compute_copy
    forward = resting + held + pieces.saved + pieces.logits_forward + pieces.compute_copy
    early = resting + held + pieces.saved + pieces.layer + pieces.dequantised
    late = resting + grads + pieces.layer + pieces.dequantised
    backward = np.maximum(loss, np.maximum(early, late))
    step = states.total_bytes + WORKSPACE_BYTES + pieces.buckets + pieces.optimizer_temp
    allocated = np.maximum(np.maximum(forward, backward), step)
    reserved_loss = loss + np.maximum(pieces.logits_reserved - pieces.logits_peak, 0.0)
    transient = np.maximum(allocated - states.total_bytes, 0.0)
    fragmentation = np.maximum(reserved_loss - allocated, 0.0) + (trainer.fragmentation - 1.0) * transient
    return Memory(
        states=states,
        saved_bytes=pieces.saved,
        layer_bytes=pieces.layer,
        logits_bytes=pieces.logits_peak,
        gathered_bytes=pieces.gathered,
        buckets_bytes=pieces.buckets,
        dequantised_bytes=pieces.dequantised,
        optimizer_temp_bytes=pieces.optimizer_temp,
        rollout_bytes=0.0 * allocated,
        workspace_bytes=WORKSPACE_BYTES + 0.0 * allocated,
        phases={
            "load": states.weights_bytes + states.frozen_bytes + states.other_roles_bytes + 2.0 * local.layer,
            "forward": forward,
            "backward": backward,
            "optimizer": step,
            "evaluation": states.total_bytes - grads + WORKSPACE_BYTES + pieces.gathered + pieces.logits_forward,
            "save": states.total_bytes - grads + WORKSPACE_BYTES + 2.0 * np.maximum(local.layer, local.embedding),
        },
        fragmentation_bytes=fragmentation,
        context_bytes=trainer.context_bytes + 0.0 * allocated,
        host_bytes_per_node=host_bytes_per_node(trainer, local, trained, layout),
        checkpoint_bytes=checkpoint_bytes(job, layout, trained),
    )


def _with_other_roles(job: Job, layout: Layout, policy: States) -> States:
    """Adds the states of reference, reward and critic models, which rest on the same card.

    A reference that is the policy with its adapter switched off has no weights of its own.
    """
    trainer, optimizer = job.trainer, optimizer_of(job.optimizer)
    others: Num = 0.0
    for role in job.roles[1:]:
        if role.shared:
            continue
        model = decoder(role.model)
        local = local_params(model, layout, first=True, last=True, vocab_multiple=trainer.vocab_multiple)
        trained = trained_params(role, model, local, layout)
        others = others + role_states(role, trainer, optimizer, trained=trained, layout=layout).total_bytes
    return States(
        weights_bytes=policy.weights_bytes,
        frozen_bytes=policy.frozen_bytes,
        gradients_bytes=policy.gradients_bytes,
        master_bytes=policy.master_bytes,
        moments_bytes=policy.moments_bytes,
        other_roles_bytes=others,
    )


def _saved(job: Job, layout: Layout, model: Model, regime: Regime, shape: Shape, *, is_first: bool) -> Num:
    """Activations of all layers and micro-batches in flight, and of the embedding and final norm."""
    stage = 0.0 if is_first else layout.pipeline_parallel - 1.0
    alive = layers_in_flight(layout, model.layers, stage)
    kept = kept_layer_bytes(model, regime, shape, layout.recompute, job.trainer.selective)
    if job.trainer.checkpoints_on_host:
        kept = np.where(np.asarray(layout.recompute) == Recompute.FULL, 0.0, kept)
    embedding, final = end_bytes(model, regime, shape)
    alone = np.asarray(layout.pipeline_parallel) <= 1
    passes = job.policy.passes
    ends = np.where(np.logical_or(alone, is_first), embedding, 0.0) + np.where(
        np.logical_or(alone, not is_first), final, 0.0
    )
    return passes * (alive * kept + ends)


def _logits(model: Model, layout: Layout, shape: Shape, trainer: Trainer) -> Num:
    """Entries of the logit matrix on one rank: T V / t."""
    vocab = padded_vocab(model.vocab, layout.tensor_parallel, trainer.vocab_multiple)
    return shape.tokens * vocab / layout.tensor_parallel


def _chunked_logits(trainer: Trainer, model: Model, shape: Shape) -> Num:
    """Where the loss never builds whole logits: a tile of 1024 tokens at 12 bytes, and the hidden gradient."""
    if trainer.logit_bytes_peak > 0:
        return 0.0
    tile = np.minimum(shape.tokens, 1024.0)
    return 12.0 * tile * model.vocab / shape.tensor + 4.0 * shape.tokens * model.hidden


def _gathered(trainer: Trainer, local: LocalParams, layout: Layout) -> Num:
    """Weights that ZeRO-3/FSDP holds whole for a moment: the units in use and the ends of the model, in 16 bit."""
    units = np.minimum(trainer.gather_units * local.layer, trainer.zero3_live_params)
    whole = 2.0 * (units + local.embedding + local.head)
    whole = np.where(keeps_whole(trainer, layout), 2.0 * local.total, whole)
    shared = (np.asarray(layout.zero) >= 3) & (np.asarray(layout.shards) > 1)
    return np.where(shared, whole, 0.0)


def _buckets(trainer: Trainer, local: LocalParams, layout: Layout) -> Num:
    """Buffers of ZeRO's reductions, where gradients are shared."""
    shared = (np.asarray(layout.zero) >= 2) & (np.asarray(layout.shards) > 1)
    return np.where(shared, np.minimum(trainer.reduce_bucket_bytes, 4.0 * local.total), 0.0)


def _dequantised(role: Role, model: Model, layout: Layout) -> Num:
    """The largest 4-bit matrix, unpacked to 16 bit while it is used."""
    if role.quantisation is None:
        return 0.0
    sizes = [
        row.n_in * width
        for group in model.body
        for row in group.rows
        if isinstance(row, Product)
        for _, width in row.parts
    ]
    return 2.0 * max(sizes) / layout.tensor_parallel


def _compute_copy(trainer: Trainer, trained: Trained, layout: Layout) -> Num:
    """16-bit copies that autocast keeps of wider weights until the forward is over."""
    whole = np.asarray(layout.zero) < 3
    return np.where(whole, trainer.compute_copy_bytes * trained.n_full, 0.0)


def _worse(first: Memory, last: Memory) -> Memory:
    """Field by field the stage whose device peak is higher."""
    take_last = last.peak_bytes > first.peak_bytes
    chosen: dict[str, object] = {}
    for f in fields(Memory):
        a, b = getattr(first, f.name), getattr(last, f.name)
        if isinstance(a, States):
            chosen[f.name] = States(
                **{g.name: np.where(take_last, getattr(b, g.name), getattr(a, g.name)) for g in fields(States)}
            )
        elif isinstance(a, dict):
            chosen[f.name] = {name: np.where(take_last, b[name], a[name]) for name in a}
        else:
            chosen[f.name] = np.where(take_last, b, a)
    return Memory(**chosen)  # type: ignore[arg-type]

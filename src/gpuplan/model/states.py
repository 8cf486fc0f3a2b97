"""States: weights, gradients, master weights and moments on the worst rank.

    bytes of a state = bytes a parameter x parameters on the rank / ranks that share it

ZeRO 1 shares master weights and moments, 2 gradients too, 3 weights too (arXiv:1910.02054, section 5). Dense
parameters are shared over the data- and context-parallel ranks, experts over those that hold the same experts:
d c t / (e x).
"""

from dataclasses import dataclass

import numpy as np

from gpuplan.facts.trainer import Trainer
from gpuplan.model.adapters import AdapterParams, adapter_params
from gpuplan.model.operations import Model
from gpuplan.model.optimizers import Optimizer, moment_bytes
from gpuplan.model.params import LocalParams
from gpuplan.model.terms import States
from gpuplan.question.job import Role
from gpuplan.question.layout import Layout, Offload
from gpuplan.units import Mask, Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Parameters of one rank by fate; dense and experts are shared over different ranks."""

    full_dense: Num
    full_experts: Num
    adapter: AdapterParams
    frozen_linear: Num
    """Frozen matrices, experts left out."""
    frozen_experts: Num
    frozen_wide: Num
    """Frozen embedding, head, norms."""

    @property
    def n_full(self) -> Num:
        """Parameters trained in place."""
        return self.full_dense + self.full_experts


def trained_params(role: Role, model: Model, local: LocalParams, layout: Layout) -> Trained:
    """What of `local` is trained, adapted and frozen under `role`."""
    none = AdapterParams(dense=0.0, experts=0.0)
    wide = local.small + local.embedding + local.head
    if role.trains == "all":
        return Trained(
            full_dense=local.dense,
            full_experts=local.experts,
            adapter=none,
            frozen_linear=0.0,
            frozen_experts=0.0,
            frozen_wide=0.0,
        )
    if role.trains.startswith("last:"):
        part = min(float(role.trains.removeprefix("last:")) / model.layers, 1.0)
        return Trained(
            full_dense=part * local.linear,
            full_experts=part * local.experts,
            adapter=none,
            frozen_linear=(1 - part) * local.linear,
            frozen_experts=(1 - part) * local.experts,
            frozen_wide=wide,
        )
    if role.trains == "adapter" and role.adapter is not None:
        embedding: Num = local.embedding if "embed" in role.adapter.targets else 0.0
        head: Num = local.head if "head" in role.adapter.targets else 0.0
        return Trained(
            full_dense=embedding + head,
            full_experts=0.0,
            adapter=adapter_params(model, role.adapter, layout),
            frozen_linear=local.linear,
            frozen_experts=local.experts,
            frozen_wide=wide,
        )
    return Trained(
        full_dense=0.0,
        full_experts=0.0,
        adapter=none,
        frozen_linear=local.linear,
        frozen_experts=local.experts,
        frozen_wide=wide,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharding:
    """Ranks that share each kind of state."""

    dense: Num
    experts: Num

    def of(self, trained_dense: Num, trained_experts: Num, when: Mask) -> Num:
        """Parameters left on the rank where `when` says that the state is shared."""
        shared = trained_dense / self.dense + trained_experts / self.experts
        return np.where(when, shared, trained_dense + trained_experts)


def sharding(layout: Layout) -> Sharding:
    """Dense: data and context ranks. Experts: ranks that hold the same experts."""
    dense = layout.shards
    same_experts = dense * layout.tensor_parallel / (layout.expert_parallel * layout.expert_tensor_parallel)
    return Sharding(dense=dense, experts=np.maximum(same_experts, 1.0))


def role_states(role: Role, trainer: Trainer, optimizer: Optimizer, *, trained: Trained, layout: Layout) -> States:
    """States of one role on one rank. Weights leave the card under ZeRO-3 only, or where a trainer streams them."""
    cut = sharding(layout)
    zero, offload = np.asarray(layout.zero), np.asarray(layout.offload)
    on_card = offload == Offload.NONE
    weights_on_card = (offload != Offload.ALL) | ((zero < 3) & (not trainer.offload_steps_on_card))
    dense, experts, adapter = trained.full_dense, trained.full_experts, trained.adapter
    weights = trainer.weight_bytes * cut.of(dense, experts, zero >= 3)
    weights = weights + trainer.adapter_bytes * cut.of(adapter.dense, adapter.experts, zero >= 3)
    return States(
        weights_bytes=np.where(weights_on_card, weights, 0.0),
        frozen_bytes=np.where(weights_on_card, frozen_bytes(role, trainer, trained, cut, zero), 0.0),
        gradients_bytes=gradient_bytes(trainer, optimizer, trained, cut, layout),
        master_bytes=np.where(on_card, trainer.master_bytes * cut.of(dense, experts, zero >= 1), 0.0),
        moments_bytes=np.where(on_card, moments_bytes(trainer, optimizer, trained, cut, zero), 0.0),
        other_roles_bytes=0.0,
    )


def frozen_bytes(role: Role, trainer: Trainer, trained: Trained, cut: Sharding, zero: Num) -> Num:
    """Frozen weights: matrices quantised or 16-bit, embedding, head and norms wide."""
    matrix, wide = trainer.frozen_bytes, trainer.frozen_bytes
    if role.quantisation is not None:
        matrix, wide = role.quantisation.bytes_per_param, trainer.kbit_wide_bytes
    whole = np.asarray(zero) >= 3
    matrices = matrix * cut.of(trained.frozen_linear, trained.frozen_experts, whole)
    return matrices + wide * cut.of(trained.frozen_wide, 0.0, whole)


def gradient_bytes(trainer: Trainer, optimizer: Optimizer, trained: Trained, cut: Sharding, layout: Layout) -> Num:
    """Gradients of trained parameters; DDP keeps them a second time in its buckets.

    An optimizer that steps in backward keeps only the largest single gradient, counted with the layer.
    """
    shared = np.asarray(layout.zero) >= trainer.grads_sharded_from_zero
    adapter = trained.adapter
    full = trainer.grad_bytes * cut.of(trained.full_dense, trained.full_experts, shared)
    if optimizer.in_backward:
        full = 0.0 * full
    total = full + trainer.adapter_bytes * cut.of(adapter.dense, adapter.experts, shared)
    every = trained.n_full + trained.frozen_linear + trained.frozen_experts + trained.frozen_wide
    deferred = (np.asarray(layout.zero) >= 2) & (np.asarray(layout.grad_accum) > 1) & (np.asarray(layout.shards) > 1)
    total = np.where(deferred & (trainer.no_sync_grad_bytes > 0), trainer.no_sync_grad_bytes * every, total)
    if trainer.pipeline_keeps_whole:
        whole = trainer.grad_bytes * trained.n_full + trainer.adapter_bytes * adapter.total
        total = np.where(keeps_whole(trainer, layout), whole, total)
    if trainer.ddp_bucket:
        doubled = (np.asarray(layout.zero) < 1) & (np.asarray(layout.data_parallel) > 1)
        total = np.where(doubled, 2.0, 1.0) * total
    offloaded = (np.asarray(layout.offload) != Offload.NONE) & (np.asarray(layout.zero) >= 2)
    return np.where(offloaded, 0.0, total)


def keeps_whole(trainer: Trainer, layout: Layout) -> Mask:
    """True where FSDP under a pipeline neither frees weights nor scatters gradients between micro-batches."""
    piped = (np.asarray(layout.pipeline_parallel) > 1) & (np.asarray(layout.zero) >= 3)
    return piped & (np.asarray(layout.shards) > 1) & trainer.pipeline_keeps_whole


def moments_bytes(trainer: Trainer, optimizer: Optimizer, trained: Trained, cut: Sharding, zero: Num) -> Num:
    """Optimizer moments; an adapter's are twice its weight, in its dtype.

    Paged ones leave the card when memory is short, and PyTorch does not count them.
    """
    if optimizer.paged:
        return 0.0 * (trained.full_dense + trained.adapter.dense)
    shared = np.asarray(zero) >= 1
    adapter = trained.adapter
    full = moment_bytes(optimizer, trainer.moment_bytes) * cut.of(trained.full_dense, trained.full_experts, shared)
    small = moment_bytes(optimizer, 2.0 * trainer.adapter_bytes) * cut.of(adapter.dense, adapter.experts, shared)
    return full + small


def optimizer_temp_bytes(trainer: Trainer, trained: Trained, layout: Layout) -> Num:
    """Lives only in the optimizer step: foreach lists, or the fp32 gradient of one sub-group."""
    cut, shared = sharding(layout), np.asarray(layout.zero) >= 1
    own = cut.of(trained.full_dense, trained.full_experts, shared)
    adapters = cut.of(trained.adapter.dense, trained.adapter.experts, shared)
    capped = np.where(np.asarray(layout.zero) >= 3, np.minimum(own, trainer.step_temp_cap_params), own)
    on_card = np.asarray(layout.offload) == Offload.NONE
    return np.where(on_card, trainer.step_temp_bytes * (capped + adapters), 0.0)

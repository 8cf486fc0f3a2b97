"""Seconds of one optimizer step, by cause. Notation in `gpuplan.model.operations`.

    F     = smax(products + attention + memory + communication, launch)          one layer, forward
    B     = smax(backward + communication + recompute, launch x (1.1, + 1 if full recompute))
    FSDP: F = smax(F, gather), B = smax(B, gather + reduce)                      every micro-batch
    stage = ceil(L / p) (F + B) + 2 messages
    step  = (m + (p - 1) / v) stage + m head + gradient reduction + optimizer + fixed cost

smax(x, y) = (x^6 + y^6)^(1/6): a bound within 12 % of the larger, smooth where both are alike.
"""

from dataclasses import replace

import numpy as np

from gpuplan.facts.efficiency import choose
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.collectives import collective_s, group_span, joined_gpus
from gpuplan.model.hardware import Hardware
from gpuplan.model.kernels import memory_s
from gpuplan.model.layer_time import LayerTime, Pace, head_s, launch_s, layer_backward, layer_forward, pace_of
from gpuplan.model.memory import shape_of
from gpuplan.model.offload import offload_s
from gpuplan.model.operations import Model, Product
from gpuplan.model.params import end_params, local_params, total_params
from gpuplan.model.pipeline import bubble_share
from gpuplan.model.states import trained_params
from gpuplan.model.terms import Step
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, Offload, Recompute
from gpuplan.units import MICROSECOND, Num

SMALLEST_S = 1e-30
"""Keeps a division from failing where nothing takes time."""
HEAD_OVERLAP = 0.6
"""Part of the head's time that interleaved schedules leave exposed (fit)."""


def smax(x: Num, y: Num) -> Num:
    """Smooth maximum, between max(x, y) and 1.13 max(x, y); inf where either is.

    >>> round(float(smax(1.0, 0.0)), 3), round(float(smax(1.0, 1.0)), 3), float(smax(1.0, float("inf")))
    (1.0, 1.122, inf)
    """
    big = np.maximum(np.maximum(x, y), SMALLEST_S)
    small = np.minimum(x, y)
    ratio = np.where(np.isinf(big), 0.0, small / np.where(np.isinf(big), 1.0, big))
    return big * (1.0 + ratio**6) ** (1.0 / 6.0)


def excess_s(whole: Num, part: Num) -> Num:
    """What `whole` adds to `part`; 0 where the part takes forever already."""
    finite = np.isfinite(part)
    return np.where(finite, np.maximum(whole - np.where(finite, part, 0.0), 0.0), 0.0)


def step_of(job: Job, layout: Layout, hardware: Hardware) -> Step:
    """Seconds of one optimizer step of each candidate; inf where several nodes have no known network."""
    model = decoder(job.policy.model)
    pace = pace_of(job, layout, shape_of(job, layout, job.time_len), hardware)
    forward, backward = layer_forward(model, pace), layer_backward(model, pace)
    again = _recompute(model, pace, forward)
    hooks = _hooks_s(model, pace)
    launch = launch_s(model, pace)
    full = np.asarray(layout.recompute) == Recompute.FULL
    per_forward = smax(forward.total_s + hooks, launch)
    per_backward = smax(
        backward.total_s + again.total_s + hooks, launch * (pace.hardware.efficiency.launch_backward + full)
    )
    gather, reduce = _shared_weight_traffic(job, model, pace)
    gathered_forward = smax(per_forward, gather)
    gathered_backward = smax(per_backward, gather + reduce)
    return _assemble(
        pace,
        model,
        work=forward.plus(backward),
        again=again,
        launch=excess_s(per_forward + per_backward, forward.total_s + backward.total_s + again.total_s),
        gather=excess_s(gathered_forward + gathered_backward, per_forward + per_backward),
    )


def _assemble(pace: Pace, model: Model, *, work: LayerTime, again: LayerTime, launch: Num, gather: Num) -> Step:
    """A step from one layer's seconds."""
    job, layout, efficiency = pace.job, pace.layout, pace.hardware.efficiency
    layers = np.ceil(model.layers / layout.pipeline_parallel)
    passes = job.policy.passes + _other_roles(job)
    times = passes * layers * layout.grad_accum
    message = _message_s(model, pace)
    per_stage = layers * passes * (work.total_s + again.total_s + launch + gather) + message
    interleaved = np.asarray(layout.virtual_stages) > 1
    bubble = bubble_share(layout)
    head = head_s(model, pace) * np.where(interleaved, HEAD_OVERLAP, 1.0)
    return Step(
        products_s=times * work.products_s,
        attention_s=times * work.attention_s,
        memory_s=times * work.memory_s,
        recompute_s=times * again.total_s,
        head_s=passes * layout.grad_accum * head,
        tensor_comm_s=times * work.tensor_comm_s,
        expert_comm_s=times * work.expert_comm_s,
        context_comm_s=times * work.context_comm_s,
        launch_s=times * launch,
        gather_s=times * gather,
        bubble_s=bubble * layout.grad_accum * np.where(np.greater(bubble, 0), per_stage, 0.0),
        pipeline_comm_s=layout.grad_accum * message,
        data_comm_s=_data_comm_s(job, model, pace),
        optimizer_s=_optimizer_s(job, model, pace),
        offload_s=offload_s(
            job.trainer,
            pace.chip,
            layout,
            _own_params(job, model, pace),
            times * (work.total_s + again.total_s),
        ),
        overhead_s=efficiency.step_overhead_s + 0.0 * message,
    )


def _recompute(model: Model, pace: Pace, forward: LayerTime) -> LayerTime:
    """Full: the forward pass again, with its communication. Selective: dropped scores or every second product."""
    kind = np.asarray(pace.layout.recompute)
    by_operations = pace.job.trainer.selective == "operations"
    some = pace.hardware.efficiency.selective_forward if by_operations else 0.0
    share = np.where(kind == Recompute.FULL, 1.0, np.where(kind == Recompute.SELECTIVE, some, 0.0))
    again = forward.scaled(share)
    if by_operations or pace.job.attention == "flash":
        return again
    scores = np.where(kind == Recompute.SELECTIVE, forward.attention_s, 0.0)
    return replace(again, attention_s=again.attention_s + scores)


def _hooks_s(model: Model, pace: Pace) -> Num:
    """Host work of DeepSpeed's ZeRO-3 under Hugging Face: a hook on each of 12 + 3 E modules, each pass."""
    if not (pace.job.trainer.family == "hf" and "deepspeed" in pace.job.trainer.id):
        return 0.0
    experts = max((row.experts for g in model.body for row in g.rows if isinstance(row, Product)), default=1)
    modules = 12.0 + (3.0 * experts if experts > 1 else 0.0)
    per_layer = pace.hardware.efficiency.zero3_hook_us * MICROSECOND * modules
    return np.where(np.asarray(pace.layout.zero) >= 3, per_layer, 0.0)


def _data_group(pace: Pace) -> tuple[Num, Num]:
    """Ranks in a node and nodes of the group that shares states (data and context ranks, tensor ranks inside)."""
    layout, machine = pace.layout, pace.hardware.machine
    per_node = np.where(machine.link_domain_gpus > machine.n_gpus, float(joined_gpus(machine)), layout.gpus_per_node)
    return group_span(layout.tensor_parallel, layout.shards, per_node)


def _shared_weight_traffic(job: Job, model: Model, pace: Pace) -> tuple[Num, Num]:
    """Seconds a layer of gathering its 16-bit weights and of scattering its gradients (fp32 counts double)."""
    layout, hardware = pace.layout, pace.hardware
    shared = (np.asarray(layout.zero) >= 3) & (np.asarray(layout.shards) > 1)
    params = (total_params(model) - end_params(model)) / model.layers / layout.tensor_parallel
    ranks, nodes = _data_group(pace)
    wide = 2.0 if job.trainer.grad_bytes >= 4 else 1.0
    trained = 1.0 if pace.trains_weights else 0.0
    parts = []
    for kind, bytes_ in (("all_gather", 2.0 * params), ("reduce_scatter", 2.0 * params * wide * trained)):
        time = collective_s(hardware.kernels, hardware.machine, kind, bytes_=bytes_, ranks_in_node=ranks, nodes=nodes)
        parts.append(np.where(shared, hardware.efficiency.gather_factor * time, 0.0))
    return parts[0], parts[1]


def _data_comm_s(job: Job, model: Model, pace: Pace) -> Num:
    """Gradients once a step: reduce-scatter and all-gather (or all-reduce) of trained 16-bit local parameters."""
    layout, hardware = pace.layout, pace.hardware
    once = (np.asarray(layout.zero) < 3) & (np.asarray(layout.shards) > 1)
    local = local_params(model, layout, first=True, last=False)
    trained = trained_params(job.policy, model, local, layout)
    bytes_ = 2.0 * (trained.n_full + trained.adapter.total)
    ranks, nodes = _data_group(pace)
    time = collective_s(
        hardware.kernels, hardware.machine, "all_reduce", bytes_=bytes_, ranks_in_node=ranks, nodes=nodes
    )
    age = "old" if job.year < 2023 else ""
    return np.where(once, choose(hardware.efficiency.exposed_data, age) * time, 0.0)


def _optimizer_s(job: Job, model: Model, pace: Pace) -> Num:
    """Reading and writing weights, gradients and moments of the parameters that this rank updates."""
    layout, hardware = pace.layout, pace.hardware
    own = _own_params(job, model, pace)
    time = memory_s(hardware.machine.chip, hardware.donor, hardware.efficiency.optimizer_bytes * own)
    return np.where(np.asarray(layout.offload) == Offload.NONE, time, 0.0)


def _own_params(job: Job, model: Model, pace: Pace) -> Num:
    layout = pace.layout
    trained = trained_params(job.policy, model, local_params(model, layout, first=True, last=False), layout)
    shards = np.where(np.asarray(layout.zero) >= 1, layout.shards, 1.0)
    return (trained.n_full + trained.adapter.total) / shards


def _message_s(model: Model, pace: Pace) -> Num:
    """Two messages a micro-batch between stages, more of them when interleaved."""
    layout, hardware, efficiency = pace.layout, pace.hardware, pace.hardware.efficiency
    inner = layout.tensor_parallel * layout.data_parallel * layout.context_parallel
    _, nodes = group_span(inner, layout.pipeline_parallel, layout.gpus_per_node)
    bytes_ = 2.0 * pace.shape.tokens * model.hidden / layout.tensor_parallel
    one = collective_s(hardware.kernels, hardware.machine, "p2p", bytes_=bytes_, ranks_in_node=2.0, nodes=nodes)
    many = 1.0 + efficiency.pipeline_virtual * (layout.virtual_stages - 1.0)
    piped = np.asarray(layout.pipeline_parallel) > 1
    return np.where(piped, 2.0 * efficiency.pipeline_message * one * many, 0.0)


def _other_roles(job: Job) -> float:
    """Passes of the other roles in units of a policy pass: forward only is a third, training a whole one."""
    policy = total_params(decoder(job.policy.model))
    total = 0.0
    for role in job.roles[1:]:
        weight = total_params(decoder(role.model)) / policy
        total += role.passes * weight * (1.0 / 3.0 if role.trains == "none" else 1.0)
    return total

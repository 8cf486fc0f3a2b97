"""The layout of a measured run: stated degrees are kept, the rest follows or stays open.

    gpus = tensor x context x pipeline x data        global batch = micro batch x accumulation x data

What a trainer decides by itself (ZeRO stage, sequence parallelism, recompute, micro-batch) is taken from its
defaults, with the other plausible values beside it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.app.assume import Grid, Openings
from gpuplan.facts.measured import MeasuredRun
from gpuplan.facts.trainer import Trainer
from gpuplan.question.layout import Layout, Offload, Recompute
from gpuplan.question.note import note

MEGATRON_LIKE: Final = frozenset(
    {"megatron", "megatron-bridge", "nemo", "primus", "mindspeed", "internevo", "megatron-deepspeed"}
)
SHARDS_BY_DEFAULT: Final = frozenset(
    {"torchtitan", "llm-foundry", "fsdp", "nemo-automodel", "verl", "fsdp-qlora", "jax", "litgpt", "torchtune"}
)
FROZEN_BYTES: Final = 2.2
TRAINED_BYTES: Final = 8.0
"""Bytes a parameter that decide how far a model is usually split: frozen with adapters; trained and sharded."""
SMALL_MODEL: Final = 1e9
"""Below this size trainers run with their default micro-batch and recompute; larger models are started at one."""
LARGE_SURE: Final = 0.55
"""Share of larger models that keep a trainer's default of no recompute (assumed)."""
USUAL_MEMORY: Final = 80e9
USUAL_REPLICAS: Final = 16.0
"""Data-parallel ranks where neither they nor the GPUs are stated (assumed)."""
RECOMPUTE: Final[Mapping[str, float]] = {
    "none": 0.0, "off": 0.0, "false": 0.0, "no": 0.0, "selective": 1.0, "core_attn": 1.0,
    "full": 2.0, "on": 2.0, "true": 2.0, "yes": 2.0, "block": 2.0, "uniform": 2.0,
}  # fmt: skip
MOVES_WEIGHTS: Final = frozenset({"params+optimizer", "all"})
"""Offload that DeepSpeed has in stage 3 only (documentation of offload_param)."""
RECOMPUTE_WORDS: Final[Mapping[float, str]] = {0.0: "none", 1.0: "selective", 2.0: "full"}
OFFLOADS: Final[Mapping[str, Offload]] = {
    "none": Offload.NONE, "optimizer": Offload.OPTIMIZER, "optimizer+other": Offload.ALL,
    "params+optimizer": Offload.ALL, "all": Offload.ALL, "blocks": Offload.ALL, "other": Offload.NONE,
    "activations": Offload.NONE,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Degrees:
    """How the GPUs are split; None where a degree is open."""

    n_gpus: float
    gpus_per_node: float
    tensor: float | None
    pipeline: float | None
    context: float
    zero: int | None
    fsdp: bool


def degrees_of(
    run: MeasuredRun, opens: Openings, *, front: str, per_node: float, adapts: bool, least_gpus: float
) -> Degrees:
    """Stated degrees; what is not stated is 1 where the front end cannot do otherwise."""
    stated = run.parallel
    splits = front in MEGATRON_LIKE
    tensor, pipeline = stated.get("tp"), stated.get("pp")
    context = stated.get("cp") or 1.0
    degree = str(stated.get("sp") or "")
    if degree.isdigit() and int(degree) > 1 and not splits:
        context = max(context, float(degree))
    known = [x for x in (stated.get("dp"), tensor, pipeline, context) if x is not None]
    n_gpus = run.hardware.get("n_gpus")
    if n_gpus is None:
        n_gpus = _count(run, opens, known, per_node=per_node, adapts=adapts, least=least_gpus)
    if not splits or n_gpus <= 1:
        tensor, pipeline = tensor or 1.0, pipeline or 1.0
    zero, fsdp = _stage(run, front)
    return Degrees(
        n_gpus=float(n_gpus), gpus_per_node=float(run.hardware.get("gpus_per_node") or min(n_gpus, per_node)),
        tensor=tensor, pipeline=pipeline, context=float(context), zero=zero, fsdp=fsdp,
    )  # fmt: skip


def _count(
    run: MeasuredRun, opens: Openings, known: list[float], *, per_node: float, adapts: bool, least: float
) -> float:
    """GPUs where nobody counts them: degrees, replicas that the batch feeds, and enough of them for the states."""
    whole = float(np.prod(known)) if known else 1.0
    if run.parallel.get("dp") is None and not adapts:
        feeds = (run.global_batch_seqs or 64.0) / (run.micro_batch or 1.0)
        whole *= max(2.0 ** np.floor(np.log2(max(min(feeds, USUAL_REPLICAS), 1.0))), 1.0)
        whole = max(whole, per_node)
    if run.parallel.get("dp") is None and least > whole:
        whole = float(np.ceil(least / per_node) * per_node) if least > 1 else whole
    opens.note("hardware.n_gpus", f"{whole:g}", source=note("run.source.counted"),
               effect=note("run.effect.shards_of_states"))  # fmt: skip
    return whole


def _stage(run: MeasuredRun, front: str) -> tuple[int | None, bool]:
    """ZeRO stage and whether FSDP does the sharding; None where it is not stated and not fixed."""
    fsdp = str(run.parallel.get("fsdp") or "none").lower()
    if fsdp not in ("none", "false", "no", "off", "no_shard"):
        return (2 if "grad" in fsdp else 3), True
    word = str(run.parallel.get("zero") or "")
    if word.isdigit():
        return min(int(word), 3), False
    named = re.search(r"zero-?([123])", (run.framework or "").lower())
    if named:
        return int(named[1]), False
    if front in SHARDS_BY_DEFAULT and (run.hardware.get("n_gpus") or 1) > 1:
        return 3, True
    return None, False


def open_zero(run: MeasuredRun, opens: Openings, *, front: str, degrees: Degrees, is_large: bool) -> int:
    """The ZeRO stage; opened over the plausible ones where nobody states it."""
    if degrees.zero is not None:
        return degrees.zero
    if degrees.n_gpus <= 1 or run.parallel.get("dp") == 1 == degrees.context:
        return 0
    word = (run.framework or "").lower()
    if front in MEGATRON_LIKE:
        old = front == "megatron-deepspeed" or (run.date or "9999") < "2023-06"
        options = {0.0: 0.55, 1.0: 0.45} if old else {1.0: 0.85, 0.0: 0.15}
    elif str(run.parallel.get("offload") or "") in MOVES_WEIGHTS:
        options = {3.0: 1.0}
    elif "deepspeed" in word or front in ("openrlhf", "colossalai") or is_large:
        options = {3.0: 0.5, 2.0: 0.35, 1.0: 0.15}
    else:
        options = {0.0: 1.0}
    if len(options) == 1:
        stage = int(next(iter(options)))
        why = note("run.source.ddp" if stage == 0 else "run.source.zero3_offload")
        opens.note("parallel.zero", stage, source=why, effect=note("run.effect.memory_of_states"))
        return stage
    opens.choose("zero", options, source=note("run.source.framework_usual"), effect=note("run.effect.memory_of_states"))
    return int(next(iter(options)))


def open_degrees(
    run: MeasuredRun, opens: Openings, degrees: Degrees, *, params: float, memory_bytes: float | None, adapts: bool
) -> None:
    """Tensor and pipeline degrees that are open: enough for the weights, and for a batch smaller than the GPUs.

    split >= bytes a parameter x P / (0.7 memory), and >= gpus x accumulation / global batch
    """
    if degrees.tensor is not None and degrees.pipeline is not None:
        return
    room = degrees.n_gpus / degrees.context
    states = (FROZEN_BYTES if adapts else TRAINED_BYTES) * params
    by_memory = states / (0.7 * (memory_bytes or USUAL_MEMORY))
    by_batch = room * (run.grad_accum or 1.0) / run.global_batch_seqs if run.global_batch_seqs else 1.0
    split = min(_power_above(max(by_memory, by_batch)), room)
    if degrees.tensor is None:
        usual = min(split / (degrees.pipeline or 1.0), degrees.gpus_per_node)
        limit = min(degrees.gpus_per_node, room / (degrees.pipeline or 1.0))
        opens.choose(
            "tensor", _around(usual, limit), source=note("run.source.enough"), effect=note("run.effect.memory_time")
        )
    if degrees.pipeline is None:
        tensor = degrees.tensor or min(split, degrees.gpus_per_node)
        usual = max(split / tensor, 1.0)
        options = _around(usual, room / tensor) if usual > 1 else {1.0: 0.9, min(2.0, room / tensor): 0.1}
        opens.choose("pipeline", options, source=note("run.source.enough"), effect=note("run.effect.memory_bubble"))


def _power_above(value: float) -> float:
    return float(2.0 ** np.ceil(np.log2(max(value, 1.0)) - 1e-9))


def _around(usual: float, limit: float) -> dict[float, float]:
    """The usual degree, its half and its double, within the limit."""
    options: dict[float, float] = {}
    for value, weight in ((usual, 0.6), (usual / 2, 0.2), (usual * 2, 0.2)):
        kept = float(max(1.0, min(value, 2.0 ** np.floor(np.log2(max(limit, 1.0))))))
        options[kept] = options.get(kept, 0.0) + weight
    return options


def open_batch(
    run: MeasuredRun,
    opens: Openings,
    *,
    trainer: Trainer,
    data_parallel: float,
    pipeline: float,
    params: float,
    many: bool,
) -> None:
    """Micro-batch and accumulation where they do not follow from what is stated; a pipeline is kept full.

    `many` where a step usually accumulates many micro-batches: pre-training, and all work in the Megatron family.
    """
    micro, accum, whole = run.micro_batch, run.grad_accum, run.global_batch_seqs
    if micro is None:
        if whole is not None and accum is not None:
            return
        most = whole / max(data_parallel, 1.0) if whole is not None else 64.0
        small = params < SMALL_MODEL and not many and whole is None
        default = float(trainer.micro_batch_default) if small else 1.0
        options: dict[float, float] = {}
        for value, weight in ((default, 0.4), (1.0, 0.2), (2.0, 0.2), (4.0, 0.15), (8.0, 0.05)):
            if value <= max(most, 1.0):
                options[value] = options.get(value, 0.0) + weight
        opens.choose(
            "micro_batch",
            options or {1.0: 1.0},
            source=note("run.source.trainer_first"),
            effect=note("run.effect.activations"),
        )
    if accum is None and whole is None:
        options = {8.0: 0.5, 1.0: 0.25, 32.0: 0.25} if many else {1.0: 0.6, 4.0: 0.2, 8.0: 0.2}
        if pipeline > 1:
            options = {4.0 * pipeline: 0.5, 8.0 * pipeline: 0.25, pipeline: 0.25}
        opens.choose(
            "grad_accum",
            options,
            source=note("run.source.no_batch"),
            effect=note("run.effect.share_of_optimizer_and_reduction"),
        )


def open_recompute(run: MeasuredRun, opens: Openings, *, trainer: Trainer, front: str, params: float) -> float:
    """Recompute as stated, else the trainer's default first; large models are rarely trained without it.

    Before fused attention the Megatron family recomputed whole layers (the score matrix would fill the card).
    """
    word = (run.recompute or "").lower()
    if word in RECOMPUTE:
        return RECOMPUTE[word]
    if word:
        opens.note(
            "recompute",
            note("run.value.open"),
            source=note("run.source.unknown_word", word=repr(run.recompute)),
            effect=note("run.effect.activations"),
        )
    default = RECOMPUTE.get(trainer.recompute_default, 0.0)
    if front in MEGATRON_LIKE:
        options = {0.0: 0.6, 1.0: 0.25, 2.0: 0.15}
        if front == "megatron-deepspeed" or (run.date or "9999") < "2023":
            options = {2.0: 0.6, 0.0: 0.25, 1.0: 0.15}
    elif front == "torchtitan":
        options = {1.0: 0.6, 2.0: 0.3, 0.0: 0.1}
    else:
        sure = 0.85 if default == 2.0 or params < SMALL_MODEL else LARGE_SURE
        options = {0.0: 1.0 - sure, 2.0: 1.0 - sure}
        options[default] = sure
    words = {value: RECOMPUTE_WORDS[value] for value in options}
    opens.choose(
        "recompute",
        options,
        source=note("run.source.trainer_first"),
        effect=note("run.effect.activations"),
        words=words,
    )
    return next(iter(sorted(options, key=lambda v: -options[v])))


def offload_of(run: MeasuredRun, opens: Openings) -> float:
    """Offload as stated; parts of the card that only some trainers move are named."""
    word = str(run.parallel.get("offload") or "none").lower()
    if word not in OFFLOADS:
        opens.note(
            "parallel.offload",
            "none",
            source=note("run.source.unknown_word", word=repr(word)),
            effect=note("run.effect.memory_of_states"),
        )
        return float(Offload.NONE)
    if word in ("blocks", "other", "optimizer+other"):
        nearest = OFFLOADS[word].name.lower()
        opens.note(
            "parallel.offload",
            nearest,
            source=note("run.source.nearest", word=repr(word)),
            effect=note("run.effect.memory_of_states_host_traffic"),
        )
    return float(OFFLOADS[word])


def sequence_parallel_of(run: MeasuredRun, opens: Openings, *, front: str, tensor: float | None) -> float:
    """1 where norms are split over tensor ranks; Megatron of the TransformerEngine era does so by recipe."""
    word = str(run.parallel.get("sp") or "").lower()
    if word in ("true", "false"):
        return 1.0 if word == "true" else 0.0
    if front in ("torchtitan", "nemo-automodel", "torchtune"):
        return 1.0
    if front not in MEGATRON_LIKE or tensor == 1:
        return 0.0
    if front == "megatron-deepspeed" or (run.date or "9999") < "2022-06":
        return 0.0
    opens.choose(
        "sequence_parallel",
        {1.0: 0.75, 0.0: 0.25},
        source=note("run.source.recipe"),
        effect=note("run.effect.activations"),
    )
    return 1.0


def layout_of(run: MeasuredRun, opens: Openings, grid: Grid, *, degrees: Degrees, stated: Mapping[str, float],
              splits_local_batch: bool) -> Layout:  # fmt: skip
    """The layout of every scenario as arrays."""
    shape = grid.weights.shape
    tensor = grid.get("tensor", degrees.tensor or 1.0)
    pipeline = grid.get("pipeline", degrees.pipeline or 1.0)
    context = np.full(shape, degrees.context)
    split = tensor * pipeline * context
    data = np.full(shape, run.parallel.get("dp") or np.nan)
    data = np.where(np.isnan(data), np.maximum(np.floor(degrees.n_gpus / split + 1e-9), 1.0), data)
    _check_product(run, opens, float((data * split)[0]), degrees.n_gpus)
    micro, accum = _batches(run, opens, grid, data)
    if splits_local_batch and float(pipeline[0]) > 1 and float(micro[0]) > 1:
        opens.note("micro_batch", 1, source=note("run.source.local_batch"), effect=note("run.effect.activations"))
        accum, micro = accum * micro, np.ones(shape)
    per_node = min(degrees.gpus_per_node, degrees.n_gpus)
    hybrid = re.search("hybrid|hsdp", str(run.parallel.get("fsdp") or "").lower()) is not None
    expert = np.full(shape, run.parallel.get("ep") or stated["expert"])
    return Layout(
        n_gpus=np.full(shape, degrees.n_gpus),
        gpus_per_node=np.full(shape, per_node),
        micro_batch=micro,
        grad_accum=accum,
        data_parallel=data,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=expert,
        expert_tensor_parallel=np.where(
            expert > 1, _expert_tensor(stated, tensor, split * data / pipeline, expert), tensor
        ),
        virtual_stages=np.full(shape, run.parallel.get("vpp") or 1.0),
        sequence_parallel=grid.get("sequence_parallel", stated["sequence_parallel"]),
        zero=grid.get("zero", stated["zero"]),
        shard_group=np.full(shape, float(per_node) if hybrid else 0.0),
        recompute=grid.get("recompute", stated["recompute"]),
        offload=np.full(shape, stated["offload"]),
    )


def _expert_tensor(
    stated: Mapping[str, float], tensor: NDArray[np.float64], ranks: NDArray[np.float64], expert: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ranks that cut one expert: stated, else all tensor ranks, as far as a stage has ranks for it."""
    wished = np.full(tensor.shape, stated["expert_tensor"]) if stated["expert_tensor"] else tensor
    return np.maximum(np.minimum(wished, np.floor(ranks / expert)), 1.0)


def _check_product(run: MeasuredRun, opens: Openings, product: float, n_gpus: float) -> None:
    if abs(product - n_gpus) > 0.5:
        opens.note(
            "hardware.n_gpus", f"{n_gpus:g}", source=note("run.source.contradict_gpus", product=f"{product:g}"),
            effect=note("run.effect.figures_per_gpu"),
        )  # fmt: skip


def _batches(
    run: MeasuredRun, opens: Openings, grid: Grid, data: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Micro-batch and accumulation; what two of the three figures imply is the third."""
    micro, accum, whole = run.micro_batch, run.grad_accum, run.global_batch_seqs
    if micro is None and accum is not None and whole is not None:
        b = np.maximum(whole / (accum * data), 1.0)
        return b, np.full(data.shape, float(accum))
    b = grid.get("micro_batch", micro or 1.0)
    if accum is not None:
        a = np.full(data.shape, float(accum))
        if whole is not None and micro is not None and abs(float((a * b * data)[0]) / whole - 1.0) > 0.01:
            opens.note(
                "global_batch_seqs", f"{whole:g}", effect=note("run.effect.samples_per_second"),
                source=note("run.source.contradict_batch", product=f"{float((a * b * data)[0]):g}"),
            )  # fmt: skip
        return b, a
    if whole is not None:
        return b, np.maximum(np.ceil(whole / (b * data) - 0.02), 1.0)
    return b, grid.get("grad_accum", 1.0)


def recompute_word(value: float) -> str:
    """The word of a `Recompute`."""
    return Recompute(int(value)).name.lower()

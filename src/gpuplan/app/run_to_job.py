"""From a measured run to what the arithmetic needs: a job, the scenarios of its layout, and the cards.

Only configuration fields, the host and the date of the source are read. A stated field is kept as it is; an
open one becomes scenarios or a named assumption.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from gpuplan.app.assume import Grid, Open, Openings, grid_of, kept
from gpuplan.app.run_adapter import adapter_of, numbers_of, quantisation_of
from gpuplan.app.run_hardware import Cards, cards_of
from gpuplan.app.run_layout import (
    MEGATRON_LIKE,
    USUAL_MEMORY,
    Degrees,
    degrees_of,
    layout_of,
    offload_of,
    open_batch,
    open_degrees,
    open_recompute,
    open_zero,
    sequence_parallel_of,
)
from gpuplan.app.run_model import model_of
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.names import find_model
from gpuplan.data.trainers import choose_trainer, default_framework, front_end
from gpuplan.facts.arch import Architecture
from gpuplan.facts.measured import MeasuredRun
from gpuplan.facts.trainer import Trainer
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.optimizers import find_optimizer
from gpuplan.model.params import total_params
from gpuplan.question.figures import Assumed
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, Offload
from gpuplan.question.methods import GENERATES, Method, method_of, roles_of
from gpuplan.question.note import Words, note
from gpuplan.units import BILLION, GB, Num

MANY_GPUS: Final = 64
"""Taken for pre-training where nobody counts the GPUs and the usual framework depends on it."""
CHUNKED: Final = ("liger", "unsloth", "cut-ce", "chunked-ce")
"""Fused kernels that never build whole logits."""
ROOM_FOR_STATES: Final = 0.4
"""Share of the cards that states take in runs whose GPUs are not counted."""
LARGE_TRAINED: Final = 1e9
LARGE_FROZEN: Final = 27e9
"""Parameters from which states are sharded where nobody states how: trained ones, and frozen ones with adapters.

The first is well below one card (12 bytes a parameter), so that the choice does not turn on the card or on a few
more parameters; the second is what a card of 80 GB holds.
"""
GPT_DROPOUT: Final = 0.1
"""Default of Megatron-LM's arguments for GPT and BERT models (megatron/training/arguments.py)."""
HEADLESS: Final = frozenset({"seq_cls", "embedding", "reranker", "rm"})
"""Objectives with a small head in place of the vocabulary."""
FILLS: Final = {1.0: 0.6, 0.5: 0.2, 0.25: 0.2}
"""Mean length over the cap of unpacked samples, where nobody states it: scripts are timed at their stated length."""
CAPPED_FILLS: Final = {0.5: 0.5, 1.0: 0.25, 0.25: 0.25}
"""The same for front ends that cut real instruction data at a cap (ms-swift of 2024: about half of it)."""
CAPS_DATA: Final = frozenset({"ms-swift", "llamafactory", "axolotl", "unsloth"})
FLASH_SINCE: Final = "2023-07"
"""From here on trainers use a fused attention kernel by default (FlashAttention-2, torch 2 sdpa)."""
SDPA_SINCE: Final = "2023-12"
"""The same for trainers on transformers (sdpa became its default in release 4.36)."""
TEST_HIDDEN: Final = 1024
"""Hidden width up to which a model of a development version is a test model (megatron-lm tests/functional_tests)."""
SINKS_SINCE: Final = "2026-06"
"""From here on the Megatron family fuses attention with sinks (speed of GPT-OSS rows across releases)."""
TODAY: Final = 2026.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A row as it is computed: one job, a layout of scenarios, the cards, and everything that was assumed."""

    run: MeasuredRun
    job: Job
    layout: Layout
    grid: Grid
    opens: tuple[Open, ...]
    assumed: tuple[Assumed, ...]
    cards: Cards
    host_bytes: float | None
    generates: bool
    """True where generation, which is not modelled, is part of a step."""
    beyond: str | None = None
    """The field behind something on the card that is not computed: towers of a multimodal model, an engine."""


def read_run(run: MeasuredRun, catalogue: Catalogue) -> Reading:
    """The reading of a row; raises QuestionError where no honest estimate is possible."""
    method = _method(run)
    arch, notes = model_of(run, lambda name, params: _found(name, params, catalogue))
    opens = Openings(notes=list(notes))
    if method.nearest:
        opens.note(
            "task",
            method.base,
            source=note("run.source.nearest", word=repr(method.word)),
            effect=note("run.effect.trained_parameters"),
        )
    if str(run.model.get("kind")) == "multimodal":
        opens.note(
            "model.kind", "decoder", source=note("run.source.language_part"), effect=note("run.effect.activations_time")
        )
    params = _nominal_params(run, arch, catalogue)
    word = _word(run, method, params)
    front = front_end(word) or "transformers"
    cards = cards_of(run, opens, catalogue)
    memory = cards.memory_bytes or USUAL_MEMORY
    states = _states_alone(run, method) * params
    degrees = degrees_of(run, opens, front=front, per_node=cards.per_node, adapts=method.adapts,
                         least_gpus=states / (ROOM_FOR_STATES * memory))  # fmt: skip
    large = LARGE_FROZEN if method.adapts else LARGE_TRAINED
    zero = open_zero(run, opens, front=front, degrees=degrees, is_large=params >= large)
    open_degrees(run, opens, degrees, params=params, memory_bytes=cards.memory_bytes, adapts=method.adapts)
    trainer = _trainer(run, opens, method, catalogue, word=word, cards=cards, zero=zero, fsdp=degrees.fsdp)
    if front == "megatron" and arch.norm == "LayerNorm" and not arch.gated_mlp:
        trainer = replace(trainer, dropout=GPT_DROPOUT)
    seq_len = _seq_len(run, opens, arch, method)
    pretrains, swift = method.objective == "pretrain", "swift" in (run.framework or "").lower()
    data = run.parallel.get("dp") or max(
        degrees.n_gpus / ((degrees.tensor or 1) * (degrees.pipeline or 1) * degrees.context), 1.0
    )
    open_batch(
        run, opens, trainer=trainer, data_parallel=data, params=params,
        pipeline=degrees.pipeline or opens.likeliest("pipeline", 1.0), many=pretrains or front in MEGATRON_LIKE,
    )  # fmt: skip
    stated = {
        "zero": float(zero),
        "recompute": open_recompute(run, opens, trainer=trainer, front=front, params=params),
        "offload": _offload(run, opens),
        "sequence_parallel": sequence_parallel_of(run, opens, front=front, tensor=degrees.tensor),
        "expert": _expert_parallel(opens, arch, run, front=front, data=data * degrees.context),
        "expert_tensor": run.parallel.get("etp") or (0.0 if front == "megatron" and not swift else 1.0),
    }
    if _is_unpacked(run, trainer, pretrains=pretrains):
        fills = CAPPED_FILLS if front in CAPS_DATA else FILLS
        opens.choose("mean_len", fills, source=note("run.source.fills"), effect=note("run.effect.time_activations"))
    grid = _possible(grid_of(opens.found), degrees)
    layout = layout_of(run, opens, grid, degrees=degrees, stated=stated, splits_local_batch=front == "torchtitan")
    numbers = numbers_of(run, Openings(), front=front, bf16=cards.bf16, fp8=cards.fp8, fp4=cards.fp4)
    job = _job(run, opens, method, arch, trainer, front=front, precision=numbers.precision,
               seq_len=grid.get("seq_len", seq_len), fill=grid.get("mean_len", 1.0), layout=layout)  # fmt: skip
    ram = run.host.get("ram_gb")
    return Reading(
        run=run, job=job, layout=layout, grid=grid, opens=tuple(opens.found), assumed=tuple(opens.notes), cards=cards,
        host_bytes=ram * GB if ram else None, generates=method.objective in GENERATES,
        beyond=_beyond(run, method),
    )  # fmt: skip


def _method(run: MeasuredRun) -> Method:
    """The method of a row; an objective alone (grpo, dpo) with a stated rank trains adapters."""
    method = method_of(run.task)
    alone = ":" not in run.task and method.objective not in ("pretrain", "sft")
    if run.lora.get("rank") and not method.adapts and alone:
        return method_of(f"{run.task}_lora")
    return method


def _beyond(run: MeasuredRun, method: Method) -> str | None:
    """What stands on the card and is not computed, by the field that says so."""
    if run.model.get("kind") == "multimodal":
        return "model.kind"
    return "task" if method.objective in GENERATES else None


def _nominal_params(run: MeasuredRun, arch: Architecture, catalogue: Catalogue) -> float:
    """The size that open fields are chosen by: as stated, else of the name, else of the shape.

    A single stated width does not change how such a model is usually run, so that its effect stands alone.
    """
    stated = run.model.get("params_b")
    if stated is not None:
        return float(stated) * BILLION
    name = run.model.get("name")
    known = _found(str(name), None, catalogue)[0] if name else None
    if known is not None and known.published_params:
        return float(known.published_params)
    return float(total_params(decoder(arch)))


def _possible(grid: Grid, degrees: Degrees) -> Grid:
    """Combinations whose model-parallel ranks the GPUs can hold."""
    split = grid.get("tensor", degrees.tensor or 1.0) * grid.get("pipeline", degrees.pipeline or 1.0)
    return kept(grid, split * degrees.context <= degrees.n_gpus + 0.5)


def _states_alone(run: MeasuredRun, method: Method) -> float:
    """Bytes a parameter that one card must hold where nothing is sharded."""
    if not method.adapts:
        return 12.0
    return 0.6 if method.base == "qlora" or str(run.precision).startswith(("nf4", "gptq-int4")) else 2.2


@lru_cache(maxsize=4096)
def _found(name: str, params: float | None, catalogue: Catalogue) -> tuple[Architecture | None, Words | None]:
    """The catalogue's model of a name; remembered, because files of runs repeat names."""
    match = find_model(name, catalogue.models, params=params)
    if match is None:
        return None, None
    if not match.assumed:
        return match.architecture, None
    return match.architecture, match.assumed[0].notes.get("source", match.assumed[0].source)


def _word(run: MeasuredRun, method: Method, params: float) -> str:
    """The framework of a row, or the usual one for such a job where nobody states a known one."""
    if front_end(run.framework):
        return str(run.framework)
    pretrains = method.objective == "pretrain"
    n_gpus = float(run.hardware.get("n_gpus") or (MANY_GPUS if pretrains else 1))
    return default_framework("pretrain" if pretrains else method.base, params, n_gpus)


def _trainer(run: MeasuredRun, opens: Openings, method: Method, catalogue: Catalogue, *, word: str, cards: Cards,
             zero: int, fsdp: bool) -> Trainer:  # fmt: skip
    """The trainer, with what the row states about its kernels and masters."""
    numbers = numbers_of(run, opens, front=front_end(word) or "", bf16=cards.bf16, fp8=cards.fp8, fp4=cards.fp4)
    trainer, assumed = choose_trainer(
        catalogue.trainers,
        framework=word,
        method="pretrain" if method.objective == "pretrain" else _mode(method),
        precision=numbers.precision,
        zero=zero,
        fsdp=fsdp,
        n_gpus=int(run.hardware.get("n_gpus") or 1),
        version=run.framework_version,
        date=run.date,
        master_fp32=numbers.master_fp32,
    )
    opens.notes.extend(assumed)
    if not front_end(run.framework):
        why = note("run.source.no_framework")
        if run.framework is not None:
            why = note("run.source.unknown_framework", word=repr(run.framework))
        opens.note("framework", word, source=why, effect=note("run.effect.memory_launch"))
    fused = (run.fused_kernels or "").lower()
    if fused in CHUNKED:
        trainer = replace(trainer, logit_bytes_forward=0.0, logit_bytes_peak=0.0, logit_bytes_reserved=0.0)
    if method.objective in HEADLESS:
        trainer = replace(trainer, logit_bytes_forward=0.0, logit_bytes_peak=0.0, logit_bytes_reserved=0.0)
    if fused in ("liger", "unsloth"):
        trainer = replace(trainer, fused_norm=True, fused_activation=True)
    if (run.precision or "").lower().startswith(("gptq", "awq")):
        trainer = replace(trainer, kbit_wide_bytes=2.0)  # PEFT upcasts beside bitsandbytes weights only
    if run.flash_attention:
        trainer = replace(trainer, repeats_kv=False)
    if str(run.parallel.get("offload") or "") == "activations":
        trainer = replace(trainer, checkpoints_on_host=True)
    return trainer


def _is_unpacked(run: MeasuredRun, trainer: Trainer, *, pretrains: bool) -> bool:
    """True where samples of unknown length are padded, so that the cap is only an upper bound."""
    if pretrains or run.packing is not None or run.mean_len is not None:
        return False
    return trainer.family == "hf" and not trainer.packing_default


def _mode(method: Method) -> str:
    return method.objective if method.objective in ("grpo", "ppo") and not method.adapts else method.base


def _seq_len(run: MeasuredRun, opens: Openings, arch: Architecture, method: Method) -> float:
    if run.seq_len is not None:
        return float(run.seq_len)
    longest = float(arch.max_positions or 8192)
    options = {2048.0: 0.45, 4096.0: 0.25, 1024.0: 0.2, 512.0: 0.1}
    if method.objective == "pretrain":
        options = {4096.0: 0.45, 2048.0: 0.3, 8192.0: 0.25}
    capped: dict[float, float] = {}
    for length, weight in options.items():
        capped[min(length, longest)] = capped.get(min(length, longest), 0.0) + weight
    opens.choose(
        "seq_len", capped, source=note("run.source.lengths"), effect=note("run.effect.activations_logits_time")
    )
    return 2048.0


def _offload(run: MeasuredRun, opens: Openings) -> float:
    stated = offload_of(run, opens)
    if run.parallel.get("offload") is None and "cpu offload" in (run.optimizer or "").lower():
        opens.note(
            "parallel.offload",
            "optimizer",
            source=note("run.source.optimizer_named"),
            effect=note("run.effect.memory_of_states"),
        )
        return float(Offload.OPTIMIZER)
    return stated


def _expert_parallel(opens: Openings, arch: Architecture, run: MeasuredRun, *, front: str, data: float) -> float:
    if arch.moe is None or run.parallel.get("ep") is not None:
        return 1.0
    if front not in MEGATRON_LIKE or data <= 1:
        return 1.0
    usual = 1.0
    while usual * 2 <= min(data, arch.moe.experts, 8):
        usual *= 2
    opens.note("parallel.ep", f"{usual:g}", source=note("run.source.experts"), effect=note("run.effect.expert_weights"))
    return usual


def _job(run: MeasuredRun, opens: Openings, method: Method, arch: Architecture, trainer: Trainer, *, front: str,
         precision: str, seq_len: Num, fill: Num, layout: Layout) -> Job:  # fmt: skip
    optimizer = run.optimizer or trainer.optimizer_default
    if find_optimizer(optimizer) is None:
        opens.note(
            "optimizer",
            "adamw",
            source=note("run.source.unknown_optimizer", word=repr(optimizer)),
            effect=note("run.effect.moments"),
        )
        optimizer = "adamw"
    elif run.optimizer is None:
        opens.note("optimizer", optimizer, source=note("run.source.trainer"), effect=note("run.effect.moments"))
    adapter = adapter_of(run, opens, method, front=front)
    quantisation = quantisation_of(run, opens, method, front=front)
    if method.objective == "gkd":
        opens.note("roles.teacher", arch.id, source=note("run.source.teacher"), effect=note("run.effect.memory_time"))
    compiled = run.compile if run.compile is not None else trainer.family == "titan"
    return Job(
        method=method.base,
        roles=roles_of(method, arch, adapter=adapter, quantisation=quantisation, reference=method.objective != "grpo"),
        trainer=trainer,
        precision=precision,
        optimizer=optimizer,
        seq_len=seq_len * np.minimum(2.0 * fill, 1.0),
        time_len=_time_len(run, seq_len, layout.micro_batch) * fill,
        attention=_attention(run, opens, arch, front=front, trainer=trainer),
        rollout_share=trainer.rollout_share if method.objective in ("grpo", "ppo") else 0.0,
        compiled=compiled,
        year=_year(run.date),
    )


def _time_len(run: MeasuredRun, seq_len: Num, micro_batch: Num) -> Num:
    """Tokens a row costs: the whole row where packed or unknown, the padded mean where a mean is stated."""
    if run.mean_len is None or run.packing or run.seq_len is None:
        return seq_len
    from gpuplan.question.data_size import data_of, padded_len

    data = data_of(float(run.seq_len), False, samples=1.0, tokens=None, mean_len=float(run.mean_len),
                   p95_len=None, epochs=1.0)  # fmt: skip
    return padded_len(data, float(run.mean_len), micro_batch)


def _attention(run: MeasuredRun, opens: Openings, arch: Architecture, *, front: str, trainer: Trainer) -> str:
    """Fused where stated or usual at the time; the score matrix is whole otherwise."""
    plain = "eager" if trainer.family == "hf" else "unfused"
    if "eager" in (run.framework or "").lower():
        return "eager"
    if run.flash_attention is not None:
        return "flash" if run.flash_attention else plain
    if front == "pytorch" and arch.kind == "encoder":
        opens.note(
            "flash_attention", plain, source=note("run.source.reference"), effect=note("run.effect.activations_time")
        )
        return plain
    if arch.attention_sink_params and front in MEGATRON_LIKE and (run.date or "9999") < SINKS_SINCE:
        opens.note(
            "flash_attention", plain, source=note("run.source.no_sinks"), effect=note("run.effect.activations_time")
        )
        return plain
    if front == "megatron" and _is_megatron_test(run, arch):
        why = note("run.source.megatron_tests")
        opens.note("flash_attention", plain, source=why, effect=note("run.effect.activations_time"))
        return plain
    old = run.date is not None and run.date < (SDPA_SINCE if trainer.family == "hf" else FLASH_SINCE)
    word = plain if old and front not in ("llm-foundry", "torchtitan") else "flash"
    opens.note("flash_attention", word, source=note("run.source.date"), effect=note("run.effect.activations_time"))
    return word


def _is_megatron_test(run: MeasuredRun, arch: Architecture) -> bool:
    """A development version with a toy model: Megatron's functional tests (context parallelism needs fused kernels)."""
    tested = re.search(r"\b(dev|lts)\b", (run.framework_version or "").lower()) is not None
    return tested and arch.hidden <= TEST_HIDDEN and arch.kind == "decoder" and (run.parallel.get("cp") or 1) == 1


def _year(date: str | None) -> float:
    """The date of a source as a year with its fraction."""
    if not date or not date[:4].isdigit():
        return TODAY
    month = int(date[5:7]) if date[5:7].isdigit() else 7
    return min(int(date[:4]) + (month - 1) / 12.0, TODAY)

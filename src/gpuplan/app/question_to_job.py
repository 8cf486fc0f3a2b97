"""From a question to jobs: names become records, silence becomes named defaults, a method becomes roles.

One question gives several variants of a job, because what a trainer keeps in memory depends on its ZeRO stage;
and one set of variants for chips with bf16, another for those without.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from gpuplan.data.abilities import LACKS, lacks_method, lacks_split
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.config_json import architecture_from_config, read_config
from gpuplan.data.names import resolve_model
from gpuplan.data.trainers import choose_trainer, default_framework, front_end
from gpuplan.errors import QuestionError
from gpuplan.facts.arch import Architecture
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.optimizers import OPTIMIZERS, find_optimizer
from gpuplan.model.params import active_params, total_params
from gpuplan.question import defaults
from gpuplan.question.data_size import Data, data_of
from gpuplan.question.figures import Assumed
from gpuplan.question.job import Adapter, Job, Quantisation
from gpuplan.question.layout import Offload, Recompute
from gpuplan.question.methods import FREEZE, FULL, GENERATES, QLORA, Method, method_of, roles_of
from gpuplan.question.note import note
from gpuplan.question.parse import nearest, shown
from gpuplan.question.quantisation import QUANTISED
from gpuplan.question.question import Question
from gpuplan.search.variant import Variant, axes_of, recomputes_of

T = TypeVar("T")

FIXED: Final[Mapping[str, str]] = {
    "micro_batch": "micro_batch", "grad_accum": "grad_accum", "zero": "zero", "tp": "tensor_parallel",
    "pp": "pipeline_parallel", "cp": "context_parallel", "ep": "expert_parallel",
}  # fmt: skip
"""Keys of the question and the field of the layout that they fix."""
USUAL: Final = "llama-factory"
"""Has every method."""
SPLITS: Final = ("tp", "pp", "cp", "ep")
MANY_GPUS: Final = 64
"""Assumed where the number of GPUs is not yet known and the default framework depends on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A question with everything named: what is computed, and what was assumed on the way."""

    question: Question
    model: Architecture
    method: Method
    params: float
    active_params: float
    data: Data
    global_batch: float
    runs: float
    framework: str
    variants: Mapping[bool, tuple[Variant, ...]]
    """By whether the chip has bf16."""
    assumed: tuple[Assumed, ...]
    year: float


def understand(question: Question, catalogue: Catalogue, *, year: float, n_gpus: float | None = None) -> Understood:
    """The question in full; `n_gpus` where the hardware is given (own, or a check)."""
    model, notes = _model(question.model, catalogue)
    if not model.covered:
        raise QuestionError("question.not_covered", model=model.id)
    word = question.method or _noted(notes, defaults.default_method())
    method, table = method_of(word), decoder(model)
    params = float(total_params(table))
    if question.offload == "all" and (method.adapts or method.base == FREEZE):
        raise QuestionError("question.offload_frozen", field="offload", value="all", method=method.word)
    seq_len = question.seq_len or _seq_len(question, method, model, notes)
    _check_words(question)
    _check_software(question, method)
    framework = question.framework or _framework(question, method, model, params=params, n_gpus=n_gpus, notes=notes)
    variants = {
        bf16: _variants(question, method, model, catalogue, framework=framework, bf16=bf16, seq_len=seq_len,
                        params=params, year=year, n_gpus=n_gpus, notes=notes if bf16 else [])
        for bf16 in (True, False)
    }  # fmt: skip
    trainer = variants[True][0].job.trainer
    packed = question.packing if question.packing is not None else trainer.packing_default
    data = data_of(
        seq_len, packed, samples=question.samples, tokens=question.tokens, mean_len=question.mean_len,
        p95_len=question.p95_len, epochs=question.epochs or 1.0,
    )  # fmt: skip
    batch = _global_batch(question, method, params, data=data, n_gpus=n_gpus, notes=notes)
    notes += _data_notes(question, data)
    return Understood(
        question=question,
        model=model,
        method=method,
        params=params,
        active_params=float(active_params(table)),
        data=data,
        global_batch=batch,
        runs=question.runs or 1.0,
        framework=framework,
        variants=variants,
        assumed=tuple(notes),
        year=year,
    )


def fixed_layout(question: Question) -> dict[str, float]:
    """Fields of the layout that the question states."""
    fixed = {field: value for key, field in FIXED.items() if (value := getattr(question, key)) is not None}
    if question.recompute is not None:
        fixed["recompute"] = float(Recompute[question.recompute.upper()])
    if question.offload is not None:
        fixed["offload"] = float(Offload[question.offload.upper()])
    return fixed


def _model(text: str, catalogue: Catalogue) -> tuple[Architecture, list[Assumed]]:
    """The model that a name, a size or the path of a config.json means."""
    if text.endswith(".json"):
        return architecture_from_config(read_config(Path(text)), where=Path(text).name), []
    match = resolve_model(text, catalogue.models)
    return match.architecture, list(match.assumed)


def _seq_len(question: Question, method: Method, model: Architecture, notes: list[Assumed]) -> float:
    """The default length, or one that the stated samples fit into."""
    needs = question.p95_len or (2 * question.mean_len if question.mean_len is not None else None)
    length = _noted(notes, defaults.default_seq_len(_kind(method), model.max_positions, needs=needs))
    if question.mean_len is not None and question.mean_len > length:
        raise QuestionError(
            "question.order", field="mean_len", value=f"{question.mean_len:g}", other="seq_len", bound=f"{length:g}"
        )
    return length


def _check_words(question: Question) -> None:
    """Refuse a trainer or an optimizer that nobody knows: it would be computed as another one."""
    if question.framework is not None and front_end(question.framework) is None:
        known = ("transformers", "llama-factory", "ms-swift", "axolotl", "trl", "unsloth", "torchtune", "torchtitan",
                 "megatron", "deepspeed", "litgpt", "verl", "openrlhf", "nemo")  # fmt: skip
        raise QuestionError(
            "question.unknown_word", field="framework", value=shown(question.framework), choices=", ".join(known),
            near=nearest(question.framework.lower(), known, known[0]),
        )  # fmt: skip
    if question.optimizer is not None and find_optimizer(question.optimizer) is None:
        raise QuestionError(
            "question.unknown_word", field="optimizer", value=shown(question.optimizer), choices=", ".join(OPTIMIZERS),
            near=nearest(question.optimizer.lower(), OPTIMIZERS, "adamw"),
        )  # fmt: skip


def _check_software(question: Question, method: Method) -> None:
    """Refuse a stated trainer that is known not to have the method, or the split, that is asked for."""
    front = front_end(question.framework) or ""
    lack = LACKS.get(front)
    if lack is None:
        return
    what = method.word if lacks_method(front, method.base) else None
    degrees = {"zero": question.zero or 0, **{axis: (getattr(question, axis) or 1) - 1 for axis in SPLITS}}
    degrees["offload"] = float(question.offload not in (None, "none"))
    for key, degree in degrees.items():
        if degree > 0 and lacks_split(front, "zero" if key == "offload" else key):
            what = what or key
    if what is not None:
        raise QuestionError(
            "question.software", field="framework", value=question.framework, what=what, source=lack.source,
            instead=USUAL if lacks_method(lack.instead, method.base) else lack.instead,
        )  # fmt: skip


def _noted(notes: list[Assumed], choice: tuple[T, Assumed]) -> T:
    notes.append(choice[1])
    return choice[0]


def _kind(method: Method) -> str:
    """Word that the defaults know a method by."""
    return (
        "pretrain"
        if method.objective == "pretrain"
        else method.objective
        if method.objective in GENERATES
        else method.base
    )


def _framework(
    question: Question,
    method: Method,
    model: Architecture,
    *,
    params: float,
    n_gpus: float | None,
    notes: list[Assumed],
) -> str:
    """The default framework, or one that can split the model the way the question says."""
    split = any((getattr(question, axis) or 1) > 1 for axis in SPLITS)
    trains = method.base == FULL and method.objective in ("sft", "pretrain")
    if split:
        word = "torchtitan" if question.zero == 3 and not question.ep else "megatron"
        why = "source.framework.splits"
    elif method.objective in ("grpo", "ppo"):
        word, why = "trl", "source.framework.method"
    elif model.moe is not None and trains and question.zero is None:
        word, why = "megatron", "source.framework.experts"
    else:
        kind = "pretrain" if method.objective == "pretrain" else method.base
        word, why = default_framework(kind, params, n_gpus or MANY_GPUS), "source.framework.usual"
    return _noted(notes, (word, defaults.assumed("framework", word, note(why))))


def _variants(
    question: Question,
    method: Method,
    model: Architecture,
    catalogue: Catalogue,
    *,
    framework: str,
    bf16: bool,
    seq_len: float,
    params: float,
    year: float,
    n_gpus: float | None,
    notes: list[Assumed],
) -> tuple[Variant, ...]:
    """One variant a trainer mode; `notes` takes what was assumed."""
    precision = question.precision or defaults.default_precision(bf16)[0]
    adapter, quantisation = _adapter(question, method, notes), _quantisation(question, method, notes)
    fixed = fixed_layout(question)
    variants: list[Variant] = []
    for stage, fsdp, zero, offload in _modes(question, method, catalogue, framework, precision):
        trainer, _ = choose_trainer(
            catalogue.trainers, framework=framework, version=question.framework_version, method=_trainer_method(method),
            precision=precision, zero=stage, fsdp=fsdp, n_gpus=int(n_gpus or MANY_GPUS), params=params,
        )  # fmt: skip
        job = Job(
            method=method.base,
            roles=roles_of(method, model, adapter=adapter, quantisation=quantisation),
            trainer=trainer,
            precision=precision,
            optimizer=question.optimizer or trainer.optimizer_default,
            seq_len=seq_len,
            time_len=seq_len,
            rollout_share=trainer.rollout_share if method.objective in GENERATES else 0.0,
            compiled=trainer.family.endswith("compiled"),
            year=year,
        )
        variants.append(
            Variant(job=job, zero=zero, offload=offload, axes=axes_of(trainer.id, trainer.family),
                    recompute=recomputes_of(trainer.family), fixed=fixed)
        )  # fmt: skip
    borrowed = len(variants[0].job.trainer.assumed)
    if borrowed:
        notes.append(defaults.assumed("trainer", variants[0].job.trainer.id, note("source.trainer", n=borrowed)))
    if question.optimizer is None:
        notes.append(
            defaults.assumed("optimizer", variants[0].job.optimizer, note("source.default_of", framework=framework))
        )
    return tuple(variants)


_Mode = tuple[int, bool, tuple[int, ...], tuple[int, ...]]
"""Stage and FSDP as the choice of a trainer record wants them, stages and offloads that it serves."""


def _modes(
    question: Question, method: Method, catalogue: Catalogue, framework: str, precision: str
) -> tuple[_Mode, ...]:
    """Trainer modes that the framework offers for the method; only the stated stage where one is stated."""
    probe, _ = choose_trainer(
        catalogue.trainers, framework=framework, version=question.framework_version, method=_trainer_method(method),
        precision=precision,
    )  # fmt: skip
    none, optimizer, everything = (Offload.NONE,), (Offload.NONE, Offload.OPTIMIZER), tuple(Offload)
    if probe.family == "hf":
        sharded = method.base == QLORA
        plain: _Mode = (0, False, (0,), none)
        shards: _Mode = (0 if sharded else 3, sharded, (3,), none if method.adapts else everything)
        modes = [plain, shards] if method.adapts else [plain, (2, False, (2,), optimizer), shards]
    elif probe.family.startswith("fsdp"):
        modes = [(3, True, (3,), none)]
    elif probe.family == "jax":
        modes = [(3, False, (3,), none)]
    else:
        modes = [(1, False, (0, 1), none)]
    if lacks_split(front_end(framework) or "", "zero"):
        return ((0, False, (0,), none),)
    if question.offload not in (None, "none") and question.zero is None and probe.family == "hf":
        modes = [(2, False, (2,), optimizer), (3, False, (3,), everything)]
    if question.zero is None:
        return tuple(modes)
    stage = int(question.zero)
    fitting = [mode for mode in modes if stage in mode[2]]
    return tuple(fitting) or ((stage, False, (stage,), everything if stage == 3 else optimizer if stage else none),)


def _trainer_method(method: Method) -> str:
    return (
        "pretrain"
        if method.objective == "pretrain"
        else method.objective
        if method.objective in GENERATES
        else method.base
    )


def _adapter(question: Question, method: Method, notes: list[Assumed]) -> Adapter | None:
    if not method.adapts:
        return None
    (rank, targets), (by_rank, by_targets) = defaults.default_adapter()
    rank, targets = method.rank or rank, method.targets or targets
    if question.lora_rank is None:
        notes.append(replace(by_rank, value=str(rank)))
    if question.lora_targets is None or question.lora_targets.lower() in ("all", "all-linear"):
        notes.append(by_targets)
    else:
        targets = tuple(part.lower().removesuffix("_proj") for part in question.lora_targets.split(","))
        for target in targets:
            if target not in (*defaults.ADAPTER_TARGETS, "embed", "head"):
                raise QuestionError(
                    "question.unknown_word", field="lora_targets", value=target, near="q",
                    choices=", ".join(defaults.ADAPTER_TARGETS),
                )  # fmt: skip
    return Adapter(rank=int(question.lora_rank or rank), targets=targets)


def _quantisation(question: Question, method: Method, notes: list[Assumed]) -> Quantisation | None:
    name = question.quantisation
    if method.base == QLORA and name in (None, "none"):
        qlora = defaults.assumed("quantisation", "nf4-double", "QLoRA, arXiv:2305.14314")
        name = _noted(notes, ("nf4-double", qlora))
    if name is None or name == "none":
        return None
    if not method.adapts:
        raise QuestionError("question.quantised_full", field="quantisation", value=name, method=method.word)
    return QUANTISED[name]


def _global_batch(
    question: Question, method: Method, params: float, *, data: Data, n_gpus: float | None, notes: list[Assumed]
) -> float:
    """Sequences of one step: stated, the product of stated parts, or the default made divisible by the GPUs."""
    if question.global_batch is not None:
        return question.global_batch
    rows = float(data.rows.typical) if data.is_known else None
    batch, assumed = defaults.default_global_batch(_kind(method), params, seq_len=data.seq_len, rows=rows)
    split = (question.tp or 1) * (question.pp or 1) * (question.cp or 1)
    ranks = (n_gpus or split) / split
    if n_gpus is not None and question.micro_batch and question.grad_accum:
        batch = question.micro_batch * question.grad_accum * ranks
        assumed = defaults.assumed("global_batch", batch, note("source.batch.stated"))
    elif n_gpus is not None or question.micro_batch or question.grad_accum:
        parts = (question.micro_batch or 1) * (question.grad_accum or 1)
        unit = defaults.odd_part(ranks) * parts
        fitted = defaults.nearest_multiple(max(batch, ranks * parts), unit)
        if fitted != batch:
            batch = fitted
            source = assumed.notes["source"]
            assumed = defaults.assumed("global_batch", batch, note("source.batch.suited", source=source, ranks=ranks))
    notes.append(assumed)
    return batch


def _data_notes(question: Question, data: Data) -> list[Assumed]:
    notes = []
    if not data.is_known:
        notes.append(defaults.assumed("tokens", "1M", note("source.tokens")))
    elif question.epochs is None:
        notes.append(defaults.assumed("epochs", 1, note("source.epochs")))
    if data.is_known and not data.mean_is_known:
        mean = data.mean_len
        ends = {name: f"{getattr(mean, name):g}" for name in ("typical", "low", "high")}
        notes.append(defaults.assumed("mean_len", note("value.range", **ends), note("source.mean_len.unknown")))
    if question.tokens is not None and question.mean_len is None and not data.packed:
        notes.append(defaults.assumed("mean_len", data.seq_len, note("source.mean_len.full")))
    if question.packing is None:
        notes.append(defaults.assumed("packing", str(data.packed).lower(), note("source.packing")))
    return notes

"""Facts about trainers: loading, and which record a framework word, a version and a layout mean.

Words are matched by rules on their normalised spelling, so that `NVIDIA NeMo Framework Release 25.04` and
`ngc25.04_nemo` are one family. A front end (LLaMA-Factory, ms-swift, Axolotl, TRL) brings its defaults; how
states are kept under ZeRO or FSDP comes from DeepSpeed or accelerate. See docs/trainers.md.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from gpuplan.errors import FactError
from gpuplan.facts.trainer import Trainer
from gpuplan.question.figures import Assumed, assumption
from gpuplan.question.note import note

STATES: Final = (
    "weight_bytes", "compute_copy_bytes", "grad_bytes", "master_bytes", "moment_bytes", "step_temp_bytes",
    "grads_sharded_from_zero", "frozen_bytes", "autocast", "ddp_bucket", "gather_units", "zero3_live_params",
    "reduce_bucket_bytes", "load_rank_host_bytes", "save_rank_host_bytes", "save_rank0_host_bytes",
    "offload_optimizer_host_bytes", "offload_all_host_bytes", "checkpoint_bytes", "step_temp_cap_params",
    "no_sync_grad_bytes",
)  # fmt: skip
"""What ZeRO or FSDP decides, whatever front end calls it."""

RULES: Final = (
    # (pattern on the lower-case word, front end); the first match wins
    (r"megatron-deepspeed", "megatron-deepspeed"),
    (r"automodel", "nemo-automodel"),
    (r"(swift|slime|miles|flagscale|verl).*megatron|transformer-engine", "megatron"),
    (r"megatron-bridge", "megatron-bridge"),
    (r"primus|llmboost|rocm", "primus"),
    (r"pytorch release.*deepspeed", "transformers"),
    (r"deeplearningexamples", "pytorch"),
    (r"nemo|ngc|nvidia|mxnet|dgl|hugectr|^pytorch \d\d\.\d\d$|^pytorch 2\.\d\.\d$|^pytorch 2\.6\.0a0", "nemo"),
    (r"mindspeed|modellink|mindformers|mindspore", "mindspeed"),
    (r"megatron|megascale|metaseq|bmtrain|paddlenlp", "megatron"),
    (r"internevo", "internevo"),
    (r"llm\.q|llmq", "llmq"),
    (r"llm-foundry|composer|mosaic", "llm-foundry"),
    (r"torchtitan", "torchtitan"),
    (r"torchtune", "torchtune"),
    (r"litgpt|lit-gpt|lit-llama", "litgpt"),
    (r"maxtext|paxml|maxdiffusion|tensorflow|jax|alpa$|tinygrad", "jax"),
    (r"nanogpt|nanochat|llm\.c", "torch/compiled"),
    (r"fms-fsdp|nanotron|flash-attention|tinyllama|vectorlm|llama-recipes|mamba|composer", "fsdp"),
    (r"fsdp_qlora", "fsdp-qlora"),
    (r"unsloth", "unsloth"),
    (r"llama-?factory", "llamafactory"),
    (r"swift", "ms-swift"),
    (r"axolotl", "axolotl"),
    (r"openrlhf|align-anything|longpo|moss-rlhf", "openrlhf"),
    (r"verl|easyr1", "verl"),
    (r"trl", "trl"),
    (r"diffusers|finetrainers|simpletuner|kohya|sd-scripts|diffusion-pipe|x-flux|sliders", "diffusers"),
    (r"deepspeed-chat", "deepspeed-chat"),
    (r"colossalai", "colossalai"),
    (r"lightning", "lightning"),
    (r"peft|alpaca-lora|chinese-vicuna|firefly|^qlora", "peft"),
    (r"transformers|huggingface|accelerate|deepspeed|easycontext", "transformers"),
    (r"llava|fastchat|xtuner|internvl|ludwig|oryx|knowlm", "transformers"),
    (r"pytorch|^torch|custom", "pytorch"),
)  # fmt: skip
SITS_ON_TRANSFORMERS: Final = frozenset(
    {"transformers", "llamafactory", "ms-swift", "axolotl", "trl", "peft", "unsloth", "openrlhf", "deepspeed-chat"}
)

# A change lies between two versions that were read side by side; the month is when the later line came out,
# so a source without a version is judged by its own date.
FUSED_ADAMW: Final = ("transformers", (4, 56), "2025-09")
AUTO_DTYPE: Final = ("transformers", (5, 0), "2026-01")
TRL_CHUNKED: Final = ("trl", (1, 8), "2026-07")
TRL_RECOMPUTES: Final = ("trl", (0, 24), "2025-10")
FSDP2: Final = ("transformers", (5, 12), "2026-08")
FROZEN_UPCAST_FROM: Final = ("accelerate", (1, 6), "2025-04")
FROZEN_UPCAST_UNTIL: Final = ("accelerate", (1, 15), "2026-08")
TORCHTUNE_CHUNKED: Final = ("torchtune", (0, 4), "2024-11")
UNSLOTH_CHUNKED: Final = ("unsloth", (2024, 11), "2024-11")
TITAN_COMPILED_LOSS: Final = ("torchtitan", (0, 1), "2025-04")
TITAN_CHUNKED: Final = ("torchtitan", (0, 3), "2026-06")
MEGATRON_TE: Final = ("megatron", (0, 5), "2023-06")


@cache
def load_trainers() -> Mapping[str, Trainer]:
    """All trainers by id; a figure without source does not load."""
    found: dict[str, Trainer] = {}
    for row in _rows("trainers.jsonl"):
        if row["id"] in found:
            raise FactError("run.trainer.twice", id=row["id"])
        bare = set(row) - set(row["sources"]) - {"id", "framework", "version", "family", "applies_when"}
        bare -= {"sources", "assumed"}
        if bare:
            raise FactError("run.trainer.no_source", id=row["id"], field=min(bare))
        row["assumed"] = tuple(row["assumed"])
        row.setdefault("eval_batch_default", None)
        found[row["id"]] = Trainer(**row)
    return found


@cache
def load_frameworks() -> Mapping[str, Mapping[str, Any]]:
    """What each framework says and does, mode by mode, with the source of each value; for reading, not arithmetic."""
    return {row["id"]: row for row in _rows("frameworks.jsonl")}


def _rows(name: str) -> list[dict[str, Any]]:
    text = (files("gpuplan.data") / "files" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def choose_trainer(
    trainers: Mapping[str, Trainer],
    *,
    framework: str | None,
    method: str,
    precision: str | None = None,
    zero: int = 0,
    fsdp: bool = False,
    n_gpus: int = 1,
    version: str | None = None,
    date: str | None = None,
    master_fp32: bool | None = None,
    params: float | None = None,
) -> tuple[Trainer, tuple[Assumed, ...]]:
    """The trainer that a framework word means, and what had to be assumed.

    `method` is a base of `question.methods` (full, lora, qlora, freeze) or pretrain. Stated facts
    (`master_fp32`, `precision`) win over the defaults of the trainer.
    """
    assumed: list[Assumed] = []
    word, front = framework, front_end(framework)
    if front is None:
        word = default_framework(method, params, n_gpus)
        front = front_end(word) or "transformers"
        why = note("run.source.no_framework_stated")
        if framework is not None:
            why = note("run.source.framework_word", word=repr(framework))
        assumed.append(
            assumption("framework", str(word), source=why, effect=note("run.effect.states_loss_recompute_launch"))
        )
    when = _When(front=front, version=version, date=date)
    trains = "full" if method in ("full", "pretrain", "continue", "freeze") else method
    trainer = trainers[_record(front, method, trains, precision, zero, fsdp, when, master_fp32)]
    if front in SITS_ON_TRANSFORMERS and (fsdp or zero):
        trainer = _with_states(trainer, trainers[_states_record(trains, zero, fsdp, when)])
    if precision == "fp16" and "deepspeed" in f"{word} {trainer.id}".lower() and front in SITS_ON_TRANSFORMERS:
        logits = trainers["deepspeed/chat"]
        trainer = replace(
            trainer,
            logit_bytes_forward=min(trainer.logit_bytes_forward, logits.logit_bytes_forward),
            logit_bytes_peak=min(trainer.logit_bytes_peak, logits.logit_bytes_peak),
            logit_bytes_reserved=min(trainer.logit_bytes_reserved, logits.logit_bytes_reserved),
        )
    if when.before(FUSED_ADAMW) and front in ("llamafactory", "peft") and not zero and not fsdp:
        trainer = replace(trainer, step_temp_bytes=trainer.weight_bytes)
    if zero >= 2 and trainer.grads_sharded_from_zero > 3:
        trainer = replace(trainer, grads_sharded_from_zero=2, keeps_grads=False)
    trainer = _stated(trainer, precision, master_fp32, zero)
    if trainer.assumed and framework is not None:
        near = note("run.source.relative", trainer=trainer.id, n=len(trainer.assumed))
        assumed.append(assumption("framework", trainer.id, source=near, effect=note("run.effect.memory_and_launch")))
    return trainer, tuple(assumed)


def default_framework(method: str, params: float | None, n_gpus: float) -> str:
    """The framework that people use for such a job, when nobody says one.

    Pre-training on more than a node of more than 3B parameters: Megatron; other pre-training: torchtitan;
    adapters and full fine-tuning: LLaMA-Factory, which trains in full with fp32 states (16 bytes a parameter). The
    transformers Trainer keeps the checkpoint's 16-bit dtype (8 bytes) unless told otherwise: nobody's safe default.
    """
    size = params or 0.0
    if method in ("pretrain", "continue"):
        return "megatron" if n_gpus > 8 and size > 3e9 else "torchtitan"
    return "llama-factory"


def front_end(framework: str | None) -> str | None:
    """The front end that a framework word means, or None for a word that no rule knows."""
    text = (framework or "").strip().lower()
    return next((front for pattern, front in RULES if text and re.search(pattern, text)), None)


class _When:
    """A version of a front end, else the date of the source, against the changes that moved memory."""

    def __init__(self, *, front: str, version: str | None, date: str | None) -> None:
        self.front, self.date = front, date
        self.stated = {
            name: (int(major), int(minor))
            for name, major, minor in re.findall(r"([a-z_]*)\D{0,3}?(\d+)\.(\d+)", (version or "").lower())
        }

    def before(self, change: tuple[str, tuple[int, int], str]) -> bool:
        """True where the run is older than the change; a run without version and date is of today."""
        project, number, month = change
        own = self.stated.get(project) or (self.stated.get("") if self.front == project else None)
        if own:
            return own < number
        return self.date is not None and self.date < month


def _record(
    front: str,
    method: str,
    trains: str,
    precision: str | None,
    zero: int,
    fsdp: bool,
    when: _When,
    master_fp32: bool | None,
) -> str:
    """Id of the record of a front end in one mode."""
    adapts = trains in ("lora", "qlora")
    pure = master_fp32 is False
    match front:
        case "transformers" if trains == "qlora":
            return "transformers/qlora"
        case "transformers" if adapts:
            return "transformers/bf16/foreach" if when.before(FUSED_ADAMW) else "transformers/bf16"
        case "transformers":
            wide = master_fp32 or (when.before(AUTO_DTYPE) and not pure) or precision in ("fp16", "fp32")
            mode = "transformers/fp32" if wide else "transformers/bf16"
            return f"{mode}/foreach" if when.before(FUSED_ADAMW) else mode
        case "llamafactory":
            return f"llamafactory/{trains}" if adapts else "llamafactory/pure-bf16" if pure else "llamafactory/full"
        case "ms-swift":
            return "ms-swift/2024" if when.before(FUSED_ADAMW) else "ms-swift/bf16"
        case "unsloth" if adapts and when.before(UNSLOTH_CHUNKED):
            return "unsloth/2024"
        case "axolotl" | "unsloth":
            return f"{front}/lora" if adapts else f"{front}/full"
        case "trl" if method in ("grpo", "ppo"):
            return "trl/grpo"
        case "trl" if when.before(TRL_CHUNKED):
            return "trl/lora/whole-logits" if adapts else "trl/full/whole-logits"
        case "trl":
            return f"trl/{trains}"
        case "peft":
            return "peft/qlora" if trains == "qlora" else "peft/lora"
        case "torchtune" if not adapts and not fsdp and not zero:
            return "torchtune/full-1gpu"
        case "torchtune":
            return "torchtune/2024" if when.before(TORCHTUNE_CHUNKED) else "torchtune/bf16"
        case "torchtitan" if when.before(TITAN_COMPILED_LOSS):
            return "torchtitan/2024"
        case "torchtitan":
            return "torchtitan/2025" if when.before(TITAN_CHUNKED) else "torchtitan/now"
        case "llm-foundry":
            return "llm-foundry/pure" if pure else "llm-foundry/default"
        case "litgpt":
            return "litgpt/full" if master_fp32 else "litgpt/fsdp" if fsdp or zero >= 3 else "litgpt/bf16"
        case "megatron-deepspeed":
            return "megatron-deepspeed/bf16" if precision == "bf16" else "megatron-deepspeed/fp16"
        case "megatron" if when.before(MEGATRON_TE):
            return "megatron/gpt3"
        case "diffusers":
            return "diffusers/lora" if adapts else "diffusers/full"
        case "pytorch" if fsdp or method == "pretrain":
            return "fsdp/bf16"
        case "pytorch":
            return "transformers/fp32/foreach" if not pure else "transformers/eager-loop"
        case _:
            return _PLAIN[front]


_PLAIN: Final = {
    "megatron": "megatron/dist-opt",
    "megatron-bridge": "megatron-bridge/default",
    "nemo": "nemo/default",
    "nemo-automodel": "nemo-automodel/fsdp2",
    "primus": "primus/default",
    "mindspeed": "mindspeed/default",
    "internevo": "internevo/default",
    "llmq": "llmq/bf16",
    "jax": "jax/default",
    "torch/compiled": "torch/compiled",
    "fsdp": "fsdp/bf16",
    "fsdp-qlora": "fsdp-qlora/default",
    "verl": "verl/fsdp",
    "openrlhf": "openrlhf/default",
    "deepspeed-chat": "deepspeed/chat",
    "colossalai": "colossalai/default",
    "lightning": "lightning/default",
}


def _states_record(trains: str, zero: int, fsdp: bool, when: _When) -> str:
    if not fsdp:
        return f"deepspeed/zero{min(zero, 3)}"
    upcast = not when.before(FROZEN_UPCAST_FROM) and when.before(FROZEN_UPCAST_UNTIL)
    if trains != "full" and upcast:
        return "accelerate/fsdp2/upcast-frozen"
    return "accelerate/fsdp1" if when.before(FSDP2) else "accelerate/fsdp2"


def _with_states(front: Trainer, states: Trainer) -> Trainer:
    """A front end whose states are kept as DeepSpeed or FSDP keeps them."""
    taken = {name: getattr(states, name) for name in STATES}
    sources = dict(front.sources) | {name: states.sources[name] for name in STATES if name in states.sources}
    return replace(front, id=f"{front.id} + {states.id}", sources=sources, **taken)


def _stated(trainer: Trainer, precision: str | None, master_fp32: bool | None, zero: int) -> Trainer:
    """What the user states about precision and master weights, over what the trainer does by default."""
    states = trainer.weight_bytes + trainer.master_bytes
    if precision in ("fp32", "tf32"):
        return replace(
            trainer, weight_bytes=4, grad_bytes=4, master_bytes=0, moment_bytes=8, compute_copy_bytes=0,
            frozen_bytes=4, adapter_bytes=4, kbit_wide_bytes=4, autocast=False,
        )  # fmt: skip
    if master_fp32 is False and states >= 4:
        return replace(
            trainer, weight_bytes=2, grad_bytes=2, master_bytes=0, moment_bytes=4, compute_copy_bytes=0,
            step_temp_bytes=0 if zero else min(trainer.step_temp_bytes, 2.0),
        )  # fmt: skip
    if master_fp32 and states < 4:
        return replace(trainer, master_bytes=4, moment_bytes=8)
    return trainer

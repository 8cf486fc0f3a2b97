"""Precision, adapters and quantised weights of a measured run, from the words that rows use."""

import re
from dataclasses import dataclass
from typing import Final

from gpuplan.app.assume import Openings
from gpuplan.facts.measured import MeasuredRun
from gpuplan.question.job import Adapter, Quantisation
from gpuplan.question.methods import Method
from gpuplan.question.note import note
from gpuplan.question.quantisation import quantised

DOUBLE_BY_DEFAULT: Final = frozenset({"llamafactory", "axolotl", "unsloth", "torchtune", "fsdp-qlora"})
"""Front ends whose 4-bit default quantises the scales too (their configurations; see docs/trainers.md)."""
COMPUTE: Final = {
    "fp32": "fp32", "tf32": "tf32", "fp32/tf32": "tf32", "fp16": "fp16", "bf16": "bf16", "fp16/bf16 amp": "bf16",
    "bf16-amp(fp32 master)": "bf16", "bf16-amp": "bf16", "fp16-amp": "fp16", "fp8": "fp8", "fp8-torchao": "fp8",
    "fp8wo-torchao": "bf16", "mxfp8": "fp8", "nvfp4": "fp4", "fp4": "fp4", "mxfp4": "fp4", "amp": "fp16",
    "bfloat16": "bf16", "float16": "fp16", "half": "fp16",
    "float32": "fp32", "bf16-mixed": "bf16", "bf16-true": "bf16", "16-mixed": "fp16", "float8": "fp8",
}  # fmt: skip

ALL_LINEAR: Final = ("q", "k", "v", "o", "gate", "up", "down")
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "q": ("q",), "k": ("k",), "v": ("v",), "o": ("o",), "qkv": ("q", "k", "v"), "gate": ("gate",), "up": ("up",),
    "down": ("down",), "query": ("q",), "key": ("k",), "value": ("v",), "proj": ("o",),
    "attention": ("q", "k", "v", "o"),
    "attn": ("q", "k", "v"), "mlp": ("gate", "up", "down"), "linear": ALL_LINEAR, "all": ALL_LINEAR, "w1": ("up",),
    "w2": ("gate",), "w3": ("down",), "wte": ("embed",), "embed": ("embed",), "lm_head": ("head",), "head": ("head",),
    "c_attn": ("q", "k", "v"), "dense": ("o",), "fc1": ("up",), "fc2": ("down",), "query_key_value": ("q", "k", "v"),
    "out": ("o",),
}  # fmt: skip
_DEFAULT_TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "peft": ("q", "v"), "litgpt": ("q", "v"), "transformers": ("q", "v"), "nemo": ("q", "k", "v", "o"),
    "primus": ("q", "k", "v", "o"),
}  # fmt: skip
_DEFAULT_RANK: Final = {"unsloth": 16, "axolotl": 32, "nemo": 16, "primus": 16, "nemo-automodel": 16, "fsdp-qlora": 64}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """How a row computes and stores: the dtype of products, and whether masters are fp32."""

    precision: str
    master_fp32: bool | None


def numbers_of(run: MeasuredRun, opens: Openings, *, front: str, bf16: bool, fp8: bool, fp4: bool) -> Numbers:
    """Compute precision; quantised words name the storage, and products then run in 16 bit."""
    word = (run.precision or "").lower()
    master = run.master_weights_fp32
    half = "bf16" if bf16 else "fp16"
    if word == "bf16-amp(fp32 master)" and master is None:
        master = True
    if not word:
        tuned = front in ("nemo", "primus") and (run.framework or "").lower() not in ("nemo", "primus-megatron")
        value = "fp4" if tuned and fp4 and run.task == "pretrain" else "fp8" if tuned and fp8 else half
        why = note("run.source.tuned" if value in ("fp8", "fp4") else "run.source.chip_usual")
        opens.note("precision", value, source=why, effect=note("run.effect.speed_activations"))
        return Numbers(precision=value, master_fp32=master)
    if word in COMPUTE and not (word == "fp4" and run.task.startswith("qlora")):
        if word == "bf16" and not bf16:
            opens.note("precision", "bf16", source=note("run.source.no_bf16"), effect=note("run.effect.speed"))
        return Numbers(precision=COMPUTE[word], master_fp32=master)
    if quantised(word) is not None:
        value = "fp16" if word.startswith("gptq") else half
        opens.note(
            "precision", value, source=note("run.source.stores", word=word), effect=note("run.effect.activations")
        )
        return Numbers(precision=value, master_fp32=master)
    nearest = "fp8" if "fp8" in word else "bf16"
    opens.note(
        "precision",
        nearest,
        source=note("run.source.nearest", word=repr(word)),
        effect=note("run.effect.speed_activations"),
    )
    return Numbers(precision=nearest, master_fp32=master)


def quantisation_of(run: MeasuredRun, opens: Openings, method: Method, *, front: str) -> Quantisation | None:
    """How frozen weights are stored, where they are quantised."""
    word = (run.precision or "").lower()
    if quantised(word) is None or not method.adapts:
        if method.base != "qlora":
            return None
        word = "nf4"
        opens.note("precision", "nf4", source=note("run.source.no_storage"), effect=note("run.effect.frozen_weights"))
    if word == "nf4" and front in DOUBLE_BY_DEFAULT:
        opens.note("precision", "nf4-dq", source=note("run.source.double"), effect=note("run.effect.frozen_weights"))
        word = "nf4-dq"
    return quantised(word)


def adapter_of(run: MeasuredRun, opens: Openings, method: Method, *, front: str) -> Adapter | None:
    """Adapters of a row: stated rank and targets, else the trainer's."""
    if not method.adapts:
        return None
    rank = run.lora.get("rank")
    if rank is None:
        rank = method.rank or _DEFAULT_RANK.get(front, 8)
        opens.note("lora.rank", rank, source=note("run.source.trainer"), effect=note("run.effect.adapter_states"))
    text = run.lora.get("targets")
    targets = method.targets or targets_of(text)
    if not targets:
        targets = _DEFAULT_TARGETS.get(front, ALL_LINEAR)
        opens.note(
            "lora.targets", ",".join(targets), source=note("run.source.trainer"), effect=note("run.effect.saved_inputs")
        )
    return Adapter(rank=int(rank), targets=targets)


def targets_of(text: str | None) -> tuple[str, ...]:
    """Products that carry adapters.

    >>> targets_of("c_attn,c_proj,w1,w2+wte,lm_head")
    ('q', 'k', 'v', 'o', 'down', 'up', 'gate', 'embed', 'head')
    >>> targets_of("model.layers.[0-9]+.(mlp|self_attn).(up|down|q|v)_proj")
    ('up', 'down', 'q', 'v')
    """
    if not text:
        return ()
    lowered = text.lower()
    pattern = re.search(r"\(([a-z|]+)\)_proj", lowered)
    parts = pattern[1].split("|") if pattern else re.split(r"[^a-z0-9_]+", lowered)
    found: list[str] = []
    for part in parts:
        short = re.sub(r"_proj(ection)?$", "", part)
        if part == "c_proj":
            hit: tuple[str, ...] = ("o", "down")
        else:
            hit = _WORDS.get(short, ())
        found += [name for name in hit if name not in found]
    return tuple(found)

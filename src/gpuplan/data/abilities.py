"""What front ends cannot do: methods they do not know, and ways in which they do not split a model.

Only what a project says of itself stands here, by the name of its page (general knowledge of late 2026, not re-read);
silence means that nobody said so, not that it works.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """What a front end lacks, what does it instead, and where that is said."""

    methods: tuple[str, ...] = ()
    """Bases of methods that it does not know."""
    splits: tuple[str, ...] = ()
    """Of zero, tp, pp, cp, ep those that it has not; without zero it neither shards nor offloads states."""
    instead: str
    source: str


_ON_TRANSFORMERS: Final = ("pp", "ep")
LACKS: Final[Mapping[str, Lack]] = {
    "megatron": Lack(
        methods=("qlora",), instead="llama-factory",
        source="Megatron-LM and Megatron-Bridge, PEFT pages: LoRA and DoRA, no quantised base",
    ),
    "megatron-deepspeed": Lack(
        methods=("lora", "qlora"), instead="llama-factory",
        source="Megatron-DeepSpeed README: pre-training scripts alone",
    ),
    "torch/compiled": Lack(
        methods=("lora", "qlora"), splits=("tp", "pp", "cp", "ep"), instead="llama-factory",
        source="READMEs of nanoGPT, nanochat and llm.c: all weights train, data parallel alone",
    ),
    "unsloth": Lack(
        splits=("zero", "tp", "pp", "cp", "ep"), instead="llama-factory",
        source="Unsloth documentation, multi-GPU page: replicated (DDP), or layers laid over the cards",
    ),
    "peft": Lack(
        splits=("tp", *_ON_TRANSFORMERS), instead="megatron", source="PEFT documentation: DeepSpeed and FSDP alone",
    ),
    "trl": Lack(splits=_ON_TRANSFORMERS, instead="megatron", source="TRL documentation, distributing training"),
    "axolotl": Lack(splits=("pp",), instead="megatron", source="Axolotl documentation, N-D parallelism: dp, tp, cp"),
    "torchtune": Lack(splits=_ON_TRANSFORMERS, instead="torchtitan", source="torchtune recipes: FSDP, tp and cp"),
}  # fmt: skip
"""By front end; see `trainers.front_end`."""


def lacks_method(front: str, base: str) -> bool:
    """True where a front end is known not to have a method.

    >>> lacks_method("megatron", "qlora"), lacks_method("megatron", "full"), lacks_method("unknown", "qlora")
    (True, False, False)
    """
    return front in LACKS and base in LACKS[front].methods


def lacks_split(front: str, split: str) -> bool:
    """True where a front end is known not to split a model that way."""
    return front in LACKS and split in LACKS[front].splits

"""Words for what is done to a model, and the roles that each method needs on the card.

A word has a base (what trains: everything, an adapter, the last layers) and an objective (which other
models stand beside the policy). Relatives that no formula covers are taken as their nearest family, named.
"""

from dataclasses import dataclass
from typing import Final

from gpuplan.errors import QuestionError
from gpuplan.facts.arch import Architecture
from gpuplan.question.job import Adapter, Quantisation, Role

FULL, LORA, QLORA, FREEZE = "full", "lora", "qlora", "freeze"
PAIRED: Final = frozenset({"dpo", "kto", "orpo", "simpo", "rm"})
"""Objectives that read a chosen and a rejected text for each sample (KTO: a matched and a mismatched one)."""
WITH_REFERENCE: Final = frozenset({"dpo", "kto", "ppo"})
GENERATES: Final = frozenset({"ppo", "grpo", "gkd", "rloo"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method as it is computed: what trains, towards what, and what the word was if that differs."""

    word: str
    base: str
    objective: str
    nearest: bool = False
    """True where `word` is a relative that is computed as `base`."""
    rank: int | None = None
    """Rank of the adapter that stands in for a relative, where the relative has none."""
    targets: tuple[str, ...] = ()

    @property
    def adapts(self) -> bool:
        """True where only adapters train."""
        return self.base in (LORA, QLORA)


_BASES: Final = {
    "full": FULL,
    "full_ft": FULL,
    "sft": FULL,
    "full_finetune": FULL,
    "finetune": FULL,
    "lora": LORA,
    "dora": LORA,
    "qlora": QLORA,
    "qdora": QLORA,
    "freeze": FREEZE,
}
_OBJECTIVES: Final = ("dpo", "kto", "orpo", "simpo", "rm", "ppo", "grpo", "gkd", "rloo")
_TINY: Final = ("q", "v")
_RELATIVES: Final[dict[str, tuple[str, int | None, tuple[str, ...]]]] = {
    # name: (base, rank that gives about as many trained parameters, products that carry it)
    "adapter": (LORA, 1, _TINY),
    "adapter_v2": (LORA, 2, ("q", "k", "v", "o", "gate", "up", "down")),
    "adaptionprompt": (LORA, 1, _TINY),
    "beft": (LORA, 1, _TINY),
    "ia3": (LORA, 1, _TINY),
    "ln_tuning": (LORA, 1, _TINY),
    "prefixtuning": (LORA, 1, _TINY),
    "prompt_tuning": (LORA, 1, _TINY),
    "ptuning": (LORA, 1, _TINY),
    "tinylora": (LORA, 1, _TINY),
    "trainable_tokens": (LORA, 1, _TINY),
    "vblora": (LORA, 1, _TINY),
    "vera": (LORA, 1, _TINY),
    "pvera": (LORA, 1, _TINY),
    "randlora": (LORA, None, ()),
    "osf": (FULL, None, ()),
    "lisa": (FREEZE, None, ()),
    "llamapro": (FREEZE, None, ()),
    "galore": (FULL, None, ()),
    "pretrain(projector only)": (FREEZE, None, ()),
}
_NOT_TRAINING: Final = frozenset({"inference", "convert", "swe"})
TASK_SUFFIXES: Final = frozenset({"seq_cls", "embedding", "reranker", "generative_reranker"})


def method_of(word: str) -> Method:
    """The method that `word` names; raises QuestionError for what is not training or not known.

    >>> method_of("dpo_lora").base, method_of("dpo_lora").objective
    ('lora', 'dpo')
    >>> method_of("peft:boft").nearest
    True
    """
    text = word.strip().lower().replace("-", "_").replace(" ", "_") if "(" not in word else word.strip().lower()
    if text.startswith("diffusion"):
        raise QuestionError("run.method.diffusion", word=word)
    if text in _NOT_TRAINING:
        raise QuestionError("run.method.not_training", word=word)
    head, *rest = text.split(":")
    suffix = rest[-1] if rest and rest[-1] in TASK_SUFFIXES else None
    if head == "peft":
        return _relative(word, rest[0] if rest else "lora", suffix)
    if head in ("pretrain", "continue", "continued_pretrain", "cpt", "pt"):
        return Method(word=word, base=FULL, objective="pretrain")
    if head in _RELATIVES:
        return _relative(word, head, suffix)
    if head in _BASES:
        return Method(word=word, base=_BASES[head], objective=suffix or "sft", nearest=head in ("dora", "qdora"))
    for objective in _OBJECTIVES:
        if head == objective or head.startswith(f"{objective}_"):
            base = _BASES.get(head[len(objective) + 1 :] or "full", None)
            if base:
                return Method(word=word, base=base, objective=objective)
    raise QuestionError("run.method.unknown", word=word, known=", ".join(KNOWN))


def _relative(word: str, name: str, suffix: str | None) -> Method:
    objective = suffix or "sft"
    if name in ("lora", "lora_llm"):
        return Method(word=word, base=LORA, objective=objective)
    base, rank, targets = _RELATIVES.get(name, (LORA, None, ()))
    return Method(word=word, base=base, objective=objective, nearest=True, rank=rank, targets=targets)


KNOWN: Final = ("pretrain", "continue", *_BASES, *_OBJECTIVES, *(f"{o}_lora" for o in _OBJECTIVES), "peft:NAME")


def roles_of(
    method: Method,
    model: Architecture,
    *,
    adapter: Adapter | None = None,
    quantisation: Quantisation | None = None,
    last_layers: int = 2,
    reference: bool = True,
) -> tuple[Role, ...]:
    """Models on the cards: the policy first, then what the objective puts beside it.

    With an adapter the reference is the policy with its adapter switched off: it costs time, no memory.
    """
    trains = "adapter" if method.adapts else f"last:{last_layers}" if method.base == FREEZE else "all"
    passes = 2.0 if method.objective in PAIRED else 1.0
    policy = Role(name="policy", model=model, trains=trains, adapter=adapter, quantisation=quantisation, passes=passes)
    others: list[Role] = []
    if reference and (method.objective in WITH_REFERENCE):
        others.append(_frozen("reference", model, quantisation, passes, shared=method.adapts))
    if method.objective == "gkd":
        others.append(_frozen("teacher", model, quantisation, passes, shared=False))
    if method.objective == "ppo":
        critic = Role(name="critic", model=model, trains=trains, adapter=adapter, quantisation=quantisation)
        others += [critic, _frozen("reward", model, quantisation, passes, shared=False)]
    return (policy, *others)


def _frozen(name: str, model: Architecture, quantisation: Quantisation | None, passes: float, *, shared: bool) -> Role:
    return Role(name=name, model=model, trains="none", quantisation=quantisation, passes=passes, shared=shared)

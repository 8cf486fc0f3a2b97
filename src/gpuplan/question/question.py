"""The question: one key an option, the same on the command line, in a file, in a URL and over HTTP.

Every field is a plain value (text, number, truth) in the form of docs/question.md; `None` means "not said".
Human forms are understood when a `Question` is made (`tokens="1B"`, `budget="¥1500"`) and kept in one
canonical form, so that `Question(**question.keys())` gives the same question back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Final

from gpuplan.errors import QuestionError
from gpuplan.question.parse import (
    Parser,
    Scalar,
    flag,
    gpus,
    money,
    nearest,
    number,
    shown,
    span,
    span_s,
    split_gpus,
    split_money,
    text,
    word,
    words,
)

METHODS: Final = (
    "full", "lora", "qlora", "freeze", "pretrain", "continue", "dpo", "orpo", "kto", "rm", "grpo", "ppo",
    "dpo_lora", "orpo_lora", "kto_lora", "rm_lora", "grpo_lora", "ppo_lora",
    "dpo_qlora", "orpo_qlora", "kto_qlora", "rm_qlora", "grpo_qlora", "ppo_qlora",
)  # fmt: skip
_METHOD_SPELLINGS: Final = {
    "full_ft": "full", "full-ft": "full", "sft": "full", "pretraining": "pretrain", "pre-train": "pretrain",
    "continued": "continue", "cpt": "continue", "reward": "rm", "全参": "full", "预训练": "pretrain",
}  # fmt: skip
PREFERENCES: Final = ("cheapest", "fastest", "balanced")
PRECISIONS: Final = ("fp32", "tf32", "fp16", "bf16", "fp8", "fp4")
QUANTISATIONS: Final = ("nf4", "nf4-double", "fp4", "int4", "int8", "none")
RECOMPUTES: Final = ("none", "selective", "full")
OFFLOADS: Final = ("none", "optimizer", "all")

_count = number(1, 1e6, whole=True)
_length = number(1, 1e8, whole=True)
_degree = number(1, 1e5, whole=True)

PARSERS: Final[dict[str, Parser]] = {
    "model": text,
    "method": word(METHODS, _METHOD_SPELLINGS),
    "tokens": number(1, 1e16),
    "samples": number(1, 1e13, whole=True),
    "seq_len": _length,
    "mean_len": number(1, 1e8),
    "p95_len": number(1, 1e8),
    "epochs": number(1e-3, 1e5),
    "packing": flag,
    "global_batch": number(1, 1e7, whole=True),
    "budget": money,
    "deadline": span,
    "currency": word(("usd", "cny", "eur"), {"rmb": "cny", "$": "usd", "¥": "cny", "€": "eur"}),
    "runs": _count,
    "cloud": words,
    "region": words,
    "own": gpus,
    "nodes_max": _count,
    "spot": flag,
    "prefer": word(PREFERENCES),
    "framework": text,
    "framework_version": text,
    "precision": word(PRECISIONS),
    "optimizer": text,
    "lora_rank": number(1, 16384, whole=True),
    "lora_targets": words,
    "quantisation": word(QUANTISATIONS, {"4bit": "nf4", "8bit": "int8", "4": "nf4", "8": "int8"}),
    "on": gpus,
    "nodes": _count,
    "micro_batch": number(1, 1e5, whole=True),
    "grad_accum": number(1, 1e6, whole=True),
    "zero": number(0, 3, whole=True),
    "tp": _degree,
    "pp": _degree,
    "cp": _degree,
    "ep": _degree,
    "recompute": word(RECOMPUTES),
    "offload": word(OFFLOADS, {"cpu": "all", "optimiser": "optimizer"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody wants to train, with what, until when, for how much; keys as in docs/question.md.

    >>> Question(model="Qwen2.5-7B", method="lora", samples=50_000, budget="¥1500").budget
    '1500cny'
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    model: str
    method: str | None = None
    tokens: float | None = None
    samples: float | None = None
    seq_len: float | None = None
    mean_len: float | None = None
    p95_len: float | None = None
    epochs: float | None = None
    packing: bool | None = None
    global_batch: float | None = None
    budget: str | None = None
    deadline: str | None = None
    currency: str | None = None
    runs: float | None = None
    cloud: str | None = None
    region: str | None = None
    own: str | None = None
    nodes_max: float | None = None
    spot: bool | None = None
    prefer: str | None = None
    framework: str | None = None
    framework_version: str | None = None
    precision: str | None = None
    optimizer: str | None = None
    lora_rank: float | None = None
    lora_targets: str | None = None
    quantisation: str | None = None
    on: str | None = None
    nodes: float | None = None
    micro_batch: float | None = None
    grad_accum: float | None = None
    zero: float | None = None
    tp: float | None = None
    pp: float | None = None
    cp: float | None = None
    ep: float | None = None
    recompute: str | None = None
    offload: str | None = None

    def __post_init__(self) -> None:
        if self.model is None:
            raise QuestionError("question.no_model", field="model")
        for key, value in self._raw().items():
            object.__setattr__(self, key, PARSERS[key](key, value))
        self._agree()

    def keys(self) -> dict[str, Scalar]:
        """Every key that was said, in the order of the record."""
        return {key: _short(value) for key, value in self._raw().items()}

    @property
    def budget_money(self) -> tuple[float, str] | None:
        """Amount and currency of the budget."""
        return None if self.budget is None else split_money("budget", self.budget)

    @property
    def deadline_s(self) -> float | None:
        """Seconds until the training must be over."""
        return None if self.deadline is None else span_s("deadline", self.deadline)

    @property
    def clouds(self) -> tuple[str, ...]:
        """Providers that may be used, in lower case; empty means any."""
        names = tuple(name.lower() for name in (self.cloud or "").split(",") if name)
        return () if "any" in names else names

    @property
    def regions(self) -> tuple[str, ...]:
        """Regions that may be used, in lower case; empty means any."""
        names = tuple(name.lower() for name in (self.region or "").split(",") if name)
        return () if "any" in names else names

    @property
    def own_gpus(self) -> tuple[tuple[int, int, str], ...]:
        """Own hardware: nodes, GPUs of one node, chip."""
        return tuple(split_gpus("own", part) for part in (self.own or "").split(",") if part)

    @property
    def on_gpus(self) -> tuple[int, int, str] | None:
        """Hardware of a check: nodes, GPUs of one node, chip."""
        if self.on is None:
            return None
        if "," in self.on:
            raise QuestionError("question.one_kind", field="on", value=shown(self.on))
        nodes, count, chip = split_gpus("on", self.on)
        return int(self.nodes or nodes), count, chip

    def _raw(self) -> dict[str, Scalar]:
        pairs = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: value for name, value in pairs if value is not None}

    def _agree(self) -> None:
        """Refuse keys that contradict each other."""
        if self.tokens is not None and self.samples is not None:
            raise QuestionError("question.either", field="tokens", other="samples")
        for small, large in (("mean_len", "seq_len"), ("p95_len", "seq_len"), ("mean_len", "p95_len")):
            low, high = getattr(self, small), getattr(self, large)
            if low is not None and high is not None and low > high:
                raise QuestionError("question.order", field=small, value=f"{low:g}", other=large, bound=f"{high:g}")
        self._agree_on_adapters()
        written = split_gpus("on", self.on)[0] if self.on is not None and "," not in self.on else 1
        if self.nodes is not None and written > 1 and self.nodes != written:
            raise QuestionError("question.nodes_twice", field="nodes", value=f"{self.nodes:g}", on=shown(self.on))

    def _agree_on_adapters(self) -> None:
        """Adapters and frozen weights belong to methods that have them."""
        if self.method is not None and "lora" not in self.method:
            for key in ("lora_rank", "lora_targets"):
                if getattr(self, key) is not None:
                    raise QuestionError("question.no_adapter", field=key, method=self.method)
            if self.quantisation not in (None, "none"):
                raise QuestionError(
                    "question.quantised_full", field="quantisation", value=self.quantisation, method=self.method
                )
        if self.quantisation == "none" and self.method is not None and "qlora" in self.method:
            near = self.method.replace("qlora", "lora")
            raise QuestionError("question.unquantised", field="quantisation", method=self.method, near=near)


def question_of(keys: Mapping[str, object], where: str = "") -> Question:
    """Question from keys of a file, a URL or the command line; an unknown key is refused with the nearest known."""
    prefix = f"{where}: " if where else ""
    for key in keys:
        if key not in PARSERS:
            near = nearest(str(key), PARSERS, "model")
            raise QuestionError("question.unknown_key", field=f"{prefix}{shown(str(key))}", near=near)
    if keys.get("model") is None:
        raise QuestionError("question.no_model", field=f"{prefix}model")
    values = {key: PARSERS[key](f"{prefix}{key}", value) for key, value in keys.items() if value is not None}
    return Question(**values)  # type: ignore[arg-type]


def _short(value: Scalar) -> Scalar:
    return int(value) if isinstance(value, float) and value == int(value) else value

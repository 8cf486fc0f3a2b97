"""What is taken where the question is silent: a value, its source, and what hangs on it.

Every function gives the value and an `Assumed` record, whose words exist in every language.
"""

from typing import Final

from gpuplan.question.figures import Assumed, assumption
from gpuplan.question.note import Words, note

ADAPTER_TARGETS: Final = ("q", "k", "v", "o", "gate", "up", "down")
LORA_RANK: Final = 16
FREEZE_LAYERS: Final = 2
"""Last layers that `freeze` trains (LLaMA-Factory, freeze_trainable_layers)."""

PRETRAIN_METHODS: Final = ("pretrain", "continue")
ADAPTER_METHODS: Final = ("lora", "qlora")

_PRETRAIN_TOKENS: Final = ((0.5e9, 0.5e6), (3e9, 1e6), (20e9, 2e6), (60e9, 4e6), (float("inf"), 4e6))
"""Model size up to, tokens of one step: GPT-3, arXiv:2005.14165 table 2.1; 4M tokens: Llama 2, arXiv:2307.09288."""

_TUNE_BATCH: Final = {
    "full": 128, "freeze": 64, "lora": 16, "qlora": 16, "dpo": 64, "orpo": 64, "kto": 32, "rm": 64, "grpo": 1024,
    "ppo": 512,
}  # fmt: skip
"""Sequences of one step; where each comes from is told by `source.batch.<method>` of the catalogue."""
_TUNE_LENGTH: Final = 2048
_PRETRAIN_LENGTH: Final = 4096
_LONG_ANSWERS: Final = ("grpo", "ppo")


def assumed(field: str, value: Words | float, source: Words) -> Assumed:
    """Record of a chosen value; its effect is the sentence `assumed.<field>`."""
    shown = f"{value:g}" if isinstance(value, int | float) else value
    return assumption(field, shown, source=source, effect=note(f"assumed.{field}"))


def default_method() -> tuple[str, Assumed]:
    """Adapters: the cheapest way that answers most wishes."""
    return "lora", assumed("method", "lora", note("source.method"))


def default_seq_len(method: str, max_positions: int | None, *, needs: float | None = None) -> tuple[float, Assumed]:
    """Length of a sample: 4096 to pre-train, 2048 to tune, more where samples need it, at most the model's limit.

    >>> default_seq_len("lora", 32768, needs=5000.0)[0]
    8192.0
    """
    usual = _PRETRAIN_LENGTH if method in PRETRAIN_METHODS else _TUNE_LENGTH
    wanted = max(float(usual), 0.0 if needs is None else _power_above(needs))
    length = min(wanted, float(max_positions or wanted))
    source = "source.length.pretrain" if usual == _PRETRAIN_LENGTH else "source.length.tune"
    if wanted > usual:
        source = "source.length.needs"
    return length, assumed("seq_len", length, note(source if length == wanted else "source.length.limit"))


def default_global_batch(method: str, params: float, *, seq_len: float, rows: float | None) -> tuple[float, Assumed]:
    """Sequences of one optimizer step, a power of two, never more than a tenth of the data."""
    if method in PRETRAIN_METHODS:
        tokens = next(step for size, step in _PRETRAIN_TOKENS if params <= size)
        large = params > 20e9
        batch, source = (
            tokens / seq_len,
            note("source.batch.llama" if large else "source.batch.gpt", tokens=f"{tokens / 1e6:g}M"),
        )
    else:
        batch, source = _TUNE_BATCH[method], note(f"source.batch.{method}")
    power = _power_below(batch)
    if rows is not None and power > rows / 10:
        power, source = _power_below(max(rows / 10, 1.0)), note("source.batch.tenth")
    return power, assumed("global_batch", power, source)


def default_precision(bf16: bool) -> tuple[str, Assumed]:
    """bf16 where the chip has it: the same range as fp32, no loss scaling."""
    value = "bf16" if bf16 else "fp16"
    return value, assumed("precision", value, note(f"source.precision.{value}"))


def default_adapter() -> tuple[tuple[int, tuple[str, ...]], tuple[Assumed, ...]]:
    """Rank 16 on every linear layer."""
    return (LORA_RANK, ADAPTER_TARGETS), (
        assumed("lora_rank", LORA_RANK, note("source.lora_rank")),
        assumed("lora_targets", note("value.all_linear"), note("source.lora_targets")),
    )


def _power_below(value: float) -> float:
    power = 1.0
    while power * 2 <= value * 1.0000001:
        power *= 2
    return power


def odd_part(n: float) -> float:
    """What is left of a whole number without its factors of two.

    >>> odd_part(6), odd_part(8)
    (3.0, 1.0)
    """
    n = float(n)
    while n > 1 and n % 2 == 0:
        n /= 2
    return n


def nearest_multiple(batch: float, unit: float) -> float:
    """`unit` times a power of two, as near to `batch` as powers of two allow, at least `unit`.

    >>> nearest_multiple(16, 3), nearest_multiple(24, 3), nearest_multiple(16, 1)
    (12.0, 24.0, 16.0)
    """
    power = _power_below(max(batch / unit, 1.0))
    low, high = unit * power, unit * power * 2
    return float(low if batch / low <= high / batch else high)


def _power_above(value: float) -> float:
    power = _power_below(value)
    return power if power >= value else 2 * power

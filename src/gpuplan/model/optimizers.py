"""Optimizers by what they keep: the bytes of their state for each trained parameter.

The number of moments is the definition of the algorithm; widths come from the trainer's dtype, or are fixed by
8-bit storage (bitsandbytes: one byte and one fp32 scale for each block of 256 values).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimizer:
    """State relative to AdamW of the same trainer, or in absolute bytes where storage is fixed."""

    name: str
    moments_of_adam: float
    """Share of AdamW's two moments: 0.5 for one moment, 0 for none."""
    fixed_bytes: float | None = None
    """Bytes for each parameter whatever the trainer's dtype."""
    paged: bool = False
    """The state may leave the card when memory is short."""
    in_backward: bool = False
    """Each gradient is used and freed at once."""
    source: str = "definition of the algorithm"


EIGHT_BIT: Final = 2 * (1 + 4 / 256)

OPTIMIZERS: Final[dict[str, Optimizer]] = {
    o.name: o
    for o in (
        Optimizer(name="adamw", moments_of_adam=1.0),
        Optimizer(
            name="adafactor", moments_of_adam=0.01, source="row and column sums only (arXiv:1804.04235, section 4)"
        ),
        Optimizer(name="lion", moments_of_adam=0.5, source="one moment (arXiv:2302.06675)"),
        Optimizer(name="muon", moments_of_adam=0.5, source="one moment for matrices"),
        Optimizer(name="sgd", moments_of_adam=0.0),
        Optimizer(name="momentum", moments_of_adam=0.5),
        Optimizer(
            name="adamw8bit", moments_of_adam=0.25, fixed_bytes=EIGHT_BIT, source="bitsandbytes 8-bit blocks of 256"
        ),
        Optimizer(
            name="paged_adamw8bit",
            moments_of_adam=0.25,
            fixed_bytes=EIGHT_BIT,
            paged=True,
            source="bitsandbytes 8-bit blocks of 256",
        ),
        Optimizer(name="paged_adamw", moments_of_adam=1.0, paged=True),
        Optimizer(
            name="adamw4bit",
            moments_of_adam=0.125,
            fixed_bytes=2 * (0.5 + 4 / 128),
            source="torchao 4-bit blocks of 128",
        ),
        Optimizer(name="galore", moments_of_adam=0.25, source="moments of rank h/4 projections (arXiv:2403.03507)"),
        Optimizer(name="adamw_in_backward", moments_of_adam=1.0, in_backward=True),
        Optimizer(
            name="adamw8bit_in_backward",
            moments_of_adam=0.25,
            fixed_bytes=EIGHT_BIT,
            in_backward=True,
            source="bitsandbytes 8-bit blocks of 256",
        ),
        Optimizer(name="novograd", moments_of_adam=0.5),
        Optimizer(name="lamb", moments_of_adam=1.0),
        Optimizer(name="rmsprop", moments_of_adam=0.5),
        Optimizer(name="prodigy", moments_of_adam=2.0, source="two moments, first point and sums (arXiv:2306.06101)"),
    )
}

_SPELLINGS: Final = (
    ("in backward", ""),
    ("adamw_bnb_8bit", "adamw8bit"),
    ("adamw_torch_8bit", "adamw8bit"),
    ("paged_adamw_8bit", "paged_adamw8bit"),
    ("paged_adamw_32bit", "paged_adamw"),
    ("adamw_torch_4bit", "adamw4bit"),
    ("adamw_8bit", "adamw8bit"),
    ("galore_adamw", "galore"),
    ("lora-fa", "adamw"),
)


def find_optimizer(words: str | None) -> Optimizer | None:
    """The optimizer that `words` mean, or None; "adamw(in backward)" and "adamw_torch_fused" are understood."""
    if not words:
        return None
    text = words.strip().lower()
    in_backward = "in backward" in text
    text = text.split("(")[0].strip()
    for spelling, name in _SPELLINGS:
        if text == spelling:
            text = name
    if text.startswith("adamw_torch") or text in ("adam", "adamw_bf16", "adamw_torch", "adamw_hf", "fused_adam"):
        text = "adamw"
    if in_backward and f"{text}_in_backward" in OPTIMIZERS:
        text = f"{text}_in_backward"
    return OPTIMIZERS.get(text)


def optimizer_of(words: str) -> Optimizer:
    """The optimizer that `words` mean; an unknown one counts as AdamW (callers name that)."""
    return find_optimizer(words) or OPTIMIZERS["adamw"]


def moment_bytes(optimizer: Optimizer, adam_bytes: float) -> float:
    """State bytes for each trained parameter, where AdamW of this trainer keeps `adam_bytes`."""
    if optimizer.fixed_bytes is not None:
        return optimizer.fixed_bytes
    return optimizer.moments_of_adam * adam_bytes

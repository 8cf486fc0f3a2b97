"""The model of a measured run: what the row states first, then the catalogue, then the shape usual for its size.

A stated figure is never overridden. A catalogue entry only fills gaps when it agrees with what is stated: same
hidden width, and about the stated number of parameters.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from gpuplan.errors import QuestionError
from gpuplan.facts.arch import Architecture, Mla, Moe
from gpuplan.facts.measured import MeasuredRun
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.params import total_params
from gpuplan.question.figures import Assumed, assumption
from gpuplan.question.note import Words, note
from gpuplan.units import BILLION

FindModel = Callable[[str, float | None], tuple[Architecture | None, Words | None]]
"""The catalogue entry that a name (and a count of parameters) means, and a remark where the name left a choice."""

NO_TABLE: Final = frozenset({"vision", "diffusion", "encdec"})
AGREES: Final = 0.2
"""Relative difference up to which a published count and a stated rounded one are the same model."""

_FAMILIES: Final[dict[str, dict[str, Any]]] = {
    # words in name or family: gated feed-forward, vocabulary, tied head (configurations on the publishers' hubs)
    "bert": {"gated_mlp": False, "vocab": 30522, "tied_embeddings": True, "norm": "LayerNorm"},
    "bloom": {"gated_mlp": False, "vocab": 250880, "tied_embeddings": True, "norm": "LayerNorm"},
    "mpt": {"gated_mlp": False, "vocab": 50368, "tied_embeddings": True, "norm": "LayerNorm"},
    "opt": {"gated_mlp": False, "vocab": 50272, "tied_embeddings": True, "norm": "LayerNorm"},
    "gpt": {"gated_mlp": False, "vocab": 50257, "tied_embeddings": True, "norm": "LayerNorm"},
    "nemotron": {"gated_mlp": False, "vocab": 256000, "tied_embeddings": False, "norm": "LayerNorm"},
    "qwen": {"gated_mlp": True, "vocab": 151936, "tied_embeddings": False},
    "deepseek": {"gated_mlp": True, "vocab": 129280, "tied_embeddings": False},
    "gemma": {"gated_mlp": True, "vocab": 256000, "tied_embeddings": True},
    "llama-3": {"gated_mlp": True, "vocab": 128256, "tied_embeddings": False},
    "llama3": {"gated_mlp": True, "vocab": 128256, "tied_embeddings": False},
    "": {"gated_mlp": True, "vocab": 32000, "tied_embeddings": False},
}


def model_of(run: MeasuredRun, find: FindModel) -> tuple[Architecture, tuple[Assumed, ...]]:
    """The architecture of a row; raises QuestionError where no honest one can be told."""
    stated = {key: value for key, value in run.model.items() if value is not None}
    kind = str(stated.get("kind") or "decoder").lower()
    name = str(stated.get("name") or "")
    shaped = {"layers", "hidden"} <= set(stated)
    if kind in NO_TABLE:
        raise QuestionError("run.skip.kind", kind=kind)
    size = stated.get("params_b")
    base, remark = find(name, size * BILLION if size else None) if name else (None, None)
    notes: list[Assumed] = []
    if base is not None and not base.covered:
        raise QuestionError("run.skip.uncovered", name=base.id)
    if kind == "other" and base is None:
        raise QuestionError("run.skip.kind", kind=kind)
    named = base
    if base is not None and not _agrees(base, stated):
        base = None
    if base is None and not shaped:
        base = _of_size(stated.get("params_b"), find, vocab=_vocab(stated, named))
        if base is None:
            raise QuestionError("run.skip.model", name=name or "?")
        remark = note("run.source.size_shape", name=name or note("run.value.no_name"))
    arch = _shaped(stated, base, kind) if shaped else _with_stated(base, stated)  # type: ignore[arg-type]
    if base is not None and (remark or not shaped):
        source = remark or note("run.source.in_catalogue")
        notes.append(assumption("model", base.id, source=source, effect=note("run.effect.all_figures")))
    elif shaped and base is None:
        missing = [k for k in ("heads", "ffn", "vocab", "gated_mlp", "tied_embeddings") if k not in stated]
        if missing:
            value = ", ".join(f"{k} {getattr(arch, k)}" for k in missing)
            source = note("run.source.family")
            notes.append(assumption("model", value, source=source, effect=note("run.effect.all_figures")))
    return arch, tuple(notes)


def _agrees(base: Architecture, stated: Mapping[str, Any]) -> bool:
    """True where the catalogue entry can be the stated model."""
    if "hidden" in stated:
        return bool(base.hidden == stated["hidden"])
    if "layers" in stated and base.layers != stated["layers"]:
        return False
    size = stated.get("params_b")
    if size is None:
        return True
    count = base.published_params or total_params(decoder(base))
    return bool(abs(count / (size * BILLION) - 1.0) <= AGREES)


def _vocab(stated: Mapping[str, Any], named: Architecture | None) -> int | None:
    """Vocabulary of a model of another size than its name says: that of the name or of the family."""
    if named is not None:
        return named.vocab
    family = _family(stated)
    return int(family["vocab"]) if family is not _FAMILIES[""] else None


def _of_size(params_b: float | None, find: FindModel, *, vocab: int | None) -> Architecture | None:
    """The commonest open shape of that size, its layers scaled so that the count comes out."""
    if params_b is None:
        return None
    found, _ = find(f"{params_b:g}B", None)
    if found is None or not found.covered or found.moe is not None:
        found = _llama_like(params_b * BILLION)
    if vocab is not None and vocab != found.vocab:
        found = replace(found, vocab=vocab, published_params=None)
    ratio = params_b * BILLION / total_params(decoder(found))
    if abs(ratio - 1.0) > 0.05:
        found = replace(found, layers=max(1, round(found.layers * ratio)), published_params=None)
    return found


@cache
def _llama_like(n_params: float) -> Architecture:
    """A dense decoder of about `n_params`: layers about hidden / 128, gated feed-forward of 8/3 hidden.

    N = 12 L h^2 with L = h / 128 gives h = (128 N / 12)^(1/3), rounded to a multiple of 128.
    """
    hidden = max(128, round((128.0 * n_params / 12.0) ** (1.0 / 3.0) / 128.0) * 128)
    layers = max(1, round(n_params / (12.0 * hidden**2)))
    return Architecture(
        id=f"standard-{n_params / BILLION:.3g}B", layers=layers, hidden=hidden, heads=max(1, hidden // 128),
        kv_heads=max(1, hidden // 128), head_dim=128, ffn=_gated_width(hidden), gated_mlp=True, vocab=32000,
        tied_embeddings=False, sources={"shape": "derived: 12 L h^2 parameters, L = h / 128"},
    )  # fmt: skip


def _gated_width(hidden: int) -> int:
    """8/3 hidden, to a multiple of 256 (arXiv:2302.13971, section 2.2)."""
    return math.ceil(8 * hidden / 3 / 256) * 256


def _family(stated: Mapping[str, Any]) -> Mapping[str, Any]:
    words = f"{stated.get('family') or ''} {stated.get('name') or ''}".lower()
    return next(defaults for word, defaults in _FAMILIES.items() if word in words)


def _shaped(stated: Mapping[str, Any], base: Architecture | None, kind: str) -> Architecture:
    """Stated shape, gaps from the catalogue entry or the family."""
    usual = _family(stated)
    hidden, layers = int(stated["hidden"]), int(stated["layers"])

    def pick(field: str, default: Any) -> Any:
        if field in stated:
            return stated[field]
        return getattr(base, field) if base is not None else default

    heads = int(pick("heads", max(1, hidden // 128)))
    gated = bool(pick("gated_mlp", usual["gated_mlp"]))
    ffn = int(pick("ffn", _gated_width(hidden) if gated else 4 * hidden))
    norm = base.norm if base is not None else usual.get("norm", "RMSNorm")
    plain = norm == "LayerNorm" and base is None
    head_dim = stated.get("head_dim") or (
        base.head_dim if base is not None and base.heads == heads else hidden // heads
    )
    fields: dict[str, Any] = {
        "id": str(stated.get("name") or "stated shape"),
        "kind": "encoder" if kind == "encoder" else "decoder",
        "layers": layers, "hidden": hidden, "heads": heads, "kv_heads": int(pick("kv_heads", heads)),
        "head_dim": max(1, int(head_dim)), "ffn": ffn, "gated_mlp": gated,
        "vocab": int(pick("vocab", usual["vocab"])),
        "tied_embeddings": bool(pick("tied_embeddings", usual["tied_embeddings"])),
        "mla": _mla(stated.get("mla")) or (base.mla if base is not None else None),
        "moe": _moe(stated, base, layers=layers, ffn=ffn),
        "published_params": None,
    }  # fmt: skip
    if base is not None:
        windowed = round(base.windowed_layers * layers / base.layers)
        return replace(base, windowed_layers=windowed, extra_params=0, **fields)
    return Architecture(
        norm=norm, norm_bias=plain, qkv_bias=plain, attn_out_bias=plain, mlp_bias=plain,
        activation="silu" if gated else "gelu", sources={"shape": "stated in the row"}, **fields,
    )  # fmt: skip


def _with_stated(base: Architecture, stated: Mapping[str, Any]) -> Architecture:
    """A catalogue entry with the single fields that the row states."""
    plain = ("layers", "heads", "kv_heads", "head_dim", "ffn", "gated_mlp", "vocab", "tied_embeddings")
    changed = {k: stated[k] for k in plain if k in stated and stated[k] != getattr(base, k)}
    return replace(base, published_params=None, **changed) if changed else base


def _mla(stated: Mapping[str, Any] | None) -> Mla | None:
    if stated is None or any(stated.get(k) is None for k in ("kv_lora_rank", "qk_nope_head_dim", "v_head_dim")):
        return None
    rope = stated.get("qk_rope_head_dim") or 64
    rank = stated.get("q_lora_rank")
    return Mla(
        q_lora_rank=int(rank) if rank else None,
        kv_lora_rank=int(stated["kv_lora_rank"]),
        qk_nope_head_dim=int(stated["qk_nope_head_dim"]),
        qk_rope_head_dim=int(rope),
        v_head_dim=int(stated["v_head_dim"]),
    )


def _moe(stated: Mapping[str, Any], base: Architecture | None, *, layers: int, ffn: int) -> Moe | None:
    """Experts as stated; widths that are not, from the catalogue; a count of experts alone is not enough."""
    known = base.moe if base is not None else None
    experts = int(stated.get("experts") or (known.experts if known else 0))
    per_token = int(stated.get("experts_per_token") or (known.experts_per_token if known else 0))
    if experts < 2 or per_token < 1 or (base is not None and known is None):
        return None
    dense_layers = int(stated.get("dense_layers") or (known.dense_layers if known else 0))
    dense_layers = min(dense_layers, layers - 1)
    shared = stated.get("shared_expert_ffn")
    return Moe(
        experts=experts,
        experts_per_token=per_token,
        expert_ffn=int(stated.get("moe_ffn") or (known.expert_ffn if known else ffn)),
        shared_ffn=int(shared if shared is not None else known.shared_ffn if known else 0),
        dense_ffn=known.dense_ffn if known else ffn,
        moe_layers=layers - dense_layers,
        dense_layers=dense_layers,
    )

"""Entries of a user's facts file as records, laid over what they are based on."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpuplan.data.closest import closest
from gpuplan.data.shape import shape_mistake
from gpuplan.errors import FactError
from gpuplan.facts.arch import Architecture
from gpuplan.facts.chip import Chip
from gpuplan.units import GB, GIB, TFLOP

if TYPE_CHECKING:
    from gpuplan.data.overlay_schema import Entry

PLAIN: Final = ("name", "vendor", "arch", "form_factor", "link_kind", "p2p_over_pcie", "compute_capability")
PLAIN_TOO: Final = ("donor", "donor_scale", "confidence")
SCALED: Final[Mapping[str, tuple[str, float, str]]] = {
    # key of the file: field of the record, unit, name among the sources
    "memory_gib": ("memory_bytes", GIB, "memory"),
    "bandwidth_gb_s": ("memory_bytes_per_s", GB, "bandwidth"),
    "link_gb_s": ("link_bytes_per_s", GB, "link"),
    "pcie_gb_s": ("pcie_bytes_per_s", GB, "pcie"),
    "tdp_w": ("tdp_w", 1.0, "tdp"),
}


def chip_records(
    entries: "Mapping[str, Entry]", base: Mapping[str, Chip], *, places: Mapping[str, Path]
) -> dict[str, Chip]:
    """The user's chips; an entry may be based on one that stands above it."""
    done: dict[str, Chip] = {}
    for chip_id, entry in entries.items():
        parent = _parent(chip_id, entry, {**dict.fromkeys(base), **done}, kind="chips", file=places[chip_id])
        known = done.get(parent) or base.get(parent) if parent else None
        done[chip_id] = _chip(chip_id, entry, known, file=places[chip_id])
    for chip_id, chip in done.items():
        if chip.donor not in base or base[chip.donor].donor != chip.donor:
            raise FactError(
                "overlay_unknown_donor",
                file=places[chip_id],
                id=chip_id,
                donor=chip.donor,
                known=", ".join(_donors(base)),
            )
    return done


def model_records(
    entries: "Mapping[str, Entry]", base: Mapping[str, Architecture], *, places: Mapping[str, Path]
) -> dict[str, Architecture]:
    """The user's models; an entry may be based on one that stands above it."""
    done: dict[str, Architecture] = {}
    for model_id, entry in entries.items():
        parent = _parent(model_id, entry, {**dict.fromkeys(base), **done}, kind="models", file=places[model_id])
        stated = {name: getattr(entry, name) for name in entry.model_fields_set - {"source", "based_on"}}
        sources = {"shape": entry.source}  # type: ignore[attr-defined]
        known = done.get(parent) or base.get(parent) if parent else None
        if known is not None:
            fresh = {"published_params": None, "aliases": (), **stated} if stated.keys() - {"aliases"} else stated
            done[model_id] = replace(known, **{**fresh, "id": model_id, "sources": {**known.sources, **sources}})
            continue
        missing = [name for name in _REQUIRED_SHAPE if name not in stated]
        if missing:
            raise FactError("overlay_incomplete", file=places[model_id], id=model_id, missing=", ".join(missing))
        done[model_id] = Architecture(**stated, id=model_id, sources=sources)
    for model_id, model in done.items():
        mistake = shape_mistake(model) if model.covered else None
        if mistake:
            raise FactError("overlay_bad_shape", file=places[model_id], id=model_id, name=mistake[0], value=mistake[1])
    return done


_REQUIRED_SHAPE: Final = (
    "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "gated_mlp", "vocab", "tied_embeddings",
)  # fmt: skip


def _parent(key: str, entry: "Entry", known: Mapping[str, object], *, kind: str, file: Path) -> str | None:
    named: str | None = entry.based_on  # type: ignore[attr-defined]
    if named is None:
        return key if key in known else None
    if named not in known:
        nearest = ", ".join(closest(named, known))
        raise FactError("overlay_unknown_base", file=file, id=key, base=named, nearest=nearest, kind=kind)
    return named


def _chip(chip_id: str, entry: "Entry", known: Chip | None, *, file: Path) -> Chip:
    stated: dict[str, Any] = {name: getattr(entry, name) for name in entry.model_fields_set}
    source: str = stated.pop("source")
    stated.pop("based_on", None)
    changes: dict[str, Any] = {name: stated[name] for name in (*PLAIN, *PLAIN_TOO) if name in stated}
    sources = {name: source for name in changes if name == "donor"}
    for key, (field, unit, name) in SCALED.items():
        if key in stated:
            changes[field] = stated[key] * unit
            sources[name] = source
    peaks = {key.removesuffix("_tflops"): value * TFLOP for key, value in stated.items() if key.endswith("_tflops")}
    sources |= dict.fromkeys(peaks, source)
    if "memory_gib" in stated:
        changes["label_gb"] = stated["memory_gib"]
    if known is not None:
        bf16 = known.bf16 or "bf16" in peaks
        name = stated.get("name", known.name if chip_id == known.id else chip_id)
        return replace(
            known, **{**changes, "id": chip_id, "name": name, "bf16": bf16},
            peak_flops={**known.peak_flops, **peaks}, sources={**known.sources, **sources},
        )  # fmt: skip
    missing = [key for key in ("memory_gib", "bandwidth_gb_s", "donor") if key not in stated]
    if missing or not peaks:
        missing += [] if peaks else ["bf16_tflops"]
        raise FactError("overlay_incomplete", file=file, id=chip_id, missing=", ".join(missing))
    return Chip(
        id=chip_id, peak_flops=peaks, bf16="bf16" in peaks, sources=sources,
        **{**_BLANK, "name": chip_id, **changes},
    )  # fmt: skip


_BLANK: Final[Mapping[str, Any]] = {
    "vendor": "user",
    "arch": None,
    "form_factor": None,
    "link_kind": None,
    "link_bytes_per_s": None,
    "pcie_bytes_per_s": None,
    "p2p_over_pcie": None,
    "tdp_w": None,
    "compute_capability": None,
    "donor_scale": 1.0,
    "confidence": "low",
}


def _donors(base: Mapping[str, Chip]) -> list[str]:
    return [chip_id for chip_id in base if base[chip_id].donor == chip_id]

"""What a user's facts file may say: pydantic models, imported only when such a file exists."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from gpuplan.data.closest import closest
from gpuplan.errors import FactError
from gpuplan.facts.arch import Architecture

Positive = Annotated[float, Field(gt=0, lt=1e15, allow_inf_nan=False)]
Word = Annotated[str, Field(min_length=1, max_length=500)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class ChipEntry(_Strict):
    """`[chips.NAME]`: only what differs from `based_on`, or from the package's chip of that name."""

    source: Word
    based_on: Word | None = None
    name: Word | None = None
    vendor: Word | None = None
    arch: Word | None = None
    form_factor: Word | None = None
    memory_gib: Positive | None = None
    bandwidth_gb_s: Positive | None = None
    fp32_tflops: Positive | None = None
    tf32_tflops: Positive | None = None
    fp16_tflops: Positive | None = None
    bf16_tflops: Positive | None = None
    fp8_tflops: Positive | None = None
    fp4_tflops: Positive | None = None
    link_kind: Word | None = None
    link_gb_s: Positive | None = None
    pcie_gb_s: Positive | None = None
    p2p_over_pcie: bool | None = None
    tdp_w: Positive | None = None
    compute_capability: Word | None = None
    donor: Word | None = None
    donor_scale: Positive | None = None
    confidence: Annotated[str, Field(pattern="^(high|medium|low)$")] | None = None


def _model_entry() -> type[BaseModel]:
    """`[models.NAME]`: the fields of an architecture, each optional over `based_on`."""
    hints = get_type_hints(Architecture)
    optional: dict[str, Any] = {
        f.name: (hints[f.name] | None, None) for f in fields(Architecture) if f.name not in ("id", "sources")
    }
    return create_model("ModelEntry", __base__=_Strict, source=(Word, ...), based_on=(Word | None, None), **optional)


ModelEntry: Final = _model_entry()
Entry = BaseModel


class FactsFile(_Strict):
    """One file of the user."""

    chips: dict[str, ChipEntry] = {}
    models: dict[str, ModelEntry] = {}  # type: ignore[valid-type]
    offers: list[dict[str, Any]] = []
    """Checked field by field in `overlay_offers`, where the chips are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file's entries after validation."""

    chips: Mapping[str, Entry]
    models: Mapping[str, Entry]
    offers: tuple[Mapping[str, Any], ...]


def validated(content: Mapping[str, Any], path: Path) -> Content:
    """The entries of one file; the first mistake is refused with its place."""
    try:
        file = FactsFile.model_validate(content)
    except ValidationError as error:
        raise _mistake(error, path) from error
    return Content(chips=file.chips, models=file.models, offers=tuple(file.offers))


def _mistake(error: ValidationError, path: Path) -> FactError:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return FactError("overlay_unknown_key", file=path, where=where, known=", ".join(closest(key, _keys_at(first))))
    if first["type"] == "missing":
        return FactError("overlay_missing_key", file=path, where=where)
    return FactError("overlay_bad_value", file=path, where=where, value=repr(first["input"])[:60], cause=first["msg"])


def _keys_at(first: Mapping[str, Any]) -> tuple[str, ...]:
    place = first["loc"][0] if len(first["loc"]) > 1 else ""
    owners: dict[str, type[BaseModel]] = {"chips": ChipEntry, "models": ModelEntry}
    return tuple(owners.get(str(place), FactsFile).model_fields)

"""Reading measured runs: JSON lines as other people publish them, checked field by field.

Words keep their spelling; numbers must be finite and not negative. Unknown keys are counted, never used. The
schema and its words are in docs/measured.md.
"""

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpuplan.data.closest import closest
from gpuplan.errors import InputError
from gpuplan.facts.measured import MeasuredRun

MAX_BYTES: Final = 16 * 2**20
LARGEST: Final = 1e16
"""Beyond any real count of parameters, tokens or bytes a second; larger figures are typing errors."""

UNIT, COUNT, FIGURE, TEXT, FLAG, WORD, ANY = "unit", "count", "figure", "text", "flag", "word", "any"
"""What a value must be: a number of at least 1, above 0, of at least 0, text, true or false, a word, anything."""

_FIGURES: Final = (
    "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct", "hfu_pct", "step_time_s", "samples_per_s",
    "peak_mem_gib", "wall_hours", "gpu_hours", "total_tokens_b",
)  # fmt: skip
_MLA: Final = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_TOP: Final = {
    "seq_len": UNIT,
    "micro_batch": UNIT,
    "grad_accum": UNIT,
    "global_batch_seqs": UNIT,
    "mean_len": COUNT,
    "packing": FLAG,
    "image_size": ANY,
    "precision": TEXT,
    "optimizer": TEXT,
    "master_weights_fp32": FLAG,
    "recompute": TEXT,
    "flash_attention": FLAG,
    "compile": FLAG,
    "fused_kernels": TEXT,
    "framework": TEXT,
    "framework_version": TEXT,
}
_SECTIONS: Final[dict[str, dict[str, str]]] = {
    "source": dict.fromkeys(("repo", "path", "commit", "title", "url"), ANY) | {"date": TEXT},
    "model": {
        "name": TEXT,
        "family": TEXT,
        "kind": TEXT,
        "params_b": COUNT,
        "layers": UNIT,
        "hidden": UNIT,
        "heads": UNIT,
        "kv_heads": UNIT,
        "head_dim": UNIT,
        "ffn": UNIT,
        "gated_mlp": FLAG,
        "vocab": UNIT,
        "tied_embeddings": FLAG,
        "experts": FIGURE,
        "experts_per_token": FIGURE,
        "moe_ffn": FIGURE,
        "shared_expert_ffn": FIGURE,
        "dense_layers": FIGURE,
        "mla": ANY,
    },
    "lora": {"rank": UNIT, "targets": TEXT},
    "hardware": {"gpu": TEXT, "n_gpus": UNIT, "gpus_per_node": UNIT, "intra": TEXT, "inter_gbps_per_gpu": COUNT},
    "host": {"ram_gb": COUNT, "disk_gb": COUNT, "vcpus": COUNT, "network": TEXT},
    "parallel": {
        **dict.fromkeys(("dp", "tp", "pp", "cp", "ep", "vpp", "etp"), UNIT),
        "zero": WORD,
        "sp": WORD,
        "fsdp": TEXT,
        "offload": TEXT,
    },
    "measured": {
        **dict.fromkeys(_FIGURES, FIGURE),
        "peak_mem_kind": TEXT,
        "outcome": TEXT,
    },
}  # fmt: skip
_UNREAD: Final = frozenset({"figure", "derived", "confidence", "notes"})
_REQUIRED: Final = ("id", "model", "task", "hardware")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Rows of one file, and the keys that nothing reads with how often they occur."""

    rows: tuple[MeasuredRun, ...]
    ignored: Mapping[str, int]


def read_runs(path: Path) -> Runs:
    """All rows of a file of JSON lines."""
    ignored: Counter[str] = Counter()
    rows = []
    for number, line in enumerate(re.split("\r\n|\n|\r", _text(path)), start=1):
        if line.strip():  # text in a row may hold other separators, which splitlines would cut at
            where = f"{path.name}:{number}"
            run, unknown = run_of(_object(line, where), where=where)
            ignored.update(unknown)
            rows.append(run)
    return Runs(rows=tuple(rows), ignored=dict(sorted(ignored.items())))


def read_one(path: Path) -> MeasuredRun:
    """The one run of a JSON or TOML file; an unknown key is refused, `id` may be missing."""
    text = _text(path)
    if path.suffix.lower() == ".toml":
        try:
            raw: Mapping[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError("run.file.toml", file=path, why=str(error)) from error
    else:
        raw = _object(text, str(path))
    return one_run(raw, where=str(path))


def one_run(raw: Mapping[str, Any], *, where: str) -> MeasuredRun:
    """One row as a record; an unknown key is refused, with the nearest known one."""
    run, unknown = run_of({"id": "run", **raw}, where=where)
    if unknown:
        key = unknown[0]
        section, _, name = key.rpartition(".")
        known = _SECTIONS[section] if section else [*_TOP, *_SECTIONS, *_REQUIRED]
        near = closest(name, known)
        if near:
            raise InputError("run.row.unknown_near", where=where, field=key, near=near[0])
        raise InputError("run.row.unknown", where=where, field=key)
    return run


def run_of(raw: Mapping[str, Any], *, where: str) -> tuple[MeasuredRun, tuple[str, ...]]:
    """One row as a record, and the keys of it that the schema does not have."""
    for key in _REQUIRED:
        if key not in raw:
            raise InputError("run.row.missing", where=where, field=key)
    if not isinstance(raw["id"], str) or not raw["id"].strip():
        raise InputError("run.row.text", where=where, field="id")
    unknown = [k for k in raw if k not in _TOP and k not in _SECTIONS and k not in _UNREAD and k not in _REQUIRED]
    flat = {key: _value(raw.get(key), kind, where, key) for key, kind in _TOP.items()}
    sections: dict[str, Any] = {}
    for name, kinds in _SECTIONS.items():
        section = _section(raw.get(name), name, where)
        unknown += [f"{name}.{k}" for k in section if k not in kinds]
        sections[name] = {k: _value(section.get(k), kind, where, f"{name}.{k}") for k, kind in kinds.items()}
    sections["model"]["mla"] = _mla(sections["model"]["mla"], where)
    date = sections.pop("source")["date"]
    task = _value(raw["task"], TEXT, where, "task")
    return MeasuredRun(id=raw["id"], task=task or "", date=date, **sections, **flat), tuple(unknown)


def _section(value: Any, name: str, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if isinstance(value, str) and name in ("model", "hardware"):
        return {"name" if name == "model" else "gpu": value}
    if not isinstance(value, Mapping):
        raise InputError("run.row.section", where=where, field=name)
    return value


def _mla(value: Any, where: str) -> Mapping[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InputError("run.row.section", where=where, field="model.mla")
    ranks = {k: _value(value.get(k), UNIT, where, f"model.mla.{k}") for k in _MLA}
    return ranks if any(v is not None for v in ranks.values()) else None


def _value(value: Any, kind: str, where: str, field: str) -> Any:
    """The value if it is of its kind; null is unknown."""
    if value is None or kind == ANY:
        return value
    if kind == FLAG:
        if isinstance(value, bool):
            return value
    elif kind == TEXT:
        if isinstance(value, str):
            return value.strip() or None
    elif kind == WORD:
        if isinstance(value, str | bool | int):
            return str(value).strip().lower() or None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, kind, where, field)
    raise InputError(f"run.row.{kind}", where=where, field=field)


def _number(value: float, kind: str, where: str, field: str) -> float:
    if not math.isfinite(value) or value > LARGEST:
        raise InputError("run.row.number", where=where, field=field, value=value)
    if value < 0 or (kind == COUNT and value == 0) or (kind == UNIT and value < 1):
        raise InputError(f"run.row.range.{kind}", where=where, field=field, value=value)
    return value


def _object(line: str, where: str) -> Mapping[str, Any]:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("run.row.json", where=where, why=str(error).split(":")[0]) from error
    if not isinstance(raw, Mapping):
        raise InputError("run.row.object", where=where)
    return raw


def _text(path: Path) -> str:
    """The file as text, if it is one of at most 16 MB; endless files stop there."""
    try:
        with path.open("rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError("run.file.unreadable", file=path, why=error.strerror or type(error).__name__) from error
    if len(data) > MAX_BYTES:
        raise InputError("run.file.large", file=path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("run.file.binary", file=path) from error

"""Builds the facts about trainers from the published framework records and the recipes beside this file.

    python tools/build_trainers.py FRAMEWORKS.jsonl

writes `src/gpuplan/data/files/frameworks.jsonl` (what each framework says and does, a source for each value)
and `src/gpuplan/data/files/trainers.jsonl` (the figures that the arithmetic needs, one record a mode).
A recipe starts from a relative (`on`: the framework sits on it; `like`: borrowed, hence listed in `assumed`),
takes what its framework record states, and sets the rest as [value, source key].
"""

import json
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from gpuplan.facts.trainer import Trainer

HERE: Final = Path(__file__).parent
FILES: Final = HERE.parent / "src" / "gpuplan" / "data" / "files"
GIB: Final = 2**30

FULL: Final = {
    "weights_bytes_per_param": "weight_bytes",
    "compute_copy_bytes_per_param": "compute_copy_bytes",
    "grad_bytes_per_param": "grad_bytes",
    "master_bytes_per_param": "master_bytes",
    "optim_state_bytes_per_param": "moment_bytes",
    "step_temp_bytes_per_param": "step_temp_bytes",
    "frozen_bytes_per_param": "frozen_bytes",
    "logits_bytes_forward": "logit_bytes_forward",
    "logits_bytes_peak": "logit_bytes_peak",
    "micro_batch_default": "micro_batch_default",
    "eval_batch_default": "eval_batch_default",
    "packing_default": "packing_default",
    "checkpoint_bytes_per_param": "checkpoint_bytes",
}
ADAPTER: Final = {
    "weights_bytes_per_param": "adapter_bytes",
    **{k: v for k, v in FULL.items() if k.startswith(("frozen", "logits", "micro", "eval", "packing"))},
}
PLAIN: Final = ("version", "applies_when")
META: Final = {"id", "framework", "family", "record", "on", "like", "adapter", "skip", *PLAIN}


def main(path: Path) -> None:
    """Write both files."""
    records = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    _write(FILES / "frameworks.jsonl", [_compact(r) for r in records])
    recipes = tomllib.loads((HERE / "trainers.toml").read_text())
    by_id = {r["id"]: r for r in records}
    built: dict[str, dict[str, Any]] = {}
    for recipe in recipes["trainer"]:
        built[recipe["id"]] = _trainer(recipe, by_id, built, recipes["sources"])
    _write(FILES / "trainers.jsonl", list(built.values()))


def _trainer(
    recipe: dict[str, Any], records: dict[str, Any], built: dict[str, Any], sources: dict[str, str]
) -> dict[str, Any]:
    """One trainer: what its relative has, then what its record states, then what the recipe sets."""
    parent = built[recipe["on"]] if "on" in recipe else built[recipe["like"]] if "like" in recipe else {}
    made = {k: v for k, v in parent.items() if k not in {*PLAIN, "checkpoint_bytes"}}
    origin = dict(parent.get("sources", {}))
    origin.pop("checkpoint_bytes", None)
    assumed = set(parent.get("assumed", ()))
    if "like" in recipe:
        assumed |= set(origin)
    for field, value, source in _stated(recipe, records):
        made[field], origin[field] = value, source
        assumed.discard(field)
    for field in set(recipe) - META:
        made[field], key = recipe[field]
        origin[field] = sources[key]
        assumed.discard(field)
        if key.startswith("assumed"):
            assumed.add(field)
    record = records.get(recipe.get("record", ""), {})
    made |= {f: recipe.get(f, record.get(f)) for f in PLAIN}
    made |= {f: recipe[f] for f in ("id", "framework", "family") if f in recipe}
    made |= {"sources": dict(sorted(origin.items())), "assumed": sorted(assumed)}
    names = [f.name for f in fields(Trainer)]
    return {name: made[name] for name in names if name in made}


def _stated(recipe: dict[str, Any], records: dict[str, Any]) -> list[tuple[str, Any, str]]:
    """Figures that the framework record states, with where they were read."""
    if "record" not in recipe:
        return []
    record = records[recipe["record"]]
    skip = set(recipe.get("skip", ())) | set(record.get("unsourced") or ())
    table = ADAPTER if recipe.get("adapter") else FULL
    found = []
    for theirs, ours in table.items():
        value = record[theirs]
        if theirs not in skip and ours not in skip and isinstance(value, int | float):
            found.append((ours, value, _origin(record, theirs)))
    for theirs, ours, read in (
        ("recompute_default", "recompute_default", _recompute),
        ("save_interval_default", "save_interval_steps", _steps),
        ("resume_auto", "resume_auto", _resumes),
    ):
        value = read(record[theirs]) if record[theirs] and theirs not in skip else None
        if value is not None and ours not in skip:
            found.append((ours, value, _origin(record, theirs)))
    return found


def _recompute(text: str) -> str | None:
    word = text.split()[0].strip(":;,").lower()
    known = {"off": "none", "none": "none", "on": "full", "selective": "selective", "'unsloth'": "full"}
    return "full" if "activation_checkpointing true" in text else known.get(word)


def _steps(text: str) -> int | None:
    head = text.split()[0]
    return int(head) if head.isdigit() else None


def _resumes(text: str) -> bool | None:
    head = text.split()[0].strip(":;,").lower()
    return {"yes": True, "no": False, "off": False, "'auto'": True, "'latest'": True}.get(head)


def _origin(record: dict[str, Any], field: str) -> str:
    places = record["source"].get(field)
    if not places:
        return f"frameworks.jsonl: {record['id']}"
    first = places[0]
    if "derived_from" in first:
        return f"derived from {first['derived_from']} of frameworks.jsonl: {record['id']}"
    lines = f":{first['lines']}" if first["lines"] else ""
    return f"{first['repo'] + '/' if first['repo'] else ''}{first['path']}{lines} at {first['at']}"


def _compact(record: dict[str, Any]) -> dict[str, Any]:
    """A framework record without empty values and without what has no source."""
    drop = {"unsourced", *(record.get("unsourced") or ())}
    kept = {k: v for k, v in record.items() if v not in (None, {}, []) and k not in {*drop, "source"}}
    kept["source"] = {k: _origin(record, k) for k in record["source"] if k in kept}
    return kept


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False, sort_keys=False) + "\n" for row in rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The facts as rows for people: plain values in everyday units, each row with its sources."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any, Final

from gpuplan.data.catalogue import Catalogue
from gpuplan.data.check import check_facts
from gpuplan.data.machines import load_nodes
from gpuplan.data.names import find_chip, is_apple
from gpuplan.errors import QuestionError
from gpuplan.units import GB, GIB, TFLOP

Row = dict[str, Any]

_UNITS: Final = (("_bytes_per_s", "_gb_per_s", GB), ("_bytes", "_gib", GIB), ("_flops", "_tflops", TFLOP))
_NAMES: Final = (
    "id", "aliases", "name", "provider", "instance_type", "framework", "topic", "key", "gpu", "chip", "cloud",
)  # fmt: skip

CHIP_COLUMNS: Final = {"chips": "id", "machines": "chip", "offers": "gpu"}
"""Where each kind of row names its accelerator."""


def facts(kind: str, name: str | None, catalogue: Catalogue) -> Row:
    """Rows of one kind, those alone that match every word of `name`."""
    if kind not in KINDS:
        raise QuestionError("usage.kind", value=kind, known=", ".join((*KINDS, "check")))
    if name is not None and kind in CHIP_COLUMNS and is_apple(name):
        raise QuestionError("question.apple", field=kind, value=name)
    rows = list(KINDS[kind](catalogue))
    if name is not None:
        named = [row for row in rows if _is_named(row, name)] or [row for row in rows if _matches(row, name)]
        rows = named or _of_chip(kind, rows, name, catalogue)
    if name is not None and not rows:
        raise QuestionError("usage.no_fact", kind=kind, name=name)
    return {"schema": 1, "kind": kind, "name": name, "rows": rows}


def _of_chip(kind: str, rows: list[Row], name: str, catalogue: Catalogue) -> list[Row]:
    """Rows about a chip that people call `name` (昇腾910B, A100 80G)."""
    key = CHIP_COLUMNS.get(kind)
    found = {chip.id for chip in find_chip(name, catalogue.chips)} if key else set()
    return [row for row in rows if key and row[key] in found]


def check_all(catalogue: Catalogue, *, today: date, lang: str) -> Row:
    """What breaks a rule of the catalogue, as rows; none where the facts are clean."""
    findings = check_facts(catalogue, today=today, lang=lang)
    return {"schema": 1, "kind": "check", "name": None, "rows": [{"finding": finding} for finding in findings]}


def _models(catalogue: Catalogue) -> Iterator[Row]:
    return (plain(catalogue.models[key]) for key in catalogue.models)


def _chips(catalogue: Catalogue) -> Iterator[Row]:
    return (plain(catalogue.chips[key]) for key in catalogue.chips)


def _machines(catalogue: Catalogue) -> Iterator[Row]:
    return (plain(node, without=("match",)) for node in load_nodes())


def _offers(catalogue: Catalogue) -> Iterator[Row]:
    for offer in catalogue.offers:
        row = plain(offer, without=("machine",))
        yield {"gpu": offer.machine.chip.id, "gpus": offer.machine.n_gpus, **row}


def _frameworks(catalogue: Catalogue) -> Iterator[Row]:
    """Figures of a trainer are bytes per parameter and stay as they are."""
    for trainer in catalogue.trainers.values():
        yield {f.name: _value(getattr(trainer, f.name)) for f in fields(trainer)}


def _costs(catalogue: Catalogue) -> Iterator[Row]:
    return (plain(catalogue.costs[key]) for key in catalogue.costs)


def _failures(catalogue: Catalogue) -> Iterator[Row]:
    return (plain(catalogue.failures[key]) for key in catalogue.failures)


KINDS: Final[dict[str, Callable[[Catalogue], Iterator[Row]]]] = {
    "models": _models,
    "chips": _chips,
    "machines": _machines,
    "offers": _offers,
    "frameworks": _frameworks,
    "costs": _costs,
    "failures": _failures,
}


def plain(record: Any, without: tuple[str, ...] = ()) -> Row:
    """A record as a row: bytes become GiB, bytes/s GB/s, FLOP/s TFLOP/s, and the names say so."""
    row: Row = {}
    for field in fields(record):
        if field.name in without:
            continue
        value = _value(getattr(record, field.name))
        for inside, outside, size in _UNITS:
            stem, found, rest = field.name.partition(inside)
            if found and rest in ("", "_per_gpu"):
                row[f"{stem}{outside}{rest}"] = _scaled(value, size)
                break
        else:
            row[field.name] = value
    return row


def _scaled(value: Any, size: float) -> Any:
    if isinstance(value, dict):
        return {key: _scaled(item, size) for key, item in value.items()}
    return None if value is None else float(f"{value / size:.6g}")


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    return plain(value) if is_dataclass(value) else value


def _is_named(row: Mapping[str, Any], name: str) -> bool:
    """True where this is the whole name of the row, with or without the part before the slash."""
    wanted = _letters(name)
    return any(wanted in (_letters(text), _letters(text.rsplit("/", 1)[-1])) for text in _names(row))


def _matches(row: Mapping[str, Any], name: str) -> bool:
    text = " ".join(_letters(text) for text in _names(row))
    return all(_letters(word) in text for word in name.split())


def _names(row: Mapping[str, Any]) -> list[str]:
    found = [row[key] for key in _NAMES if row.get(key)]
    return [text for one in found for text in (one if isinstance(one, list) else [str(one)])]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())

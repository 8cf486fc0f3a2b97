"""`gpuplan facts`: the figures behind the answers."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuplan.app.facts import check_all, facts
from gpuplan.cli.asked import catalogue_of
from gpuplan.cli.commands import Request
from gpuplan.cli.figures import count, price, three
from gpuplan.cli.page import Block, Bullets, Heading, Table, Text
from gpuplan.locale import CATALOGUE, say

COLUMNS: Final = {
    "models": ("id", "family", "layers", "hidden", "heads", "kv_heads", "ffn", "published_params"),
    "chips": ("id", "memory_gib", "memory_gb_per_s", "peak_tflops", "link_kind", "tdp_w", "confidence"),
    "machines": ("provider", "instance_type", "chip", "n_gpus", "link", "fabric", "nic_gb_per_s_per_gpu"),
    "offers": ("provider", "instance_type", "region", "gpu", "gpus", "price_per_hour", "price_kind", "source_date"),
    "frameworks": ("id", "framework", "weight_bytes", "grad_bytes", "master_bytes", "moment_bytes"),
    "costs": ("id", "value", "low", "high", "unit", "currency", "date", "confidence"),
    "failures": ("id", "topic", "gpu", "n_gpus", "date", "confidence"),
}  # fmt: skip
WORDS: Final = ("confidence", "price_kind")
"""Fields whose values are words of the catalogue."""
FEW: Final = 3
"""Up to so many rows are shown in full, with their sources."""


def answer(request: Request) -> Mapping[str, Any]:
    """The rows asked for, or the findings of `facts check`."""
    kind = request.arguments["KIND"]
    if kind == "check":
        return check_all(catalogue_of(request), today=date.today(), lang=request.lang)
    return facts(kind, request.arguments.get("NAME"), catalogue_of(request))


def show(answer: Mapping[str, Any], request: Request) -> Sequence[Block]:
    """A table, or the whole record where few are asked for."""
    lang, kind, rows = request.lang, answer["kind"], answer["rows"]
    if kind == "check":
        return _checked(answer, lang)
    if answer["name"] is not None and len(rows) <= FEW:
        return [block for row in rows for block in _whole(row, lang)]
    columns = COLUMNS[kind]
    table = Table(_names(columns, lang), tuple(tuple(_column(row, name, lang) for name in columns) for row in rows))
    return [table, Text(""), Text(say(lang, "show.facts.count", n=count(len(rows)), kind=kind))]


def _checked(answer: Mapping[str, Any], lang: str) -> Sequence[Block]:
    found = [row["finding"] for row in answer["rows"]]
    summary = say(lang, "show.facts.clean" if not found else "show.facts.broken", n=count(len(found)))
    return [*([Bullets(tuple(found))] if found else []), Text(summary)]


def _whole(row: Mapping[str, Any], lang: str) -> list[Block]:
    name = row.get("id") or " ".join(str(row[key]) for key in ("provider", "instance_type", "region") if row.get(key))
    sources = row.get("sources", {})
    shown = [(key, _said(key, value, lang)) for key, value in row.items() if key not in ("id", "sources")]
    lines = zip(_names([key for key, _ in shown], lang), [cell for _, cell in shown], strict=True)
    blocks: list[Block] = [Heading(name), Table(("", ""), tuple(lines))]
    if sources:
        blocks.append(Text(say(lang, "show.sources")))
        blocks.append(Bullets(tuple(f"{key}: {source}" for key, source in sources.items())))
    return blocks


def _names(fields: Sequence[str], lang: str) -> tuple[str, ...]:
    """Headings; in English they are the names that --json and --csv use."""
    return tuple(say(lang, f"field.{name}") for name in fields)


def _column(row: Mapping[str, Any], name: str, lang: str) -> str:
    if name == "price_per_hour" and row[name] is not None:
        return price(row[name], row["currency"])
    return _said(name, row.get(name), lang)


def _said(name: str, value: Any, lang: str) -> str:
    """A value; one of the words that have a meaning here, in the language."""
    key = f"word.{value}"
    return say(lang, key) if name in WORDS and key in CATALOGUE else _cell(value, lang)


def _cell(value: Any, lang: str) -> str:
    if value is None:
        return say(lang, "show.unknown")
    if isinstance(value, bool):
        return say(lang, "show.yes" if value else "show.no")
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return count(value) if value == int(value) else three(value)
    if value in ((), [], {}):
        return say(lang, "show.none")
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(item, lang)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_cell(item, lang) for item in value)
    return str(value)

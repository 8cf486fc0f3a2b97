"""A question from a file: TOML (or the JSON form), read within bounds, refused in one line."""

import json
import tomllib
from pathlib import Path
from typing import Any, Final

from gpuplan.errors import InputError
from gpuplan.question.question import Question, question_of

MOST_MB: Final = 16
"""Larger inputs are refused."""


def read_question(path: str | Path, **more: object) -> Question:
    """Question of a TOML or JSON file; keys in `more` (the command line) win over the file."""
    table = read_table(path)
    if "picks" in table:
        raise InputError("plan_not_question", file=_name(path))
    keys = {**table, **{key: value for key, value in more.items() if value is not None}}
    return question_of(keys, where=Path(path).name)


def read_table(path: str | Path) -> dict[str, Any]:
    """The table of keys in a TOML file, or in a JSON file where the name ends in .json."""
    is_json = str(path).endswith(".json")
    text = read_text(path)
    try:
        table = json.loads(text) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        cause = " ".join(str(error).split())[:120]
        raise InputError(
            "question.file_broken", file=_name(path), form="JSON" if is_json else "TOML", cause=cause
        ) from None
    if not isinstance(table, dict):
        raise InputError("question.file_not_table", file=_name(path))
    return table


def read_text(path: str | Path) -> str:
    """Text of a file of at most 16 MB."""
    most = MOST_MB * 1_000_000
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except (FileNotFoundError, ValueError):
        raise InputError("question.file_missing", file=_name(path)) from None
    except OSError as error:
        raise InputError("question.file_unreadable", file=_name(path), cause=error.strerror) from None
    if len(data) > most:
        raise InputError("question.file_large", file=_name(path), most=MOST_MB)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError("question.file_binary", file=_name(path))
    return text


def _name(path: str | Path) -> str:
    return ascii(str(path))[1:-1] if not str(path).isprintable() else str(path)

"""Files that the user names beside the question: a folder of facts, measured runs, a plan to write."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.measured import Runs, read_runs
from gpuplan.errors import InputError


def open_facts(folder: str | None) -> Catalogue:
    """Our facts, then those of the user, then those of `folder`; later ones win."""
    return open_catalogue(None if folder is None else Path(folder))


def read_measured(path: str) -> Runs:
    """The rows of a file of measured runs."""
    return read_runs(Path(path))


def save_json(answer: Mapping[str, Any], path: str) -> None:
    """Write an answer whole or not at all; a link is followed, what is no regular file is left alone."""
    if not path.strip():
        raise InputError("usage.no_value", name="--save")
    text = json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise InputError("usage.not_a_file", path=path)
        _write(text, target)
    except (OSError, ValueError) as error:
        raise InputError("usage.not_written", path=path, why=getattr(error, "strerror", None) or "bad name") from None


def _write(text: str, target: Path) -> None:
    """Put the finished file in place, readable as any new file would be; nothing is left behind where that fails."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".gpuplan.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def _mask() -> int:
    """Permissions that the user keeps from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask

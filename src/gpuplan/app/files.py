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
    """Write an answer whole or not at all."""
    target = Path(path)
    text = json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        _publish(Path(name), target)
    except (OSError, ValueError) as error:
        raise InputError("usage.not_written", path=path, why=getattr(error, "strerror", None) or "bad name") from None


def _publish(finished: Path, target: Path) -> None:
    """Put the finished file in place, readable as any new file would be."""
    mask = os.umask(0)
    os.umask(mask)
    try:
        finished.chmod(0o666 & ~mask)
        finished.replace(target)
    except OSError:
        finished.unlink()
        raise

"""Writes an answer to standard output: JSON, CSV, or a page that suits the terminal."""

import csv
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gpuplan.cli.page import Block, plain


def write_json(answer: Mapping[str, Any]) -> None:
    """The whole answer; an infinite or undefined number is our mistake and must not leave."""
    json.dump(answer, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def write_csv(answer: Mapping[str, Any]) -> None:
    """The rows of the answer, one line each; nested values as JSON."""
    rows: Sequence[Mapping[str, Any]] = answer["rows"]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row.get(name)) for name in columns] for row in rows)


def write_page(blocks: Sequence[Block]) -> None:
    """Plain text; with colour where a person reads it at a terminal that has some."""
    width = shutil.get_terminal_size((100, 24)).columns
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        from gpuplan.cli.coloured import draw

        draw(blocks, min(width, 120))
    else:
        sys.stdout.write(plain(blocks, min(width, 120)))


def _csv_cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value

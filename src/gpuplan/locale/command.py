"""Sentences about the command line: help, options, headings: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {}

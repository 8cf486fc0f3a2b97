"""Sentences about answers: plans, checks, estimates, warnings and reasons: key, English, Chinese."""

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {}

"""Reads numbers and words of a `config.json` under any of the names that model types give them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from gpuplan.errors import QuestionError

LARGEST: Final = 10**9
"""No width, depth or vocabulary of a model comes near it; it keeps nonsense out of the arithmetic."""


class Reader:
    """A config and the name of its file, for messages."""

    def __init__(self, config: Mapping[str, Any], *, where: str) -> None:
        self.config = config
        self.where = where

    def count(self, *names: str) -> int:
        """A positive whole number that must be there."""
        value = self.maybe(*names)
        if value is None:
            raise QuestionError("config_missing", where=self.where, names=" / ".join(names))
        return value

    def maybe(self, *names: str) -> int | None:
        """A positive whole number under the first of `names` that is stated; lists must agree in all entries."""
        for name in names:
            value = self.config.get(name)
            if isinstance(value, list) and value and all(entry == value[0] for entry in value):
                value = value[0]
            if value is None:
                continue
            if isinstance(value, str):
                raise QuestionError("config_text", where=self.where, name=name, value=value[:60])
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
                raise QuestionError("config_bad_value", where=self.where, name=name, value=str(value)[:60])
            return value
        return None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A truth value."""
        value = self.config.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise QuestionError("config_flag", where=self.where, name=name, value=json.dumps(value)[:60])
        return value

    def word(self, *names: str) -> str | None:
        """A text under the first of `names` that is stated."""
        return next((value for name in names if isinstance(value := self.config.get(name), str)), None)

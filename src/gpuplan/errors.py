"""What can go wrong, as one small tree.

GpuplanError
├── QuestionError    the question cannot be understood (unknown key, bad value, unknown name)
├── FactError        a facts file breaks a rule (no source, unknown unit, duplicate id)
└── InputError       a file that was named cannot be read

Every message is a key of the catalogue in `gpuplan.locale` with its values, so it exists in each language.
"""

from gpuplan.locale import say


class GpuplanError(Exception):
    """A mistake of the user: what is wrong, where, and the mend, in one sentence."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return self.say("en")

    def say(self, lang: str) -> str:
        """The sentence in `lang` ("en" or "zh")."""
        return say(lang, self.key, **self.values)


class QuestionError(GpuplanError):
    """The question cannot be understood."""


class FactError(GpuplanError):
    """A facts file breaks a rule of the catalogue."""


class InputError(GpuplanError):
    """A file that the user named cannot be read."""

"""The language of a run: known before the parser is built, because its help texts depend on it."""

from collections.abc import Mapping, Sequence

from gpuplan.errors import QuestionError
from gpuplan.locale import LANGUAGES

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """`--lang`, else GPUPLAN_LANG, else the locale where it is Chinese, else English."""
    named = _option(arguments) or environment.get("GPUPLAN_LANG")
    if named is None:
        return _of_locale(environment)
    if named not in LANGUAGES:
        raise QuestionError("usage.lang", value=named)
    return named


def _option(arguments: Sequence[str]) -> str | None:
    """The value of the last `--lang`, as the parser will see it."""
    found = None
    for i, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--lang" and i + 1 < len(arguments):
            found = arguments[i + 1]
        elif argument.startswith("--lang="):
            found = argument.removeprefix("--lang=")
    return found


def _of_locale(environment: Mapping[str, str]) -> str:
    for name in _LOCALE_VARIABLES:
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"

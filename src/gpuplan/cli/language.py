"""The language and encoding of a run: known before the parser is built, because its help texts depend on it."""

import sys
from collections.abc import Mapping, Sequence

from gpuplan.errors import QuestionError
from gpuplan.locale import LANGUAGES

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """The language and the arguments without it: `--lang`, else GPUPLAN_LANG, else the locale, else English."""
    named, others = _taken(arguments)
    named = named or environment.get("GPUPLAN_LANG")
    if named is None:
        return _of_locale(environment), others
    if named not in LANGUAGES:
        raise QuestionError("usage.lang", value=named)
    return named, others


def checked(argument: str) -> str:
    """The argument itself, unless it holds bytes that the locale's encoding does not know."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise QuestionError(
            "usage.encoding", value=ascii(argument)[:80], encoding=sys.getfilesystemencoding()
        ) from None
    return argument


def _taken(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The last `--lang`, and everything else in its order; behind `--` nothing is an option."""
    found, others = None, []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            others += [argument, *waiting]
        elif argument == "--lang":
            found = next(waiting, None)
            if found is None:
                raise QuestionError("usage.no_value", name=argument)
        elif argument.startswith("--lang="):
            found = argument.removeprefix("--lang=")
        else:
            others.append(argument)
    return found, others


def _of_locale(environment: Mapping[str, str]) -> str:
    for name in _LOCALE_VARIABLES:
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"

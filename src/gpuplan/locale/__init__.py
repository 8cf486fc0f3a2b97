"""One catalogue of sentences: each key stands once, with its English and its Chinese side by side.

One module an area; modules, not files, so that importing them is pure and a missing key fails in a test,
not at a user's.
"""

from typing import Final

from gpuplan.locale import advice, answer, command, facts, offer, question, run

LANGUAGES: Final = ("en", "zh")
CATALOGUE: Final[dict[str, tuple[str, str]]] = {
    **advice.SENTENCES,
    **answer.SENTENCES,
    **command.SENTENCES,
    **facts.SENTENCES,
    **offer.SENTENCES,
    **question.SENTENCES,
    **run.SENTENCES,
}


def say(lang: str, key: str, **values: object) -> str:
    """The sentence of `key` in `lang` ("en" or "zh"), filled with `values`."""
    return CATALOGUE[key][LANGUAGES.index(lang)].format(**values)

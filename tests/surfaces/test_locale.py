"""Every sentence exists in both languages, says the same in both, and is used."""

import ast
import re
import string
from collections import Counter
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

import pytest

from gpuplan import locale
from gpuplan.cli.commands import COMMANDS
from gpuplan.locale import CATALOGUE, LANGUAGES, command, say

SOURCE: Final = Path(__file__).parents[2] / "src" / "gpuplan"
AREAS: Final = [import_module(f"gpuplan.locale.{m.name}") for m in iter_modules(locale.__path__)]
CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
SAME_IN_BOTH: Final = {key for key in CATALOGUE if key.startswith("show.unit.")}


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("key", sorted(CATALOGUE))
def test_a_sentence_has_the_same_placeholders_in_both_languages(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert placeholders(english) == placeholders(chinese)


@pytest.mark.parametrize("key", sorted(set(CATALOGUE) - SAME_IN_BOTH))
def test_a_chinese_sentence_is_chinese_and_an_english_one_is_not(key: str) -> None:
    english, chinese = CATALOGUE[key]
    words = re.sub(r"\{[^}]*\}", "", chinese)
    assert CHINESE.search(chinese) or not re.search(r"[A-Za-z]{4}", words), chinese
    assert not CHINESE.search(english), english


@pytest.mark.parametrize("key", sorted(set(CATALOGUE) - {"show.comma"}))
def test_a_sentence_is_one_line_without_loose_spaces(key: str) -> None:
    for sentence in CATALOGUE[key]:
        assert sentence == " ".join(sentence.split())


def test_no_key_stands_in_two_areas() -> None:
    keys = Counter(key for area in AREAS for key in area.SENTENCES)
    assert [key for key, n in keys.items() if n > 1] == []
    assert set(keys) == set(CATALOGUE)


def test_no_key_stands_twice_in_one_file() -> None:
    for area in AREAS:
        tree = ast.parse(Path(str(area.__file__)).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                keys = Counter(key.value for key in node.keys if isinstance(key, ast.Constant))
                assert [key for key, n in keys.items() if n > 1] == []


def test_the_sentences_of_the_command_line_are_sorted() -> None:
    assert list(command.SENTENCES) == sorted(command.SENTENCES)


SPEAKERS: Final = {"say": 1, "note": 0, "QuestionError": 0, "FactError": 0, "InputError": 0, "GpuplanError": 0}
"""Functions and errors that take a key, and its place among the arguments."""


def spoken_keys() -> set[str]:
    """Keys written out in the code."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name(name), arguments) if name in SPEAKERS and len(arguments) > SPEAKERS[name]:
                    key = arguments[SPEAKERS[name]]
                    found |= {key.value} if isinstance(key, ast.Constant) and isinstance(key.value, str) else set()
    return found


def test_every_key_written_in_the_code_is_in_the_catalogue() -> None:
    keys = spoken_keys()
    assert len(keys) > 30
    assert sorted(keys - set(CATALOGUE)) == []


def test_every_error_and_note_fills_its_whole_sentence() -> None:
    """A sentence with an empty place would be our fault at a user's mistake."""
    empty = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name(name), [*_, ast.Constant(str() as key)] as given, values) if (
                    name in SPEAKERS and len(given) == SPEAKERS[name] + 1 and key in CATALOGUE
                ):
                    filled = {value.arg for value in values}
                    if None not in filled and placeholders(CATALOGUE[key][0]) - filled:
                        empty.append(f"{path.name}:{node.lineno}: {key}")
    assert empty == []


def test_every_option_argument_and_example_is_explained() -> None:
    wanted = {"option.help"}
    for one in COMMANDS:
        wanted |= {f"command.{one.name}", f"command.{one.name}.short"}
        wanted |= {f"option.{o.key}" for o in one.options} | {f"help.group.{o.group}" for o in one.options}
        wanted |= {f"help.argument.{a.name}" for a in one.arguments}
        wanted |= {f"example.{one.name}.{n}" for n in range(1, len(one.examples) + 1)}
    assert sorted(wanted - set(CATALOGUE)) == []


def test_every_sentence_is_used_somewhere_in_the_code() -> None:
    code = "\n".join(p.read_text(encoding="utf-8") for p in SOURCE.rglob("*.py") if p.parent.name != "locale")
    written = set(re.findall(r"[\"']([a-z_-]+(?:\.[A-Za-z0-9_-]+)*)[\"']", code))
    stems = set(re.findall(r"f[\"']([a-z_-]+(?:\.[a-z_-]+)*\.)\{", code))
    unused = [k for k in CATALOGUE if k not in written and not any(k.startswith(stem) for stem in stems)]
    assert unused == []


def test_say_fills_the_sentence_of_the_language() -> None:
    assert LANGUAGES == ("en", "zh")
    assert say("en", "usage.twice", name="--tp") == "--tp is given twice: give it once"
    assert say("zh", "usage.twice", name="--tp") == "--tp 出现了两次：只写一次"

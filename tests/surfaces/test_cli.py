"""The command line: help, languages, exit codes, and what it costs to start."""

import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from gpuplan.cli.commands import COMMANDS
from gpuplan.cli.language import language_of
from gpuplan.cli.main import run
from gpuplan.cli.width import cells
from gpuplan.errors import QuestionError
from gpuplan.question.question import Question

HEAVY = ("numpy", "pydantic", "rich", "gpuplan.data", "gpuplan.app", "gpuplan.model", "gpuplan.question")
NAMES = [command.name for command in COMMANDS]


def lines(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[str]]:
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err.splitlines()


@pytest.mark.parametrize("arguments", [["--help"], ["plan", "--help"], []])
def test_help_imports_no_heavy_module(arguments: list[str]) -> None:
    code = f"import sys; from gpuplan.cli.main import run; run({arguments!r}); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [m for m in done.stdout.split() if m.startswith(HEAVY)] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_command_has_help_with_examples_in_both_languages(
    name: str, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help", "--lang", lang]) == 0
    out, err = lines(capsys)
    text = "\n".join(out)
    assert err == []
    assert {"en": "Examples:", "zh": "示例："}[lang] in text
    assert f" {name} " in text
    assert all(option.name in text for c in COMMANDS if c.name == name for option in c.options)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_fits_a_terminal_of_40_columns(
    lang: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for name in NAMES:
        assert run([name, "--help", "--lang", lang]) == 0
        out, _ = lines(capsys)
        assert [line for line in out if cells(line) > 40] == []


def test_options_are_the_keys_of_the_question() -> None:
    offered = {o.key for c in COMMANDS if c.name in ("plan", "check") for o in c.options}
    other = {"question", "save", "facts", "json", "lang"}
    assert offered - other == {f.name for f in fields(Question)} - {"model"}


def test_the_language_is_the_option_then_the_variable_then_the_locale() -> None:
    assert language_of(["plan", "--lang", "zh", "x"], {"GPUPLAN_LANG": "en"}) == ("zh", ["plan", "x"])
    assert language_of(["--lang=zh", "plan"], {}) == ("zh", ["plan"])
    assert language_of(["plan", "--", "--lang", "fr"], {}) == ("en", ["plan", "--", "--lang", "fr"])
    assert language_of([], {"GPUPLAN_LANG": "zh", "LANG": "en_US.UTF-8"}) == ("zh", [])
    assert language_of([], {"LANG": "zh_CN.UTF-8"}) == ("zh", [])
    assert language_of([], {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}) == ("en", [])
    assert language_of([], {}) == ("en", [])
    with pytest.raises(QuestionError):
        language_of(["--lang", "fr"], {})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pla"], "did you mean plan?"),
        (["whatever"], "write one of plan, check"),
        (["plan", "x", "--budgte", "3"], "did you mean --budget?"),
        (["plan", "x", "--zzzz"], "unknown option --zzzz: see `gpuplan plan --help`"),
        (["plan", "x", "--json=3"], "--json takes no value"),
        (["plan", "x", "--budget"], "--budget needs a value"),
        (["plan", "x", "--epochs", "1", "--epochs", "2"], "--epochs is given twice"),
        (["plan", "x", "y"], "does not know what to do with 'y'"),
        (["estimate"], "estimate needs RUN"),
        (["facts", "colours"], "write one of models, chips"),
        (["facts", "chips", "no-such-chip"], "no chips match 'no-such-chip'"),
        (["facts", "chips", "MacBook"], "Apple chips are not covered"),
        (["facts", "offers", "M2"], "Apple chips are not covered"),
        (["--lang", "fr"], "write en or zh"),
        (["plan", "--lang"], "--lang needs a value"),
        (["plan", "7B", "--spot", "--no-spot"], "--spot and --no-spot exclude each other"),
        (["check", "7B", "--no-packing", "--on", "1xT4", "--packing"], "--packing and --no-packing exclude each other"),
        (["facts", "chips", "--csv", "--json"], "--json and --csv exclude each other"),
    ],
)
def test_a_mistake_is_one_line_with_the_mend(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUPLAN_COMMAND", "gpuplan")
    assert run(arguments) == 2
    out, err = lines(capsys)
    assert out == []
    assert len(err) == 1
    assert said in err[0]


def test_a_mistake_is_told_in_chinese_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "x", "--lang", "zh", "--budgte", "3"]) == 2
    assert lines(capsys)[1] == ["gpuplan: 未知选项 --budgte：您是想写 --budget 吗？"]


def test_our_own_fault_is_one_line_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.delenv("GPUPLAN_DEBUG", raising=False)
    monkeypatch.setattr("gpuplan.cli.main._answer", broken)
    assert run(["facts", "check"]) == 1
    out, err = lines(capsys)
    assert (len(out), len(err)) == (0, 1)
    assert "RuntimeError: first line second line" in err[0]
    assert "report" in err[0]
    monkeypatch.setenv("GPUPLAN_DEBUG", "1")
    with pytest.raises(RuntimeError):
        run(["facts", "check"])


def test_control_c_is_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpuplan.cli.main._answer", interrupted)
    assert run(["facts", "check"]) == 130
    assert lines(capsys) == ([], [])


def test_a_reader_that_has_gone_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m gpuplan facts chips | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_output_to_a_pipe_has_no_colour_and_rich_is_not_imported() -> None:
    code = (
        "import sys; from gpuplan.cli.main import run; run(['facts', 'chips', 'T4']); assert 'rich' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout


def test_facts_are_rows_with_sources_as_json_csv_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    import csv
    import json

    assert run(["facts", "chips", "H100-80GB-SXM5", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert row["memory_gib"] == pytest.approx(79.6, rel=0.02)
    assert row["sources"]["memory"]
    assert run(["facts", "chips", "H100-80GB-SXM5", "--csv"]) == 0
    table = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert float(table[0]["memory_gib"]) == row["memory_gib"]
    assert run(["facts", "chips", "H100-80GB-SXM5"]) == 0
    assert row["sources"]["memory"][:30] in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["chips", "offers"])
def test_facts_know_a_card_by_the_names_that_people_give_it(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("昇腾910B", "910B npu", "Huawei Ascend 910B"):
        assert run(["facts", kind, name]) == 0
        assert "910B" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["models", "chips", "machines", "offers", "frameworks", "costs", "failures"])
def test_every_kind_of_fact_is_shown(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", kind]) == 0
    out, _ = lines(capsys)
    assert len(out) > 20
    assert kind in out[-1]


def test_the_program_runs_as_a_module_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gpuplan", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("gpuplan ")

"""Whatever people type, a mistake costs them one line: exit code 2, nothing on standard output, nothing written."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.cli.main import run

JOB: Final = ["Qwen2.5-7B", "--method", "lora", "--samples", "1000"]
RUN: Final = {
    "id": "r", "model": {"name": "Qwen2.5-7B"}, "task": "lora", "hardware": {"gpu": "A100-80GB", "n_gpus": 8},
    "seq_len": 2048,
}  # fmt: skip
in_process = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that the user gets; fails where there is more, or less, or another exit code."""
    capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    assert code == 2, (arguments, code, captured.err)
    assert captured.out == "", arguments
    assert len(captured.err.splitlines()) == 1, (arguments, captured.err)
    assert len(captured.err) < 600, captured.err
    assert captured.err.rstrip("\n").isprintable()
    return captured.err


def answered_or_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Never a traceback, never our own fault."""
    capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    assert code in (0, 2), (arguments, captured.err)
    assert len(captured.err.splitlines()) == (1 if code == 2 else 0), (arguments, captured.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan"],
        ["plan", "no-such-model-42", "--samples", "10"],
        ["plan", "", "--samples", "10"],
        ["plan", *JOB, "--own", "0xH100"],
        ["plan", *JOB, "--own", "-1xH100"],
        ["plan", *JOB, "--own", "4xNoSuchCard"],
        ["plan", *JOB, "--budget", "-5usd"],
        ["plan", *JOB, "--budget", "0usd"],
        ["plan", *JOB, "--budget", "100"],
        ["plan", *JOB, "--budget", "100 clams"],
        ["plan", *JOB, "--budget", "1e999usd"],
        ["plan", *JOB, "--deadline", "yesterday"],
        ["plan", *JOB, "--deadline", "2026-02-31"],
        ["plan", *JOB, "--deadline", "-3d"],
        ["plan", *JOB, "--epochs", "nan"],
        ["plan", *JOB, "--epochs", "inf"],
        ["plan", *JOB, "--seq-len", "0"],
        ["plan", *JOB, "--seq-len", "2.5"],
        ["plan", *JOB, "--seq-len", "9" * 400],
        ["plan", *JOB, "--tokens", "1B"],
        ["plan", *JOB, "--seq-len", "100", "--mean-len", "200"],
        ["plan", *JOB, "--method", "magic"],
        ["plan", *JOB, "--precision", "fp7"],
        ["plan", *JOB, "--cloud", "no-such-cloud"],
        ["plan", *JOB, "--framework", "no\x07bell"],
        ["plan", "Qwen2.5-7B\nwith a second line", "--samples", "3"],
        ["x" * 100_000],
        ["plan", "x" * 100_000],
        ["plan", "7B", "--" + "y" * 100_000],
        ["plan", "7B", "--\x1b[31mred"],
        ["plan", *JOB, "--save", "/no/such/folder/plan.json"],
        ["plan", *JOB, "--facts", "/no/such/folder"],
        ["check", *JOB],
        ["check", *JOB, "--on", "8xNoSuchCard"],
        ["check", *JOB, "--on", "0xH100"],
        ["check", *JOB, "--on", "8xH100", "--nodes", "0"],
        ["check", *JOB, "--on", "8xH100", "--nodes", "-2"],
        ["check", *JOB, "--on", "8xH100,8xA100"],
        ["check", *JOB, "--on", "8xH100", "--zero", "4"],
        ["check", *JOB, "--on", "8xH100", "--tp", "many"],
        ["check", *JOB, "--on", "999999999xH100"],
    ],
)
def test_a_senseless_option_is_refused_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused(arguments, capsys)


READERS: Final = (
    ["plan", "--question", "{}.toml"],
    ["check", "--on", "8xH100", "--question", "{}.toml"],
    ["estimate", "{}.json"],
    ["estimate", "{}.toml"],
    ["validate", "{}.jsonl"],
    ["plan", "{}.json", "--samples", "10"],
)
"""Every command that reads a file that the user names."""


def _as_text(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content) and None


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


BAD_FILES: Final[dict[str, Callable[[Path], None]]] = {
    "missing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "binary": _as_text(bytes(range(256)) * 4),
    "broken": _as_text(b'{"id": [1, 2\n= = ='),
    "truncated": _as_text(b'{"id": "a", "model": {"name": "Qw'),
    "deep": _as_text(b"[" * 100_000),
    "list": _as_text(b"[1, 2, 3]"),
    "number": _as_text(b"42"),
    "nan": _as_text(b'{"id": "a", "model": {"layers": NaN}, "hardware": {"gpu": "H100", "n_gpus": NaN}}'),
    "large": _as_text(b"# " + b"x" * 16_800_000),
    "endless": _endless,
    "dangling": lambda path: path.symlink_to("nowhere"),
    "nul": _as_text(b'model = "a\0b"'),
}


@pytest.mark.parametrize("content", BAD_FILES)
@pytest.mark.parametrize("reader", range(6))
def test_a_bad_file_is_refused_in_one_line_by_every_command(
    content: str, reader: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [argument.replace("{}", str(tmp_path / "given")) for argument in READERS[reader]]
    named = next(a for a in arguments if str(tmp_path) in a)
    BAD_FILES[content](Path(named))
    before = sorted(tmp_path.iterdir())
    line = refused(arguments, capsys)
    assert "given" in line
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("reader", range(6))
def test_a_file_without_permission_is_refused(reader: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [argument.replace("{}", str(tmp_path / "given")) for argument in READERS[reader]]
    path = Path(next(a for a in arguments if str(tmp_path) in a))
    path.write_text("{}")
    path.chmod(0)
    refused(arguments, capsys)


@pytest.mark.parametrize(
    "text",
    [
        'modle = "Qwen2.5-7B"',
        'model = "Qwen2.5-7B"\nmodel = "7B"',
        'model = ["Qwen2.5-7B"]',
        "model = 7",
        'model = "7B"\nsamples = -3',
        'model = "7B"\nsamples = nan',
        'model = "7B"\nsamples = inf',
        'model = "7B"\nsamples = 1979-05-27',
        'model = "7B"\nsamples = true',
        'model = "7B"\npacking = "perhaps"',
        'model = "7B"\nbudget = 100',
        'model = "7B"\n[nested]\nseq_len = 4',
        "",
    ],
)
def test_a_senseless_question_file_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.toml").write_text(text)
    refused(["plan", "--question", str(tmp_path / "q.toml")], capsys)


@pytest.mark.parametrize(
    "change",
    [
        {"seq_len": -1}, {"seq_len": "long"}, {"seq_len": 1e300}, {"hardware": {"gpu": "H100", "n_gpus": 0}},
        {"hardware": 5}, {"model": []}, {"id": None}, {"parallel": {"tp": -2}}, {"surprise": 1},
        {"micro_batch": float("nan")},
    ],
)  # fmt: skip
def test_a_senseless_run_is_refused(
    change: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(RUN | change))
    refused(["estimate", str(tmp_path / "run.json")], capsys)


TYPED: Final = st.one_of(
    st.text(max_size=20).filter(lambda text: "\0" not in text),
    st.sampled_from(
        ["nan", "-1", "0", "1e999", "９", "½", "²", "1__0", "٣", "0x10", "1e-400", "١k", "-0", "+5", "1e16"]
    ),
    st.floats().map(str),
    st.integers().map(str),
)
KEYS: Final = [
    "seq-len", "samples", "epochs", "mean-len", "global-batch", "budget", "deadline", "runs", "own", "zero", "tp",
    "micro-batch", "nodes-max", "lora-rank", "method", "precision", "optimizer", "framework", "region", "cloud",
    "quantisation", "recompute", "offload", "currency", "prefer", "lora-targets", "framework-version",
]  # fmt: skip


@in_process
@given(key=st.sampled_from(KEYS), value=TYPED)
def test_no_text_in_any_option_is_our_fault(key: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    answered_or_refused(["plan", "gpt2", "--own", "1x4090", f"--{key}={value}", "--json"], capsys)


@in_process
@given(model=st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_no_name_of_a_model_is_our_fault(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    answered_or_refused(["plan", "--own", "1x4090", "--json", "--", model], capsys)


@in_process
@given(hardware=st.one_of(st.text(max_size=30), st.from_regex(r"[0-9]{1,4}x[A-Za-z0-9 -]{1,12}", fullmatch=True)))
def test_no_name_of_hardware_is_our_fault(hardware: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "\0" not in hardware:
        answered_or_refused(["check", "gpt2", f"--on={hardware}", "--json"], capsys)


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS: Final = ["id", "model", "task", "hardware", "parallel", "lora", "host", "seq_len", "micro_batch", "grad_accum",
                 "precision", "optimizer", "recompute", "framework", "framework_version", "date", "measured",
                 "global_batch_seqs", "master_weights_fp32", "flash_attention", "compile", "fused_kernels"]  # fmt: skip


@in_process
@given(change=st.dictionaries(st.sampled_from(FIELDS), JSON, min_size=1, max_size=3))
def test_no_run_is_our_fault(change: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        path.write_text(json.dumps(RUN | change) + "\n")
        answered_or_refused(["validate", str(path), "--json"], capsys)


def test_nothing_is_left_behind_where_a_plan_cannot_be_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").mkdir()
    refused(["plan", *JOB, "--own", "1x4090", "--save", str(tmp_path / "taken")], capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_saved_plan_is_no_question_and_is_told_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.json"
    assert run(["plan", "gpt2", "--own", "1x4090", "--samples", "100", "--save", str(path)]) == 0
    for command in (["plan"], ["check", "--on", "1x4090"]):
        line = refused([*command, "--question", str(path)], capsys)
        assert "is a saved plan, not a question" in line
        assert str(path) in line


@pytest.mark.parametrize(
    "change",
    [
        {"hardware": ["H100"]}, {"model": ["Qwen2.5-7B"]}, {"model": None},
        {"parallel": "zero3"}, {"lora": 8}, {"host": "big"}, {"measured": "fast"}, {"task": None},
        {"task": 5}, {"task": {}}, {"hardware": {"gpu": {"name": "H100"}, "n_gpus": 1}},
        {"model": {"name": ["Qwen2.5-7B"]}}, {"precision": {"dtype": "bf16"}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["json", "toml"])
def test_a_run_nested_wrongly_is_refused(
    change: dict[str, object], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = {key: value for key, value in (RUN | change).items() if value is not None or form == "json"}
    path = tmp_path / f"run.{form}"
    path.write_text(json.dumps(stated) if form == "json" else _toml(stated), encoding="utf-8")
    line = refused(["estimate", str(path)], capsys)
    assert next(iter(change)) in line


@pytest.mark.parametrize(
    "change",
    [{"hardware": "1x RTX-4090"}, {"hardware": None}, {"hardware": {}}, {"model": "Qwen2.5-7B"}, {"model": "x"}],
)
def test_a_run_that_names_its_model_or_cards_in_short_is_answered_or_refused(
    change: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(RUN | change), encoding="utf-8")
    answered_or_refused(["estimate", str(tmp_path / "run.json")], capsys)


def _toml(table: dict[str, object]) -> str:
    """Tables inline, which is all that a run needs."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)

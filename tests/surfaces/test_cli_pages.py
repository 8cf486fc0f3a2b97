"""What the commands print: the contract as JSON, and pages in two languages that fit any terminal."""

import json
import re
import stat
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from gpuplan.cli.main import run
from gpuplan.cli.width import cells
from gpuplan.locale import CATALOGUE
from gpuplan.model.terms import Memory, States, Step

PLAN = ["plan", "Qwen2.5-7B", "--method", "lora", "--samples", "5000", "--seq-len", "2048", "--budget", "100usd"]
CHECK = ["check", "llama-3-70b", "--method", "full", "--on", "8xH100", "--zero", "3", "--seq-len", "4096"]
SMALL = ["check", "llama-2-7b", "--method", "qlora", "--on", "1xT4", "--seq-len", "512"]
RUN = {
    "id": "r", "model": {"name": "Qwen2.5-7B"}, "task": "lora", "hardware": {"gpu": "A100-80GB", "n_gpus": 8},
    "seq_len": 2048,
}  # fmt: skip


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(list(arguments)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(printed(capsys, *arguments, "--json"))
    return loaded


@pytest.fixture
def run_file(tmp_path: Path) -> str:
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "runs.jsonl").write_text(json.dumps(RUN) + "\n")
    return str(tmp_path / "run.json")


def test_a_plan_as_json_keeps_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, *PLAN)
    assert found["schema"] == 1
    assert {"question", "picks", "pareto", "rejected", "considered"} <= set(found)
    assert [pick["label"] for pick in found["picks"]] == ["cheapest", "fastest", "balanced"]
    wanted = {
        "label", "offer", "nodes", "gpus", "layout", "global_batch", "memory", "step_time_s", "tokens_per_s", "mfu",
        "duration_hours", "cost", "host", "disk", "checkpoint_bytes", "runner_up", "assumed", "warnings",
    }  # fmt: skip
    for pick in found["picks"]:
        assert wanted <= set(pick)
        assert pick["cost"]["low"] <= pick["cost"]["typical"] <= pick["cost"]["high"]
        assert pick["cost"]["currency"] == "USD"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("arguments", [PLAN, CHECK, SMALL], ids=["plan", "impossible", "possible"])
def test_a_page_fits_the_terminal_but_for_commands(
    arguments: list[str], width: int, lang: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("GPUPLAN_COMMAND", "gpuplan")
    wide = [x for x in printed(capsys, *arguments, "--lang", lang).splitlines() if cells(x) > width]
    assert all(line.startswith("  gpuplan ") for line in wide), wide


def test_a_plan_says_everything_that_a_person_needs(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, *PLAN)
    for heading in ("Picks", "Runners-up", "Ruled out", "Assumed", "Mind", "Next"):
        assert re.search(rf"^{heading}", text, re.MULTILINE), heading
    for figure in (r"\d USD/h", r"\d GiB \(.* to .*\)", r"\d tokens/s", r"\d USD \(.* to .*\)", r"\d %"):
        assert re.search(figure, text), figure


def test_the_three_next_commands_work(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    monkeypatch.setenv("GPUPLAN_COMMAND", "gpuplan")
    for arguments in (PLAN, SMALL):
        commands = printed(capsys, *arguments).split("Next\n")[1].splitlines()
        assert len(commands) == 3
        for line in commands:
            words = shlex.split(line)[1:]
            if "--save" in words:
                words = words[: words.index("--save")]
            printed(capsys, *words)


def test_chinese_pages_have_no_english_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (PLAN, CHECK):
        english = {en for en, zh in CATALOGUE.values() if en != zh and len(en) > 12 and "{" not in en}
        text = printed(capsys, *arguments, "--lang", "zh")
        assert [sentence for sentence in english if sentence in text] == []


def test_a_saved_plan_is_the_printed_plan_with_usual_permissions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")
    found = answer(capsys, *PLAN, "--save", str(path))
    assert json.loads(path.read_text(encoding="utf-8")) == found
    assert [p.name for p in tmp_path.iterdir()] == ["plan.json"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444


def test_options_win_over_the_question_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.toml").write_text('model = "gpt2"\nmethod = "full"\nsamples = 1000\nseq_len = 512\nown = "1x4090"\n')
    base = answer(capsys, "plan", "--question", str(tmp_path / "q.toml"))["question"]
    other = answer(capsys, "plan", "--question", str(tmp_path / "q.toml"), "--seq-len", "1024", "--no-packing")[
        "question"
    ]
    assert (base["seq_len"], other["seq_len"]) == (512, 1024)
    assert other["packing"] is False


def test_a_check_that_cannot_fit_says_so_with_arithmetic_and_what_would(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, *CHECK)
    assert found["verdict"] == "does_not_fit"
    assert found["arithmetic"] and found["nearest"]
    text = printed(capsys, *CHECK)
    assert text.startswith("It does not fit")
    assert "What would work" in text


def test_a_check_that_fits_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, *SMALL)["verdict"] == "fits"
    assert printed(capsys, *SMALL).startswith("It fits")


def test_an_estimate_shows_every_part_that_its_json_has(run_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "estimate", run_file)["predicted"]
    text = printed(capsys, "estimate", run_file)
    for name, value in {**found["memory"]["states"], **found["memory"]["parts"]}.items():
        assert (CATALOGUE[f"show.part.{name}"][0] in text) == (value > 0)
    for name in found["memory"]["phases"]:
        assert CATALOGUE[f"show.phase.{name}"][0] in text


def test_every_part_of_memory_and_time_has_a_name() -> None:
    parts = [f.name.removesuffix("_bytes") for f in (*fields(States), *fields(Memory))]
    wanted = {f"show.part.{p}" for p in parts if p not in ("states", "phases", "host_per_node", "checkpoint")}
    wanted -= {"show.part.host_bytes_per_node"}
    wanted |= {f"show.time.{f.name}" for f in fields(Step)}
    assert sorted(wanted - set(CATALOGUE)) == []


def test_validate_prints_a_summary_and_all_rows_as_json(run_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run_file.replace("run.json", "runs.jsonl")
    found = answer(capsys, "validate", rows)
    assert [row["id"] for row in found["rows"]] == ["r"]
    assert printed(capsys, "validate", rows).startswith("1 rows read, 1 predicted")


def test_a_terminal_gets_colour_unless_it_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = printed(capsys, *SMALL)
    assert "\x1b[" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(capsys, *SMALL)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_page_fits_a_terminal_of_40_columns(
    lang: str, run_file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    pages = (PLAN, CHECK, SMALL, ("estimate", run_file), ("facts", "chips"), ("facts", "offers", "H100"))
    for arguments in pages:
        text = printed(capsys, *arguments, "--lang", lang)
        assert [line for line in text.splitlines() if cells(line) > 40] == []


def test_an_estimate_names_the_card_and_whole_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_row = {
        "id": "r", "model": {"name": "Qwen2.5-7B"}, "task": "full_ft", "seq_len": 2048,
        "hardware": {"gpu": "A100-80GB-SXM4", "n_gpus": 8}, "parallel": {"zero": 3},
    }  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(run_row))
    head = printed(capsys, "estimate", str(tmp_path / "run.json")).split("\n\n")[0]
    assert "8 x A100-80GB-SXM4" in head
    assert "ZeRO-3," in head


def test_a_share_of_the_peak_below_16_bits_says_of_which_peak(capsys: pytest.CaptureFixture[str]) -> None:
    job = ("7B", "--method", "full", "--samples", "1000", "--on", "8xH100-80GB-SXM5")
    assert "of the bf16 peak" in printed(capsys, "check", *job, "--precision", "fp8")
    assert "of the bf16 peak" not in printed(capsys, "check", *job, "--precision", "bf16")
    own = ("plan", *job[:-2], "--own", "8xH100-80GB-SXM5", "--precision", "fp8")
    assert "of the bf16 peak" in " ".join(printed(capsys, *own).split())

"""Where answers go: closed and full outputs, files to write, names in any locale. A mistake is one line and code 2."""

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplan.cli.main import run

PROGRAM = f"{shlex.quote(sys.executable)} -m gpuplan"
PLAN = ["plan", "7B", "--own", "1x4090", "--samples", "100"]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def in_shell(line: str, **env: str) -> subprocess.CompletedProcess[str]:
    own = {**os.environ, "GPUPLAN_LANG": "en", **env}
    return subprocess.run(["bash", "-c", line], env=own, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("arguments", ["--version", "plan --help", "facts chips H100", "facts chips --csv"])
@pytest.mark.parametrize("output", [">&-", pytest.param(">/dev/full", marks=needs_full)])
def test_an_output_that_takes_nothing_is_told_in_one_line(arguments: str, output: str) -> None:
    done = in_shell(f"{PROGRAM} {arguments} {output}")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "cannot be written to standard output" in done.stderr
    assert "fault" not in done.stderr


@pytest.mark.parametrize("errors", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_without_a_place_for_complaints_the_exit_code_tells(errors: str) -> None:
    done = in_shell(f"{PROGRAM} no-such-command {errors}")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = in_shell(f"{PROGRAM} --version {errors}")
    assert (done.returncode, done.stdout[:8]) == (0, "gpuplan ")


def test_a_reader_that_has_gone_is_no_error_for_json_and_csv_either() -> None:
    for form in ("--json", "--csv", ""):
        done = in_shell(f"set -o pipefail; {PROGRAM} facts offers {form} | head -n 1")
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with everything that is there but no regular file."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to(os.devnull)
    (tmp_path / "to_folder").symlink_to(tmp_path / "folder")
    return tmp_path


@pytest.mark.parametrize("name", ["folder", "pipe", "device", "to_folder"])
def test_a_plan_never_takes_the_place_of_what_is_no_regular_file(
    name: str, places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = {path: stat.S_IFMT(path.lstat().st_mode) for path in (*places.iterdir(), Path(os.devnull))}
    assert run([*PLAN, "--save", str(places / name)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)
    assert name in captured.err
    assert {path: stat.S_IFMT(path.lstat().st_mode) for path in kinds} == kinds
    assert len(list(places.iterdir())) == len(kinds) - 1


def test_a_link_keeps_being_a_link_and_its_file_holds_the_plan(tmp_path: Path) -> None:
    for folder in ("real", "links"):
        (tmp_path / folder).mkdir()
    real, link = tmp_path / "real" / "plan.json", tmp_path / "links" / "plan.json"
    link.symlink_to(real)
    for _ in range(2):  # first the link leads nowhere, then to the older plan
        assert run([*PLAN, "--save", str(link)]) == 0
        assert link.is_symlink()
        assert json.loads(real.read_text(encoding="utf-8"))["schema"] == 1
    assert [path.name for path in (tmp_path / "links").iterdir()] == ["plan.json"]


def test_a_plan_keeps_the_permissions_of_the_file_it_replaces(tmp_path: Path) -> None:
    (tmp_path / "plan.json").touch(0o600)
    assert run([*PLAN, "--save", str(tmp_path / "plan.json")]) == 0
    assert stat.S_IMODE((tmp_path / "plan.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("failing", ["os.fdopen", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_a_full_disk_leaves_the_old_plan_and_nothing_else(
    failing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "plan.json").write_text("old", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(failing, full)
        assert run([*PLAN, "--save", str(tmp_path / "plan.json")]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert f"{tmp_path / 'plan.json'} cannot be written (No space left on device)" in err
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]
    assert (tmp_path / "plan.json").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("name", ["", " "])
def test_a_plan_without_a_name_is_not_saved(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*PLAN, "--save", name]) == 2
    assert capsys.readouterr().err == "gpuplan: --save needs a value: write it after --save\n"


PLAIN = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
"""A locale in which Python would read and write ASCII alone."""


def test_chinese_is_read_and_written_in_a_locale_without_it(tmp_path: Path) -> None:
    done = in_shell(f"{PROGRAM} facts chips 昇腾910B --lang zh", **PLAIN)
    assert (done.returncode, done.stderr) == (0, "")
    assert "显存" in done.stdout
    place = tmp_path / "方案.json"
    done = in_shell(f"{PROGRAM} {shlex.join(PLAN)} --json --save {shlex.quote(str(place))}", **PLAIN)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(place.read_text(encoding="utf-8")) == json.loads(done.stdout)


def test_bytes_that_are_no_text_are_refused_with_the_locale_as_the_cause() -> None:
    done = in_shell(f"{PROGRAM} plan $'\\xff\\xfe'", LC_ALL="C.UTF-8")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "encoding of your locale" in done.stderr

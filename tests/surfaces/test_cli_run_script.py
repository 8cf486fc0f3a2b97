"""`./run` from anywhere: other folders, links, spaces in the path; exit codes are passed on, set-up happens once."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
VENV = Path(sys.prefix)
STAMP = VENV / "requirements.lock"

pytestmark = pytest.mark.skipif(
    not STAMP.exists() or STAMP.read_bytes() != (ROOT / "requirements.lock").read_bytes(),
    reason="these tests do not run in an environment that ./run or ./test has set up",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout in a folder with a space, its environment already complete."""
    folder = tmp_path / "a check out"
    folder.mkdir()
    for name in ("run", "test", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tools", folder / "tools")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "src").symlink_to(ROOT / "src")
    (folder / ".venv").symlink_to(VENV)
    return folder


def call(command: Path, *arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    own = {**os.environ, "GPUPLAN_LANG": "en", **env}
    return subprocess.run([str(command), *arguments], cwd=cwd, env=own, capture_output=True, text=True, check=False)


def test_it_runs_from_another_folder_and_through_links(project: Path, tmp_path: Path) -> None:
    (tmp_path / "direct").symlink_to(project / "run")
    (tmp_path / "relative").symlink_to(Path("a check out") / "run")
    (tmp_path / "twice").symlink_to(tmp_path / "relative")
    for command in (project / "run", tmp_path / "direct", tmp_path / "relative", tmp_path / "twice"):
        done = call(command, "--version", cwd=Path("/"))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("gpuplan ")


def test_exit_codes_and_arguments_are_passed_on(project: Path) -> None:
    assert call(project / "run", "facts", "chips", "no such chip", cwd=project).returncode == 2
    assert call(project / "run", "facts", "chips", "RTX 4090", cwd=project).returncode == 0


def test_modules_in_the_users_folder_are_not_imported(project: Path, tmp_path: Path) -> None:
    for name in ("typer.py", "numpy.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('imported the wrong module')")
    done = call(project / "run", "--version", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


def test_without_python_it_says_what_to_install(project: Path, tmp_path: Path) -> None:
    (project / ".venv").unlink()
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "dirname", "readlink", "cmp"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    done = call(project / "run", "--version", cwd=project, PATH=str(tmp_path / "bin"))
    assert done.returncode == 2
    assert "Python 3.11" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_complete_environment_is_not_touched_again(project: Path) -> None:
    done = call(project / "run", "--version", cwd=project, GPUPLAN_PYTHON="/no/such/python")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (project / ".cache").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_an_environment_of_another_user_is_named_as_the_cause() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".venv" / "bin").mkdir(parents=True)
        (folder / "private").mkdir()
        for file in ("run", "requirements.lock"):
            shutil.copy(ROOT / file, folder)
        shutil.copytree(ROOT / "tools", folder / "tools")
        shutil.copy(ROOT / "requirements.lock", folder / ".venv")
        (folder / "private" / "python").touch(0o755)
        (folder / ".venv" / "bin" / "python").symlink_to(folder / "private" / "python")
        (folder / "private").chmod(0o700)
        folder.chmod(0o755)
        done = subprocess.run(
            [str(folder / "run"), "--version"], user=65534, group=65534, extra_groups=[], cwd="/",
            env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if "found none" in done.stderr:
        pytest.skip("another user finds no Python here")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "another user has set up" in done.stderr


def test_set_up_leaves_bytecode_for_environments_that_write_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = load_env()
    (tmp_path / "src" / "gpuplan").mkdir(parents=True)
    (tmp_path / "src" / "gpuplan" / "part.py").write_text("x = 1\n")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(env, "ROOT", tmp_path)
    monkeypatch.setattr(env, "VENV", VENV)
    env._compile_source()
    assert len(list((tmp_path / "src" / "gpuplan" / "__pycache__").glob("part.*.pyc"))) == 1


def load_env() -> Any:
    spec = importlib.util.spec_from_file_location("env", ROOT / "tools" / "env.py")
    assert spec is not None and spec.loader is not None
    env = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(env)
    return env


@pytest.mark.full
def test_two_first_runs_at_once_set_up_one_environment(project: Path) -> None:
    (project / ".venv").unlink()
    calls = [subprocess.Popen([str(project / "run"), "--version"], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [call.communicate()[0][:8] for call in calls] == ["gpuplan "] * 2
    assert [call.returncode for call in calls] == [0, 0]
    assert (project / ".venv" / "requirements.lock").read_bytes() == STAMP.read_bytes()


@pytest.mark.full
def test_an_interrupted_set_up_is_done_again(project: Path) -> None:
    (project / ".venv").unlink()
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to("/no/such/python")
    done = call(project / "run", "--version", cwd=project)
    assert (done.returncode, done.stdout[:8]) == (0, "gpuplan ")


@pytest.mark.full
def test_the_wheel_holds_all_that_a_plan_needs(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path / "installed", "zip")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    words = ["-P", "-m", "gpuplan", "plan", "7B", "--own", "1x4090", "--samples", "100"]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "RTX-4090" in done.stdout

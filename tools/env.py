"""Builds .venv from a lock file, so that an interrupted or doubled set-up never leaves a broken one.

Run by `run` and `test`. Only the standard library is used. Everything lands inside the project: .venv and .cache.
A copy of the lock file inside .venv is written last and says that the set-up is complete.
"""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
RUN_LOCK = "requirements.lock"


def main(lock_name: str) -> int:
    """Install the packages of `lock_name`; the exit code."""
    try:
        if _is_of_another():
            return _fail(
                f"you may not run {VENV / 'bin' / 'python'}, which another user has set up: copy the project without "
                ".venv to a folder of yours and run it there"
            )
        (ROOT / ".cache").mkdir(exist_ok=True)
        with (ROOT / ".cache" / "setup.lock").open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            return _set_up(lock_name)
    except OSError as error:
        return _fail(f"cannot write to {ROOT} ({error.strerror}): run it once where it may write")


def _set_up(lock_name: str) -> int:
    if _is_complete(lock_name):
        return 0
    started = time.monotonic()
    print(f"Setting up .venv from {lock_name} (once) ...", file=sys.stderr, flush=True)
    if not _is_complete(RUN_LOCK):
        if not _make_venv():
            return 1
        _show_source()
        if not _install(RUN_LOCK):
            return 1
    if lock_name != RUN_LOCK and not _install(lock_name):
        return 1
    _compile_source()
    print(f"Set up in {time.monotonic() - started:.0f} s.", file=sys.stderr, flush=True)
    return 0


def _is_complete(lock_name: str) -> bool:
    stamp = VENV / lock_name
    usable = (VENV / "bin" / "python").exists()
    return usable and stamp.is_file() and stamp.read_bytes() == (ROOT / lock_name).read_bytes()


def _is_of_another() -> bool:
    """True where .venv is there but its Python lies in a folder that this user may not enter."""
    python = VENV / "bin" / "python"
    if not os.path.lexists(python) and os.access(VENV, os.R_OK | os.X_OK):
        return False
    try:
        return VENV.exists() and python.exists() and not os.access(python, os.X_OK)
    except PermissionError:
        return True


def _make_venv() -> bool:
    if VENV.exists():
        shutil.rmtree(VENV)
    if importlib.util.find_spec("ensurepip") is not None:
        return _run([sys.executable, "-m", "venv", str(VENV)])
    if importlib.util.find_spec("pip") is not None:
        return _run([sys.executable, "-m", "venv", "--without-pip", str(VENV)])
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    package = f"python{version}-venv"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"This Python has no pip: installing {package} ...", file=sys.stderr, flush=True)
        _run(["apt-get", "update", "-qq"])
        if _run(["apt-get", "install", "-y", "-qq", package]):
            return _run([sys.executable, "-m", "venv", str(VENV)])
    _fail(f"this Python has neither pip nor ensurepip: install {package} (apt-get install {package}), then run again")
    return False


def _show_source() -> None:
    """Let .venv/bin/python import the package from src; the path is relative, so the project may be moved."""
    for packages in VENV.glob("lib/python*/site-packages"):
        (packages / "gpuplan.pth").write_text(os.path.relpath(ROOT / "src", packages) + "\n", encoding="utf-8")


def _compile_source() -> None:
    """Bytecode once, for environments that forbid Python to write it later; without it a start only takes longer."""
    _run([str(VENV / "bin" / "python"), "-m", "compileall", "-q", str(ROOT / "src" / "gpuplan")])


def _install(lock_name: str) -> bool:
    """Install every pin of the lock file, then write the stamp."""
    inside = str(VENV / "bin" / "python")
    has_pip = any(VENV.glob("lib/python*/site-packages/pip"))
    pip = [inside, "-m", "pip"] if has_pip else [sys.executable, "-m", "pip", "--python", inside]
    options = ["install", "--quiet", "--no-input", "--no-deps", "--disable-pip-version-check"]
    cache = {"PIP_CACHE_DIR": str(ROOT / ".cache" / "pip"), "PIP_ROOT_USER_ACTION": "ignore"}
    if not _run([*pip, *options, "-r", str(ROOT / lock_name)], cache):
        _fail(f"pip could not install {lock_name} (its message is above): mend that, then run again")
        return False
    fresh = VENV / f"{lock_name}.new"
    shutil.copyfile(ROOT / lock_name, fresh)
    fresh.replace(VENV / lock_name)
    return True


def _run(command: list[str], extra_env: dict[str, str] | None = None) -> bool:
    env = {**os.environ, **(extra_env or {})}
    env.pop("PYTHONPATH", None)
    env.pop("PYTHONHOME", None)
    return subprocess.run(command, env=env, stdout=sys.stderr, check=False).returncode == 0


def _fail(message: str) -> int:
    print(f"gpuplan: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

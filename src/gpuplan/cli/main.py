"""The entry point: every outcome becomes an exit code, every mistake of the user one line.

0 answered (also "does not fit"), 1 our fault, 2 the user's mistake, 130 interrupted.
"""

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn, TextIO

import typer

from gpuplan.cli import parser
from gpuplan.cli.commands import Command, Request
from gpuplan.cli.language import checked, language_of
from gpuplan.errors import GpuplanError
from gpuplan.locale import say

RECORDS_KEPT: Final = 1_000_000
"""Facts are made once and kept; looking for dead ones among them would cost a twentieth of an answer."""

LONGEST: Final = 500
"""Characters of a complaint."""


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    _start_in_utf8()
    is_closed = sys.stdout is None
    _open_streams()
    gc.set_threshold(RECORDS_KEPT)
    sys.exit(_complain(say("en", "usage.no_output", why="closed"), 2) if is_closed else run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Answer `arguments` on standard output; the exit code."""
    lang = "en"
    try:
        lang, others = language_of([checked(argument) for argument in arguments], os.environ)
        code = _called(others, lang)
        sys.stdout.flush()
        return code
    except GpuplanError as error:
        return _complain(error.say(lang), 2)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _close_quietly(sys.stdout)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            _close_quietly(sys.stdout)  # no file of ours: the answer itself could not be written
            return _complain(say(lang, "usage.no_output", why=error.strerror), 2)
        # The last line of defence: the user gets one line, and the traceback where it was asked for.
        if os.environ.get("GPUPLAN_DEBUG") == "1":
            raise
        return _complain(say(lang, "fault", kind=type(error).__name__, text=str(error)), 1)
    return 0


def _called(arguments: list[str], lang: str) -> int:
    """Parse and answer; the exit code."""
    program = _program()
    command = parser.build(_answer, lang=lang, program=program)
    try:
        with command.make_context(program, arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _answer(command: Command, request: Request) -> None:
    """Call the module of the command; print its answer as JSON, as CSV or as a page."""
    module = import_module(command.module)
    answer = module.answer(request)
    output = import_module("gpuplan.cli.output")
    if request.has("json"):
        output.write_json(answer)
    elif request.has("csv"):
        output.write_csv(answer)
    else:
        output.write_page(module.show(answer, request))
    if command.name == "facts" and answer["kind"] == "check" and answer["rows"]:
        raise typer.Exit(1)


def _program() -> str:
    """How the user called us, so that suggested commands can be copied."""
    return shlex.quote(os.environ.get("GPUPLAN_COMMAND") or Path(sys.argv[0]).stem.replace("__main__", "gpuplan"))


def _complain(text: str, code: int) -> int:
    """One line, however long and strange what the user typed is; where nobody can read it, the code has to do."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    try:
        print("gpuplan: " + (line if len(line) <= LONGEST else line[:LONGEST] + " ..."), file=sys.stderr, flush=True)
    except OSError:
        _close_quietly(sys.stderr)
    return code


def _open_streams() -> None:
    """Streams that take any text; one that the caller closed becomes one that keeps nothing."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _start_in_utf8() -> None:
    """Start again in UTF-8 mode where the locale (LC_ALL=C) makes Python read and name files in ASCII alone."""
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "PYTHONUTF8": "1"})


def _close_quietly(stream: TextIO) -> None:
    """Keep Python from complaining about a reader that has gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())

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
from typing import Final, NoReturn

import typer

from gpuplan.cli import parser
from gpuplan.cli.commands import Command, Request
from gpuplan.cli.language import language_of
from gpuplan.errors import GpuplanError
from gpuplan.locale import say

RECORDS_KEPT: Final = 1_000_000
"""Facts are made once and kept; looking for dead ones among them would cost a twentieth of an answer."""

LONGEST: Final = 500
"""Characters of a complaint."""


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    gc.set_threshold(RECORDS_KEPT)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _close_quietly()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Answer `arguments` on standard output; the exit code."""
    lang = "en"
    try:
        lang, others = language_of(arguments, os.environ)
        program = _program()
        command = parser.build(_answer, lang=lang, program=program)
        with command.make_context(program, others) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except GpuplanError as error:
        return _complain(error.say(lang), 2)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _close_quietly()
    except Exception as error:
        # The last line of defence: the user gets one line, and the traceback where it was asked for.
        if os.environ.get("GPUPLAN_DEBUG") == "1":
            raise
        return _complain(say(lang, "fault", kind=type(error).__name__, text=str(error)), 1)
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
    """One line, however long and strange what the user typed is."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    print("gpuplan: " + (line if len(line) <= LONGEST else line[:LONGEST] + " ..."), file=sys.stderr)
    return code


def _close_quietly() -> None:
    """Keep Python from complaining about a reader that has gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())

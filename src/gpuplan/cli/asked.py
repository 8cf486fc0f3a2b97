"""What a request asks for, in the terms of the app."""

from typing import Any

from gpuplan.app.files import open_facts
from gpuplan.app.question_file import read_question
from gpuplan.cli.commands import Request
from gpuplan.question.question import PARSERS, Question, question_of


def question_of_request(request: Request) -> Question:
    """The question of `--question FILE` and of the options, which win over the file."""
    keys: dict[str, object] = {key: value for key, value in request.options.items() if key in PARSERS}
    if "MODEL" in request.arguments:
        keys["model"] = request.arguments["MODEL"]
    file = request.options.get("question")
    return question_of(keys) if file is None else read_question(file, **keys)


def catalogue_of(request: Request) -> Any:
    """Our facts, with those of `--facts DIR` on top."""
    return open_facts(request.options.get("facts"))

"""The Python API: the functions behind the commands, with the package's own facts unless others are given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuplan.app.check import CheckResult, check
from gpuplan.app.estimate import estimate as _estimate
from gpuplan.app.plan import plan
from gpuplan.app.plan_result import PlanResult, load_plan
from gpuplan.app.question_file import read_question
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.question.question import Question

__all__ = [
    "Catalogue", "CheckResult", "PlanResult", "Question", "check", "estimate", "load_plan", "open_catalogue", "plan",
    "read_question",
]  # fmt: skip


def estimate(run: Mapping[str, Any] | str | Path, *, catalogue: Catalogue | None = None) -> dict[str, Any]:
    """Memory and time of one run in one layout, by part: a mapping in the words of docs/measured.md, or its file."""
    from gpuplan.data.measured import read_one

    facts = catalogue or open_catalogue()
    return _estimate(run if isinstance(run, Mapping) else read_one(Path(run)), facts)

"""The answer of `plan` as frozen records of plain values: the JSON contract, field by field."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from gpuplan.app.question_file import read_text
from gpuplan.errors import InputError

SCHEMA: Final = 1
Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferView:
    """The machine of a pick, and who rents it at what price."""

    provider: str
    instance_type: str
    region: str | None
    gpu: str
    gpus_per_node: int
    price: float | None
    currency: str
    price_kind: str
    spot: bool
    source: str
    source_date: str | None
    confidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPoint:
    """A point of the front, or a runner-up."""

    offer: OfferView
    nodes: int
    gpus: int
    layout: dict[str, Any]
    step_time_s: dict[str, float]
    duration_hours: dict[str, float]
    cost: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPick:
    """A pick in full."""

    label: str
    offer: OfferView
    nodes: int
    gpus: int
    layout: dict[str, Any]
    global_batch: int
    memory: dict[str, Any]
    step_time_s: dict[str, float]
    time: dict[str, float]
    tokens_per_s: dict[str, float]
    mfu: float
    duration_hours: dict[str, float]
    cost: dict[str, Any] | None
    host: dict[str, Any]
    disk: dict[str, Any]
    checkpoint_bytes: float
    runner_up: PlanPoint | None
    assumed: list[dict[str, str]]
    warnings: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """An option that was not picked and why."""

    what: str
    reason: str
    numbers: dict[str, float]
    code: str
    """The reason as a word."""
    currency: str | None = None
    """Of the amounts among the numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """A whole plan; `to_json` is what `--json` prints and `--save` writes, `load_plan` reads it back."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    schema: int = SCHEMA
    question: dict[str, Any]
    """As understood: the keys that were said, the names they resolve to, and `assumed`."""
    picks: list[PlanPick]
    pareto: list[PlanPoint]
    rejected: list[Rejected]
    considered: dict[str, Any]
    nearest: list[str] = field(default_factory=list)
    """What would give picks, cheapest first, where there are none."""
    warnings: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)


def load_plan(path: str | Path) -> PlanResult:
    """The plan of a file that `gpuplan plan --save` wrote."""
    from pydantic import TypeAdapter, ValidationError

    try:
        table = json.loads(read_text(path))
        return TypeAdapter(PlanResult).validate_python(table)
    except ValidationError as error:
        cause = " ".join(str(error.errors()[0]["msg"]).split())[:120]
        raise InputError("question.plan_broken", file=str(path), cause=cause) from None
    except (ValueError, RecursionError):
        raise InputError("question.plan_not_json", file=str(path)) from None

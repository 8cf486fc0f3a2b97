"""Plans the training of models: what fits, on what, how fast, how long, for how much.

    from gpuplan import Question, check, plan

    best = plan(Question(model="Qwen2.5-7B", method="lora", samples=50_000, seq_len=2048, budget="100usd"))
    best.picks[0].cost
    check(Question(model="llama-3-70b", method="full", on="8xH100")).verdict

Every name is loaded when it is first used, so that `import gpuplan` costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuplan.app.api import (
        Catalogue,
        CheckResult,
        PlanResult,
        Question,
        check,
        estimate,
        load_plan,
        open_catalogue,
        plan,
        read_question,
    )

__all__ = [
    "Catalogue",
    "CheckResult",
    "PlanResult",
    "Question",
    "check",
    "estimate",
    "load_plan",
    "open_catalogue",
    "plan",
    "read_question",
]


def __getattr__(name: str) -> Any:
    """The public name, from where it lives."""
    if name in __all__:
        from gpuplan.app import api

        return getattr(api, name)
    raise AttributeError(f"module 'gpuplan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

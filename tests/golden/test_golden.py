"""Answers that may not move unnoticed: every kind of job and layout, on frozen offers.

They prove nothing about what is right (that is for tests/unit, tests/laws and tests/measured); they show which figures
a change of a formula or a fact moves. Where it is meant:

    .venv/bin/python tests/golden/test_golden.py      writes the answers anew; the commit says which moved, and why
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from gpuplan.app.check import check
from gpuplan.app.estimate import estimate
from gpuplan.app.plan import plan
from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.machines import machine_of, node_of
from gpuplan.facts.offer import Offer
from gpuplan.question.question import Question

ANSWERS: Final = Path(__file__).with_name("answers.json")
TODAY: Final = date(2026, 11, 1)
SAME: Final = 1e-4
"""Relative difference that rounding in other versions of NumPy may make."""

LLAMA: Final = {
    "name": "llama-2-7b", "layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 32, "ffn": 11008, "gated_mlp": True,
    "vocab": 32000, "tied_embeddings": False,
}  # fmt: skip


@cache
def questions() -> dict[str, dict[str, dict[str, Any]]]:
    """By kind and name, each with the keys of its base."""
    asked = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
    base = {"": {}, **asked.pop("base")}
    return {
        kind: {name: {**base[keys.pop("like", "")], **keys} for name, keys in of_kind.items()}
        for kind, of_kind in asked.items()
    }


@cache
def frozen() -> Catalogue:
    """The facts with offers that never change, so that new prices move no answer."""
    catalogue = open_catalogue()
    catalogue.__dict__["offers"] = tuple(_offers(catalogue))
    return catalogue


def _offers(catalogue: Catalogue) -> Iterator[Offer]:
    kinds = (
        ("aws", "p5.48xlarge", "H100-80GB-SXM5", 8, 55.04, "USD", False),
        ("aws", "p4de.24xlarge", "A100-80GB-SXM4", 8, 27.45, "USD", False),
        ("lambda", "gpu_1x_h100_sxm5", "H100-80GB-SXM5", 1, 3.29, "USD", False),
        ("runpod", "RTX 4090", "RTX-4090", 1, 0.69, "USD", False),
        ("runpod", "RTX 4090 spot", "RTX-4090", 1, 0.35, "USD", True),
        ("alibaba", "ecs.gn7e", "A100-80GB-SXM4", 8, 280.0, "CNY", False),
        ("gcp", "a2-ultragpu-4g", "A100-80GB-SXM4", 4, 10.2, "USD", True),
        ("ask", "8x H100", "H100-80GB-SXM5", 8, None, "USD", False),
    )
    for provider, kind, chip, gpus, price, currency, is_spot in kinds:
        yield Offer(
            provider=provider,
            instance_type=kind,
            region=None,
            machine=machine_of(catalogue.chips[chip], gpus, node=node_of(provider, kind), vcpus=96, host_gib=1024),
            price_per_hour=price,
            currency=currency,
            price_kind="spot" if is_spot else "list",
            is_spot=is_spot,
            source="frozen for tests",
            source_date="2026-10-01",
            confidence="high",
        )


def asked(kind: str, name: str) -> Any:
    """The answer of today, without words."""
    keys = questions()[kind][name]
    if kind == "check":
        found: Any = check(Question(**keys), catalogue=frozen(), today=TODAY).to_json()
    elif kind == "plan":
        found = plan(Question(**keys), catalogue=frozen(), today=TODAY).to_json()
    else:
        found = estimate({"id": name, "model": LLAMA, "seq_len": 2048, "precision": "bf16", **keys}, frozen())
    return figures(found)


def figures(answer: Any) -> Any:
    """Numbers, verdicts and names of an answer; sentences and sources may be reworded."""
    dropped = {"arithmetic", "assumed", "warnings", "change", "source", "reason", "question", "price_kind"}
    if isinstance(answer, Mapping):
        return {key: figures(value) for key, value in answer.items() if key not in dropped}
    if isinstance(answer, list):
        return [figures(value) for value in answer if not isinstance(value, str)]
    return answer


def moved(new: Any, old: Any, where: str = "") -> list[str]:
    """Every place where two answers differ."""
    if isinstance(new, dict) and isinstance(old, dict):
        return [line for key in {**old, **new} for line in moved(new.get(key), old.get(key), f"{where}.{key}")]
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [line for i, pair in enumerate(zip(new, old, strict=True)) for line in moved(*pair, f"{where}[{i}]")]
    if isinstance(new, float) and isinstance(old, float | int):
        return [] if new == pytest.approx(old, rel=SAME, abs=1e-9) else [f"{where}: {old:.6g} is now {new:.6g}"]
    return [] if new == old else [f"{where}: {old!r} is now {new!r}"]


KEYS: Final = [(kind, name) for kind, of_kind in questions().items() for name in of_kind]


@pytest.mark.parametrize(("kind", "name"), KEYS)
def test_no_answer_moves_unnoticed(kind: str, name: str) -> None:
    old = json.loads(ANSWERS.read_text(encoding="utf-8"))[f"{kind} {name}"]
    new = json.loads(json.dumps(asked(kind, name)))
    assert moved(new, old) == []


if __name__ == "__main__":
    written = {f"{kind} {name}": asked(kind, name) for kind, name in KEYS}
    ANSWERS.write_text(json.dumps(written, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")

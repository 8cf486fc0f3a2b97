"""Nobody is told that full training fits on the strength of an unnamed saving."""

from datetime import date
from typing import Any

import pytest

from gpuplan import CheckResult, Question, check, open_catalogue, plan

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()


def checked(lang: str = "en", **keys: Any) -> CheckResult:
    return check(Question(**keys), catalogue=CATALOGUE, today=TODAY, lang=lang)


def states(answer: Any) -> list[dict[str, str]]:
    return [one for one in answer if one["field"] == "states"]


@pytest.mark.parametrize("count", [1, 2, 4, 8])
@pytest.mark.parametrize("method", ["full", "continue", "pretrain"])
def test_full_training_keeps_16_bytes_a_parameter_unless_a_framework_is_stated(method: str, count: int) -> None:
    answer = checked(model="llama-2-7b", method=method, on=f"{count}xA100-80GB-SXM4", seq_len=2048)
    (named,) = states(answer.assumed)
    assert float(named["value"].split()[0]) >= 16 and named["effect"] == "memory"
    assert not any("16-bit states" in text for text in answer.warnings)
    if count == 1:
        assert answer.verdict == "does_not_fit"


def test_a_trainer_with_16_bit_states_is_warned_about_with_what_fp32_states_need() -> None:
    keys = {"model": "llama-2-7b", "method": "full", "on": "1xA100-80GB-SXM4", "framework": "transformers"}
    answer = checked(**keys)
    assert answer.verdict == "fits" and not states(answer.assumed)
    (text,) = [one for one in answer.warnings if "16-bit states" in one]
    # 6.74e9 parameters x (16 + 2) bytes = 113 GiB before activations
    assert 113 < float(text.split("needs ")[1].split()[0]) < 130
    assert any("16 位" in one for one in checked("zh", **keys).warnings)


def test_adapters_are_not_warned_about() -> None:
    answer = checked(model="llama-2-7b", method="lora", on="1xA100-80GB-SXM4", framework="transformers")
    assert not any("16-bit states" in text for text in answer.warnings) and not states(answer.assumed)


def test_each_pick_of_a_full_training_names_its_states() -> None:
    question = Question(model="Qwen2.5-7B", method="full", samples=1000, seq_len=2048, cloud="lambda")
    for pick in plan(question, catalogue=CATALOGUE, today=TODAY).picks:
        assert "16 bytes" in states(pick.assumed)[0]["value"]

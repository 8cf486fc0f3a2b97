"""What could be much faster is said: a layout that may fit, another variant, and what the cards wait for."""

import re
from datetime import date
from typing import Any

import pytest

from gpuplan import Question, check, open_catalogue, plan

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()
TWO_CARDS = {"model": "llama-3-8b", "method": "lora", "samples": 2000, "seq_len": 2048}


def warned(lang: str = "en", **keys: Any) -> list[str]:
    return check(Question(**keys), catalogue=CATALOGUE, today=TODAY, lang=lang).warnings


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_much_faster_layout_that_may_fit_is_named_with_its_chance(lang: str) -> None:
    answer = plan(Question(**TWO_CARDS, own="2x4090"), catalogue=CATALOGUE, today=TODAY, lang=lang)
    word = "worth a try" if lang == "en" else "值得一试"
    (hint,) = [text for text in answer.picks[0].warnings if word in text]
    assert hint in warned(lang, **TWO_CARDS, on="2x4090")
    chance, times = (float(n) for n in re.findall(r"[\d.]+(?= ?%| times| 倍)", hint)[:2])
    assert 50 <= chance < 95 and times > 1.5


def test_the_named_layout_is_as_fast_and_as_likely_as_said() -> None:
    (hint,) = [text for text in warned(**TWO_CARDS, on="2x4090") if "worth a try" in text]
    chance, times = (float(n) for n in re.findall(r"[\d.]+(?= %| times)", hint))
    options = dict(re.findall(r"--([a-z-]+) (\w+)", hint.split("(")[1]))
    stated = {name.replace("-", "_"): value for name, value in options.items()}
    slow = check(Question(**TWO_CARDS, on="2x4090"), catalogue=CATALOGUE, today=TODAY)
    fast = check(Question(**TWO_CARDS, on="2x4090", **{"micro_batch": 1, **stated}), catalogue=CATALOGUE, today=TODAY)
    assert fast.verdict == "unsure" and fast.fits_probability == pytest.approx(chance / 100, abs=0.01)
    assert slow.step_time_s and fast.step_time_s
    assert slow.step_time_s["typical"] / fast.step_time_s["typical"] == pytest.approx(times, rel=0.02)


def test_cards_that_mostly_wait_are_told_apart_from_those_that_work() -> None:
    assert any("mostly wait" in text and "communication takes" in text for text in warned(**TWO_CARDS, on="2x4090"))
    assert not any("mostly wait" in text for text in warned(**TWO_CARDS, on="1xA100-80GB-SXM4"))


def test_how_much_another_variant_would_gain_is_said_in_check_and_plan() -> None:
    keys = {"model": "llama-3-70b", "method": "full", "seq_len": 4096, "samples": 1000}
    told = [text for text in warned(**keys, on="8xH100", nodes=4) if "H100-80GB-SXM5 the same run would be" in text]
    assert len(told) == 1
    assert not any("the same run would be" in text for text in warned(**keys, on="8xH100-80GB-SXM5", nodes=4))
    own = plan(Question(**keys, own="4x8xH100"), catalogue=CATALOGUE, today=TODAY)
    assert any("H100-80GB-SXM5 the same run would be" in text for text in own.picks[0].warnings)


def test_a_wish_that_own_hardware_cannot_grant_is_not_dropped_in_silence() -> None:
    keys = {**TWO_CARDS, "own": "2x4090", "region": "us-east-1"}
    alone = plan(Question(**keys), catalogue=CATALOGUE, today=TODAY)
    assert any(text.startswith("region: without effect") for text in alone.warnings)
    both = plan(Question(**keys, cloud="aws"), catalogue=CATALOGUE, today=TODAY)
    assert not any("without effect" in text for text in both.warnings)

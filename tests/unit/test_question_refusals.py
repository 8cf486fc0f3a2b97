"""What contradicts itself, or is no count of cards, is refused in one line that names the actual cause and the mend."""

from typing import Any

import pytest

from gpuplan import Question, open_catalogue, plan
from gpuplan.errors import QuestionError


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"model": None}, "model is missing"),
        ({"model": "  "}, "model is empty"),
        ({"model": "x" * 500}, "longer than 400 characters"),
        ({"model": "a\x00b"}, "cannot be printed"),
        ({"cloud": ", ,"}, "cloud is empty"),
        ({"on": "x8H100"}, "write 8xH100"),
        ({"own": "8 H100"}, "write 8xH100"),
        ({"on": "1.5xH100"}, "whole number of GPUs"),
        ({"on": "2x8xH100", "nodes": 3}, "nodes: 3 contradicts on ('2x8xH100')"),
        ({"seq_len": 2048, "p95_len": 5000}, "p95_len: 5000 is more than seq_len (2048)"),
        ({"method": "full", "lora_rank": 8}, "lora_rank is of adapters, but full has none"),
        ({"method": "dpo", "lora_targets": "q"}, "lora_targets is of adapters, but dpo has none"),
        ({"method": "freeze", "quantisation": "nf4"}, "nf4 freezes the weights"),
        ({"method": "dpo_qlora", "quantisation": "none"}, "use dpo_lora"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_meant_is_refused_with_its_cause(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(QuestionError) as refused:
        Question(**{"model": "7B", **keys})
    text = refused.value.say("en")
    assert told in text and "\n" not in text
    assert refused.value.say("zh") != text


@pytest.mark.parametrize(
    "on", ["8xH100", "H100x8", "8*4090", "RTX 4090", "RTX 4090 x 2", "2x8xH100", "A100 80G", "4xRTX 4090"]
)
def test_the_usual_ways_to_write_hardware_stay_understood(on: str) -> None:
    assert Question(model="7B", on=on).on_gpus is not None


def test_two_ways_to_say_the_same_nodes_agree() -> None:
    assert Question(model="7B", on="2x8xH100", nodes=2).on_gpus == (2, 8, "H100")
    assert Question(model="7B", on="8xH100", nodes=3).on_gpus == (3, 8, "H100")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"own": "1xM3 Max"}, "Apple chips are not covered"),
        ({"own": "1xApple M2 Ultra"}, "Apple chips are not covered"),
        ({"region": "us-eest-1"}, "us-east-1"),
        ({"region": "qqqq"}, "did you mean us, eu, china, asia"),
    ],
)
def test_what_no_fact_knows_is_refused_with_the_nearest(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(QuestionError) as refused:
        plan(Question(model="7B", method="lora", samples=1000, **keys), catalogue=open_catalogue())
    assert told in refused.value.say("en")

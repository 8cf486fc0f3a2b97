"""A trainer that cannot do what is asked is refused in one line, and none is planned in a way it does not have."""

from datetime import date
from typing import Any

import pytest

from gpuplan import Question, check, open_catalogue, plan
from gpuplan.data.abilities import LACKS
from gpuplan.data.trainers import RULES
from gpuplan.errors import QuestionError

TODAY = date(2026, 12, 1)
CATALOGUE = open_catalogue()


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"framework": "megatron", "method": "qlora"}, "qlora"),
        ({"framework": "nanoGPT", "method": "lora"}, "lora"),
        ({"framework": "unsloth", "method": "full", "zero": 3}, "zero"),
        ({"framework": "unsloth", "method": "full", "offload": "optimizer"}, "offload"),
        ({"framework": "axolotl", "method": "full", "pp": 2}, "pp"),
    ],
)
def test_what_a_trainer_lacks_is_refused_with_another_that_has_it(keys: dict[str, Any], what: str) -> None:
    question = Question(model="7B", on="8xA100-80GB-SXM4", samples=1000, seq_len=1024, **keys)
    for ask in (check, plan):
        with pytest.raises(QuestionError) as refused:
            ask(question, catalogue=CATALOGUE, today=TODAY)
        assert f"{keys['framework']} has no {what}" in refused.value.say("en")
        assert "不支持" in refused.value.say("zh")


def test_states_are_replicated_where_the_trainer_cannot_shard_them() -> None:
    keys = {"model": "7B", "method": "full", "on": "8xA100-80GB-SXM4", "seq_len": 1024}
    answer = check(Question(**keys, framework="unsloth"), catalogue=CATALOGUE, today=TODAY)
    assert answer.layout and answer.layout["zero"] == 0 and answer.layout["tensor_parallel"] == 1
    sharded = check(Question(**keys, framework="llama-factory"), catalogue=CATALOGUE, today=TODAY)
    assert sharded.layout and sharded.layout["zero"] > 0


def test_methods_and_splits_that_a_trainer_has_go_through() -> None:
    for keys in ({"framework": "megatron", "method": "full", "tp": 8}, {"framework": "unsloth", "method": "qlora"}):
        question = Question(model="7B", on="8xA100-80GB-SXM4", seq_len=1024, **keys)
        assert check(question, catalogue=CATALOGUE, today=TODAY).verdict == "fits"


def test_every_lack_is_of_a_known_front_end_and_has_a_source() -> None:
    for front, lack in LACKS.items():
        assert front in {name for _, name in RULES} and lack.source and (lack.methods or lack.splits)

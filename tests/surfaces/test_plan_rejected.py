"""What is not picked, and whether the reason is true."""

from datetime import date

import pytest

from gpuplan import Catalogue, Question, check, open_catalogue, plan
from gpuplan.data.offers import may_rank
from gpuplan.locale import say

TODAY = date(2026, 12, 1)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue()


def test_a_chip_is_too_small_only_where_every_machine_with_it_is(catalogue: Catalogue) -> None:
    """A10 and T4 alone cannot hold this job; eight of them in one machine can, so memory does not rule them out."""
    question = Question(model="Qwen2.5-7B", method="lora", samples=50_000, seq_len=2048)
    short = {one.what for one in plan(question, catalogue=catalogue, today=TODAY).rejected if "memory" in one.code}
    for chip in short:
        for gpus in (1, 2, 4, 8):
            offered = any(
                o.machine.chip.id == chip and o.machine.n_gpus == gpus and may_rank(o) for o in catalogue.offers
            )
            if offered:
                asked = Question(model="Qwen2.5-7B", method="lora", samples=50_000, seq_len=2048, on=f"{gpus}x{chip}")
                assert check(asked, catalogue=catalogue, today=TODAY).verdict != "fits"
    assert short and not short & {"A10", "A10G", "T4"}


def test_a_shortage_is_that_of_the_layout_that_needs_least(catalogue: Catalogue) -> None:
    question = Question(model="llama-3-70b", method="full", samples=1000, seq_len=2048, own="1xT4")
    found = plan(question, catalogue=catalogue, today=TODAY).rejected[0]
    asked = Question(model="llama-3-70b", method="full", samples=1000, seq_len=2048, on="1xT4")
    needed = check(asked, catalogue=catalogue, today=TODAY).memory["needed_gib"]
    assert {name: found.numbers[f"{name}_gib"] for name in ("low", "high")} == {
        name: pytest.approx(needed[name], rel=1e-3) for name in ("low", "high")
    }
    assert found.numbers["needed_gib"] == pytest.approx(needed["typical"], rel=1e-3)
    assert found.code == "memory" and found.numbers["fits_probability"] < 0.05


def test_the_phase_of_a_shortage_is_the_one_that_check_names(catalogue: Catalogue) -> None:
    """Alone on a card of 16 GB the states of full training are too large when the optimizer steps."""
    keys = {"model": "7B", "method": "full", "samples": 1000, "seq_len": 512}
    found = plan(Question(**keys, own="1xT4"), catalogue=catalogue, today=TODAY).rejected[0]
    limit = check(Question(**keys, on="1xT4"), catalogue=catalogue, today=TODAY).limit
    assert limit is not None
    phase = say("en", f"show.phase.{limit.partition('.')[2]}")
    assert f'the phase "{phase}"' in found.reason


def test_an_unknown_network_is_told_only_where_it_kept_nodes_apart(catalogue: Catalogue) -> None:
    own = plan(Question(model="llama-3-70b", method="full", own="1xT4"), catalogue=catalogue, today=TODAY)
    assert "network" not in own.rejected[0].reason
    rented = plan(
        Question(model="Qwen3-30B-A3B", method="full", samples=20_000, seq_len=8192, cloud="autodl,tencent"),
        catalogue=catalogue, today=TODAY,
    )  # fmt: skip
    short = [one for one in rented.rejected if "memory" in one.code]
    for one in short:
        nics = {o.machine.nic_bytes_per_s_per_gpu for o in catalogue.offers if o.machine.chip.id == one.what
                and o.provider in ("autodl", "tencent") and may_rank(o)}  # fmt: skip
        assert ("nobody states the network" in one.reason) is (nics == {None})
    assert any("network" in one.reason for one in short)

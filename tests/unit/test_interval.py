"""Ranges and the verdict: which spread holds for which estimate, and what a probability means."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.calibrate.interval import (
    SMALL_BYTES,
    around,
    is_small,
    kind_of,
    memory_ranges,
    needed_bytes,
    seconds_range,
    step_range,
    waits_for_host,
)
from gpuplan.facts.arch import Moe
from gpuplan.facts.spread import Spread, choose_spread
from gpuplan.model.memory import memory_of
from gpuplan.model.step import step_of
from gpuplan.model.verdict import fits_probability, verdict
from gpuplan.question.figures import Range
from tests.unit.factories import HF, LLAMA_2_7B, full_job, gpt, layout, lora_job
from tests.unit.test_step import A100, hardware


def spread(low: float, high: float) -> Spread:
    return Spread(low=low, high=high, n_runs=10, n_sources=3, source="test")


SPREADS = {
    "memory": spread(0.9, 1.2),
    "memory/hf": spread(0.8, 1.3),
    "memory/hf/adapter": spread(0.7, 1.4),
    "memory/small": spread(0.5, 2.0),
    "needed": spread(0.95, 1.05),
    "needed/small": spread(0.6, 1.6),
    "time": spread(0.85, 1.15),
    "time/hf/dense": spread(0.75, 1.25),
    "time/borrowed": spread(0.6, 1.7),
    "time/launch": spread(0.4, 3.0),
}


def test_a_range_is_the_typical_value_times_both_ends_of_its_group() -> None:
    found = around(np.array([100.0, 100.0]), np.array([True, False]), spread(0.9, 1.25), spread(0.5, 2.0))
    assert list(found.low) == [90.0, 50.0]
    assert list(found.high) == [125.0, 200.0]
    assert list(found.typical) == [100.0, 100.0]


def test_the_narrowest_group_that_was_measured_holds() -> None:
    assert choose_spread(SPREADS, "memory/hf/dense", "memory/hf", "memory").low == 0.8
    assert choose_spread(SPREADS, "memory/te/dense", "memory/te", "memory").low == 0.9


def test_a_job_is_grouped_by_experts_then_by_what_it_trains() -> None:
    moe = Moe(
        experts=8, experts_per_token=2, expert_ffn=64, shared_ffn=0, dense_ffn=None, moe_layers=32, dense_layers=0
    )
    assert kind_of(full_job(LLAMA_2_7B)) == "dense"
    assert kind_of(lora_job(LLAMA_2_7B)) == "adapter"
    assert kind_of(lora_job(replace(LLAMA_2_7B, moe=moe))) == "expert"


def test_large_memory_takes_the_spread_of_its_family_and_small_memory_its_own() -> None:
    job = lora_job(LLAMA_2_7B)
    large = memory_of(job, layout(micro_batch=4.0))
    found = memory_ranges(large, job, SPREADS)
    assert float(found["device"].high) == pytest.approx(1.4 * float(large.device_bytes))
    assert float(found["needed"].low) == pytest.approx(0.95 * float(needed_bytes(large)))
    tiny_job = full_job(gpt(layers=2, hidden=256, heads=4, vocab=1000), HF)
    tiny = memory_of(tiny_job, layout())
    assert bool(is_small(tiny)) and float(tiny.allocated_bytes) < SMALL_BYTES
    found = memory_ranges(tiny, tiny_job, SPREADS)
    assert float(found["allocated"].high) == pytest.approx(2.0 * float(tiny.allocated_bytes))
    assert float(found["needed"].high) == pytest.approx(1.6 * float(needed_bytes(tiny)))


def test_needed_bytes_hold_every_phase_the_context_and_at_most_15_percent_waste() -> None:
    trainer = replace(HF, fragmentation=3.0)
    memory = memory_of(full_job(LLAMA_2_7B, trainer), layout())
    transient = float(memory.allocated_bytes - memory.states.total_bytes)
    expected = float(memory.allocated_bytes) + 0.15 * transient + float(memory.context_bytes)
    assert float(needed_bytes(memory)) == pytest.approx(expected)
    calm = memory_of(full_job(LLAMA_2_7B, replace(HF, fragmentation=1.02, logit_bytes_reserved=0)), layout())
    expected = float(calm.allocated_bytes + 0.5 * calm.fragmentation_bytes + calm.context_bytes)
    assert float(needed_bytes(calm)) == pytest.approx(expected)
    loading = replace(memory, phases={**memory.phases, "load": memory.allocated_bytes * 3.0}, rollout_bytes=7.0)
    assert float(needed_bytes(loading)) == pytest.approx(
        float(memory.allocated_bytes * 3.0 + memory.context_bytes) + 7.0
    )


def test_a_step_takes_the_spread_of_its_kind_and_a_borrowed_or_host_bound_one_a_wider() -> None:
    job, on = full_job(LLAMA_2_7B, HF), hardware(A100)
    step = step_of(job, layout(micro_batch=8.0), on)
    assert not bool(waits_for_host(step))
    own = step_range(step, job, SPREADS, chip_is_measured=True)
    borrowed = step_range(step, job, SPREADS, chip_is_measured=False)
    assert float(own.high) == pytest.approx(1.25 * float(step.total_s))
    assert float(borrowed.high) == pytest.approx(1.7 * float(step.total_s))
    small = full_job(gpt(layers=12, hidden=256, heads=4, vocab=1000), HF, seq_len=64.0, time_len=64.0)
    waiting = step_of(small, layout(), on)
    assert bool(waits_for_host(waiting))
    assert float(step_range(waiting, small, SPREADS, chip_is_measured=True).high) == pytest.approx(
        3.0 * float(waiting.total_s)
    )


def test_experts_on_a_chip_without_kernels_keep_the_range_of_experts() -> None:
    moe = Moe(
        experts=8, experts_per_token=2, expert_ffn=64, shared_ffn=0, dense_ffn=None, moe_layers=32, dense_layers=0
    )
    job = full_job(replace(LLAMA_2_7B, moe=moe), HF)
    spreads = {**SPREADS, "time/*/expert": spread(0.5, 2.5)}
    found = seconds_range(1.0, job, spreads, chip_is_measured=False)
    assert (float(found.low), float(found.high)) == (0.5, 2.5)
    spreads["time/borrowed/*/expert"] = spread(0.4, 3.5)
    assert float(seconds_range(1.0, job, spreads, chip_is_measured=False).high) == 3.5


def test_seconds_alone_take_the_same_ranges_one_by_one() -> None:
    job = full_job(LLAMA_2_7B, HF)
    found = seconds_range(np.array([1.0, 1.0]), job, SPREADS, chip_is_measured=True, waits=np.array([False, True]))
    assert list(found.low) == [0.75, 0.4]
    assert list(found.high) == [1.25, 3.0]


NEEDED = Range(low=9.0, typical=10.0, high=12.0)


EDGES = {12.1: "fits", 11.9: "unsure", 10.0: "unsure", 9.1: "unsure", 8.9: "does_not_fit", 5.0: "does_not_fit"}


@pytest.mark.parametrize(("capacity", "word"), EDGES.items())
def test_it_fits_where_the_high_end_does_and_fails_where_the_low_end_does(capacity: float, word: str) -> None:
    assert verdict(float(fits_probability(NEEDED, capacity))) == word


def test_the_typical_value_at_the_capacity_is_an_even_chance() -> None:
    assert float(fits_probability(NEEDED, 10.0)) == pytest.approx(0.5)


@given(st.floats(1.0, 100.0), st.floats(1.0, 100.0))
def test_more_room_never_lowers_the_chance(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert float(fits_probability(NEEDED, low)) <= float(fits_probability(NEEDED, high)) + 1e-12


def test_a_generation_engine_takes_its_share_of_the_card_first() -> None:
    job = full_job(LLAMA_2_7B, HF)
    memory = memory_of(job, layout())
    alone, beside = (memory_ranges(memory, replace(job, rollout_share=s), SPREADS) for s in (0.0, 0.3))
    assert float(beside["needed"].typical) == pytest.approx(float(alone["needed"].typical) / 0.7)
    assert float(beside["allocated"].typical) == float(alone["allocated"].typical)

import numpy as np
from pytest import approx

from gpuplan.money.cost import cost_of, storage_usd_per_hour
from gpuplan.run.duration import duration_s, model_flops_share, n_steps
from gpuplan.run.goodput import (
    FAILURES_PER_GPU_S,
    LONGEST_INTERVAL_S,
    checkpoint_write_s,
    goodput_of,
    losses_per_s,
)
from gpuplan.search.charge import combined
from gpuplan.units import DAY, GB, HOUR


def test_llama_3_lost_one_run_every_three_hours() -> None:
    assert losses_per_s(16384.0, 2048.0, 0.0) * 3 * HOUR == approx(1.0, rel=0.05)
    assert approx(4.7e-4, rel=0.02) == FAILURES_PER_GPU_S * DAY


def test_the_interval_is_the_best_one() -> None:
    write, losses = 40.0, 1 / (10 * HOUR)
    best = goodput_of(write, losses)
    assert best.interval_s == approx(np.sqrt(2 * write / losses))

    def lost(interval: float) -> float:
        return write / interval + losses * interval / 2

    own = lost(float(best.interval_s))
    assert own <= lost(float(best.interval_s) * 1.1) and own <= lost(float(best.interval_s) * 0.9)
    assert best.share == approx(1 - own - losses * 15 * 60 - 0.007)


def test_rare_failures_still_have_checkpoints() -> None:
    assert goodput_of(1.0, 1e-12).interval_s == LONGEST_INTERVAL_S


def test_bloom_wrote_its_checkpoint_in_forty_seconds() -> None:
    assert checkpoint_write_s(2300 * GB, 48.0) == approx(40.0)


def test_steps_are_rounded_up() -> None:
    assert [float(n_steps(rows, 16.0)) for rows in (1.0, 16.0, 17.0)] == [1.0, 1.0, 2.0]


def test_duration_is_starts_and_steps_over_goodput() -> None:
    assert duration_s(100.0, 2.0, goodput_share=0.8, start_s=60.0, runs=3.0) == approx(3 * (60 + 250))


def test_mfu_is_model_flops_over_peak() -> None:
    assert model_flops_share(6e12, 2.0, n_gpus=2.0, peak_flops=3e12) == approx(0.5)


def test_a_cost_is_its_parts() -> None:
    cost = cost_of(36.0, 2.0, work_s=1000.0, start_s=200.0, total_s=1500.0, storage_rate=3.6)
    assert (cost.rent, cost.start, cost.lost, cost.storage) == (approx(20), approx(4), approx(6), approx(1.5))
    assert cost.total == approx(31.5)


def test_a_terabyte_costs_eighty_dollars_a_month() -> None:
    assert storage_usd_per_hour(1000 * GB) * 730 == approx(80.0)


def test_causes_combine_as_independent_spreads() -> None:
    found = combined(100.0, [50.0, 100.0], [200.0, 200.0])
    assert found.low == approx(50.0)
    assert found.high == approx(100 * np.exp(np.sqrt(2) * np.log(2)))
    nothing = combined(0.0, [], [])
    assert (nothing.low, nothing.typical, nothing.high) == (0.0, 0.0, 0.0)
    assert combined(0.5, [], []).high == approx(0.5)

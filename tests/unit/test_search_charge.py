import numpy as np
import pytest
from pytest import approx

from gpuplan.question.data_size import data_of
from gpuplan.run.goodput import FAILURES_PER_GPU_S, SPOT_LOSSES_PER_NODE_S, START_S, goodput_of
from gpuplan.search.charge import SPOT_RATES, Run, charge, run_of
from gpuplan.units import GB, HOUR

RUN = Run(rows=1000.0, global_batch=16.0, runs=3.0, stored_bytes=50 * GB, is_whole=True)


def test_a_run_is_steps_over_goodput_and_a_start_each_time() -> None:
    found = charge(RUN, 20.0, n_gpus=16.0, n_nodes=2.0, checkpoint_bytes=24 * GB, price_per_hour=7.2, start_s=100.0)
    steps = 63  # 1000 / 16, rounded up
    write = 24 / (57.5 / 48) / 2
    share = float(goodput_of(write, 16 * FAILURES_PER_GPU_S).share)
    assert found.n_steps == steps and found.work_s == approx(3 * steps * 20) and found.start_s == 300
    assert found.total_s == approx(3 * (100 + steps * 20 / share))
    assert found.cost.rent == approx(7.2 * 2 / HOUR * 3 * steps * 20)
    assert found.cost.start == approx(7.2 * 2 / HOUR * 300)
    assert found.cost.lost == approx(7.2 * 2 / HOUR * (float(found.total_s) - 3 * steps * 20 - 300))
    # 50 GB and two checkpoints of 24 GB at 0.08 USD a GB and month of 730 h
    assert found.cost.storage == approx(98 * 0.08 / 730 * float(found.total_s) / HOUR)


def test_without_data_there_is_no_start_and_no_rounding() -> None:
    part = Run(rows=1000.0, global_batch=16.0, runs=1.0, stored_bytes=0.0, is_whole=False)
    found = charge(part, 20.0, n_gpus=1.0, n_nodes=1.0, checkpoint_bytes=0.0, price_per_hour=1.0)
    assert found.n_steps == 62.5 and found.start_s == 0 and found.cost.start == 0


def test_the_usual_start_is_that_of_the_facts() -> None:
    found = charge(RUN, 20.0, n_gpus=1.0, n_nodes=1.0, checkpoint_bytes=0.0, price_per_hour=1.0)
    assert found.start_s == 3 * START_S.typical


def test_spot_counts_with_the_mean_over_the_loss_rates() -> None:
    one = Run(rows=16.0 * 1000, global_batch=16.0, runs=1.0, stored_bytes=0.0, is_whole=True)

    def total(**more: object) -> float:
        return float(
            charge(one, 20.0, n_gpus=8.0, n_nodes=4.0, checkpoint_bytes=1 * GB, price_per_hour=1.0, **more).total_s  # type: ignore[arg-type]
        )

    each = [total(spot=1.0, spot_rates=(rate,)) for rate in SPOT_RATES]
    assert total(spot=1.0) == approx(sum(each) / 3)
    assert each[0] < each[1] < each[2] and total() < each[0]
    assert total(spot=0.0, spot_rates=(SPOT_LOSSES_PER_NODE_S.high,)) == approx(total())


def test_own_machines_pay_no_storage() -> None:
    assert charge(RUN, 1.0, n_gpus=1.0, n_nodes=1.0, checkpoint_bytes=1e12, price_per_hour=0.0).cost.total == 0


def test_a_run_takes_its_rows_from_the_data_or_as_told() -> None:
    data = data_of(1000.0, False, samples=500.0, tokens=None, mean_len=100.0, epochs=2.0)
    run = run_of(data, 16.0, runs=2.0, weight_bytes=5.0)
    assert (run.rows, run.global_batch, run.runs, run.stored_bytes, run.is_whole) == (1000.0, 16.0, 2.0, 5.0, True)
    assert run_of(data, 16.0, runs=2.0, weight_bytes=5.0, rows=7.0).rows == 7.0


@pytest.mark.parametrize("nodes", [1.0, 2.0, 64.0])
def test_more_nodes_lose_more_often(nodes: float) -> None:
    base = {"checkpoint_bytes": 1e10, "price_per_hour": 1.0, "spot": 1.0}
    few = charge(RUN, 20.0, n_gpus=8 * nodes, n_nodes=nodes, **base)  # type: ignore[arg-type]
    many = charge(RUN, 20.0, n_gpus=16 * nodes, n_nodes=2 * nodes, **base)  # type: ignore[arg-type]
    assert float(many.total_s) > float(few.total_s)
    assert np.isfinite(many.total_s)

"""From a step time to the duration and the cost of a whole run, for one point or for many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gpuplan.money.cost import KEPT_CHECKPOINTS, Cost, cost_of, storage_usd_per_hour
from gpuplan.question.data_size import Data
from gpuplan.question.figures import Range
from gpuplan.run.duration import duration_s, n_steps
from gpuplan.run.goodput import (
    SPOT_LOSSES_PER_NODE_S,
    START_S,
    checkpoint_write_s,
    goodput_of,
    losses_per_s,
)
from gpuplan.units import Num

SPOT_RATES: Final = (SPOT_LOSSES_PER_NODE_S.low, SPOT_LOSSES_PER_NODE_S.typical, SPOT_LOSSES_PER_NODE_S.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What of a question decides duration and cost, once a step is known."""

    rows: float
    """Sequences of one run."""
    global_batch: float
    runs: float
    stored_bytes: float
    """Weights and data on disk beside the checkpoints."""
    is_whole: bool
    """False where no data was stated: no start, no rounding, a price for the tokens alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Seconds and USD of all runs together."""

    n_steps: Num
    work_s: Num
    start_s: Num
    total_s: Num
    cost: Cost


def run_of(data: Data, global_batch: float, *, runs: float, weight_bytes: float, rows: Num | None = None) -> Run:
    """The run of a question at its typical amount of data, or at `rows`."""
    return Run(
        rows=float(data.rows.typical if rows is None else rows),
        global_batch=global_batch,
        runs=runs,
        stored_bytes=weight_bytes,
        is_whole=data.is_known,
    )


def charge(
    run: Run,
    step_s: Num,
    *,
    n_gpus: Num,
    n_nodes: Num,
    checkpoint_bytes: Num,
    price_per_hour: Num,
    spot: Num = 0.0,
    spot_rates: Sequence[Num] = SPOT_RATES,
    start_s: Num = START_S.typical,
) -> Charge:
    """Duration and cost; `price_per_hour` is of one node, `spot` 1 where the machine can be taken away.

    Nobody knows how often that happens: the duration is the mean over `spot_rates`, each as likely as the others.
    """
    steps = n_steps(run.rows, run.global_batch) if run.is_whole else run.rows / run.global_batch
    write = checkpoint_write_s(checkpoint_bytes, n_nodes)
    start = start_s if run.is_whole else 0.0
    rates = [losses_per_s(n_gpus, n_nodes, np.asarray(spot) * rate) for rate in spot_rates]
    shares = [goodput_of(write, rate).share for rate in rates]
    totals = [duration_s(steps, step_s, goodput_share=share, start_s=start, runs=run.runs) for share in shares]
    total = sum(totals[1:], totals[0]) / len(totals)
    work = run.runs * steps * step_s
    stored = run.stored_bytes + KEPT_CHECKPOINTS * checkpoint_bytes
    rate = storage_usd_per_hour(stored) * np.greater(price_per_hour, 0)
    cost = cost_of(price_per_hour, n_nodes, work_s=work, start_s=run.runs * start, total_s=total, storage_rate=rate)
    return Charge(n_steps=steps, work_s=work, start_s=run.runs * start, total_s=total, cost=cost)


def combined(typical: float, lows: Sequence[Num], highs: Sequence[Num]) -> Range:
    """The range of a figure whose causes vary on their own; each end has one value a cause, the others typical.

    ln(high / typical) = root of the sum over causes of ln(high_i / typical)^2, and the same below.

    >>> found = combined(10.0, [5.0], [20.0, 10.0])
    >>> round(float(found.low), 6), round(float(found.high), 6)
    (5.0, 20.0)
    """
    if typical <= 0:
        return Range(low=0.0, typical=0.0, high=0.0)

    def spread(values: Sequence[Num]) -> float:
        logs = [np.log(np.maximum(value, 1e-12) / typical) for value in values]
        return float(np.sqrt(sum(np.square(log) for log in logs)))

    return Range(low=typical * np.exp(-spread(lows)), typical=typical, high=typical * np.exp(spread(highs)))

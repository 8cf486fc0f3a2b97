"""Share of the time that makes progress: failures, checkpoints, evaluation, and losing a spot machine.

Notation: r failures a second of the whole job, C seconds to write a checkpoint, I seconds between two,
R seconds from a failure to the next step.

    lost share = C / I + r (I / 2 + R),   least at I = sqrt(2 C / r)      (Young 1974; Daly 2006)
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from gpuplan.question.figures import Range
from gpuplan.units import DAY, GB, HOUR, MINUTE, Num

FAILURES_PER_GPU_S: Final = 419 / (54 * 16384) / DAY
"""419 unplanned interruptions in 54 days on 16,384 GPUs (Llama 3, arXiv:2407.21783, section 3.3.4);
BLOOM's 3.7e-4 a GPU-day agrees within a third (bigscience tr11-176B chronicles)."""

RESTART_S: Final = 15 * MINUTE
"""Image, processes, communicators, loading: 10 to 20 minutes (cold starts of 2025, BentoML and Union.ai notes)."""

START_S: Final = Range(low=6 * MINUTE, typical=12 * MINUTE, high=30 * MINUTE)
"""Billed before the first step: node and image 6 to 12 minutes, 70B weights 20 to 30 (same notes; GPU recipes)."""

CHECKPOINT_BYTES_PER_S_PER_NODE: Final = 57.5 * GB / 48
"""2.3 TB in 40 s from 48 nodes (BLOOM, bigscience tr11-176B chronicles)."""

EVALUATION_SHARE: Final = 0.007
"""12 minutes every 1000 iterations, 0.7 % (BLOOM, same chronicles)."""

LONGEST_INTERVAL_S: Final = 4 * HOUR
"""A checkpoint at least this often, however rare failures are."""

SPOT_LOSSES_PER_NODE_S: Final = Range(low=0.2 / (30 * DAY), typical=0.009 / HOUR, high=0.3 / HOUR)
"""Losses of a held spot machine. Low: 20 % a month (AWS spot advisor for p5, February 2026). High: 0.06 to 0.57 an
hour, V100 traces of 2023 (Can't Be Late, NSDI 24). Typical: the geometric middle; nobody published one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodput:
    """Shares of the running time, by cause; `share` is what makes progress."""

    checkpoint_share: Num
    lost_share: Num
    evaluation_share: Num
    interval_s: Num

    @property
    def share(self) -> Num:
        """Progress over time; never below 5 %, where the question has no sensible answer."""
        return np.maximum(1 - self.checkpoint_share - self.lost_share - self.evaluation_share, 0.05)


def checkpoint_write_s(checkpoint_bytes: Num, n_nodes: Num) -> Num:
    """Seconds that a blocking checkpoint takes."""
    return checkpoint_bytes / (CHECKPOINT_BYTES_PER_S_PER_NODE * n_nodes)


def losses_per_s(n_gpus: Num, n_nodes: Num, spot_per_node_s: Num) -> Num:
    """Interruptions of the whole job a second: hardware and, on spot, taken machines."""
    return n_gpus * FAILURES_PER_GPU_S + n_nodes * spot_per_node_s


def goodput_of(write_s: Num, losses: Num, restart_s: Num = RESTART_S) -> Goodput:
    """Goodput at the best checkpoint interval."""
    interval = np.clip(np.sqrt(2 * write_s / np.maximum(losses, 1e-12)), MINUTE, LONGEST_INTERVAL_S)
    return Goodput(
        checkpoint_share=np.minimum(write_s / interval, 0.5),
        lost_share=losses * (interval / 2 + restart_s),
        evaluation_share=np.zeros_like(interval) + EVALUATION_SHARE,
        interval_s=interval,
    )

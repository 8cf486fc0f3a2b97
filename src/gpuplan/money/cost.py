"""Cost of a run, by part, in one currency."""

from dataclasses import dataclass
from typing import Final

from gpuplan.units import GB, HOUR, Num

STORAGE_PER_GB_MONTH_USD: Final = 0.08
"""Block or shared file storage: 0.07 to 0.10 USD (EBS gp3, Crusoe, Nebius, RunPod; public price pages, 2026-09/10)."""
MONTH_H: Final = 730.0
KEPT_CHECKPOINTS: Final = 2.0
"""The last one and the one being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money by cause, all in the same currency."""

    rent: Num
    """Machines while steps make progress."""
    start: Num
    """Machines while nothing is trained yet."""
    lost: Num
    """Machines while work is repeated, checkpoints are written, machines come back."""
    storage: Num

    @property
    def total(self) -> Num:
        """Their sum."""
        return self.rent + self.start + self.lost + self.storage


def cost_of(
    price_per_hour: Num, n_nodes: Num, *, work_s: Num, start_s: Num, total_s: Num, storage_rate: Num = 0.0
) -> Cost:
    """Cost of machines billed by time; `storage_rate` is money an hour.

    rent = price nodes work,  start = price nodes start,  lost = price nodes (total - work - start)
    """
    per_s = price_per_hour * n_nodes / HOUR
    return Cost(
        rent=per_s * work_s,
        start=per_s * start_s,
        lost=per_s * (total_s - work_s - start_s),
        storage=storage_rate * total_s / HOUR,
    )


def storage_usd_per_hour(stored_bytes: Num) -> Num:
    """Rent of the disk that holds weights, checkpoints and data."""
    return stored_bytes / GB * STORAGE_PER_GB_MONTH_USD / MONTH_H

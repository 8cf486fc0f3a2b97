"""Rent: what machines cost by time. Each amount is in the currency of its price; nothing here converts.

| symbol | meaning | unit |
|---|---|---|
| p | price of one machine | currency an hour |
| n | machines | |
| t | time rented | s |
| r | value of one unit of the currency | USD |
"""

from typing import Final

import numpy as np

from gpuplan.units import HOUR, MILLION, Num

MONTH_H: Final = 730.0
"""Hours of a month: 365 x 24 / 12."""


def rent(price_per_hour: Num, n_machines: Num, *, duration_s: Num) -> Num:
    """Rent of machines billed by the second: p n t.

    >>> rent(55.04, 2, duration_s=1800.0)
    55.04
    """
    return price_per_hour * n_machines * duration_s / HOUR


def rent_by_started_hours(price_per_hour: Num, n_machines: Num, *, duration_s: Num) -> Num:
    """Rent of machines billed by started hours: p n ceil(t).

    A thousandth of a second over the hour is rounding, not a new hour.

    >>> float(rent_by_started_hours(2.0, 1, duration_s=3660.0)), float(rent_by_started_hours(2.0, 1, duration_s=3600.0))
    (4.0, 2.0)
    """
    return price_per_hour * n_machines * np.ceil(duration_s / HOUR - 1e-3 / HOUR)


def price_per_gpu_hour(price_per_hour: Num, n_gpus: Num) -> Num:
    """Price of one GPU for one hour, for comparison of sizes.

    >>> price_per_gpu_hour(55.04, 8)
    6.88
    """
    return price_per_hour / n_gpus


def price_per_million_tokens(price_per_hour: Num, n_machines: Num, *, tokens_per_s: Num) -> Num:
    """Rent while a million tokens are trained: p n 10^6 / (tokens/s).

    >>> price_per_million_tokens(36.0, 1, tokens_per_s=10_000.0)
    1.0
    """
    return price_per_hour * n_machines / HOUR * MILLION / tokens_per_s


def hourly_of_month(price_per_month: Num) -> Num:
    """A monthly rent spread over the hours of the month, used or not.

    >>> hourly_of_month(73_000.0)
    100.0
    """
    return price_per_month / MONTH_H


def affordable_s(budget: Num, price_per_hour: Num, *, n_machines: Num) -> Num:
    """Time that a budget pays for, both in one currency: b / (p n).

    >>> affordable_s(110.08, 55.04, n_machines=1)
    7200.0
    """
    return budget / (price_per_hour * n_machines) * HOUR


def in_usd(amount: Num, usd_per_unit: Num) -> Num:
    """An amount in USD at one dated rate, for ranking; answers keep the currency of the price: a r.

    >>> in_usd(720.0, 0.14)
    100.80000000000001
    """
    return amount * usd_per_unit

"""An offer: a machine at a price, from somebody, somewhere, on a date."""

from dataclasses import dataclass

from gpuplan.facts.machine import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One row of the price catalogue. `price_per_hour is None` means "ask", never free."""

    provider: str
    instance_type: str
    region: str | None
    machine: Machine
    price_per_hour: float | None
    """For the whole machine, in `currency`."""
    currency: str
    price_kind: str
    """list, per_gpu, spot, community, secure, reserved_1y, monthly_rent, own, ..."""
    is_spot: bool
    source: str
    source_date: str | None
    confidence: str
    note: str | None = None
    chip_is_assumed: bool = False
    """True where the source names a family (A100, H100) and the slower variant was taken."""

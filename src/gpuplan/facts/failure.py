"""What is known about things that interrupt a run: failures, spot reclaims, restarts, goodput."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureFact:
    """One report of failures, reclaims or goodput, with its figures as the source states them."""

    id: str
    topic: str
    gpu: str | None
    n_gpus: int | None
    cloud: str | None
    zone: str | None
    figures: Mapping[str, object]
    """By name; names that start with `derived_` are arithmetic on stated counts."""
    date: str | None
    source: str
    confidence: str
    note: str | None

"""The catalogue: every kind of fact behind one door, each read from its file only when it is needed."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from gpuplan.data.overlay import Overlay, read_overlay
from gpuplan.facts.arch import Architecture
from gpuplan.facts.chip import Chip
from gpuplan.facts.cost import CostFact
from gpuplan.facts.efficiency import Efficiency, KernelSet
from gpuplan.facts.failure import FailureFact
from gpuplan.facts.offer import Offer
from gpuplan.facts.spread import Spread
from gpuplan.facts.trainer import Trainer


class Catalogue:
    """All facts, those of the user's own files on top."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self._kernels: dict[str, KernelSet] = {}

    @cached_property
    def chips(self) -> Mapping[str, Chip]:
        """Accelerators by id."""
        from gpuplan.data.chips import load_chips

        return self.overlay.chips_on(load_chips())

    @cached_property
    def models(self) -> Mapping[str, Architecture]:
        """Language models by id."""
        from gpuplan.data.models import load_models

        return self.overlay.models_on(load_models())

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """Machines at a price."""
        from gpuplan.data.offers import load_offers

        return tuple(load_offers(chips=self.chips, overlay=self.overlay.offers))

    @cached_property
    def trainers(self) -> Mapping[str, Trainer]:
        """What frameworks do with memory and time."""
        from gpuplan.data.trainers import load_trainers

        return load_trainers()

    def kernels(self, chip: Chip) -> KernelSet:
        """Measured kernels of the chip's donor."""
        from gpuplan.data.kernels import load_kernels

        if chip.donor not in self._kernels:
            self._kernels[chip.donor] = load_kernels(chip.donor)
        return self._kernels[chip.donor]

    @cached_property
    def efficiency(self) -> Efficiency:
        """Calibrated factors of the time model."""
        from gpuplan.data.kernels import load_efficiency

        return load_efficiency()

    @cached_property
    def spreads(self) -> Mapping[str, Spread]:
        """How far measured runs lie from estimates, by kind."""
        from gpuplan.data.spreads import load_spreads

        return load_spreads()

    @cached_property
    def costs(self) -> Mapping[str, CostFact]:
        """Storage, egress, discounts, exchange rates."""
        from gpuplan.data.costs import load_costs

        return load_costs()

    @cached_property
    def failures(self) -> Mapping[str, FailureFact]:
        """Failures, reclaims, goodput."""
        from gpuplan.data.failures import load_failures

        return load_failures()


def open_catalogue(facts_dir: Path | None = None) -> Catalogue:
    """The facts of the package, then the user's own files, then those of `facts_dir`; later ones win."""
    return Catalogue(read_overlay(facts_dir))

"""The cheapest offer of given machines, so that a check can say what they would cost."""

from collections.abc import Sequence

from gpuplan.data.catalogue import Catalogue
from gpuplan.data.costs import fx_rate
from gpuplan.data.offers import may_rank, price_usd_per_hour
from gpuplan.facts.machine import Machine
from gpuplan.facts.offer import Offer
from gpuplan.question.parse import CURRENCIES


def cheapest_of(offers: Sequence[Offer], catalogue: Catalogue) -> Offer | None:
    """The cheapest of some offers, whatever their currencies."""
    rates = {currency: fx_rate(catalogue.costs, currency)[0] for currency in CURRENCIES}
    return min(offers, key=lambda offer: price_usd_per_hour(offer, rates) or 0.0, default=None)


def offers_of(machine: Machine, nodes: int, catalogue: Catalogue) -> list[Offer]:
    """On-demand offers of the same chip and count, with a stated network where several nodes are wanted."""
    return [
        offer
        for offer in catalogue.offers
        if offer.machine.chip.id == machine.chip.id
        and offer.machine.n_gpus == machine.n_gpus
        and not offer.is_spot
        and may_rank(offer)
        and (nodes == 1 or offer.machine.nic_bytes_per_s_per_gpu)
    ]

"""Cards on which nothing fits for sure: of all their layouts the one that needs least, and how likely it fits."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplan.advice.explain import Rejection, Shortage, memory_rejection
from gpuplan.model.verdict import fits_probability
from gpuplan.question.figures import Range
from gpuplan.search.candidates import among, column
from gpuplan.search.find import Found, Pool, Short, Site
from gpuplan.search.prune import fits_host
from gpuplan.units import GIB


def too_small(found: Found, *, most: int) -> list[Rejection]:
    """Chips of which no machine is large enough, those with most offers first.

    A chip that suffices in some machine, though that machine was beaten, is not among them.
    """
    sites: dict[str, list[int]] = {}
    for index, site in enumerate(found.sites):
        sites.setdefault(site.hardware.machine.chip.id, []).append(index)
    short = {chip: rows for chip, rows in sites.items() if all(row in found.too_small for row in rows)}
    offers = {chip: sum(found.sites[row].offer.size for row in rows) for chip, rows in short.items()}
    order = sorted(short, key=lambda chip: (-offers[chip], chip))[:most]
    return [_rejection(found, chip, short[chip]) for chip in order]


def _rejection(found: Found, chip: str, rows: Sequence[int]) -> Rejection:
    """Memory of the card, memory of the host, or no legal layout at all."""
    sites = list({_shape(found.sites[row]): found.sites[row] for row in rows}.values())
    options = [option for site in sites for option in _least(found, site)]
    if options:
        _, pool, row = min(options, key=lambda option: option[0])
        return memory_rejection(chip, _shortage(pool, row, sites))
    one = min((found.too_small[row] for row in rows), key=lambda short: short.host_needed)
    return _without_host(chip, one)


def _shape(site: Site) -> tuple[object, ...]:
    """What decides which layouts a site of a chip can have."""
    return site.gpus, tuple(site.counts.tolist()), site.hardware.machine.host_bytes


def _least(found: Found, site: Site) -> Iterator[tuple[float, Pool, int]]:
    """The layout that needs least of the card, of each pool that has a legal one within the host."""
    for pool in found.pools[site.bf16]:
        layout, host = pool.candidates.layout, site.hardware.machine.host_bytes
        size, total = column(layout, "gpus_per_node"), column(layout, "n_gpus")
        here: NDArray[np.bool_] = (size == site.gpus) & among(total / site.gpus, site.counts)
        here &= fits_host(pool.memory.host_bytes_per_node, host, layout.offload)
        if np.any(here):
            needed = np.where(here, pool.needed.typical, np.inf)
            yield float(np.min(needed)), pool, int(np.argmin(needed))


def _shortage(pool: Pool, row: int, sites: Sequence[Site]) -> Shortage:
    n, needed = len(pool.candidates), pool.needed
    low, typical, high = (float(np.broadcast_to(end, n)[row]) for end in (needed.low, needed.typical, needed.high))
    capacity = float(sites[0].hardware.machine.chip.memory_bytes)
    phases = {name: float(np.broadcast_to(size, n)[row]) for name, size in pool.memory.phases.items()}
    here = Range(low=low, typical=typical, high=high)
    return Shortage(
        needed=here,
        capacity_bytes=capacity,
        fits_probability=float(fits_probability(here, capacity)),
        phase=max(phases, key=lambda name: phases[name]),
        gpus=float(column(pool.candidates.layout, "n_gpus")[row]),
        is_alone=all(site.counts.size < site.nodes.size for site in sites),
        most_gpus=max(site.gpus * float(np.max(site.counts)) for site in sites if site.counts.size),
    )


def _without_host(chip: str, short: Short) -> Rejection:
    if np.isfinite(short.host_needed) and short.host is not None:
        numbers = {"needed_gib": short.host_needed / GIB, "host_gib": short.host / GIB}
        return Rejection(what=chip, reason="host", numbers=numbers)
    return Rejection(what=chip, reason="layout")

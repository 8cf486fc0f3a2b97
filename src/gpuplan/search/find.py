"""The search: every machine shape x node count x layout, as arrays; the result is points to rank and reasons.

Memory is computed once for all layouts (it needs no machine), time only for layouts that fit and only on machine
shapes that can still win: a shape whose best imaginable point is beaten in cost and in time by real points of two
providers is left out without computing it. Imagined is every chip at `BEST_SHARE` of its peak; once some were timed,
at `HOPE` times the best share seen; once the same chip was, at the GPU time of a row seen there, less `SLACK`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.model.hardware import Hardware
from gpuplan.model.memory import memory_of
from gpuplan.model.step import step_of
from gpuplan.model.terms import Memory, Step
from gpuplan.model.verdict import FITS, fits_probability
from gpuplan.question.data_size import Data, padded_len
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout
from gpuplan.search.candidates import Candidates, Fleet, among, candidates_of, column, take
from gpuplan.search.charge import Run, charge
from gpuplan.search.prune import HOST_SHARE, fastest_each, fits_host, worth_timing
from gpuplan.search.rank import Points, chosen, joined_points
from gpuplan.search.seen import Seen
from gpuplan.search.variant import Variant
from gpuplan.units import Num

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

BEST_SHARE: Final = 0.8
"""Of the dense peak: more than any measured matrix product reaches (MAMF: 795 of 989 TFLOP/s on H100)."""
SLACK: Final = 0.1
"""A shape with other links may be this much faster a GPU than the best one timed (more memory left, other batches)."""
HOPE: Final = 1.5
"""A chip not yet timed may use its peak this much better than the best one timed."""
ENOUGH_SEEN: Final = 4
"""Sites to be timed before that is believed."""
NeededOf = Callable[[Memory, Job], Range]
SecondsOf = Callable[[Step, Job, Hardware], Range]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One machine shape, the node counts to try, and what it costs at whom; arrays have one entry an offer."""

    hardware: Hardware
    nodes: Floats
    bf16: bool
    peak_flops: float
    offer: Ints
    provider: Ints
    price_per_hour: Floats
    """USD a node; 0 for own hardware without a price."""
    is_spot: NDArray[np.bool_]
    host_bytes: Floats
    """Memory of the offer's host; nan where nobody states it. The machine's own figure is the most of these."""

    @property
    def gpus(self) -> int:
        """GPUs of one node."""
        return self.hardware.machine.n_gpus

    @property
    def counts(self) -> Floats:
        """Node counts that can be computed: one, where nobody states the network."""
        known = self.hardware.machine.nic_bytes_per_s_per_gpu is not None
        return self.nodes if known else self.nodes[self.nodes == 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """All legal layouts of one variant with their memory; needs no machine."""

    variant: Variant
    candidates: Candidates
    memory: Memory
    needed: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """The fastest layout of each node count on one shape; arrays have one entry a node count."""

    site: int
    nodes: Floats
    pool: Ints
    row: Ints
    step_s: Floats
    step_low_s: Floats
    step_high_s: Floats
    checkpoint_bytes: Floats
    host_bytes: Floats
    """Host memory that the layout needs on each node."""
    offloads: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """A site on which nothing fits: the least bytes that a layout needs of the card, and of each host."""

    needed: float
    """For sure, within the host; inf where no layout is within it."""
    capacity: float
    host_needed: float
    """inf where no layout is legal."""
    host: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the search knows in the end."""

    sites: Sequence[Site]
    pools: Mapping[bool, Sequence[Pool]]
    timed: Sequence[Timed]
    points: Points
    """`layout` of a point is an index into the node counts of `timed[chip]`; `chip` is an index into `timed`."""
    too_small: Mapping[int, Short]
    """By site."""
    considered: int
    pruned: Counter[str]


def find(
    sites: Sequence[Site],
    variants: Mapping[bool, Sequence[Variant]],
    *,
    data: Data,
    run: Run,
    least_flops_per_row: float,
    needed_of: NeededOf,
    seconds_of: SecondsOf,
    least_probability: float = FITS,
) -> Found:
    """Every point worth ranking; a layout counts as fitting from `least_probability` on."""
    pools = {}
    for bf16 in (True, False):
        fleet = _fleet([site for site in sites if site.bf16 == bf16])
        pools[bf16] = pools_of(fleet, variants[bf16], run.global_batch, needed_of=needed_of)
    search = _Search(
        sites=sites, pools=pools, data=data, run=run, least_flops_per_row=least_flops_per_row, seconds_of=seconds_of,
        least_probability=least_probability,
    )  # fmt: skip
    for index in cheapest_first(sites, run, least_flops_per_row):
        search.visit(index)
    for pool in (*pools[True], *pools[False]):
        search.pruned.update({f"layout.{reason}": count for reason, count in pool.candidates.pruned.items()})
    return Found(
        sites=sites,
        pools=pools,
        timed=search.timed,
        points=joined_points(search.points),
        too_small=search.too_small,
        considered=search.considered,
        pruned=search.pruned,
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    """One search under way: what was timed, what was left out and why."""

    sites: Sequence[Site]
    pools: Mapping[bool, Sequence[Pool]]
    data: Data
    run: Run
    least_flops_per_row: float
    seconds_of: SecondsOf
    least_probability: float
    timed: list[Timed] = field(default_factory=list)
    points: list[Points] = field(default_factory=list)
    too_small: dict[int, Short] = field(default_factory=dict)
    considered: int = 0
    pruned: Counter[str] = field(default_factory=Counter)
    seen: Seen = field(default_factory=Seen)
    shape_rows: dict[tuple[str, int, float | None], list[Ints]] = field(default_factory=dict)

    def visit(self, index: int) -> None:
        """Times a site, or counts why not."""
        site = self.sites[index]
        own = self.pools[site.bf16]
        self.considered += sum(int(np.count_nonzero(_here(pool, site))) for pool in own)
        rows = self._rows(site, own)
        if not any(part.size for part in rows):
            self.too_small[index] = _short(own, site)
            self.pruned["memory"] += sum(int(np.count_nonzero(_here(pool, site))) for pool in own)
            return
        if self.seen.beat(*_imagined(site, own, rows, run=self.run, gpu_s_per_row=self._least_gpu_s(site))):
            self.pruned["beaten"] += sum(part.size for part in rows)
            return
        best = _timed(index, site, own, rows, data=self.data, seconds_of=self.seconds_of)
        if best.nodes.size:
            self._keep(best, site)

    def _rows(self, site: Site, pools: Sequence[Pool]) -> list[Ints]:
        """Layouts of each pool that fit the site; the part that depends on the card alone is kept for its sisters."""
        machine, offloads = site.hardware.machine, any(max(pool.variant.offload) > 0 for pool in pools)
        key = (machine.chip.id, site.gpus, machine.host_bytes if offloads else None)
        if key not in self.shape_rows:
            self.shape_rows[key] = [_fitting(pool, site, self.least_probability, offloads) for pool in pools]
        return _first_that_fits(pools, [_on_site(p, r, site) for p, r in zip(pools, self.shape_rows[key], strict=True)])

    def _least_gpu_s(self, site: Site) -> float:
        """GPU seconds of a row that no site with this chip is below."""
        known = self.seen.gpu_s_per_row.get(site.hardware.machine.chip.id, 0.0) * (1 - SLACK)
        share = min(BEST_SHARE, HOPE * self.seen.best_share) if len(self.timed) >= ENOUGH_SEEN else BEST_SHARE
        return max(known, self.least_flops_per_row / (site.peak_flops * share))

    def _keep(self, best: Timed, site: Site) -> None:
        priced = _points(best, site, self.run, place=len(self.timed))
        self.timed.append(best)
        self.points.append(priced)
        self.seen.add(priced)
        gpu_s = float(np.min(best.step_s * best.nodes)) * site.gpus / self.run.global_batch
        chip = site.hardware.machine.chip.id
        self.seen.gpu_s_per_row[chip] = min(gpu_s, self.seen.gpu_s_per_row.get(chip, np.inf))
        self.seen.best_share = max(self.seen.best_share, self.least_flops_per_row / (gpu_s * site.peak_flops))


def time_of(pool: Pool, layout: Layout, hardware: Hardware, *, data: Data, seconds_of: SecondsOf) -> Range:
    """Seconds of a step of each layout, rows padded to the longest of their micro-batch at the typical mean."""
    job = replace(pool.variant.job, time_len=padded_len(data, data.mean_len.typical, layout.micro_batch))
    found, shape = seconds_of(step_of(job, layout, hardware), job, hardware), np.shape(layout.n_gpus)
    low, typical, high = (np.broadcast_to(end, shape) for end in _ends(found))
    return Range(low=low, typical=typical, high=high)


def pools_of(fleet: Fleet, variants: Sequence[Variant], global_batch: float, *, needed_of: NeededOf) -> list[Pool]:
    """Legal layouts and their memory on every node count of a fleet."""
    pools = []
    for variant in variants if fleet.nodes.size else ():
        candidates = candidates_of(variant, fleet, global_batch=global_batch)
        memory = memory_of(variant.job, candidates.layout)
        needed = needed_of(memory, variant.job)
        pools.append(Pool(variant=variant, candidates=candidates, memory=memory, needed=needed))
    return pools


def _fleet(sites: Sequence[Site]) -> Fleet:
    """Node counts that some site wants."""
    wanted = sorted({(site.gpus, n) for site in sites for n in site.counts.tolist()})
    return Fleet(
        gpus_per_node=np.array([float(gpus) for gpus, _ in wanted]), nodes=np.array([float(n) for _, n in wanted])
    )


def _here(pool: Pool, site: Site) -> NDArray[np.bool_]:
    """Layouts of the site's node size and node counts."""
    layout = pool.candidates.layout
    gpus, total = column(layout, "gpus_per_node"), column(layout, "n_gpus")
    here: NDArray[np.bool_] = (gpus == site.gpus) & among(total / site.gpus, site.counts)
    return here


def _fitting(pool: Pool, site: Site, least_probability: float, offloads: bool) -> Ints:
    """Layouts of the site's node size that fit its card (and host, where some offload) and could be the fastest."""
    layout, machine = pool.candidates.layout, site.hardware.machine
    here = column(layout, "gpus_per_node") == site.gpus
    # Below one half no threshold is ever met; the costly probability is computed for the rest alone.
    here &= np.broadcast_to(pool.needed.typical, here.shape) <= machine.chip.memory_bytes
    if offloads:
        here &= fits_host(pool.memory.host_bytes_per_node, machine.host_bytes, layout.offload)
    rows = np.flatnonzero(here)
    low, typical, high = (np.broadcast_to(end, here.shape)[rows] for end in _ends(pool.needed))
    chance = fits_probability(Range(low=low, typical=typical, high=high), machine.chip.memory_bytes)
    here[rows] = np.asarray(chance) >= least_probability - 1e-6
    return worth_timing(layout, here)


def _ends(found: Range) -> tuple[Num, Num, Num]:
    return found.low, found.typical, found.high


def _on_site(pool: Pool, rows: Ints, site: Site) -> Ints:
    """Of fitting layouts those of the site's node counts and within its host."""
    if not rows.size:
        return rows
    layout = pool.candidates.layout
    needed = np.broadcast_to(pool.memory.host_bytes_per_node, len(pool.candidates))[rows]
    host = fits_host(needed, site.hardware.machine.host_bytes, column(layout, "offload")[rows])
    return rows[host & among(column(layout, "n_gpus")[rows] / site.gpus, site.counts)]


def _first_that_fits(pools: Sequence[Pool], rows: Sequence[Ints]) -> list[Ints]:
    """Rows without those node counts of adapters that fit already with the base replicated.

    Cutting frozen weights over GPUs adds traffic and saves nothing but memory.
    """
    if not pools or pools[0].variant.job.policy.trains != "adapter":
        return list(rows)
    kept, done = [], np.zeros(0)
    for pool, part in zip(pools, rows, strict=True):
        counts = column(pool.candidates.layout, "n_gpus")[part]
        kept.append(part[~among(counts, done)])
        done = np.array(sorted({*done.tolist(), *counts.tolist()}))
    return kept


def _short(pools: Sequence[Pool], site: Site) -> Short:
    """What the layouts of the site's node counts need at the least."""
    machine = site.hardware.machine
    needed, host_needed = np.inf, np.inf
    for pool in pools:
        here, host = _here(pool, site), pool.memory.host_bytes_per_node
        if np.any(here):
            host_needed = min(host_needed, float(np.min(np.broadcast_to(host, here.shape)[here])))
        here &= fits_host(host, machine.host_bytes, pool.candidates.layout.offload)
        if np.any(here):
            needed = min(needed, float(np.min(np.broadcast_to(pool.needed.high, here.shape)[here])))
    capacity = float(machine.chip.memory_bytes)
    return Short(needed=needed, capacity=capacity, host_needed=host_needed, host=machine.host_bytes)


def cheapest_first(sites: Sequence[Site], run: Run, least_flops_per_row: float) -> list[int]:
    """Sites in the order of the least cost that they could have."""
    seconds = [run.rows * least_flops_per_row / (site.gpus * site.peak_flops * BEST_SHARE) for site in sites]
    return sorted(range(len(sites)), key=lambda i: (seconds[i] * float(np.min(sites[i].price_per_hour)), seconds[i], i))


def _imagined(
    site: Site, pools: Sequence[Pool], rows: Sequence[Ints], *, run: Run, gpu_s_per_row: float
) -> tuple[Floats, Floats]:
    """Cost and seconds no real point of the site can be below."""
    counts = [column(pool.candidates.layout, "n_gpus")[part] for pool, part in zip(pools, rows, strict=True)]
    n_gpus = np.array(sorted(set(np.concatenate(counts).tolist())))
    ideal = charge(
        run, gpu_s_per_row * run.global_batch / n_gpus, n_gpus=n_gpus, n_nodes=n_gpus / site.gpus, checkpoint_bytes=0.0,
        price_per_hour=float(np.min(site.price_per_hour)),
    )  # fmt: skip
    return np.broadcast_to(ideal.cost.total, n_gpus.shape), np.broadcast_to(ideal.total_s, n_gpus.shape)


def _timed(
    index: int, site: Site, pools: Sequence[Pool], rows: Sequence[Ints], *, data: Data, seconds_of: SecondsOf
) -> Timed:
    """Fastest layout of each node count over all variants; node counts without a known network are left out."""
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in _COLUMNS}
    for place, (pool, part) in enumerate(zip(pools, rows, strict=True)):
        if not part.size:
            continue
        layout, memory, n = take(pool.candidates.layout, part), pool.memory, len(pool.candidates)
        seconds = time_of(pool, layout, site.hardware, data=data, seconds_of=seconds_of)
        values: tuple[Any, ...] = (
            column(layout, "n_gpus") / site.gpus, np.full(part.size, place), part,
            seconds.typical, seconds.low, seconds.high,
            np.broadcast_to(memory.checkpoint_bytes, n)[part], np.broadcast_to(memory.host_bytes_per_node, n)[part],
            column(layout, "offload") > 0,
        )  # fmt: skip
        for name, value in zip(_COLUMNS, values, strict=True):
            columns[name].append(value)
    table = {name: np.concatenate(parts) for name, parts in columns.items()}
    best = fastest_each(table["nodes"], table["step_s"])
    best = best[np.isfinite(table["step_s"][best])]
    return Timed(site=index, **{name: values[best] for name, values in table.items()})


_COLUMNS: Final = (
    "nodes", "pool", "row", "step_s", "step_low_s", "step_high_s", "checkpoint_bytes", "host_bytes", "offloads",
)  # fmt: skip


def _points(best: Timed, site: Site, run: Run, *, place: int) -> Points:
    """Each offer of the site with each node count, but for nodes that would start longer than they work."""
    n_offers, n_counts = site.offer.size, best.nodes.size
    nodes, step, stored = (np.tile(a, n_offers) for a in (best.nodes, best.step_s, best.checkpoint_bytes))
    price, spot = np.repeat(site.price_per_hour, n_counts), np.repeat(site.is_spot, n_counts)
    there = np.repeat(site.host_bytes, n_counts)
    unknown, needed = np.isnan(there), np.tile(best.host_bytes, n_offers)
    suffices = np.where(unknown, ~np.tile(best.offloads, n_offers), needed <= HOST_SHARE * there)
    cost = charge(
        run, step, n_gpus=nodes * site.gpus, n_nodes=nodes, checkpoint_bytes=stored, price_per_hour=price,
        spot=spot.astype(float),
    )  # fmt: skip
    idle = np.less(cost.work_s, cost.start_s) & (nodes > np.min(best.nodes))
    points = Points(
        offer=np.repeat(site.offer, n_counts),
        provider=np.repeat(site.provider, n_counts),
        chip=np.full(n_offers * n_counts, place),
        nodes=nodes,
        n_gpus=nodes * site.gpus,
        layout=np.tile(np.arange(n_counts), n_offers),
        cost=np.array(np.broadcast_to(cost.cost.total, nodes.shape)),
        duration_s=np.array(np.broadcast_to(cost.total_s, nodes.shape)),
        is_spot=spot,
    )
    return chosen(points, suffices & ~idle)

"""The search against a search without short cuts, on invented machines."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from pytest import approx

from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.machines import machine_of, with_fabric
from gpuplan.model.estimate import Hardware, memory_of, step_of
from gpuplan.model.terms import Memory, Step
from gpuplan.question.data_size import data_of
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.search.candidates import Fleet, candidates_of
from gpuplan.search.charge import charge, run_of
from gpuplan.search.find import Found, Site, cheapest_first, find
from gpuplan.search.rank import front, within
from gpuplan.search.variant import Variant
from tests.unit.factories import HF, LLAMA_3_8B, full_job

NODES = np.array([1.0, 2.0, 4.0])
BATCH = 64.0
DATA = data_of(2048.0, True, samples=None, tokens=5e8, mean_len=None)
RUN = run_of(DATA, BATCH, runs=1.0, weight_bytes=1.6e10)
VARIANTS = (
    Variant(job=full_job(LLAMA_3_8B, HF), zero=(2,)),
    Variant(job=full_job(LLAMA_3_8B, HF), zero=(3,), offload=(0, 1, 2)),
)
CHIPS = ("A100-40GB-SXM4", "A100-80GB-SXM4", "H100-80GB-SXM5", "L40S", "RTX-4090", "H200-141GB-SXM5", "T4")


def needed_of(memory: Memory, job: Job) -> Range:
    return Range(low=memory.peak_bytes * 0.9, typical=memory.peak_bytes * 1.0, high=memory.peak_bytes * 1.1)


def seconds_of(step: Step, job: Job, hardware: Hardware) -> Range:
    return Range(low=step.total_s * 0.5, typical=step.total_s, high=step.total_s * 2.0)


@pytest.fixture(scope="module")
def sites() -> list[Site]:
    facts = open_catalogue()
    found = []
    for i, (name, gpus) in enumerate(product(CHIPS, (4, 8))):
        chip = facts.chips[name]
        machine = with_fabric(machine_of(chip, gpus, host_gib=500.0), 25e9, fabric="test", rdma=True)
        hardware = Hardware(
            machine=machine, donor=facts.chips[chip.donor], kernels=facts.kernels(chip), efficiency=facts.efficiency
        )
        prices = gpus * np.array([1.0, 1.3]) * chip.peak_flops.get("bf16", 6e13) / 3e14 * (1 + 0.1 * (i % 3))
        found.append(
            Site(
                hardware=hardware, nodes=NODES, bf16=True, peak_flops=chip.peak_flops.get("bf16", 6e13),
                offer=np.array([2 * i, 2 * i + 1]), provider=np.array([i % 4, (i + 1) % 4]), price_per_hour=prices,
                is_spot=np.array([i % 2 == 0, False]), host_bytes=np.array([500.0, 500.0]) * 2**30,
            )
        )  # fmt: skip
    return found


def searched(sites: list[Site], least_flops: float) -> Found:
    return find(
        sites, {True: VARIANTS, False: ()}, data=DATA, run=RUN, least_flops_per_row=least_flops, needed_of=needed_of,
        seconds_of=seconds_of,
    )  # fmt: skip


def exhaustive(sites: list[Site]) -> list[tuple[float, float]]:
    """Cost and seconds of the front over every offer, node count and layout, one by one machine."""
    pairs = []
    for site in sites:
        gpus = float(site.gpus)
        fleet = Fleet(gpus_per_node=np.full(3, gpus), nodes=NODES)
        for variant in VARIANTS:
            layout = candidates_of(variant, fleet, global_batch=BATCH).layout
            memory = memory_of(variant.job, layout)
            machine = site.hardware.machine
            fits = np.asarray(memory.peak_bytes * 1.1 <= machine.chip.memory_bytes)
            fits = fits & (np.asarray(memory.host_bytes_per_node) <= 0.9 * machine.host_bytes)  # type: ignore[operator]
            seconds = np.broadcast_to(step_of(variant.job, layout, site.hardware).total_s, fits.shape)
            for price, spot in zip(site.price_per_hour, site.is_spot, strict=True):
                cost = charge(
                    RUN, seconds, n_gpus=layout.n_gpus, n_nodes=layout.n_gpus / gpus,
                    checkpoint_bytes=memory.checkpoint_bytes, price_per_hour=float(price), spot=float(spot),
                )  # fmt: skip
                pairs += zip(np.asarray(cost.cost.total)[fits], np.asarray(cost.total_s)[fits], strict=True)
    return sorted((float(c), float(s)) for c, s in pairs)


def test_the_front_is_that_of_a_search_without_short_cuts(sites: list[Site]) -> None:
    found = searched(sites, 4.5e13)
    kept = front(found.points, within(found.points, budget=None, deadline_s=None))
    best, expected = np.inf, []
    for cost, seconds in exhaustive(sites):
        if seconds < best * (1 - 1e-9):
            expected.append((cost, seconds))
            best = seconds
    got = [(float(found.points.cost[i]), float(found.points.duration_s[i])) for i in kept]
    assert got == [approx(pair, rel=1e-6) for pair in expected]
    assert found.pruned["beaten"] > 0, "the test must exercise the short cut"
    assert len(found.timed) <= 11, "a shape that cannot win is not timed"


def test_a_card_on_which_nothing_fits_is_reported_with_its_figures(sites: list[Site]) -> None:
    found = searched(
        [
            replace(
                site,
                nodes=np.array([1.0]),
                host_bytes=site.host_bytes * 0.01,
                hardware=replace(site.hardware, machine=replace(site.hardware.machine, host_bytes=50.0 * 2**30)),
            )
            for site in sites
        ],
        4.5e13,
    )
    small = {found.sites[i].hardware.machine.chip.id for i in found.too_small}
    assert "T4" in small
    for index, short in found.too_small.items():
        assert short.needed > short.capacity == found.sites[index].hardware.machine.chip.memory_bytes
        gpus = float(found.sites[index].gpus)
        least = np.inf
        for variant in VARIANTS:
            fleet = Fleet(gpus_per_node=np.array([gpus]), nodes=np.array([1.0]))
            layout = candidates_of(variant, fleet, global_batch=BATCH).layout
            bytes_ = np.broadcast_to(memory_of(variant.job, layout).peak_bytes, np.shape(layout.n_gpus))
            least = min(least, float(np.min(bytes_[np.asarray(layout.offload) == 0])) * 1.1)
        assert short.needed == approx(least)


def test_a_host_that_is_too_small_is_told_apart_from_a_card_that_is(sites: list[Site]) -> None:
    site = sites[0]
    machine = replace(site.hardware.machine, host_bytes=1.0 * 2**30)
    found = searched([replace(site, hardware=replace(site.hardware, machine=machine))], 4.5e13)
    short = found.too_small[0]
    assert np.isinf(short.needed) and short.host_needed > 0.9 * 2**30 and short.host == 2**30


def test_an_unknown_network_means_one_node(sites: list[Site]) -> None:
    alone = [
        replace(
            site,
            nodes=NODES,
            hardware=replace(
                site.hardware,
                machine=replace(site.hardware.machine, nic_bytes_per_s_per_gpu=None, fabric=None, rdma=False),
            ),
        )
        for site in sites
    ]
    found = searched(alone, 4.5e13)
    assert len(found.points) and set(found.points.nodes.tolist()) == {1.0}


def test_an_offer_without_enough_host_memory_is_not_offered_for_offload(sites: list[Site]) -> None:
    site = next(s for s in sites if s.hardware.machine.chip.id == "T4" and s.gpus == 4)
    one = replace(site, nodes=np.array([1.0]), host_bytes=np.array([500.0, 40.0]) * 2**30)
    found = searched([one], 4.5e13)
    assert found.timed[0].offloads.all()
    assert found.points.offer.tolist() == [one.offer[0]]
    unknown = replace(one, host_bytes=np.array([500.0 * 2**30, np.nan]))
    assert searched([unknown], 4.5e13).points.offer.tolist() == [one.offer[0]]


def test_nodes_that_would_start_longer_than_they_work_are_not_offered(sites: list[Site]) -> None:
    site = next(s for s in sites if s.hardware.machine.chip.id == "H100-80GB-SXM5" and s.gpus == 8)
    small = run_of(
        data_of(2048.0, True, samples=None, tokens=5e7, mean_len=None), BATCH, runs=1.0, weight_bytes=1.6e10
    )  # fmt: skip
    one = find(
        [site], {True: VARIANTS, False: ()}, data=DATA, run=small, least_flops_per_row=4.5e13, needed_of=needed_of,
        seconds_of=seconds_of,
    )  # fmt: skip
    steps = np.ceil(small.rows / BATCH)
    for place, nodes in enumerate(one.timed[0].nodes):
        works = one.timed[0].step_s[place] * steps
        offered = bool(np.any(one.points.nodes == nodes))
        assert offered == (works >= 12 * 60 or nodes == 1)
    assert set(one.points.nodes.tolist()) < set(NODES.tolist())


def test_considered_counts_every_legal_layout_of_every_shape(sites: list[Site]) -> None:
    found = searched(sites, 4.5e13)
    total = 0
    for site in sites:
        for variant in VARIANTS:
            fleet = Fleet(gpus_per_node=np.full(3, float(site.gpus)), nodes=NODES)
            total += len(candidates_of(variant, fleet, global_batch=BATCH))
    assert found.considered == total
    assert found.pruned["layout.batch"] > 0


def test_shapes_that_differ_in_their_host_alone_are_judged_apart(sites: list[Site]) -> None:
    site = next(s for s in sites if s.hardware.machine.chip.id == "T4" and s.gpus == 4)

    def with_host(gib: float) -> Site:
        machine = replace(site.hardware.machine, host_bytes=gib * 2**30)
        hosts = np.full(2, gib * 2**30)
        hardware = replace(site.hardware, machine=machine)
        return replace(site, nodes=np.array([1.0]), hardware=hardware, host_bytes=hosts)

    for pair in ((500.0, 40.0), (40.0, 500.0)):
        found = searched([with_host(gib) for gib in pair], 4.5e13)
        assert set(found.too_small) == {pair.index(40.0)}
        assert {found.sites[one.site].hardware.machine.host_bytes for one in found.timed} == {500.0 * 2**30}


def test_the_cheapest_shapes_are_visited_first(sites: list[Site]) -> None:
    order = cheapest_first(sites, RUN, 4.5e13)
    work = [float(np.min(sites[i].price_per_hour)) / (sites[i].gpus * sites[i].peak_flops) for i in order]
    assert work == approx(sorted(work)) and sorted(order) == list(range(len(sites)))

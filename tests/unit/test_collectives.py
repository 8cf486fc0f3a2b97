"""Collectives: measured inside a node, by the network between nodes, and laws that hold everywhere."""

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from gpuplan.data.chips import load_chips
from gpuplan.data.kernels import load_kernels
from gpuplan.facts.machine import Machine
from gpuplan.model.collectives import collective_s, group_span, joined_gpus

KINDS: Final = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
H100, H200, L40S, PRO6000 = "H100-80GB-SXM5", "H200-141GB-SXM5", "L40S", "RTX-PRO-6000-SE"
HOST: Final = {"link_kind": "PCIe through host memory", "link_bytes_per_s": 20e9}


def machine(chip: str = H100, **change: Any) -> Machine:
    """A node of eight with 400 Gbit/s a GPU and the chip's own link."""
    card = load_chips()[chip]
    known: dict[str, Any] = {
        "chip": card,
        "n_gpus": 8,
        "link_kind": card.link_kind,
        "link_bytes_per_s": card.link_bytes_per_s or card.pcie_bytes_per_s,
        "link_domain_gpus": 8,
        "fabric": "InfiniBand",
        "nic_bytes_per_s_per_gpu": 50e9,
        "rdma": True,
        "vcpus": None,
        "host_bytes": None,
        "nvme_bytes": None,
        "source": "test",
        "confidence": "high",
    }
    return Machine(**(known | change))


def seconds(box: Machine, kind: str, *, bytes_: Any, ranks: Any = 8.0, nodes: Any = 1.0) -> Any:
    kernels = load_kernels(box.chip.donor)
    return collective_s(kernels, box, kind, bytes_=bytes_, ranks_in_node=ranks, nodes=nodes)


# ---- inside a node -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "ranks", "bytes_", "microseconds"),
    [  # measured, H100 with NVSwitch
        ("all_reduce", 8, 2**29, 2111.06), ("all_gather", 8, 2**29, 1401.5), ("reduce_scatter", 4, 2**29, 1299.82),
        ("all_to_all", 2, 2**29, 958.87), ("all_reduce", 8, 512, 15.59), ("all_gather", 2, 512, 5.31),
    ],
)  # fmt: skip
def test_a_measured_collective_takes_its_measured_time(kind: str, ranks: int, bytes_: int, microseconds: float) -> None:
    assert seconds(machine(), kind, bytes_=bytes_, ranks=ranks) == approx(microseconds * 1e-6, rel=1e-3)


@pytest.mark.parametrize("kind", [*KINDS, "p2p"])
@pytest.mark.parametrize("chip", [H100, L40S, PRO6000, "A800-80GB-SXM4", "MI300X", "RTX-3090", "GB200"])
@pytest.mark.parametrize("nodes", [1.0, 2.0, 24.0])
def test_a_larger_message_never_takes_less_time(kind: str, chip: str, nodes: float) -> None:
    sizes = np.concatenate([[0.0], np.geomspace(1, 1e11, 2000)])
    times = seconds(machine(chip), kind, bytes_=sizes, nodes=nodes)
    assert (np.diff(times) >= -1e-15).all()
    assert times[-1] > 100 * times[1]


@given(st.sampled_from(KINDS), st.floats(0, 1e12))
def test_one_rank_alone_waits_for_nobody(kind: str, bytes_: float) -> None:
    for chip in (H100, L40S, "MI300X", "RTX-3090"):
        assert seconds(machine(chip), kind, bytes_=bytes_, ranks=1) == 0


@given(st.sampled_from(KINDS))
def test_an_empty_message_takes_no_time_inside_a_node(kind: str) -> None:
    assert seconds(machine(), kind, bytes_=0.0) == 0
    assert seconds(machine(L40S), kind, bytes_=0.0) == 0


def test_a_cut_down_link_slows_large_messages_by_its_ratio_and_leaves_the_start() -> None:
    full, cut = machine("A100-80GB-SXM4"), machine("A800-80GB-SXM4")
    ratio = seconds(cut, "all_gather", bytes_=1e10) / seconds(full, "all_gather", bytes_=1e10)
    assert ratio == approx(300 / 200, rel=0.02)
    assert seconds(cut, "all_gather", bytes_=512) == approx(seconds(full, "all_gather", bytes_=512))


def test_72_joined_gpus_keep_the_bus_rate_of_the_four_that_were_measured() -> None:
    rack = machine("GB200", n_gpus=4, link_domain_gpus=72)
    assert joined_gpus(rack) == 72
    ratio = seconds(rack, "all_reduce", bytes_=1e10, ranks=72.0) / seconds(rack, "all_reduce", bytes_=1e10, ranks=4.0)
    assert ratio == approx((71 / 72) / (3 / 4))


@pytest.mark.parametrize(
    ("chip", "change", "ranks", "bus_gb_s"),
    [  # bus rates measured on such machines
        ("L40S", HOST, 4, 20), ("V100-16GB-PCIe", HOST, 8, 20), ("RTX-4090", HOST, 2, 20),
        (PRO6000, {"link_kind": "PCIe", "link_bytes_per_s": 25e9}, 8, 24.7),
        ("MI300X", {}, 8, 313), ("MI300X", {}, 2, 45),
        ("V100-32GB-SXM2", {}, 8, 130), ("V100-32GB-SXM2", {"n_gpus": 4, "link_bytes_per_s": 1e11}, 4, 85),
        ("RTX-3090", {"n_gpus": 2}, 2, 47.5), (H100, {}, 8, 445),
    ],
)  # fmt: skip
def test_a_large_all_reduce_runs_at_the_rate_of_its_wires(
    chip: str, change: dict[str, Any], ranks: int, bus_gb_s: float
) -> None:
    large = 2e10
    time_s = seconds(machine(chip, **change), "all_reduce", bytes_=large, ranks=float(ranks))
    assert 2 * (ranks - 1) / ranks * large / time_s / 1e9 == approx(bus_gb_s, rel=0.03)


def test_a_small_ring_through_the_host_starts_in_nine_microseconds_a_doubling() -> None:
    assert seconds(machine(L40S, **HOST), "all_reduce", bytes_=512.0, ranks=4.0) == approx(19e-6, rel=0.02)


# ---- between nodes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "share"),
    [("all_reduce", 2 * 31 / 32 / 8), ("all_gather", 31 / 32 / 8), ("reduce_scatter", 31 / 32 / 8),
     ("all_to_all", 3 / 4)],
)  # fmt: skip
def test_between_nodes_the_slower_of_link_and_network_counts_and_the_rings_start(kind: str, share: float) -> None:
    inside, wire, start = seconds(machine(), kind, bytes_=1e10), share * 1e10 / (0.96 * 50e9), 12e-6 * 6
    expected = max(inside, wire) + start + (start * wire) ** 0.5
    assert seconds(machine(), kind, bytes_=1e10, nodes=4.0) == approx(expected)


@pytest.mark.parametrize(
    ("fabric", "gbit", "chip", "ranks", "nodes", "kind", "bus_gb_s"),
    [  # bus rates of large messages that others measured
        ("InfiniBand NDR", 400, H100, 8, 12, "all_reduce", 386.6), ("EFA", 400, H200, 8, 16, "all_reduce", 369.9),
        ("EFA", 400, "B200-180GB-SXM", 8, 4, "all_reduce", 381.8), ("EFA", 400, H100, 8, 2, "all_reduce", 487),
        ("InfiniBand HDR", 200, "A100-80GB-SXM4", 8, 4, "all_reduce", 159.8),
        ("GPUDirect-TCPXO", 200, H100, 8, 2, "all_gather", 188.7),
        ("GPUDirect-TCPX", 100, H100, 8, 2, "all_gather", 71),
    ],
)  # fmt: skip
def test_large_messages_between_nodes_run_at_the_measured_bus_rate(
    fabric: str, gbit: float, chip: str, ranks: int, nodes: int, kind: str, bus_gb_s: float
) -> None:
    box = machine(chip, fabric=fabric, nic_bytes_per_s_per_gpu=gbit / 8 * 1e9)
    time_s = seconds(box, kind, bytes_=2.0**34, ranks=float(ranks), nodes=float(nodes))
    moved = (1 + (kind == "all_reduce")) * (1 - 1 / (ranks * nodes)) * 2.0**34
    assert moved / time_s / 1e9 == approx(bus_gb_s, rel=0.09)


def test_a_group_sees_only_the_nics_of_its_own_ranks() -> None:
    one, eight = (seconds(machine(), "all_reduce", bytes_=1e10, ranks=r, nodes=4.0) for r in (1.0, 8.0))
    assert one / eight == approx(8 * (3 / 4) / (31 / 32), rel=0.03)


def test_two_nodes_reduce_by_a_tree_and_gather_by_a_ring() -> None:
    reduce, gather = (seconds(machine(), kind, bytes_=1e11, nodes=2.0) for kind in ("all_reduce", "all_gather"))
    assert reduce / gather == approx(2 / 1.3, rel=0.03)


@given(st.sampled_from([*KINDS, "p2p"]), st.floats(0, 1e12))
def test_without_a_known_network_a_second_node_is_never_reached(kind: str, bytes_: float) -> None:
    alone = machine(nic_bytes_per_s_per_gpu=None)
    times = seconds(alone, kind, bytes_=bytes_, nodes=np.array([1.0, 2.0, 9.0]))
    assert np.isfinite(times[0]) and np.isinf(times[1:]).all()


def test_sockets_carry_part_of_what_rdma_does() -> None:
    def wire(gbit: float, rdma: bool) -> float:
        box = machine(L40S, n_gpus=1, nic_bytes_per_s_per_gpu=gbit / 8 * 1e9, rdma=rdma)
        return 1e12 / float(seconds(box, "all_gather", bytes_=2e12, ranks=1.0, nodes=2.0))

    assert wire(100, True) == approx(0.96 * 12.5e9, rel=2e-3)
    assert wire(40, False) == approx(3e9, rel=2e-3)
    assert wire(100, False) == approx(4e9, rel=2e-3)
    assert wire(10, False) == approx(1.17e9, rel=0.01)


def test_a_message_takes_its_bytes_over_the_wire_and_ten_microseconds() -> None:
    times = seconds(machine(), "p2p", bytes_=450e6, nodes=np.array([1.0, 2.0]))
    assert times == approx(np.array([1e-3, 9e-3 / 0.96]) + 10e-6)


@given(st.sampled_from([*KINDS, "p2p"]), st.sampled_from([H100, L40S, "MI300X"]))
def test_many_groups_are_the_same_as_one_by_one(kind: str, chip: str) -> None:
    bytes_ = np.array([0.0, 7.0, 3e5, 4e7, 1e10])
    ranks, nodes = np.array([1.0, 2.0, 3.0, 8.0, 8.0]), np.array([1.0, 4.0, 1.0, 1.0, 3.0])
    many = seconds(machine(chip), kind, bytes_=bytes_, ranks=ranks, nodes=nodes)
    singly = [
        float(seconds(machine(chip), kind, bytes_=b, ranks=r, nodes=n))
        for b, r, n in zip(bytes_, ranks, nodes, strict=True)
    ]
    assert many == approx(np.array(singly), rel=1e-12)


# ---- groups --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inner", "size", "per_node", "span"),
    [(1, 8, 8, (8, 1)), (1, 16, 8, (8, 2)), (8, 4, 8, (1, 4)), (2, 4, 8, (4, 1)), (4, 64, 8, (2, 32)),
     (16, 4, 8, (1, 4)), (1, 1, 8, (1, 1)), (1, 64, 72, (64, 1)), (1, 6, 4, (3, 2)), (3, 4, 8, (2, 2))],
)  # fmt: skip
def test_a_group_fills_nodes_with_the_ranks_its_inner_degrees_leave(
    inner: int, size: int, per_node: int, span: tuple[int, int]
) -> None:
    assert group_span(inner, size, per_node) == span


@given(st.integers(1, 64), st.integers(1, 512), st.integers(1, 72))
def test_ranks_times_nodes_is_the_group(inner: int, size: int, per_node: int) -> None:
    ranks, nodes = group_span(inner, size, per_node)
    assert ranks * nodes == approx(size)
    assert 1 <= ranks <= max(1, per_node / inner) and nodes >= 1


def test_a_machine_is_as_large_as_what_its_link_joins() -> None:
    assert joined_gpus(machine()) == 8
    assert joined_gpus(replace(machine(), link_domain_gpus=2)) == 8

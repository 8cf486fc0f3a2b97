"""Seconds of one collective of a group of ranks: measured inside a node, by the network between nodes.

Sizes are those of the whole message, as nccl-tests counts it: the buffer of an all_reduce, the gathered output of an
all_gather, the whole input of a reduce_scatter, one rank's own input of an all_to_all, the message of a p2p.
A "node" is what the fast link joins: 72 GPUs in an NVL72 rack.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from gpuplan.facts.efficiency import Grid, KernelSet
from gpuplan.facts.machine import Machine
from gpuplan.model.kernels import between
from gpuplan.units import GB, GBIT, MICROSECOND, Num

VOLUME: Final[Mapping[str, float]] = {
    "all_reduce": 2.0, "all_gather": 1.0, "reduce_scatter": 1.0, "all_to_all": 1.0,
}  # fmt: skip
"""Bytes that a ring moves over each cut, over message x (ranks - 1) / ranks."""

HOP_S: Final = 12 * MICROSECOND
"""One hop between nodes (fit on the shared measured runs)."""
MESSAGE_S: Final = 10 * MICROSECOND
"""Start of one point-to-point message (fit on the shared measured runs)."""
PIPELINE: Final = 1.0
"""Of the geometric mean of start and wire time, lost while a ring fills (fit on the shared measured collectives)."""
TWO_NODE_TREE: Final = 1.3
"""Bus rate of an all_reduce over two nodes over that of a ring: a tree (same fit; 1.17 to 1.74 measured)."""
RING_START_S: Final = 9.5 * MICROSECOND
"""Start of a ring without a table, for each doubling of ranks (measured: 9 us over 2 GPUs, 19 us over 4, PCIe 4)."""
LINK_SHARE: Final = 0.85
"""Of a stated link that a ring reaches where no table exists (measured: NVLink bridge 47.5 of 56 GB/s)."""
MESH_SHARE: Final = 0.7
"""Same for one link a pair (measured, xGMI: 8 GPUs 313 of 448 GB/s; 2 of 8 GPUs 48 of 64)."""
MESHES: Final = frozenset({"xGMI", "infinity-fabric", "HCCS"})
"""Links that join each pair by wires of its own: a group sees only those among its ranks."""
SWITCHLESS: Final = frozenset({"Pascal", "Volta"})
"""Architectures whose NVLink is a mesh: a ring reaches 0.85 of its links (measured, V100: 134 of 150, 85 of 100)."""
FABRIC_SHARES: Final = (
    ("TCPXO", 0.94), ("TCPX", 0.70), ("EFA", 0.92), ("HDR", 0.80), ("InfiniBand", 0.96), ("Slingshot", 0.60),
    ("", 0.90),
)  # fmt: skip
"""Of the stated NICs that a ring over 4 and more nodes reaches (measured collectives; the first word that fits)."""
TCP_SHARE: Final = 0.6
"""Of a NIC over TCP sockets (low confidence: four measured machines); 0.94 up to 10 Gbit/s a node."""
TCP_SLOW_SHARE: Final = 0.94
TCP_BYTES_PER_S: Final = 4 * GB
"""Most that one NIC carries over TCP sockets (same machines)."""


def collective_s(
    kernels: KernelSet, machine: Machine, kind: str, *, bytes_: Num, ranks_in_node: Num, nodes: Num
) -> Num:
    """Seconds of one collective over `ranks_in_node` x `nodes` ranks; inf where the network is unknown.

    Where it leaves the node, t = max(intra, wire) + start + sqrt(start wire), start = 12 us (2 log2 nodes + 2):
    a ring has to fill. Else t = intra. A p2p takes message_s.
    """
    if kind == "p2p":
        return message_s(machine, bytes_=bytes_, nodes=nodes)
    intra = in_node_s(kernels, machine, kind, bytes_=bytes_, ranks=ranks_in_node)
    wire = between_nodes_s(machine, kind, bytes_=bytes_, ranks_in_node=ranks_in_node, nodes=nodes)
    start = HOP_S * (2 * np.log2(nodes) + 2)
    away = np.maximum(intra, wire) + start + PIPELINE * np.sqrt(start * wire)
    return np.where(np.greater(nodes, 1), away, intra)


def message_s(machine: Machine, *, bytes_: Num, nodes: Num) -> Num:
    """Seconds of one message between two ranks, in one node or (nodes > 1) in two: bytes / link + 10 us."""
    away = np.greater(nodes, 1)
    network = network_bytes_per_s(machine)
    if network == 0:
        return np.where(away, np.inf, MESSAGE_S + bytes_ / machine.link_bytes_per_s)
    return MESSAGE_S + bytes_ / np.where(away, network, machine.link_bytes_per_s)


def in_node_s(kernels: KernelSet, machine: Machine, kind: str, *, bytes_: Num, ranks: Num) -> Num:
    """Seconds of one collective inside a node: measured table where it fits the link, else a ring; 0 for one rank."""
    if has_table(kernels, machine):
        rate = machine.link_bytes_per_s
        ratio = 1.0 if machine.link_kind == "PCIe" else (kernels.link_bytes_per_s or rate) / rate
        return table_s(kernels.collectives[kind], bytes_=bytes_, ranks=ranks, ratio=ratio)
    return ring_s(kind, bytes_=bytes_, ranks=ranks, bytes_per_s=ring_bytes_per_s(machine, ranks))


def has_table(kernels: KernelSet, machine: Machine) -> bool:
    """True where the measured collectives ran over this kind of link.

    PCIe differs too much from board to board; NVLink before Ampere is a mesh without a switch.
    """
    if not kernels.collectives or kernels.link_kind != machine.link_kind:
        return False
    is_own = machine.chip.id == kernels.chip_id
    return is_own or (machine.link_kind != "PCIe" and machine.chip.arch not in SWITCHLESS)


def table_s(grid: Grid, *, bytes_: Num, ranks: Num, ratio: float) -> Num:
    """Measured seconds, times the link's `ratio` of rates for the part that moves bytes.

    Below the smallest message its time is held, above the largest its rate. Beyond the measured ranks the time
    follows (ranks - 1) / ranks: an extrapolation, 72 ranks from 4.
    """
    sizes, counts = 2 ** grid.axes[1], 2 ** grid.axes[0]
    clipped = np.clip(ranks, counts[0], counts[-1])
    size = np.maximum(bytes_, sizes[0])
    seconds = size * np.exp(between(grid, np.log2(clipped), np.log2(size)))
    start = sizes[0] * np.exp(between(grid, np.log2(clipped), grid.axes[1][0]))
    spread = cut_share(ranks) / cut_share(clipped)
    return np.where(np.greater(bytes_, 0), (start + (seconds - start) * ratio) * spread, 0.0)


def ring_s(kind: str, *, bytes_: Num, ranks: Num, bytes_per_s: Num) -> Num:
    """Seconds of a ring: 9.5 us log2 ranks + volume (ranks - 1) / ranks bytes / rate."""
    start = RING_START_S * np.log2(ranks) * np.greater(bytes_, 0)
    return start + VOLUME[kind] * cut_share(ranks) * bytes_ / bytes_per_s


def between_nodes_s(machine: Machine, kind: str, *, bytes_: Num, ranks_in_node: Num, nodes: Num) -> Num:
    """Seconds on the wire of a ring: volume (ranks - 1) / ranks bytes / (ranks in a node x NIC per GPU).

    In an all_to_all each rank sends its own bytes to other nodes over its own NIC: (nodes - 1) / nodes bytes / NIC.
    """
    rate = network_bytes_per_s(machine)
    if rate == 0:
        return np.where(np.greater(nodes, 1), np.inf, 0.0)
    if kind == "all_to_all":
        return cut_share(nodes) * bytes_ / rate
    tree = np.where(np.equal(nodes, 2) & (kind == "all_reduce"), TWO_NODE_TREE, 1.0)
    return VOLUME[kind] * cut_share(ranks_in_node * nodes) * bytes_ / (ranks_in_node * rate * tree)


def cut_share(parts: Num) -> Num:
    """Share of a message that must leave one of `parts` equal parts: (n - 1) / n."""
    return (parts - 1) / parts


def network_bytes_per_s(machine: Machine) -> float:
    """Usable bytes/s between nodes per GPU; 0 where the network is unknown."""
    nic = machine.nic_bytes_per_s_per_gpu
    if nic is None:
        return 0.0
    if machine.rdma:
        return nic * next(share for word, share in FABRIC_SHARES if word in (machine.fabric or ""))
    slow = nic * machine.n_gpus <= 10 * GBIT
    return nic * TCP_SLOW_SHARE if slow else min(nic * TCP_SHARE, TCP_BYTES_PER_S)


def ring_bytes_per_s(machine: Machine, ranks: Num) -> Num:
    """Ring rate over a link without a measured table; a PCIe machine states what its ring reaches."""
    if machine.link_kind in MESHES:
        joined = np.maximum(ranks - 1, 1) / max(machine.n_gpus - 1, 1)
        return MESH_SHARE * machine.link_bytes_per_s * np.minimum(joined, 1.0)
    if (machine.link_kind or "PCIe").startswith("PCIe"):
        return machine.link_bytes_per_s
    return LINK_SHARE * machine.link_bytes_per_s


def joined_gpus(machine: Machine) -> int:
    """GPUs of one "node" for `group_span`: the box, or the rack where the fast link joins boxes."""
    return max(machine.n_gpus, machine.link_domain_gpus)


def group_span(inner: Num, size: Num, gpus_per_node: Num) -> tuple[Num, Num]:
    """Ranks in a node and nodes of a group of `size` ranks that lie `inner` apart.

    Ranks are numbered tensor first, then context x data, then pipeline; `inner` is the product of the degrees
    before the group's own. Groups that lie across a node's edge by bad luck of division are not looked at.

    >>> [[float(n) for n in group_span(inner, size, 8)] for inner, size in ((8, 4), (1, 16))]
    [[1.0, 4.0], [8.0, 2.0]]
    """
    fitting = np.maximum(1.0, np.floor(gpus_per_node / inner))
    nodes = np.ceil(size / fitting)
    return size / nodes, nodes

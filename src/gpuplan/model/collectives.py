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
from gpuplan.units import GB, MICROSECOND, Num

VOLUME: Final[Mapping[str, float]] = {
    "all_reduce": 2.0, "all_gather": 1.0, "reduce_scatter": 1.0, "all_to_all": 1.0,
}  # fmt: skip
"""Bytes that cross the slowest cut over message x (ranks - 1) / ranks, for a ring."""

HOP_S: Final = 12 * MICROSECOND
"""One hop between nodes (fit on the shared measured runs)."""
MESSAGE_S: Final = 10 * MICROSECOND
"""Start of one point-to-point message (fit on the shared measured runs)."""
RING_START_S: Final = 15 * MICROSECOND
"""Start of a ring without NVLink: 9 us over 2 GPUs, 19 us over 4 (measured on PCIe 4 without peer access)."""
HOST_RING_BYTES_PER_S: Final = 20 * GB
"""Ring over PCIe on a sound host; 2-4 GB/s on poor ones, 28-69 on the best (shared measured boxes)."""
TCP_SHARE: Final = 0.6
"""Of the NIC's rate over TCP sockets (low confidence: four measured machines)."""
TCP_BYTES_PER_S: Final = 4 * GB
"""Most that one NIC carries over TCP sockets (same machines)."""


def collective_s(
    kernels: KernelSet, machine: Machine, kind: str, *, bytes_: Num, ranks_in_node: Num, nodes: Num
) -> Num:
    """Seconds of one collective over `ranks_in_node` x `nodes` ranks; inf where the network is unknown.

    t = max(intra, inter) + 12 us (2 log2 nodes + 2) where it leaves the node, else intra.
    """
    if kind == "p2p":
        return message_s(machine, bytes_=bytes_, nodes=nodes)
    intra = in_node_s(kernels, machine, kind, bytes_=bytes_, ranks=ranks_in_node)
    leaves = np.asarray(nodes) > 1
    return np.where(
        leaves,
        np.maximum(intra, between_nodes_s(machine, kind, bytes_=bytes_, ranks_in_node=ranks_in_node, nodes=nodes)),
        intra,
    )

"""A node: some chips, the links between them, the fabric to other nodes, and the host."""

from dataclasses import dataclass

from gpuplan.facts.chip import Chip


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One node of a kind that can be rented or owned.

    `nic_bytes_per_s_per_gpu is None` means that nobody states the fabric: one node only.
    """

    chip: Chip
    n_gpus: int
    link_kind: str | None
    link_bytes_per_s: float
    """Inside the node, one direction per GPU, as a ring can use it (NVLink, or PCIe where there is none)."""
    link_domain_gpus: int
    """GPUs that reach each other over `link_kind` (72 in an NVL72 rack)."""
    fabric: str | None
    nic_bytes_per_s_per_gpu: float | None
    """Between nodes, one direction, per GPU."""
    rdma: bool
    vcpus: float | None
    host_bytes: float | None
    nvme_bytes: float | None
    source: str
    confidence: str

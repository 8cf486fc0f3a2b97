"""What a ring of GPUs inside one node can use: NVLink, a bridge, a mesh, or PCIe.

Notation: n GPUs of the node, L the chip's link in one direction to all peers, P one direction of PCIe.

| node                              | bytes/s per GPU, one direction | measured (GB/s) |
|-----------------------------------|--------------------------------|-----------------|
| NVSwitch board, NVL72 rack        | L                              | |
| mesh of 8 (xGMI), a link a pair   | L (n-1)/7                      | MI300X 313 (8), 48 (2) |
| V100 hybrid mesh                  | 25, 50, 100, 150 GB/s          | 22.6 (2), 45 (3), 85 (4), 134 (8) |
| bridge, 2 GPUs                    | L                              | 47.5 of 56 |
| PCIe, cards reach each other      | 0.66 P to 4 GPUs, then 0.40 P  | A100 20.8 (4), 12.5 (8) of 31.5; T4 5.3 of 15.8 |
| PCIe through host memory          | 0.19 P                         | 2.2 (4090) to 35 (5090): geometric mean of 8 |

Sources: datasheets for L and P; bus bandwidths of nccl-tests from MooreThreads/SimuMax, VIA-Research/vTrain,
stas00/ml-engineering and NVIDIA/nccl issues. Efficiency of the collective is not in these figures, except for
PCIe, where no better bound is known. A bridge is optional on most cards: it counts only where a node states it
or the chip is sold in pairs (NVL).
"""

import re
from dataclasses import dataclass
from typing import Final

from gpuplan.facts.chip import Chip
from gpuplan.units import GB

PCIE_SHARE_SMALL: Final = 0.66
PCIE_SHARE_LARGE: Final = 0.40
PCIE_SHARE_STAGED: Final = 0.19
PCIE_SMALL_GPUS: Final = 4
PCIE_ASSUMED: Final = 31.504 * GB
"""PCIe 4 x16, taken where no source states the host link (PCI-SIG: 16 GT/s, 128b/130b)."""
V100_MESH: Final = ((2, 25 * GB), (3, 50 * GB), (4, 100 * GB), (6, 50 * GB), (7, 100 * GB), (99, 150 * GB))
"""Up to n GPUs: rate a ring finds in the hybrid mesh of six NVLink2 links a GPU."""
GEFORCE: Final = re.compile(r"(RTX-[2345]0[5-9]0|GTX-)")
"""Consumer cards, on which the stock driver offers no peer access over PCIe (NVIDIA/nccl#1127)."""
MESH_PEERS: Final = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The link of a node as a ring can use it."""

    kind: str | None
    bytes_per_s: float
    domain_gpus: int


def ring_link(chip: Chip, n_gpus: int, *, stated: str = "", stated_bytes_per_s: float | None = None,
              domain_gpus: int | None = None) -> Link:  # fmt: skip
    """The link inside a node of `n_gpus`, from the chip and from what a source states about the node."""
    kind, rate = chip.link_kind or "", stated_bytes_per_s or chip.link_bytes_per_s
    if domain_gpus and domain_gpus > n_gpus and rate:
        return Link(kind=kind, bytes_per_s=rate, domain_gpus=domain_gpus)
    if n_gpus == 1 or not rate or stated.startswith("PCIe") or _is_bridge(kind, stated, chip):
        return _bridge_or_pcie(chip, n_gpus, stated, rate)
    if kind == "NVLink" and chip.id.startswith("P100") and not stated.startswith("NVLink"):
        return pcie_link(chip, n_gpus)
    if kind == "NVLink" and chip.id.startswith("V100"):
        rate = next(mesh for upto, mesh in V100_MESH if n_gpus <= upto)
    if kind == "xGMI":
        rate *= min(n_gpus - 1, MESH_PEERS) / MESH_PEERS
    return Link(kind=kind, bytes_per_s=rate, domain_gpus=n_gpus)


def pcie_link(chip: Chip, n_gpus: int) -> Link:
    """PCIe between the cards of one node, directly or through host memory."""
    pcie = chip.pcie_bytes_per_s or PCIE_ASSUMED
    share = PCIE_SHARE_STAGED
    if reaches_peers(chip):
        share = PCIE_SHARE_SMALL if n_gpus <= PCIE_SMALL_GPUS else PCIE_SHARE_LARGE
    kind = "PCIe" if reaches_peers(chip) else "PCIe through host memory"
    return Link(kind=kind, bytes_per_s=share * pcie, domain_gpus=n_gpus)


def reaches_peers(chip: Chip) -> bool:
    """True where cards read each other's memory over PCIe; consumer cards are taken not to unless stated."""
    return GEFORCE.match(chip.id) is None if chip.p2p_over_pcie is None else chip.p2p_over_pcie


def _is_bridge(kind: str, stated: str, chip: Chip) -> bool:
    return (
        "bridge" in kind or "bridge" in stated or (chip.form_factor is not None and chip.form_factor.startswith("PCIe"))
    )


def _bridge_or_pcie(chip: Chip, n_gpus: int, stated: str, rate: float | None) -> Link:
    """A bridge where one is stated (pairs; four on an H200 NVL), else PCIe."""
    has_bridge = (stated.startswith("NVLink bridge pair") and "/ PCIe" not in stated) or chip.id.endswith("-NVL")
    reach = 4 if chip.id == "H200-141GB-NVL" else 2
    if rate and has_bridge and 1 < n_gpus <= reach:
        return Link(kind="NVLink bridge", bytes_per_s=rate, domain_gpus=n_gpus)
    return pcie_link(chip, n_gpus)

"""Nodes from `files/machines.jsonl`: the link inside, the fabric between, the local disk.

An offer finds its node by exact instance type, then by a pattern of its provider; without one, the link follows
from the chip and the fabric is unknown, so that the machine is planned as a single node.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from gpuplan.data.links import ring_link
from gpuplan.data.shelf import FILES
from gpuplan.errors import FactError, QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.facts.machine import Machine
from gpuplan.question.note import Note, note
from gpuplan.units import GB, GBIT, GIB, TB

FILE: Final = "machines.jsonl"
SAME_SIZES: Final = {"aws-china": "aws"}
"""Providers that sell the sizes of another under the same names."""
MAX_NIC_GBPS: Final = 10_000.0
RDMA_GBPS: Final = 100.0
"""Assumed: from this rate per GPU on, a fabric that the user states bypasses the host."""
RDMA_NAMES: Final = re.compile(r"efa|rdma|roce|infiniband|gpudirect|slingshot|hccs|supernode", re.IGNORECASE)
"""Fabrics that bypass the host by their nature: AWS EFA, Alibaba eRDMA, RoCE, InfiniBand, Google GPUDirect."""
FROM_CHIP: Final = "link from the chip (docs/offers.md); no source states the fabric"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What a source states about a kind of node; figures in base units, None where it is silent."""

    provider: str
    instance_type: str
    match: re.Pattern[str] | None
    chip: str | None
    n_gpus: int | None
    link: str
    link_bytes_per_s: float | None
    domain_gpus: int | None
    fabric: str | None
    nic_bytes_per_s_per_gpu: float | None
    rdma: bool
    nvme_bytes: float | None
    source: str
    confidence: str
    note: str | None


@cache
def load_nodes() -> tuple[Node, ...]:
    """All nodes of the file; one without a source is refused."""
    nodes = []
    with (FILES / FILE).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if not row["source"]:
                raise FactError("fact_no_source", file=FILE, id=row["instance_type"], field="nic_gbps_per_gpu")
            nodes.append(
                Node(
                    provider=row["provider"],
                    instance_type=row["instance_type"],
                    match=re.compile(row["match"]) if row["match"] else None,
                    chip=row["chip"],
                    n_gpus=row["gpus"],
                    link=row["link"] or "",
                    link_bytes_per_s=_scaled(row["link_gb_s_bidirectional"], GB / 2),
                    domain_gpus=row["domain_gpus"],
                    fabric=row["fabric"],
                    nic_bytes_per_s_per_gpu=_scaled(row["nic_gbps_per_gpu"], GBIT),
                    rdma=row["rdma"],
                    nvme_bytes=_scaled(row["nvme_tb"], TB),
                    source=row["source"],
                    confidence=row["confidence"],
                    note=row["note"],
                )
            )
    return tuple(nodes)


@cache
def _index() -> tuple[dict[tuple[str, str], Node], dict[str, list[Node]]]:
    exact = {(node.provider, node.instance_type): node for node in load_nodes()}
    patterns: dict[str, list[Node]] = {}
    for node in load_nodes():
        if node.match:
            patterns.setdefault(node.provider, []).append(node)
    return exact, patterns


def node_of(provider: str, instance_type: str) -> Node | None:
    """The node that a source states for this size, or None."""
    provider = SAME_SIZES.get(provider, provider)
    exact, patterns = _index()
    found = exact.get((provider, instance_type))
    if found is None:
        named = patterns.get(provider, ())
        found = next((node for node in named if node.match and node.match.fullmatch(instance_type)), None)
    return found


def machine_of(chip: Chip, n_gpus: int, *, node: Node | None = None, vcpus: float | None = None,
               host_gib: float | None = None) -> Machine:  # fmt: skip
    """A node of `n_gpus` with what the source states; a fabric without a rate is an unknown fabric."""
    stated = node if node is not None and node.n_gpus in (None, n_gpus) else None
    link = ring_link(
        chip,
        n_gpus,
        stated=node.link if node else "",
        stated_bytes_per_s=node.link_bytes_per_s if node else None,
        domain_gpus=stated.domain_gpus if stated else None,
    )
    nic = stated.nic_bytes_per_s_per_gpu if stated else None
    return Machine(
        chip=chip,
        n_gpus=n_gpus,
        link_kind=link.kind,
        link_bytes_per_s=link.bytes_per_s,
        link_domain_gpus=link.domain_gpus,
        fabric=stated.fabric if stated else None,
        nic_bytes_per_s_per_gpu=nic,
        rdma=bool(stated and nic and stated.rdma),
        vcpus=vcpus,
        host_bytes=_scaled(host_gib, GIB),
        nvme_bytes=stated.nvme_bytes if stated else None,
        source=node.source if node else _source_of_link(chip),
        confidence=node.confidence if node else "low",
    )


def _source_of_link(chip: Chip) -> str:
    unstated = chip.link_kind and chip.link_bytes_per_s is None
    return f"{FROM_CHIP}; speed of {chip.link_kind} not stated, PCIe taken" if unstated else FROM_CHIP


def own_machine(chip: Chip, n_gpus: int, *, nic_gbps_per_gpu: float | None = None) -> Machine:
    """The user's own node: NVLink where the chip's board has a switch, else PCIe; the fabric only if stated."""
    machine = machine_of(chip, n_gpus)
    if nic_gbps_per_gpu is None:
        return machine
    if not 0 < nic_gbps_per_gpu <= MAX_NIC_GBPS:
        raise QuestionError("fabric_rate", value=nic_gbps_per_gpu, limit=MAX_NIC_GBPS)
    rdma = nic_gbps_per_gpu >= RDMA_GBPS
    return with_fabric(machine, nic_gbps_per_gpu * GBIT, fabric="stated", rdma=rdma)


def with_fabric(machine: Machine, nic_bytes_per_s_per_gpu: float, *, fabric: str, rdma: bool) -> Machine:
    """The same node with this fabric."""
    return replace(machine, nic_bytes_per_s_per_gpu=nic_bytes_per_s_per_gpu, fabric=fabric, rdma=rdma)


def is_rdma(fabric: str | None) -> bool:
    """True where a fabric bypasses the host by its name.

    >>> is_rdma("EFA"), is_rdma("RoCE v2"), is_rdma("ethernet (no RDMA)"), is_rdma("4 vNICs"), is_rdma(None)
    (True, True, False, False, False)
    """
    name = (fabric or "").replace("no RDMA", "")
    return RDMA_NAMES.search(name) is not None


def generic_fabric(chip: Chip, nodes: Sequence[Node] | None = None, *, lang: str = "en") -> tuple[float, str, str]:
    """As `assumed_fabric`, the source in `lang`."""
    rate, fabric, source = assumed_fabric(chip, nodes)
    return rate, fabric, source.say(lang)


def assumed_fabric(chip: Chip, nodes: Sequence[Node] | None = None) -> tuple[float, str, Note]:
    """Bytes/s per GPU, name and source of the commonest cloud fabric for several nodes of this chip.

    An assumption where the fabric is not stated. Boards with links of their own are bought to be joined: the
    commonest RDMA fabric of the chip, else of its family, else of its donor. Cards: plain Ethernet of PCIe cloud
    nodes. Of two
    equally common rates the slower.
    """
    nodes = load_nodes() if nodes is None else nodes
    whole = [node for node in nodes if node.nic_bytes_per_s_per_gpu and (node.n_gpus or 0) >= 4]
    family = chip.id.split("-")[0]
    joined = [node for node in whole if node.rdma]
    is_board = not (chip.form_factor or ("board" if chip.link_kind else "PCIe")).startswith("PCIe")
    tries = (
        (chip.id, [node for node in joined if node.chip == chip.id]),
        (family, [node for node in joined if is_board and (node.chip or "").split("-")[0] == family]),
        (chip.donor, [node for node in joined if is_board and node.chip == chip.donor]),
        (chip.id, [node for node in whole if node.chip == chip.id]),
    )
    for name, found in tries:
        if found:
            return _commonest(found, "fabric_generic", name)
    plain = [node for node in whole if node.link.startswith("PCIe") and (node.fabric or "").startswith("ethernet")]
    return _commonest(plain, "fabric_none", chip.id)


def _commonest(nodes: Sequence[Node], key: str, name: str) -> tuple[float, str, Note]:
    rates = Counter(node.nic_bytes_per_s_per_gpu or 0.0 for node in nodes)
    rate = min(rates, key=lambda r: (-rates[r], r))
    fabrics = Counter(node.fabric or "" for node in nodes if node.nic_bytes_per_s_per_gpu == rate)
    return rate, fabrics.most_common(1)[0][0], note(key, chip=name, count=rates[rate])


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit

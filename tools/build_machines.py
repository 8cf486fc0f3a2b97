"""Turns the collected node topologies into the machines file of the package.

    python tools/build_machines.py --shared DIR [--out DIR]

Reads DIR/facts/networks.jsonl, the network column of the Chinese and supplementary offers, and the measured
collective sweeps; writes src/gpuplan/data/files/machines.jsonl, one node shape a line.
A name in the sources that stands for several sizes becomes a pattern (`match`). Units: Gbit/s, GB/s, TB.
"""

import argparse
import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

OUT: Final = Path(__file__).parents[1] / "src" / "gpuplan" / "data" / "files"

PATTERNS: Final = {
    "ND96is_*_H100_v5 (no r)": r"ND96is(_flex|_noIB)?_H100_v5|ND96isf_H100_v5",
    "NC24/48/96ads_A100_v4": r"NC(24|48|96)ads_A100_v4",
    "NC40ads/80adis_H100_v5": r"NC80adis_H100_v5",
    "NC*as_T4_v3": r"NC\d+as_T4_v3",
    "gpu-h100-sxm / gpu-h200-sxm 8gpu": r"gpu-h[12]00-sxm_8gpu.*",
    "8x H100 / B200 (1-Click Clusters)": r"1-click .*",
}
"""Names of networks.jsonl that cover several sizes, as the sizes are called in the offers."""

SKIPPED: Final = {"secure/community pods", "any", "n1 + T4/V100", "n1 + P100/P4", "p6e-gb200.36xlarge"}
"""Not one node shape: the link and the fabric depend on the host or on the size."""

CLUSTERS: Final = {
    ("coreweave/H100", "H100-80GB-SXM5"): ("coreweave", r"8x H[12]00-.*SXM5", 8),
    ("coreweave/A100 HGX", "A100-80GB-SXM4"): ("coreweave", r"8x A100-.*", 8),
    ("coreweave/GB200 NVL72 x2 racks", "GB200"): ("coreweave", r"GB200 NVL72.*", 4),
}
"""Clusters whose NIC rate a measured sweep states: provider, pattern of the offers' names, GPUs a node."""


def main() -> None:
    """Read, convert, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    shared = args.shared
    rows = list(topologies(shared / "facts"))
    stated = {(row["provider"], row["instance_type"]) for row in rows}
    rows += [
        row for row in networks_of_offers(shared / "facts") if (row["provider"], row["instance_type"]) not in stated
    ]
    rows += clusters(shared / "measured")
    (args.out / "machines.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )


def topologies(facts: Path) -> Iterator[dict[str, Any]]:
    """One row for each node of networks.jsonl."""
    for line in (facts / "networks.jsonl").read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        name = raw["instance_type"].removeprefix("Standard_")
        if name in SKIPPED:
            continue
        gpus, total, per_gpu = raw["gpus_per_node"], raw["inter_node_gbps_total"], raw["inter_node_gbps_per_gpu"]
        if per_gpu is None and total and gpus:
            per_gpu = total / gpus
        yield {
            "provider": raw["provider"],
            "instance_type": name,
            "match": PATTERNS.get(name),
            "chip": raw["gpu"],
            "gpus": gpus,
            "link": raw["intra_node"],
            "link_gb_s_bidirectional": raw["intra_node_gb_s_bidirectional_per_gpu"] or None,
            "domain_gpus": raw["nvlink_domain_gpus"],
            "fabric": raw["inter_node_kind"],
            "nic_gbps_per_gpu": per_gpu,
            "rdma": bool(raw["gpudirect_rdma"]),
            "nvme_tb": raw["local_nvme_tb"],
            "source": raw["source"],
            "confidence": raw["confidence"],
            "note": raw["note"],
        }


def networks_of_offers(facts: Path) -> list[dict[str, Any]]:
    """Sizes whose network rate stands in a price list: shared by the GPUs of the node, no RDMA unless said."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for part in ("china", "supplement"):
        with (facts / f"offers_{part}.csv").open(encoding="utf-8", newline="") as file:
            for raw in csv.DictReader(file):
                if not (raw["network_gbps"] and raw["gpu_count"] and raw["gpu_name_norm"] and raw["source"]):
                    continue
                rdma = "RDMA" in raw["note"] or "RoCE" in raw["note"]
                found[raw["provider"], raw["instance_type"]] = {
                    "provider": raw["provider"],
                    "instance_type": raw["instance_type"],
                    "match": None,
                    "chip": raw["gpu_name_norm"],
                    "gpus": int(raw["gpu_count"]),
                    "link": None,
                    "link_gb_s_bidirectional": None,
                    "domain_gpus": None,
                    "fabric": "RDMA" if rdma else "ethernet (no RDMA)",
                    "nic_gbps_per_gpu": float(raw["network_gbps"]) / int(raw["gpu_count"]),
                    "rdma": rdma,
                    "nvme_tb": None,
                    "source": raw["source"],
                    "confidence": raw["confidence"],
                    "note": "network of the whole machine divided by its GPUs",
                }
    return list(found.values())


def clusters(measured: Path) -> list[dict[str, Any]]:
    """Clusters known from measured sweeps of collectives."""
    rows = {}
    for line in (measured / "collective_fits.jsonl").read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        for (instance, chip), (provider, pattern, gpus) in CLUSTERS.items():
            if raw["provider_instance"] == instance and raw["inter_gbps_per_node"]:
                source = raw["source"]
                rows[instance] = {
                    "provider": provider,
                    "instance_type": instance.split("/")[1],
                    "match": pattern,
                    "chip": chip,
                    "gpus": gpus,
                    "link": None,
                    "link_gb_s_bidirectional": None,
                    "domain_gpus": 72 if chip == "GB200" else None,
                    "fabric": re.sub(r"^NVL72 \+ | \(.*", "", raw["fabric"]),
                    "nic_gbps_per_gpu": raw["inter_gbps_per_node"] / gpus,
                    "rdma": True,
                    "nvme_tb": None,
                    "source": source["repo"] or source["title"],
                    "confidence": "medium",
                    "note": "NIC rate stated with a measured collective sweep",
                }
    return list(rows.values())


if __name__ == "__main__":
    main()

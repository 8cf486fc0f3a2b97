"""Rules that give an accelerator its usable memory and the donor of its kernels, each with its evidence."""

from collections.abc import Mapping
from typing import Any, Final

# ---- usable memory -------------------------------------------------------------------------------------------------

KNOWN_MIB: Final[Mapping[str, tuple[float, str]]] = {
    "T4": (14.75 * 1024, "measured: capacity printed by out-of-memory errors"),
    "RTX-4090": (23.64 * 1024, "measured: capacity printed by out-of-memory errors"),
    "V100-32GB-SXM2": (31.75 * 1024, "measured: capacity printed by out-of-memory errors"),
    "V100-32GB-PCIe": (31.75 * 1024, "measured: capacity printed by out-of-memory errors of a 32 GB V100"),
    "A100-40GB-SXM4": (39.59 * 1024, "measured: capacity printed by out-of-memory errors"),
    "A100-40GB-PCIe": (39.59 * 1024, "measured: capacity printed by out-of-memory errors of a 40 GB A100"),
    "A100-80GB-SXM4": (79.33 * 1024, "measured: capacity printed by out-of-memory errors of the 80 GB A800"),
    "A100-80GB-PCIe": (79.33 * 1024, "measured: capacity printed by out-of-memory errors of the 80 GB A800"),
    "A800-80GB-SXM4": (79.33 * 1024, "measured: capacity printed by out-of-memory errors"),
    "A800-80GB-PCIe": (79.33 * 1024, "measured: capacity printed by out-of-memory errors"),
    "A10G": (22888, "AWS instance types: usable memory of the accelerator"),
    "L4": (22888, "AWS instance types: usable memory of the accelerator"),
    "L40S": (46068, "ai-dynamo/aiconfigurator system files and AWS instance types: usable memory"),
    "B200-180GB-SXM": (183359, "AWS instance types: usable memory of the accelerator"),
    "B300-288GB-SXM": (275040, "ai-dynamo/aiconfigurator system files: usable memory"),
    "GB200": (189471, "ai-dynamo/aiconfigurator system files: usable memory"),
    "GB300": (284208, "ai-dynamo/aiconfigurator system files: usable memory"),
    "RTX-PRO-6000-SE": (97887, "ai-dynamo/aiconfigurator system files: usable memory"),
    "RTX-PRO-6000-WS": (97887, "ai-dynamo/aiconfigurator system files: usable memory of the server edition"),
    "RTX-PRO-6000-MaxQ": (97887, "ai-dynamo/aiconfigurator system files: usable memory of the server edition"),
}

# The lowest share of the label that a known card of the same kind keeps for programs.
HBM_SHARE: Final = 39.59 / 40
INLINE_ECC_SHARE: Final = 14.75 / 16
PLAIN_GDDR_SHARE: Final = 23.64 / 24
CDNA_SHARE: Final = 287.13 / 288
INLINE_ECC: Final = {"P4", "P40", "K80", "A10", "A16", "A40", "L20", "L40"}
DIES: Final = {"MI250X": 2, "Ascend-910C": 2}
NAMES: Final = {"MI250X": "Instinct MI250X (one of two dies)", "Ascend-910C": "Ascend 910C (one of two dies)"}
NAMED_ONLY: Final = {"H100-96GB-HBM2e", "RTX-4090-48GB-mod", "RTX-5090D-V2", "A800-40GB-PCIe", "H20-141GB"}


def usable_mib(row: Mapping[str, Any], dies: int) -> tuple[float, str]:
    """MiB that a process can use, and where the figure comes from."""
    if row["id"] in KNOWN_MIB:
        return KNOWN_MIB[row["id"]]
    share, why = HBM_SHARE, "A100 40 GB keeps 39.59 of 40"
    if row["id"] in INLINE_ECC:
        share, why = INLINE_ECC_SHARE, "T4, with error correction in its own memory, keeps 14.75 of 16"
    elif str(row["arch"]).startswith("CDNA"):
        share, why = CDNA_SHARE, "a measured run had 287.13 of 288 GiB of an MI355X in use (AMD-AGI/Primus)"
    elif "GDDR" in str(row["memory_type"]):
        share, why = PLAIN_GDDR_SHARE, "RTX 4090 keeps 23.64 of 24"
    label = row["sources"].get("memory_gb", "no source")
    text = f"derived: label x lowest known share of its kind ({why}); label: {label}"
    return row["memory_gb"] / dies * 1024 * share, text


# ---- donors of kernels ---------------------------------------------------------------------------------------------

A100, L40S, H100, H200 = "A100-80GB-SXM4", "L40S", "H100-80GB-SXM5", "H200-141GB-SXM5"
B200, B300, PRO6000 = "B200-180GB-SXM", "B300-288GB-SXM", "RTX-PRO-6000-SE"
MEASURED: Final = {A100, L40S, H100, H200, B200, B300, "GB200", "GB300", PRO6000}
MEASURED_SOURCE: Final = "measured: ai-dynamo/aiconfigurator @ 095f58a (Apache-2.0), system data 2026-08"
HALF_RATE_SUSTAINED: Final = 0.94
"""GeForce cards halve the rate with fp32 accumulate and are then not limited by power: 0.93 to 0.95 of peak."""

SAME: Final = "same silicon as the donor; time by ratio of peak and bandwidth"
UNTESTED: Final = "assumed: nearest generation, by ratio of peak and bandwidth; not tested on this chip"
BY_ID: Final[Mapping[str, tuple[str, float, str]]] = {
    "A100-40GB-PCIe": (A100, 1.0, SAME),
    "A100-40GB-SXM4": (A100, 1.0, SAME),
    "A100-80GB-PCIe": (A100, 1.0, SAME),
    "A800-40GB-PCIe": (A100, 1.0, SAME),
    "A800-80GB-PCIe": (A100, 1.0, SAME),
    "A800-80GB-SXM4": (A100, 1.0, SAME),
    "H100-80GB-PCIe": (H100, 1.0, SAME),
    "H100-94GB-NVL": (H100, 1.0, SAME),
    "H800-80GB-PCIe": (H100, 1.0, SAME),
    "H800-80GB-SXM5": (H100, 1.0, SAME),
    "GH200-96GB": (H100, 1.0, SAME),
    "GH200-141GB": (H200, 1.0, SAME),
    "H200-141GB-NVL": (H200, 1.0, SAME),
    "H20-96GB": (H100, 1.0, "fitted: 2 measured runs; by ratio of peak and bandwidth"),
    "H20-141GB": (H100, 1.0, "assumed: as the H20 of 96 GB"),
    "H100-96GB-HBM2e": (H100, 1 / 0.76, "fitted: torchtitan runs within 6 to 9 %; 0.76 of an SXM H100 (500 W)"),
    "MI300X": (H100, 1.93, "fitted: one benchmark family (70B LoRA, 8B); other kernels differ"),
    "MI325X": (H100, 1.42, "fitted: one benchmark family (70B LoRA, 8B); other kernels differ"),
    "MI350X": (B200, 1.0, "fitted: one benchmark family, within 0.9 to 1.14 of the B200 by peak"),
    "MI355X": (B200, 1.0, "fitted: one benchmark family, within 0.9 to 1.14 of the B200 by peak"),
    "Ascend-910B": (A100, 1.0, "fitted: by peak from the A100, median error 22 to 25 %; layouts of those runs unknown"),
    "B100": (B200, 1.0, UNTESTED),
}
BY_ARCH: Final[Mapping[str, tuple[str, str]]] = {
    "Kepler": (A100, UNTESTED),
    "Pascal": (A100, UNTESTED),
    "Volta": (A100, "tested: V100 runs never fitted, median error 4 % on 11 runs; by ratio of peak and bandwidth"),
    "Turing": (A100, UNTESTED),
    "Ampere": (A100, UNTESTED),
    "Ada": (L40S, UNTESTED),
    "Hopper": (H100, UNTESTED),
    "Blackwell": (PRO6000, UNTESTED),
    "Gaudi": (H100, UNTESTED + "; another vendor"),
    "Trainium": (H100, UNTESTED + "; another vendor"),
    "TPU": (A100, UNTESTED + "; another vendor"),
    "Da Vinci": (A100, UNTESTED + "; another vendor"),
}
OTHER: Final = (A100, UNTESTED + "; another vendor")
HALF_RATE_ARCHS: Final = {"Turing", "Ampere", "Ada", "Blackwell"}
HALF_RATE_TESTED: Final = {"RTX-4090", "RTX-5090", "RTX-5060Ti-16GB"}


def donor_of(row: Mapping[str, Any], sustained: Mapping[str, float]) -> tuple[str, float, str]:
    """Donor, time factor beyond peak and bandwidth, and the evidence."""
    if row["id"] in MEASURED:
        return row["id"], 1.0, MEASURED_SOURCE
    if row["id"] in BY_ID:
        return BY_ID[row["id"]]
    donor, text = BY_ARCH.get(row["arch"], OTHER)
    if "GeForce" in row["name"] and row["arch"] in HALF_RATE_ARCHS:
        scale = sustained[donor] / HALF_RATE_SUSTAINED
        tested = "fitted: llm.q runs, median error 10 %" if row["id"] in HALF_RATE_TESTED else "assumed: not tested"
        return (
            donor,
            scale,
            f"{tested}; half rate with fp32 accumulate sustains 0.93 to 0.95 of its peak, the donor less",
        )
    return donor, 1.0, text


# ---- cards that people name and the collection lacks ----------------------------------------------------------------

KNOWLEDGE: Final = "general product knowledge; not re-read in a datasheet"
SOURCE_GAPS: Final = {("GB300", "mem_bandwidth_gb_s"): KNOWLEDGE, ("GH200-141GB", "tdp_w"): KNOWLEDGE}
"""Figures that the collection states without a source."""
EXTRA_ROWS: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": "RTX-4060",
        "name": "GeForce RTX 4060",
        "vendor": "nvidia",
        "arch": "Ada",
        "form_factor": "PCIe card",
        "memory_gb": 8,
        "memory_type": "GDDR6",
        "mem_bandwidth_gb_s": 272,
        "dense_tflops": {"fp32": 15.1, "fp16": 30.2, "bf16": 30.2},
        "bf16_supported": True,
        "fp16_accumulate_note": None,
        "link": {"kind": "none", "gb_s_bidirectional_per_gpu": None},
        "pcie": {"gen": 4, "lanes": 8},
        "p2p_over_pcie": None,
        "tdp_w": 115,
        "compute_capability": "8.9",
        "export_control": [],
        "confidence": "low",
        "notes": [],
        "derived": {},
        "sources": dict.fromkeys(("memory_gb", "mem_bandwidth_gb_s", "dense_tflops", "tdp_w", "pcie"), KNOWLEDGE),
    },
)

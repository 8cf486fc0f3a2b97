"""An accelerator: what the vendor states and what its programs can use of it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One accelerator as a program sees it (one die where a card shows two).

    `None` means that no source states the figure. `sources` names one source for each figure.
    """

    id: str
    name: str
    vendor: str
    arch: str | None
    form_factor: str | None
    memory_bytes: float
    """Usable by a process: what the driver reports, not the label on the box."""
    memory_bytes_per_s: float | None
    peak_flops: Mapping[str, float]
    """Dense FLOP/s by dtype (fp32 to fp4); a missing dtype is unsupported or unstated."""
    bf16: bool
    link_kind: str | None
    link_bytes_per_s: float | None
    """One direction, to all peers of the node together."""
    pcie_bytes_per_s: float | None
    """One direction of the host link."""
    p2p_over_pcie: bool | None
    tdp_w: float | None
    compute_capability: str | None
    donor: str
    """Chip whose measured kernels this one borrows (itself where it was measured)."""
    donor_scale: float
    """Time factor on the borrowed kernels beyond peak and bandwidth; 1 where none is known."""
    confidence: str
    sources: Mapping[str, str]
    notes: tuple[str, ...] = ()
    export_notes: tuple[str, ...] = ()
    label_gb: float | None = None
    """Size on the box, as people write it ("A100 80GB"); never used for a verdict."""
    memory_type: str | None = None
    """HBM3, GDDR6X, ...: drivers print it in names ("H100 80GB HBM3")."""
    named_only: bool = False
    """True for special editions that nobody means by the plain name of the family (aftermarket memory, one cluster)."""

    def supports(self, dtype: str) -> bool:
        """True where the chip has a stated rate for `dtype`."""
        return dtype in self.peak_flops and (dtype != "bf16" or self.bf16)

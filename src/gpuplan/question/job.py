"""A job: which models are trained, how and on which samples; fixed through one search."""

from dataclasses import dataclass

from gpuplan.facts.arch import Architecture
from gpuplan.facts.trainer import Trainer
from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """Low-rank adapters beside frozen weights (LoRA, arXiv:2106.09685)."""

    rank: int
    targets: tuple[str, ...]
    """Products of the table that carry an adapter: q, k, v, o, gate, up, down; embed and head are trained whole."""
    dropout: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantisation:
    """How frozen linear weights are stored."""

    name: str
    bytes_per_param: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One model of a workload and what happens to it: plain training has one role, DPO two, PPO four."""

    name: str
    """policy, reference, critic, reward, ..."""
    model: Architecture
    trains: str = "all"
    """all, adapter, none, or last:N for the last N layers."""
    adapter: Adapter | None = None
    quantisation: Quantisation | None = None
    passes: float = 1.0
    """Forward passes a sample needs in this role (2 for chosen and rejected)."""
    shared: bool = False
    """True where the weights are the policy's own with the adapter switched off: time, but no memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Everything that decides memory and step time, but for the layout and the machine."""

    method: str
    roles: tuple[Role, ...]
    trainer: Trainer
    precision: str
    """Of the products: fp32, tf32, fp16, bf16, fp8, fp4."""
    optimizer: str
    seq_len: Num
    """Tokens of one row of the micro-batch that memory must hold: the longest, or the packed length."""
    time_len: Num
    """Tokens of one row that time is spent on (padded length of an average batch)."""
    attention: str = "flash"
    """flash, unfused, or eager (fp32 softmax)."""
    rollout_share: float = 0.0
    """Share of the card that a generation engine keeps."""
    compiled: bool = False
    """True where the trainer compiles the layers (fewer launches, fused memory-bound operations)."""
    year: float = 2026.9
    """Age of the software, as a date in years: expert layers got faster with each release."""

    @property
    def policy(self) -> Role:
        """The role that is trained."""
        return self.roles[0]

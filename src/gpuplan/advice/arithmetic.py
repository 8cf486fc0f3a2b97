"""The sum that decides a verdict, as lines that can be checked by hand."""

from functools import reduce

from gpuplan.facts.chip import Chip
from gpuplan.model.terms import Memory
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout
from gpuplan.question.note import Note, Words, note
from gpuplan.units import BILLION, GIB

_STATES = ("weights", "frozen", "gradients", "master", "moments", "other_roles")
_PARTS = (
    "saved", "layer", "logits", "gathered", "buckets", "dequantised", "optimizer_temp", "rollout", "workspace",
    "fragmentation", "context",
)  # fmt: skip


def sums_of(job: Job, layout: Layout, memory: Memory, needed: Range, *, params: float, chip: Chip) -> tuple[Note, ...]:
    """States by the parameter, their parts, the peak by its parts, and the comparison with the card."""
    states = float(memory.states.total_bytes)
    ranks = float(layout.tensor_parallel) * float(layout.pipeline_parallel)
    shards = ranks * float(layout.shards) if float(layout.zero) >= 3 else ranks
    worst = max(memory.phases, key=lambda name: float(memory.phases[name]))
    lines = [
        note(
            "arithmetic.states", params=params / BILLION, bytes=states * shards / params, gpus=shards,
            gib=states / GIB,
        ),
        note("arithmetic.state_parts", parts=_listed({n: getattr(memory.states, f"{n}_bytes") for n in _STATES})),
        note("arithmetic.peak_parts", parts=_listed({n: getattr(memory, f"{n}_bytes") for n in _PARTS})),
        note("arithmetic.peak", phase=note(f"show.phase.{worst}"), gib=float(memory.phases[worst]) / GIB),
    ]  # fmt: skip
    if job.policy.quantisation is not None:
        stored = job.policy.quantisation
        lines.insert(1, note("arithmetic.quantised", name=stored.name, bytes=stored.bytes_per_param))
    compare = "arithmetic.below" if float(needed.high) <= chip.memory_bytes else "arithmetic.above"
    lines.append(
        note(
            compare, needed=float(needed.typical) / GIB, low=float(needed.low) / GIB, high=float(needed.high) / GIB,
            capacity=chip.memory_bytes / GIB, chip=chip.id,
        )
    )  # fmt: skip
    return tuple(lines)


def _listed(parts: dict[str, object]) -> Words:
    """Parts that matter, the largest first: `weights 13.1 + gradients 13.1`."""
    sizes = {name: float(value) / GIB for name, value in parts.items()}  # type: ignore[arg-type]
    kept = sorted(((size, name) for name, size in sizes.items() if size >= 0.05), reverse=True)
    told = [note("arithmetic.part", name=note(f"part.{name}"), gib=size) for size, name in kept]
    return reduce(lambda left, right: note("arithmetic.sum", left=left, right=right), told) if told else "0"

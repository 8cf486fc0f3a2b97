"""One point in full: memory, time, duration and cost of a layout on a machine, each with its range."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from gpuplan.app.parts import memory_parts, rounded, time_parts
from gpuplan.app.question_to_job import Understood
from gpuplan.calibrate.interval import memory_ranges, step_range
from gpuplan.data.spreads import load_spreads
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.estimate import Hardware, memory_of, step_of
from gpuplan.model.flops import row_flops
from gpuplan.model.kernels import peak, usable_dtype
from gpuplan.model.terms import Memory, Step
from gpuplan.model.verdict import fits_probability
from gpuplan.question.data_size import padded_len
from gpuplan.question.figures import Range
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, Offload, Recompute
from gpuplan.run.duration import model_flops_share
from gpuplan.run.goodput import SPOT_LOSSES_PER_NODE_S, START_S
from gpuplan.search.charge import SPOT_RATES, Charge, charge, combined, run_of
from gpuplan.units import GIB, HOUR, Num

WEIGHT_BYTES: Final = 2.0
"""Of a parameter in a published checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A layout on a machine: what it needs and how fast it is."""

    job: Job
    layout: Layout
    hardware: Hardware
    memory: Memory
    ranges: Mapping[str, Range]
    """allocated, reserved, device, needed: bytes."""
    fits_probability: float
    step: Step
    step_s: Range
    tokens_per_s: Range
    """Real tokens of the whole run; padding is not counted."""
    mfu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Duration and cost of all runs."""

    typical: Charge
    duration_s: Range
    cost_usd: Range


def detail_of(understood: Understood, job: Job, layout: Layout, hardware: Hardware) -> Detail:
    """Memory and time of one layout."""
    data = understood.data
    memory = memory_of(job, layout)
    ranges = memory_ranges(memory, job, load_spreads())
    timed = _timed_job(understood, job, layout, float(data.mean_len.typical))
    step = step_of(timed, layout, hardware)
    seconds = seconds_of(step, job, hardware)
    mean = data.seq_len if data.packed else float(data.mean_len.typical)
    tokens = layout.global_batch * mean
    chip = hardware.machine.chip
    flops = layout.global_batch * row_flops(job, decoder(job.policy.model), timed.time_len)
    return Detail(
        job=job,
        layout=layout,
        hardware=hardware,
        memory=memory,
        ranges=ranges,
        fits_probability=float(fits_probability(ranges["needed"], chip.memory_bytes)),
        step=step,
        step_s=seconds,
        tokens_per_s=Range(low=tokens / seconds.high, typical=tokens / seconds.typical, high=tokens / seconds.low),
        mfu=float(model_flops_share(flops, step.total_s, n_gpus=layout.n_gpus, peak_flops=_peak(job, hardware))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a bill needs of a layout: its step time, and the step time at the ends of an unknown mean length."""

    n_gpus: float
    n_nodes: float
    checkpoint_bytes: float
    step_s: Range
    by_mean_s: tuple[float, float] | None
    """At the low and the high mean; None where the mean is known or rows are packed."""


def pace_of(understood: Understood, detail: Detail) -> Pace:
    """Pace of a layout described in full."""
    data, layout = understood.data, detail.layout
    ends = None
    if not data.mean_is_known and not data.packed:
        mean = data.mean_len
        ends = tuple(_step_s(understood, detail, float(m)) for m in (mean.low, mean.high))
    return Pace(
        n_gpus=float(layout.n_gpus),
        n_nodes=float(layout.n_nodes),
        checkpoint_bytes=float(detail.memory.checkpoint_bytes),
        step_s=detail.step_s,
        by_mean_s=None if ends is None else (ends[0], ends[1]),
    )


def rough_pace(understood: Understood, layout: Layout, *, step_s: Range, checkpoint_bytes: float) -> Pace:
    """Pace of a point that is only listed: a step at another mean is taken in proportion to the padded length."""
    data, mean = understood.data, understood.data.mean_len
    ends = None
    if not data.mean_is_known and not data.packed:
        typical = padded_len(data, mean.typical, layout.micro_batch)
        ends = tuple(
            float(step_s.typical * padded_len(data, m, layout.micro_batch) / typical) for m in (mean.low, mean.high)
        )
    return Pace(
        n_gpus=float(layout.n_gpus),
        n_nodes=float(layout.n_nodes),
        checkpoint_bytes=checkpoint_bytes,
        step_s=step_s,
        by_mean_s=None if ends is None else (ends[0], ends[1]),
    )


def seconds_of(step: Step, job: Job, hardware: Hardware) -> Range:
    """Range of a step on a machine; wider where the chip borrows its kernels."""
    chip = hardware.machine.chip
    return step_range(step, job, load_spreads(), chip_is_measured=chip.donor == chip.id)


def needed_of(memory: Memory, job: Job) -> Range:
    """Bytes that the card must have."""
    return memory_ranges(memory, job, load_spreads())["needed"]


def bill_of(understood: Understood, pace: Pace, *, price_per_hour: float, is_spot: bool) -> Bill:
    """Duration and cost with ranges: step time, amount of data, start and losses vary on their own."""

    def charged(**change: Num) -> Charge:
        return _charge(understood, pace, price_per_hour=price_per_hour, is_spot=is_spot, **change)

    base = charged()
    low, high = ([charged(**change) for change in _changes(understood, pace, end, is_spot)] for end in (0, 1))
    return Bill(
        typical=base,
        duration_s=combined(float(base.total_s), [c.total_s for c in low], [c.total_s for c in high]),
        cost_usd=combined(float(base.cost.total), [c.cost.total for c in low], [c.cost.total for c in high]),
    )


def layout_json(layout: Layout) -> dict[str, Any]:
    """A layout as plain values; recompute and offload as words."""
    plain: dict[str, Any] = {f.name: int(np.asarray(getattr(layout, f.name))) for f in fields(Layout)}
    plain["sequence_parallel"] = bool(plain["sequence_parallel"])
    plain["recompute"] = Recompute(plain["recompute"]).name.lower()
    plain["offload"] = Offload(plain["offload"]).name.lower()
    return plain


def memory_json(detail: Detail) -> dict[str, Any]:
    """Memory of the worst GPU in GiB: ranges, what the card has, parts and phases."""
    ranges = {f"{name}_gib": range_json(found, GIB) for name, found in detail.ranges.items()}
    return {
        **ranges,
        "capacity_gib": rounded(detail.hardware.machine.chip.memory_bytes / GIB),
        "fits_probability": rounded(detail.fits_probability),
        **memory_parts(detail.memory),
    }


def time_json(detail: Detail) -> dict[str, float]:
    """Seconds of a step by cause."""
    return dict(time_parts(detail.step))


def range_json(found: Range, unit: float = 1.0) -> dict[str, float]:
    """A range as plain values."""
    return {name: rounded(float(getattr(found, name)) / unit) for name in ("low", "typical", "high")}


def cost_json(bill: Bill, currency: str, usd_per_unit: float) -> dict[str, Any]:
    """A cost in the currency of the answer, by part."""
    cost = bill.typical.cost
    parts = {name: rounded(float(getattr(cost, name)) / usd_per_unit) for name in ("rent", "start", "lost", "storage")}
    return {"currency": currency, **range_json(bill.cost_usd, usd_per_unit), "parts": parts}


def host_json(detail: Detail) -> dict[str, Any]:
    """What the job needs of a node and what the node has; null where nobody states it."""
    machine = detail.hardware.machine
    there = None if machine.host_bytes is None else rounded(machine.host_bytes / GIB)
    needed = rounded(float(detail.memory.host_bytes_per_node) / GIB)
    return {"ram_gib_needed": needed, "ram_gib": there, "vcpus": machine.vcpus}


def disk_json(understood: Understood, detail: Detail) -> dict[str, Any]:
    """Bytes on shared disk: published weights, the last two checkpoints."""
    stored = WEIGHT_BYTES * understood.params + 2 * float(detail.memory.checkpoint_bytes)
    nvme = detail.hardware.machine.nvme_bytes
    return {"needed_gib": rounded(stored / GIB), "nvme_gib": None if nvme is None else rounded(nvme / GIB)}


def _charge(
    understood: Understood,
    pace: Pace,
    *,
    price_per_hour: float,
    is_spot: bool,
    step_s: Num | None = None,
    rows: Num | None = None,
    start_s: Num = START_S.typical,
    losses: Num | None = None,
) -> Charge:
    run = run_of(
        understood.data, understood.global_batch, runs=understood.runs,
        weight_bytes=WEIGHT_BYTES * understood.params, rows=rows,
    )  # fmt: skip
    return charge(
        run,
        pace.step_s.typical if step_s is None else step_s,
        n_gpus=pace.n_gpus,
        n_nodes=pace.n_nodes,
        checkpoint_bytes=pace.checkpoint_bytes,
        price_per_hour=price_per_hour,
        spot=float(is_spot),
        spot_rates=SPOT_RATES if losses is None else (losses,),
        start_s=start_s,
    )


def _changes(understood: Understood, pace: Pace, end: int, is_spot: bool) -> list[dict[str, Num]]:
    """Each cause of a range at its low (0) or high (1) end, the others typical."""
    name, data = ("low", "high")[end], understood.data
    changes: list[dict[str, Num]] = [{"step_s": getattr(pace.step_s, name)}, {"start_s": getattr(START_S, name)}]
    if pace.by_mean_s is not None:
        changes.append({"step_s": pace.by_mean_s[end]})
    elif not data.mean_is_known:
        changes.append({"rows": getattr(data.rows, name)})
    if is_spot:
        changes.append({"losses": getattr(SPOT_LOSSES_PER_NODE_S, name)})
    return changes


def _step_s(understood: Understood, detail: Detail, mean_len: float) -> float:
    timed = _timed_job(understood, detail.job, detail.layout, mean_len)
    return float(step_of(timed, detail.layout, detail.hardware).total_s)


def _timed_job(understood: Understood, job: Job, layout: Layout, mean_len: float) -> Job:
    return replace(job, time_len=padded_len(understood.data, mean_len, layout.micro_batch))


def _peak(job: Job, hardware: Hardware) -> float:
    chip = hardware.machine.chip
    return peak(chip, usable_dtype(chip, "bf16" if job.precision in ("fp8", "fp4") else job.precision))


def hours(seconds: Range) -> dict[str, float]:
    """A duration in hours."""
    return range_json(seconds, HOUR)

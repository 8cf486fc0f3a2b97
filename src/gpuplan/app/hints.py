"""What could be much faster than the answer: a layout that only may fit, another variant of the chip, busier cards."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from gpuplan.app.describe import Detail, layout_json, seconds_of
from gpuplan.app.question_to_job import Understood
from gpuplan.model.estimate import Hardware
from gpuplan.model.terms import Step
from gpuplan.model.verdict import FITS, fits_probability
from gpuplan.question.layout import Layout, at
from gpuplan.question.note import Note, note
from gpuplan.search.candidates import take
from gpuplan.search.find import Pool, time_of
from gpuplan.search.prune import fits_host, worth_timing

LIKELY: Final = 0.5
"""Least chance to fit of a layout that is worth a try."""
MUCH_FASTER: Final = 1.5
"""Below this factor a hint is not worth a line (reasoned)."""
IDLE_MFU: Final = 0.1
"""Share of the peak below which the cards mostly wait."""
CAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "communication": (
        "tensor_comm_s", "expert_comm_s", "context_comm_s", "pipeline_comm_s", "gather_s", "data_comm_s",
    ),
    "launch": ("launch_s", "overhead_s"),
    "bubble": ("bubble_s",),
    "offload": ("offload_s",),
    "optimizer": ("optimizer_s",),
    "memory": ("memory_s",),
}  # fmt: skip
"""What cards wait for, by the parts of a step."""


def likely_faster(understood: Understood, pools: Sequence[Pool], detail: Detail) -> list[Note]:
    """A layout on the same cards that may fit and would be much faster, with its chance."""
    best: tuple[float, float, Layout] | None = None
    for pool in pools:
        found = _fastest_likely(understood, pool, detail.hardware)
        if found is not None and (best is None or found[0] < best[0]):
            best = found
    now = float(detail.step.total_s)
    if best is None or not np.isfinite(now) or now <= MUCH_FASTER * best[0]:
        return []
    seconds, chance, layout = best
    return [note("hint.likely", chance=100 * chance, times=now / seconds, layout=layout_options(layout))]


def _fastest_likely(understood: Understood, pool: Pool, hardware: Hardware) -> tuple[float, float, Layout] | None:
    layout, machine = pool.candidates.layout, hardware.machine
    chance = np.broadcast_to(fits_probability(pool.needed, machine.chip.memory_bytes), (len(pool.candidates),))
    host = fits_host(pool.memory.host_bytes_per_node, machine.host_bytes, layout.offload)
    rows = worth_timing(layout, host & (chance >= LIKELY) & (chance < FITS))
    if not rows.size:
        return None
    found = time_of(pool, take(layout, rows), hardware, data=understood.data, seconds_of=seconds_of)
    seconds = np.asarray(found.typical)
    place = int(np.argmin(seconds))
    row = int(rows[place])
    return float(seconds[place]), float(chance[row]), at(layout, row)


def faster_variant(details: Sequence[Detail]) -> list[Note]:
    """How much faster the fastest variant of an ambiguous chip would be than the first one, which is shown."""
    if len(details) < 2:
        return []
    shown, best = details[0], min(details, key=lambda one: float(one.step.total_s))
    times = float(shown.step.total_s) / float(best.step.total_s)
    if not np.isfinite(times) or times <= MUCH_FASTER:
        return []
    chips = {"shown": shown.hardware.machine.chip.id, "other": best.hardware.machine.chip.id}
    return [note("hint.variant", times=times, **chips)]


def mostly_waiting(detail: Detail) -> list[Note]:
    """That the cards mostly wait, and for what."""
    if not 0 < detail.mfu < IDLE_MFU:
        return []
    cause, share = waits_for(detail.step)
    return [note("hint.idle", mfu=100 * detail.mfu, cause=note(f"hint.idle.{cause}"), share=100 * share)]


def waits_for(step: Step) -> tuple[str, float]:
    """The largest cause of waiting, and its share of the step."""
    seconds = {cause: sum(float(getattr(step, part)) for part in parts) for cause, parts in CAUSES.items()}
    cause = max(seconds, key=lambda name: seconds[name])
    return cause, seconds[cause] / float(step.total_s)


def layout_options(layout: Layout) -> str:
    """The parts of a layout that are not trivial, as options of the command line."""
    plain = layout_json(layout)
    names = {"zero": "zero", "tensor_parallel": "tp", "pipeline_parallel": "pp", "context_parallel": "cp",
             "expert_parallel": "ep", "micro_batch": "micro-batch"}  # fmt: skip
    words = [f"--{option} {plain[name]}" for name, option in names.items() if name == "zero" or plain[name] > 1]
    words += [f"--{name} {plain[name]}" for name in ("recompute", "offload") if plain[name] != "none"]
    return " ".join(words)

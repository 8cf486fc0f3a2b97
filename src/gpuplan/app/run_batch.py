"""Many rows through the arithmetic at once: rows with one job and one machine are scenarios of one array.

The arithmetic takes arrays of layouts, so that rows that differ only in layout and length are stacked, computed
together, and cut apart again. The answer is that of each row alone; it only comes sooner.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplan.app.assume import Openings
from gpuplan.app.run_hardware import hardware_of
from gpuplan.app.run_to_job import Reading
from gpuplan.data.catalogue import Catalogue
from gpuplan.facts.arch import Architecture
from gpuplan.facts.machine import Machine
from gpuplan.facts.trainer import Trainer
from gpuplan.model.hardware import Hardware
from gpuplan.model.memory import memory_of
from gpuplan.model.step import step_of
from gpuplan.model.terms import Memory, Step
from gpuplan.question.figures import Assumed
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout
from gpuplan.question.note import note

T = TypeVar("T")
Array = NDArray[np.float64]


def _names(kind: Any, *without: str) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name not in without)


MODEL_FIELDS: Final = _names(Architecture, "sources", "notes", "aliases", "id")
TRAINER_FIELDS: Final = _names(Trainer, "sources", "assumed", "applies_when", "mixes_dtype_notes")
JOB_FIELDS: Final = _names(Job, "roles", "trainer", "seq_len", "time_len")
MACHINE_FIELDS: Final = _names(Machine, "chip")
"""Fields that the arithmetic may read; lengths are arrays, words about sources are not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What the arithmetic says about a row, for each of its scenarios."""

    memory: Memory
    step: Step | None
    assumed: tuple[Assumed, ...]
    """Assumed about the machine."""


def compute(readings: Sequence[Reading], catalogue: Catalogue) -> list[Computed]:
    """Memory and time of every reading, in order."""
    machines = [_machine(reading, catalogue) for reading in readings]
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, (reading, (hardware, _)) in enumerate(zip(readings, machines, strict=True)):
        groups[_job_key(reading), _machine_key(hardware)].append(index)
    found: dict[int, Computed] = {}
    for members in groups.values():
        hardware = machines[members[0]][0]
        with np.errstate(all="ignore"):  # absurd shapes overflow; what is not finite gets no time
            for index, memory, step in _together([readings[i] for i in members], members, hardware):
                found[index] = Computed(memory=memory, step=step, assumed=machines[index][1])
    return [found[index] for index in range(len(readings))]


def _machine(reading: Reading, catalogue: Catalogue) -> tuple[Hardware | None, tuple[Assumed, ...]]:
    """The machine that time is told for: of the slowest variant of the card; None where it would be a guess."""
    opens = Openings()
    if not reading.cards.chips:
        return None, ()
    if reading.generates:
        opens.note(
            "task", note("run.value.no_time"), source=note("run.source.generation"), effect=note("run.effect.time")
        )
        return None, tuple(opens.notes)
    layout = reading.layout
    n_gpus, per_node = float(np.max(layout.n_gpus)), float(np.max(layout.gpus_per_node))
    hardware = hardware_of(reading.run, opens, reading.cards, catalogue, n_gpus=n_gpus, per_node=per_node)
    return hardware, tuple(opens.notes)


def _together(
    readings: Sequence[Reading], members: Sequence[int], hardware: Hardware | None
) -> list[tuple[int, Memory, Step | None]]:
    """All scenarios of readings with one job as one array, cut apart again."""
    sizes = [reading.grid.weights.size for reading in readings]
    ends = np.cumsum(sizes)
    layout = Layout(**{
        f.name: np.concatenate([_wide(getattr(r.layout, f.name), n) for r, n in zip(readings, sizes, strict=True)])
        for f in fields(Layout)
    })  # fmt: skip
    job = replace(
        readings[0].job,
        seq_len=np.concatenate([_wide(r.job.seq_len, n) for r, n in zip(readings, sizes, strict=True)]),
        time_len=np.concatenate([_wide(r.job.time_len, n) for r, n in zip(readings, sizes, strict=True)]),
    )
    memory = memory_of(job, layout)
    step = None if hardware is None else step_of(job, layout, hardware)
    total = int(ends[-1])
    parts = []
    for index, end, size in zip(members, ends, sizes, strict=True):
        span = slice(int(end) - size, int(end))
        parts.append((index, _cut(memory, span, total), None if step is None else _cut(step, span, total)))
    return parts


def _wide(value: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=float), (size,))


def _cut(record: T, span: slice, size: int) -> T:
    """One row's part of a record of arrays."""
    made: dict[str, Any] = {}
    for f in fields(record):  # type: ignore[arg-type]
        value = getattr(record, f.name)
        if is_dataclass(value):
            made[f.name] = _cut(value, span, size)
        elif isinstance(value, Mapping):
            made[f.name] = {name: _wide(item, size)[span] for name, item in value.items()}
        else:
            made[f.name] = _wide(value, size)[span]
    return type(record)(**made)


def _job_key(reading: Reading) -> Hashable:
    """Everything of a job but its lengths."""
    job = reading.job
    roles = tuple(
        (r.name, r.trains, r.adapter, r.quantisation, r.passes, r.shared, _read(r.model, MODEL_FIELDS))
        for r in job.roles
    )
    return roles, _read(job.trainer, TRAINER_FIELDS), _read(job, JOB_FIELDS)


def _machine_key(hardware: Hardware | None) -> Hashable:
    if hardware is None:
        return None
    machine = hardware.machine
    return machine.chip.id, machine.chip.memory_bytes, _read(machine, MACHINE_FIELDS)


def _read(record: object, names: tuple[str, ...]) -> Hashable:
    return tuple(getattr(record, name) for name in names)

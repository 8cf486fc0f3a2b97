"""Fields that a row leaves open, as weighted possibilities, and the grid of all their combinations.

Each open field has a few plausible values with a weight (the trainer's default weighs most). A row is then
estimated for every combination at once: the heaviest one is the typical figure, the others give the range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpuplan.question.figures import Assumed, assumption
from gpuplan.question.note import Note, Words

MAX_SCENARIOS: Final = 48
"""Combinations kept; the lightest are dropped first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A field that nobody stated: its possible values with weights that sum to 1, the likeliest first."""

    field: str
    values: tuple[float, ...]
    weights: tuple[float, ...]
    source: Words
    effect: Words
    words: tuple[str, ...] = ()
    """How the values are shown; the numbers themselves if empty."""

    def shown(self, value: float) -> str:
        """A value as a word."""
        return self.words[self.values.index(value)] if self.words else f"{value:g}"


@dataclass(slots=True)
class Openings:
    """Collects what is open while a row is read."""

    found: list[Open] = field(default_factory=list)
    notes: list[Assumed] = field(default_factory=list)

    def choose(
        self,
        name: str,
        options: Mapping[float, float],
        *,
        source: Words,
        effect: Words,
        words: Mapping[float, str] | None = None,
    ) -> None:
        """Opens `name` over the options (value: weight)."""
        ranked = sorted(options.items(), key=lambda item: -item[1])
        total = sum(options.values())
        self.found.append(
            Open(
                field=name,
                values=tuple(float(value) for value, _ in ranked),
                weights=tuple(weight / total for _, weight in ranked),
                source=source,
                effect=effect,
                words=tuple(words[value] for value, _ in ranked) if words else (),
            )
        )

    def likeliest(self, name: str, default: float) -> float:
        """The likeliest value of an open field; `default` where it is not open."""
        return next((opening.values[0] for opening in self.found if opening.field == name), default)

    def note(self, name: str, value: object, *, source: Words, effect: Words) -> None:
        """Notes one assumption without alternatives."""
        self.notes.append(
            assumption(name, value if isinstance(value, Note) else str(value), source=source, effect=effect)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """All kept combinations: one array a field, and the weight of each combination; the first is the likeliest."""

    fields: Mapping[str, NDArray[np.float64]]
    weights: NDArray[np.float64]

    def get(self, name: str, stated: float) -> NDArray[np.float64]:
        """The field in each combination; `stated` where it is not open."""
        return self.fields.get(name, np.full(self.weights.shape, float(stated)))


def grid_of(found: Sequence[Open]) -> Grid:
    """Combinations of all open fields, heaviest first, at most `MAX_SCENARIOS`."""
    weights = np.ones(1)
    columns: list[NDArray[np.float64]] = []
    for opening in found:
        n = len(opening.values)
        columns = [np.repeat(column, n) for column in columns]
        columns.append(np.tile(np.asarray(opening.values, dtype=float), weights.size))
        weights = np.repeat(weights, n) * np.tile(np.asarray(opening.weights), weights.size)
        order = np.argsort(-weights, kind="stable")[:MAX_SCENARIOS]
        weights, columns = weights[order], [column[order] for column in columns]
    fields = {opening.field: column for opening, column in zip(found, columns, strict=True)}
    return Grid(fields=fields, weights=weights / weights.sum())


def kept(grid: Grid, possible: NDArray[np.bool_]) -> Grid:
    """The combinations that are possible; all of them where none is (what is stated contradicts itself)."""
    if not possible.any():
        return grid
    weights = grid.weights[possible]
    fields = {name: column[possible] for name, column in grid.fields.items()}
    return Grid(fields=fields, weights=weights / weights.sum())


def quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """The value below which `share` of the weight lies, of the ordered values."""
    order = np.argsort(values, kind="stable")
    heap = np.cumsum(weights[order])
    return float(values[order][min(int(np.searchsorted(heap, share - 1e-12)), values.size - 1)])

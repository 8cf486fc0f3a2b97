"""Distil measured kernels into one small file a chip.

    python tools/build_kernels.py --shared DIR [--out DIR] [--sample FILE]

Reads `measured/kernels/*.parquet` under DIR (needs pyarrow). Every value is log(seconds per FLOP), or
log(seconds per byte) for collectives, less the grid's mean, in float16 (error below 0.2 %; collectives float64).
Cells that nobody measured are filled from their neighbours along each axis, in logarithms.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from numpy.typing import NDArray

Array = NDArray[np.float64]

SOURCE: Final = (
    "derived from the measurement set of ai-dynamo/aiconfigurator (https://github.com/ai-dynamo/aiconfigurator), "
    "commit 095f58a, Apache-2.0, system data of 2026-08; medians over software stacks, regridded"
)
CHIPS: Final[dict[str, tuple[str, ...]]] = {
    "A100-80GB-SXM4": ("A100-SXM-80GB",),
    "L40S": ("L40S",),
    "H100-80GB-SXM5": ("H100-SXM-80GB",),
    "H200-141GB-SXM5": ("H200-SXM",),
    "B200-180GB-SXM": ("B200",),
    "B300-288GB-SXM": ("B300",),
    "GB200": ("GB200", "B200"),  # its own set runs slow at large sizes: the faster of the two
    "GB300": ("GB300",),
    "RTX-PRO-6000-SE": ("RTX-PRO-6000-Server",),
}
"""Our chip id: names in the measured sets, the fastest of which counts in each cell."""
DTYPES: Final = {"bfloat16": "bf16", "fp8": "fp8"}  # fp8_block of one stack is up to 58 times too slow on Blackwell
KINDS: Final = {"alltoall": "all_to_all"}
LINKS: Final[dict[str, tuple[str, float]]] = {
    "A100-80GB-SXM4": ("NVLink", 300e9),
    "H100-80GB-SXM5": ("NVLink", 450e9),
    "H200-141GB-SXM5": ("NVLink", 450e9),
    "B200-180GB-SXM": ("NVLink", 900e9),
    "B300-288GB-SXM": ("NVLink", 900e9),
    "GB200": ("NVLink", 900e9),
    "GB300": ("NVLink", 900e9),
    "RTX-PRO-6000-SE": ("PCIe", 64e9),
}
"""Link of the measured machine, one direction per GPU; no entry: collectives are left out (L40S: host path only)."""
SAMPLE: Final = {"products": 120, "attention": 12, "collectives": 6}
"""Cells of each grid that go into the tests' sample."""
ELEMENT_BYTES: Final = 2  # the collectives were run in half precision

Cells = dict[tuple[float, ...], float]


def main() -> None:
    """Write every chip's file and say its size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True)
    here = Path(__file__).parents[1]
    parser.add_argument("--out", type=Path, default=here / "src/gpuplan/data/files/kernels")
    parser.add_argument("--sample", type=Path, default=here / "tests/data/kernels_sample.csv")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    folder = args.shared / "measured" / "kernels"
    sets = {
        "products": products(folder / "gemm.parquet"),
        "attention": attention(folder / "attention_causal_forward.parquet"),
        "collectives": collectives(folder / "nccl_intra_node.parquet"),
    }
    measured: dict[str, dict[str, Cells]] = {}
    for chip, names in CHIPS.items():
        grids = {f"{area}/{key}": cells for area, table in sets.items() for key, cells in faster(table, names).items()}
        if chip not in LINKS:
            grids = {key: cells for key, cells in grids.items() if not key.startswith("collectives/")}
        write(args.out / f"{chip}.npz", chip, grids)
        measured[chip] = grids
    write_sample(args.sample, measured)


def products(path: Path) -> dict[str, dict[str, Cells]]:
    """Seconds per FLOP of y[m, n] = x[m, k] w[k, n], by measured name and dtype."""
    return medians(
        (row["gpu"], DTYPES[row["dtype"]], (row["m"], row["n"], row["k"]), row["latency_us"] / flops)
        for row in rows(path)
        if row["dtype"] in DTYPES and (flops := 2.0 * row["m"] * row["n"] * row["k"])
    )


def attention(path: Path) -> dict[str, dict[str, Cells]]:
    """Seconds per causal FLOP (2 b a s^2 d), by measured name and head size; batch x heads at powers of two."""
    return medians(
        (row["gpu"], str(row["head_dim"]), (heads, row["seq"]), row["latency_us"] / flops)
        for row in rows(path)
        if row["window"] == 0
        and (heads := row["batch"] * row["heads"])
        and heads & (heads - 1) == 0
        and (flops := 2.0 * heads * row["seq"] ** 2 * row["head_dim"])
    )


def collectives(path: Path) -> dict[str, dict[str, Cells]]:
    """Seconds per byte of the whole message, by measured name and kind; a larger message never takes less time."""
    table = medians(
        (row["gpu"], KINDS.get(row["collective"], row["collective"]), (row["n_gpus"], size), row["latency_us"])
        for row in rows(path)
        if (size := row["message_elems"] * ELEMENT_BYTES)
    )
    for kinds in table.values():
        for cells in kinds.values():
            slowest: dict[float, float] = defaultdict(float)
            for ranks, size in sorted(cells):
                slowest[ranks] = max(slowest[ranks], cells[ranks, size])
                cells[ranks, size] = slowest[ranks] / size
    return table


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a parquet file, a batch at a time."""
    for batch in pq.ParquetFile(path).iter_batches():
        yield from batch.to_pylist()


def medians(measured: Iterator[tuple[str, str, tuple[float, ...], float]]) -> dict[str, dict[str, Cells]]:
    """Median seconds of each cell over stacks and repeats, from microseconds."""
    found: dict[str, dict[str, dict[tuple[float, ...], list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for name, key, cell, microseconds in measured:
        found[name][key].setdefault(cell, []).append(microseconds * 1e-6)
    return {
        name: {key: {cell: float(np.median(values)) for cell, values in cells.items()} for key, cells in table.items()}
        for name, table in found.items()
    }


def faster(table: dict[str, dict[str, Cells]], names: tuple[str, ...]) -> dict[str, Cells]:
    """Cells of the first name, each the fastest of those that all names measured."""
    first = names[0]
    return {
        key: {cell: min(value, *(table[o][key].get(cell, value) for o in names)) for cell, value in cells.items()}
        for key, cells in table[first].items()
    }


def grid_of(cells: Cells) -> tuple[list[Array], Array]:
    """Log2 axes and log values with NaN where nothing was measured."""
    axes = [np.array(sorted({cell[i] for cell in cells}), dtype=float) for i in range(len(next(iter(cells))))]
    places = [{value: i for i, value in enumerate(axis)} for axis in axes]
    values = np.full([len(axis) for axis in axes], np.nan)
    for cell, seconds in cells.items():
        values[tuple(place[x] for place, x in zip(places, cell, strict=True))] = np.log(seconds)
    return [np.log2(axis) for axis in axes], values


def fill_holes(axes: list[Array], values: Array) -> Array:
    """Values with every hole taken from its neighbours; one between two measured cells weighs ten times one beyond."""
    while np.isnan(values).any():
        total, weight = np.zeros_like(values), np.zeros_like(values)
        for i, axis in enumerate(axes):
            guess, trust = guesses(axis, np.moveaxis(values, i, -1))
            total += np.moveaxis(guess * trust, -1, i)
            weight += np.moveaxis(trust, -1, i)
        values = np.where(np.isnan(values) & (weight > 0), total / np.maximum(weight, 0.1), values)
    return values


def guesses(axis: Array, lines: Array) -> tuple[Array, Array]:
    """Linear guesses along the last axis and their weights (1 between measured cells, 0.1 beyond, 0 with none)."""
    guess, trust = np.zeros_like(lines), np.zeros_like(lines)
    for line in np.ndindex(lines.shape[:-1]):
        known = ~np.isnan(lines[line])
        if known.any():
            guess[line] = np.interp(axis, axis[known], lines[line][known])
            inside = (axis >= axis[known][0]) & (axis <= axis[known][-1])
            trust[line] = np.where(inside, 1.0, 0.1)
    return guess, trust


def write(path: Path, chip: str, grids: dict[str, Cells]) -> None:
    """One chip's grids as arrays KEY/axes, KEY/values (float16 or 64), KEY/mean; and what they are, as JSON."""
    kind, speed = LINKS.get(chip, (None, None))
    about = {"chip_id": chip, "source": SOURCE, "link_kind": kind, "link_bytes_per_s": speed, "grids": sorted(grids)}
    arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps(about))}
    for key, cells in grids.items():
        axes, values = grid_of(cells)
        filled = fill_holes(axes, values)
        arrays[f"{key}/axes"] = np.concatenate(axes).astype(np.float32)
        compact = np.float64 if key.startswith("collectives/") else np.float16  # plateaus of latency stay monotone
        arrays[f"{key}/values"] = (filled - filled.mean()).astype(compact)
        arrays[f"{key}/mean"] = np.array(filled.mean())
        print(f"{chip:16} {key:28} {filled.shape} measured {np.isfinite(values).mean():.0%}")
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"{chip:16} {path.stat().st_size / 1024:.0f} KiB")


def write_sample(path: Path, measured: dict[str, dict[str, Cells]]) -> None:
    """Some measured cells of each grid, the same every time, for tests that run without the measured sets."""
    lines = [f"# {SOURCE}; value: seconds per FLOP, of collectives seconds per byte", "chip,grid,x,y,z,value"]
    for chip, grids in measured.items():
        for key, cells in grids.items():
            chosen = np.random.default_rng(7).permutation(len(cells))[: SAMPLE[key.split("/")[0]]]
            ordered = sorted(cells)
            for i in sorted(chosen):
                place = [f"{x:.0f}" for x in ordered[i]]
                lines.append(",".join([chip, key, *place, *[""] * (3 - len(place)), f"{cells[ordered[i]]:.5g}"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name} {path.stat().st_size / 1024:.0f} KiB, {len(lines) - 2} cells")


if __name__ == "__main__":
    main()

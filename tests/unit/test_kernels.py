"""Measured kernels: what the tables say, how they carry to other chips, and laws that hold everywhere."""

import csv
import time
from collections import defaultdict
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pytest import approx

from gpuplan.data.chips import load_chips
from gpuplan.data.kernels import load_efficiency, load_kernels, measured_chips, read_efficiency
from gpuplan.errors import FactError
from gpuplan.facts.chip import Chip
from gpuplan.facts.efficiency import Grid, choose
from gpuplan.model.kernels import (
    MANY,
    attention_s,
    between,
    distinct,
    memory_s,
    misaligned,
    peak,
    product_s,
    usable_dtype,
)

SAMPLE: Final = Path(__file__).parents[1] / "data" / "kernels_sample.csv"
SHARED: Final = Path(__file__).parents[2].parent / "shared"
BUILDER: Final = Path(__file__).parents[2] / "tools" / "build_kernels.py"
A100, H100, H200, L40S = "A100-80GB-SXM4", "H100-80GB-SXM5", "H200-141GB-SXM5", "L40S"

Array = NDArray[np.float64]
Cells = tuple[Array, Array]


def sample() -> dict[tuple[str, str], Cells]:
    """Measured cells by chip and grid: places (one row a cell) and seconds per FLOP or byte."""
    rows = defaultdict(list)
    with SAMPLE.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            rows[row["chip"], row["grid"]].append([float(row[c]) for c in "xyz" if row[c]] + [float(row["value"])])
    return {key: (np.array(cells)[:, :-1], np.array(cells)[:, -1]) for key, cells in rows.items()}


def grid_of(chip: str, key: str) -> Grid:
    area, name = key.split("/")
    kernels = load_kernels(chip)
    return kernels.attention[int(name)] if area == "attention" else getattr(kernels, area)[name]


def seconds(chip: str, dtype: str, m: float, n: float, k: float) -> float:
    """Time of a product on a catalogued chip with its own donor."""
    card = load_chips()[chip]
    return float(product_s(load_kernels(card.donor), card, load_chips()[card.donor], dtype=dtype, m=m, n=n, k=k))


def every_second_node(grid: Grid) -> Grid:
    """The grid without every second node (the last stays)."""
    kept = [np.unique([*range(0, len(axis), 2), len(axis) - 1]) for axis in grid.axes]
    return Grid(axes=tuple(axis[k] for axis, k in zip(grid.axes, kept, strict=True)), values=grid.values[np.ix_(*kept)])


# ---- the tables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chip", "key"), sorted(sample()))
def test_every_measured_cell_is_read_back_within_half_a_percent(chip: str, key: str) -> None:
    places, values = sample()[chip, key]
    grid = grid_of(chip, key)
    read = np.exp(between(grid, *np.log2(places.T)))
    assert read == approx(values, rel=0.005)


@pytest.mark.parametrize("chip", measured_chips())
def test_bf16_cells_between_the_nodes_are_guessed_within_five_percent(chip: str) -> None:
    places, values = sample()[chip, "products/bf16"]
    grid = every_second_node(grid_of(chip, "products/bf16"))
    held_back = ~np.all([np.isin(np.log2(places[:, i]), grid.axes[i]) for i in range(3)], axis=0)
    error = np.exp(between(grid, *np.log2(places[held_back].T))) / values[held_back] - 1
    assert held_back.sum() > 80
    assert np.median(np.abs(error)) < (0.08 if chip == L40S else 0.055)
    assert abs(np.median(error)) < 0.03


@pytest.mark.parametrize("chip", measured_chips())
def test_every_measured_chip_is_catalogued_and_its_tables_have_no_holes(chip: str) -> None:
    kernels = load_kernels(chip)
    grids = [*kernels.products.values(), *kernels.attention.values(), *kernels.collectives.values()]
    assert load_chips()[chip].donor == chip
    assert "bf16" in kernels.products and 128 in kernels.attention and kernels.source
    for grid in grids:
        assert grid.values.shape == tuple(len(axis) for axis in grid.axes)
        assert np.isfinite(grid.values).all()
        assert all((np.diff(axis) > 0).all() for axis in grid.axes)


def test_every_catalogued_chip_borrows_from_a_measured_one() -> None:
    assert {card.donor for card in load_chips().values()} <= set(measured_chips())


def test_an_unmeasured_chip_is_refused_with_the_names_of_the_measured_ones() -> None:
    with pytest.raises(FactError, match=r"RTX-4090: no measured kernels.*H100-80GB-SXM5"):
        load_kernels("RTX-4090")


def test_an_h100_multiplies_4096_cubed_at_four_fifths_of_its_peak() -> None:
    measured = 2 * 4096**3 / 170.2e-6
    assert 2 * 4096**3 / seconds(H100, "bf16", 4096, 4096, 4096) == approx(measured, rel=0.005)
    assert 0.75 < measured / 989e12 < 0.85


@pytest.mark.parametrize(
    ("chip", "dtype", "shape", "microseconds"),
    [  # tokens, hidden, heads, kv heads, head, ffn, gated, tensor parallel; passes f, d, w of a layer
        (A100, "bf16", (1024, 2048, 16, 16, 128, 8192, 1, 1), (482, 495, 487)),
        (A100, "bf16", (4096, 2048, 16, 16, 128, 8192, 1, 8), (310, 299, 265)),
        (A100, "bf16", (8192, 8192, 64, 64, 128, 32768, 1, 4), (12742, 12617, 12709)),
        (A100, "bf16", (8192, 6144, 48, 48, 128, 24576, 1, 2), (14612, 14570, 14667)),
        (A100, "fp16", (2048, 12288, 64, 64, 192, 49152, 1, 1), (29487, 29728, 30454)),
        (A100, "fp16", (4096, 14336, 64, 64, 224, 57344, 1, 2), (38970, 39163, 40624)),
        (H100, "bf16", (32768, 5120, 40, 40, 128, 20480, 1, 1), (26914, 27157, 26583)),
        ("GB200", "bf16", (4096, 18432, 96, 8, 192, 73728, 1, 8), (2162, 2154, 2073)),
        ("GB300", "fp8", (16384, 8192, 64, 8, 128, 28672, 2, 1), (9708, 10215, 9613)),
        ("GB200", "fp8", (16384, 4096, 32, 8, 128, 14336, 2, 1), (2897, 3216, 2834)),
        ("RTX-PRO-6000-SE", "bf16", (32768, 1536, 12, 2, 128, 8960, 2, 1), (8042, 8096, 8017)),
        ("RTX-4090", "bf16", (32768, 5120, 40, 8, 128, 13824, 2, 1), (142741, 143797, 131178)),
        ("H100-96GB-HBM2e", "bf16", (16384, 4096, 32, 8, 128, 14336, 2, 1), (12251, 12346, 12561)),
    ],
)
def test_the_worked_layers_take_the_microseconds_of_the_calibration(
    chip: str, dtype: str, shape: tuple[int, ...], microseconds: tuple[float, ...]
) -> None:
    tokens, hidden, heads, kv, head, ffn, gated, tensor = shape
    products = [
        (tokens, (heads + 2 * kv) * head / tensor, hidden),
        (tokens, hidden, heads * head / tensor),
        (tokens, (1 + (gated == 2)) * ffn / tensor, hidden),
        (tokens, hidden, ffn / tensor),
    ]
    passes = [
        sum(seconds(chip, dtype, m, n, k) for m, n, k in products),
        sum(seconds(chip, dtype, m, k, n) for m, n, k in products),
        sum(seconds(chip, dtype, k, n, m) for m, n, k in products),
    ]
    assert [1e6 * s for s in passes] == approx(list(microseconds), rel=0.08)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the measured sets are not beside the checkout")
def test_the_shipped_tables_are_what_the_builder_makes_of_the_measured_sets() -> None:
    pytest.importorskip("pyarrow")
    spec = spec_from_file_location("build_kernels", BUILDER)
    assert spec is not None and spec.loader is not None
    builder = module_from_spec(spec)
    spec.loader.exec_module(builder)
    products = builder.products(SHARED / "measured" / "kernels" / "gemm.parquet")
    for chip, names in builder.CHIPS.items():
        cells = builder.faster(products, names)["bf16"]
        axes, measured = builder.grid_of(cells)
        shipped = load_kernels(chip).products["bf16"]
        known = ~np.isnan(measured)
        assert shipped.values[known] == approx(measured[known], abs=0.003)
        kept = np.ix_(*[np.arange(len(axis)) % 2 == 0 for axis in axes])
        thinned = [axis[::2] for axis in axes]
        grid = Grid(axes=tuple(thinned), values=builder.fill_holes(thinned, measured[kept]))
        held_back = known.copy()
        held_back[kept] = False
        places = [np.broadcast_to(np.expand_dims(a, [j for j in range(3) if j != i]), measured.shape)[held_back]
                  for i, a in enumerate(axes)]  # fmt: skip
        error = np.exp(between(grid, *places) - measured[held_back]) - 1
        assert np.median(np.abs(error)) < (0.08 if chip == L40S else 0.05)


# ---- other chips ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("donor", "target", "limit"),
    [(A100, H100, 0.12), (H100, H200, 0.10), ("B200-180GB-SXM", "B300-288GB-SXM", 0.10), (A100, L40S, 0.15),
     (A100, "RTX-PRO-6000-SE", 0.18), (H100, "B200-180GB-SXM", 0.18)],
)  # fmt: skip
def test_large_products_carried_between_measured_chips_keep_the_stated_error(
    donor: str, target: str, limit: float
) -> None:
    places, values = sample()[target, "products/bf16"]
    large = places.prod(axis=1) > 5e10
    m, n, k = places[large].T
    time_s = product_s(load_kernels(donor), load_chips()[target], load_chips()[donor], dtype="bf16", m=m, n=n, k=k)
    error = time_s / (values[large] * 2 * m * n * k) - 1
    assert np.median(np.abs(error)) < limit


shapes = st.tuples(*[st.floats(128, 60000)] * 3)


@given(shapes)
def test_a_chip_that_is_its_own_donor_takes_the_measured_time(shape: tuple[float, float, float]) -> None:
    m, n, k = shape
    rate = np.exp(between(load_kernels(H100).products["bf16"], *np.log2(shape)))
    assert seconds(H100, "bf16", m, n, k) == approx(2 * m * n * k * rate)


@given(shapes, st.floats(0.1, 8))
def test_a_chip_with_all_rates_times_x_takes_the_time_over_x(shape: tuple[float, float, float], x: float) -> None:
    m, n, k = shape
    h100 = load_chips()[H100]
    scaled = scale(h100, peak=x, bandwidth=x)
    time_s = product_s(load_kernels(H100), scaled, h100, dtype="bf16", m=m, n=n, k=k)
    assert time_s == approx(seconds(H100, "bf16", m, n, k) / x)
    assert attention_h100(scaled) == approx(attention_h100(h100) / x)


def test_compute_bound_work_follows_the_peak_and_reading_follows_the_bandwidth() -> None:
    h100, kernels = load_chips()[H100], load_kernels(H100)
    for shape, (by_peak, by_bandwidth) in {(8192, 8192, 8192): (0.5, 1.0), (64, 16384, 16384): (1.0, 0.5)}.items():
        m, n, k = shape
        now = seconds(H100, "bf16", m, n, k)
        faster = product_s(kernels, scale(h100, peak=2), h100, dtype="bf16", m=m, n=n, k=k) / now
        wider = product_s(kernels, scale(h100, bandwidth=2), h100, dtype="bf16", m=m, n=n, k=k) / now
        assert [faster, wider] == approx([by_peak, by_bandwidth], abs=0.15)


def test_the_donor_scale_multiplies_the_time() -> None:
    h100 = load_chips()[H100]
    slow = replace(h100, donor_scale=1.5)
    time_s = product_s(load_kernels(H100), slow, h100, dtype="bf16", m=4096, n=4096, k=4096)
    assert time_s == approx(1.5 * seconds(H100, "bf16", 4096, 4096, 4096))
    assert attention_h100(slow) == approx(1.5 * attention_h100(h100))


def test_a_chip_without_a_stated_bandwidth_has_the_donors_in_proportion_to_peak() -> None:
    ascend, a100 = load_chips()["Ascend-910B"], load_chips()[A100]
    assert ascend.memory_bytes_per_s is None
    assert memory_s(ascend, a100, 1e9) == approx(1e9 / 2.039e12 * 312 / 313)
    assert seconds("Ascend-910B", "bf16", 4096, 4096, 4096) == approx(
        seconds(A100, "bf16", 4096, 4096, 4096) * 312 / 313
    )


def scale(chip: Chip, peak: float = 1.0, bandwidth: float = 1.0) -> Chip:
    assert chip.memory_bytes_per_s is not None
    rates = {dtype: rate * peak for dtype, rate in chip.peak_flops.items()}
    return replace(chip, peak_flops=rates, memory_bytes_per_s=chip.memory_bytes_per_s * bandwidth)


def attention_h100(chip: Chip, **change: float) -> float:
    asked = {"batch_heads": 64, "seq": 4096, "head_dim": 128} | change
    return float(attention_s(load_kernels(H100), chip, load_chips()[H100], **asked))  # type: ignore[arg-type]


# ---- number formats ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chip", "asked", "used"),
    [("T4", "bf16", "fp16"), ("V100-32GB-SXM2", "bf16", "fp16"), ("P40", "bf16", "fp32"), (A100, "fp8", "bf16"),
     (H100, "fp4", "fp8"), (A100, "fp4", "bf16"), ("GB200", "fp4", "fp4"), ("V100-32GB-SXM2", "tf32", "fp32"),
     ("T4", "fp8", "fp16"), ("Gaudi2", "fp16", "bf16"), ("Ascend-910", "fp32", "fp32"), (H100, "bf16", "bf16")],
)  # fmt: skip
def test_a_chip_without_a_format_computes_in_the_nearest_it_has(chip: str, asked: str, used: str) -> None:
    assert usable_dtype(load_chips()[chip], asked) == used


def test_fp16_runs_as_bf16_and_wider_formats_by_their_peak() -> None:
    bf16 = seconds(H100, "bf16", 8192, 8192, 8192)
    assert seconds(H100, "fp16", 8192, 8192, 8192) == approx(bf16)
    assert seconds(H100, "tf32", 8192, 8192, 8192) == approx(2 * bf16, rel=0.01)
    assert seconds(H100, "fp32", 8192, 8192, 8192) == approx(989 / 67 * bf16, rel=0.1)


@pytest.mark.parametrize("chip", sorted(load_chips()))
def test_every_catalogued_chip_has_a_time_in_every_format_it_is_asked_for(chip: str) -> None:
    card = load_chips()[chip]
    times = [seconds(chip, usable_dtype(card, asked), 4096, 4096, 4096) for asked in ("fp32", "tf32", "bf16")]
    assert np.isfinite(times).all() and times == approx(sorted(times, reverse=True), rel=0.02)


def test_a_format_whose_rate_is_left_out_follows_those_that_are_stated() -> None:
    ascend = load_chips()["Ascend-910B"]
    assert peak(ascend, "bf16") == 313e12
    assert peak(ascend, "fp32") == approx(313e12 / 16)
    assert peak(load_chips()["T4"], "fp32") == approx(8.14e12)


def test_fp8_has_its_own_table_and_fp4_reads_it() -> None:
    fp8 = seconds("GB200", "fp8", 16384, 8192, 8192)
    assert 0.4 < fp8 / seconds("GB200", "bf16", 16384, 8192, 8192) < 0.65
    assert seconds("GB200", "fp4", 16384, 8192, 8192) == fp8


def test_fp8_without_a_donors_table_is_twice_as_fast_where_the_peak_is() -> None:
    a100 = load_chips()[A100]
    doubled = replace(a100, peak_flops={**a100.peak_flops, "fp8": 624e12})
    time_s = product_s(load_kernels(A100), doubled, a100, dtype="fp8", m=8192, n=8192, k=8192)
    assert time_s == approx(seconds(A100, "bf16", 8192, 8192, 8192) / 2)


# ---- beyond the grid -----------------------------------------------------------------------------------------------


@given(st.floats(1, 63), st.floats(1, 20000), st.floats(1, 20000))
def test_a_small_product_takes_at_least_the_time_to_move_its_operands(m: float, n: float, k: float) -> None:
    moved = 2 * (m * n + m * k + n * k)
    assert seconds(H100, "bf16", m, n, k) >= moved / 3.35e12 * (1 - 1e-9)


def test_one_row_takes_the_time_to_read_the_weights() -> None:
    assert seconds(H100, "bf16", 1, 16384, 16384) == approx(2 * 16384**2 / 3.35e12, rel=0.01)


def test_wider_elements_take_longer_to_read() -> None:
    bf16 = seconds(H100, "bf16", 1, 16384, 16384)
    factors = [seconds(H100, dtype, 1, 16384, 16384) / bf16 for dtype in ("fp32", "tf32", "fp16", "fp8")]
    assert factors == approx([2, 2, 1, 0.5], rel=0.02)


def test_beyond_the_largest_measured_size_the_rate_is_held() -> None:
    assert seconds(H100, "bf16", 131072, 8192, 8192) == approx(4 * seconds(H100, "bf16", 32768, 8192, 8192))


# ---- arrays --------------------------------------------------------------------------------------------------------


def test_many_products_are_the_same_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    few = rng.integers(1, 70000, (40, 3)).astype(float)
    m, n, k = few[rng.integers(0, 40, 2 * MANY)].T
    h100 = load_chips()[H100]
    many = product_s(load_kernels(H100), h100, h100, dtype="bf16", m=m, n=n, k=k)
    singly = {tuple(row): seconds(H100, "bf16", *row) for row in few}
    assert many == approx(np.array([singly[row] for row in zip(m, n, k, strict=True)]), rel=1e-12)


def test_sizes_broadcast_against_each_other() -> None:
    h100 = load_chips()[H100]
    m = np.repeat([256.0, 8192.0], MANY).reshape(2, MANY)
    table = product_s(load_kernels(H100), h100, h100, dtype="bf16", m=m, n=4096.0, k=np.full(MANY, 1024.0))
    assert np.shape(table) == (2, MANY)
    assert np.asarray(table)[:, 7] == approx([seconds(H100, "bf16", x, 4096, 1024) for x in (256, 8192)])


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1))
def test_distinct_rows_rebuild_the_columns(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    first, back = distinct(x, y)
    assert (x[first][back] == x).all() and (y[first][back] == y).all()
    assert len(first) == len(set(rows))


def test_rows_that_look_alike_are_still_told_apart() -> None:
    x, y = np.array([1e300, 1e300, 1e300]), np.array([1.0, 2.0, 1.0])
    first, back = distinct(x, y)
    assert (y[first][back] == y).all()


def test_a_hundred_thousand_products_take_a_few_hundredths_of_a_second() -> None:
    rng = np.random.default_rng(3)
    m, n, k = rng.integers(64, 30000, (500, 3)).astype(float)[rng.integers(0, 500, 100_000)].T.copy()
    h100, kernels = load_chips()[H100], load_kernels(H100)
    took = []
    for _ in range(5):
        start = time.process_time()
        product_s(kernels, h100, h100, dtype="bf16", m=m, n=n, k=k)
        took.append(time.process_time() - start)
    assert min(took) < 0.05


# ---- attention, memory, alignment ----------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", measured_chips())
@pytest.mark.parametrize("head_dim", [64, 128])
def test_attention_takes_the_measured_time(chip: str, head_dim: int) -> None:
    if (chip, f"attention/{head_dim}") not in sample():
        pytest.skip("this head size was not measured on this chip")
    places, values = sample()[chip, f"attention/{head_dim}"]
    heads, seq = places.T
    card = load_chips()[chip]
    time_s = attention_s(load_kernels(chip), card, card, batch_heads=heads, seq=seq, head_dim=head_dim)
    assert time_s == approx(values * 2 * heads * seq**2 * head_dim, rel=0.005)


def test_attention_counts_pairs_windows_and_the_nearest_head_size() -> None:
    h100 = load_chips()[H100]
    full = attention_h100(h100)
    assert attention_h100(h100, causal=False) == approx(2 * full)
    assert attention_h100(h100, window=4096) == approx(full)
    assert attention_h100(h100, window=512) == approx(attention_h100(h100, batch_heads=64 * 3.2, seq=1280))
    assert attention_h100(h100, head_dim=120) == approx(120 / 128 * full)
    assert attention_h100(h100, seq=65536) == approx(16 * attention_h100(h100, seq=16384))
    assert attention_h100(h100, seq=8192) == approx(4 * full, rel=0.15)


def test_short_sequences_read_more_bytes_a_flop_than_long_ones() -> None:
    wide = scale(load_chips()[H100], bandwidth=2)
    gains = [1 - attention_h100(wide, seq=seq) / attention_h100(load_chips()[H100], seq=seq) for seq in (256, 4096)]
    bytes_over_flops = 4 * 2 / (2 * 256)
    share = bytes_over_flops / 3.35e12 / (bytes_over_flops / 3.35e12 + 1 / 989e12)
    assert gains[0] == approx(share / 2) and gains[1] < 0.3 * gains[0]


@pytest.mark.parametrize(
    ("heads", "seq", "head_dim", "window", "microseconds"),
    [(64, 16384, 64, 128, 385), (32, 8192, 128, 128, 199)],
)
def test_a_window_of_128_keys_takes_about_its_measured_time(
    heads: int, seq: int, head_dim: int, window: int, microseconds: float
) -> None:
    time_s = attention_h100(load_chips()[H100], batch_heads=heads, seq=seq, head_dim=head_dim, window=window)
    assert time_s == approx(microseconds * 1e-6, rel=0.25)


def test_attention_on_a_chip_without_bf16_follows_its_fp16_peak() -> None:
    card, donor = load_chips()["V100-32GB-SXM2"], load_chips()[A100]
    asked = {"batch_heads": 64.0, "seq": 8192.0, "head_dim": 128}
    here = attention_s(load_kernels(A100), card, donor, **asked)  # type: ignore[arg-type]
    there = attention_s(load_kernels(A100), donor, donor, **asked)  # type: ignore[arg-type]
    assert here / there == approx(312 / 125, rel=0.05)


def test_moving_bytes_takes_bytes_over_bandwidth() -> None:
    h100 = load_chips()[H100]
    assert memory_s(h100, h100, np.array([3.35e12, 0.0])) == approx(np.array([1.0, 0.0]))


def test_sizes_that_are_no_multiple_of_64_are_misaligned() -> None:
    slow = misaligned(np.array([1800.0, 1792.0, 1792.0]), np.array([4096.0, 4096.0, 100.0]))
    assert np.array_equal(slow, [True, False, True])


# ---- calibrated factors --------------------------------------------------------------------------------------------


def test_every_calibrated_factor_has_a_source_and_is_positive() -> None:
    factors = load_efficiency()
    for name, source in factors.sources.items():
        value = getattr(factors, name)
        assert source and (min(value.values()) if isinstance(value, dict) else value) > 0
        assert not isinstance(value, dict) or "" in value


def test_a_factor_is_chosen_by_chip_then_generation_then_unknown() -> None:
    factors = load_efficiency().product_factor
    assert choose(factors, "RTX-PRO-6000-SE", "Blackwell") == 1.0
    assert choose(factors, "B200-180GB-SXM", "Blackwell") == 1.29
    assert choose(factors, "MI300X", "CDNA3") == factors[""]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('[fp8_factor]\nsource = "', '[fp8_factor]\nsource = ""\nwas = "', "fp8_factor: no source"),
        ("[fp8_factor]", "[fp9_factor]", "fp8_factor is missing"),
        ("[fp8_factor]", '[aa]\nsource = "x"\nvalue = 1\n[fp8_factor]', "unknown factor aa"),
    ],
)
def test_a_factor_without_source_or_unknown_or_missing_is_refused(old: str, new: str, complaint: str) -> None:
    path = Path(__file__).parents[2] / "src" / "gpuplan" / "data" / "files" / "efficiency.toml"
    with pytest.raises(FactError, match=complaint):
        read_efficiency(path.read_text(encoding="utf-8").replace(old, new))

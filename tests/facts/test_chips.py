"""Accelerators: usable memory, one-way links, dense peaks, donors of kernels; each figure with its source."""

import json
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from gpuplan.data.chips import FILE, chip_of, load_chips
from gpuplan.data.shelf import FILES, read_rows, read_sources
from gpuplan.errors import FactError
from gpuplan.units import GB, GIB, MIB, TFLOP

CHIPS = load_chips()
SHARED = Path(__file__).parents[2].parent / "shared"
MEASURED = {
    "A100-80GB-SXM4", "L40S", "H100-80GB-SXM5", "H200-141GB-SXM5", "B200-180GB-SXM",
    "B300-288GB-SXM", "GB200", "GB300", "RTX-PRO-6000-SE",
}  # fmt: skip


def collected() -> list[dict[str, Any]]:
    path = SHARED / "facts/gpus.jsonl"
    if not path.exists():
        pytest.skip("the collected facts are not beside this checkout")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("chip", "usable_mib"),
    [
        ("L4", 22888), ("A10G", 22888), ("L40S", 46068), ("B200-180GB-SXM", 183359), ("B300-288GB-SXM", 275040),
        ("RTX-PRO-6000-SE", 97887), ("T4", 14.75 * 1024), ("RTX-4090", 23.64 * 1024), ("V100-32GB-SXM2", 31.75 * 1024),
    ],
)  # fmt: skip
def test_memory_is_what_a_process_can_use(chip: str, usable_mib: float) -> None:
    assert CHIPS[chip].memory_bytes == approx(usable_mib * MIB, rel=1e-4)


def test_usable_memory_is_never_above_the_label_and_says_where_it_was_derived() -> None:
    for chip in CHIPS.values():
        assert chip.label_gb is not None
        assert 0.9 < chip.memory_bytes / GIB / chip.label_gb < 1.0
        assert chip.sources["memory"]


def test_figures_are_those_collected_with_links_one_way_and_dual_dies_halved() -> None:
    for row in collected():
        if row["id"] not in CHIPS:
            assert row["memory_gb"] is None
            continue
        chip, dies = CHIPS[row["id"]], 2 if row["id"] in ("MI250X", "Ascend-910C") else 1
        both_ways = row["link"]["gb_s_bidirectional_per_gpu"]
        if both_ways:
            assert chip.link_bytes_per_s == approx(both_ways / 2 * GB / dies)
        if row["mem_bandwidth_gb_s"]:
            assert chip.memory_bytes_per_s == approx(row["mem_bandwidth_gb_s"] * GB / dies)
        stated = {dtype: rate for dtype, rate in row["dense_tflops"].items() if rate is not None}
        assert set(chip.peak_flops) == set(stated)
        for dtype, rate in stated.items():
            assert chip.peak_flops[dtype] == approx(rate * TFLOP / dies)


def test_the_measured_chips_are_their_own_donors_and_the_others_borrow_from_them() -> None:
    assert {chip.id for chip in CHIPS.values() if chip.donor == chip.id} == MEASURED
    assert {chip.donor for chip in CHIPS.values()} <= MEASURED


@pytest.mark.parametrize(
    ("chip", "donor", "scale"),
    [
        ("V100-32GB-SXM2", "A100-80GB-SXM4", 1.0),
        ("A100-40GB-SXM4", "A100-80GB-SXM4", 1.0),
        ("MI300X", "H100-80GB-SXM5", 1.93),
        ("MI325X", "H100-80GB-SXM5", 1.42),
        ("MI355X", "B200-180GB-SXM", 1.0),
        ("H100-96GB-HBM2e", "H100-80GB-SXM5", 1 / 0.76),
        ("H20-96GB", "H100-80GB-SXM5", 1.0),
    ],
)
def test_donors_follow_the_stated_rules(chip: str, donor: str, scale: float) -> None:
    assert CHIPS[chip].donor == donor
    assert CHIPS[chip].donor_scale == approx(scale, abs=1e-3)


def test_geforce_cards_sustain_more_of_their_halved_peak_than_the_donor_of_its_own() -> None:
    for chip in ("RTX-4090", "RTX-5090", "RTX-5060Ti-16GB", "RTX-3090"):
        assert 0.7 < CHIPS[chip].donor_scale < 1.0
        assert "0.93 to 0.95" in CHIPS[chip].sources["donor"]


def test_an_untested_donor_is_marked_as_assumed() -> None:
    assert CHIPS["T4"].sources["donor"].startswith("assumed")
    assert CHIPS["V100-32GB-SXM2"].sources["donor"].startswith("tested")


def test_bf16_is_supported_only_where_the_hardware_has_it() -> None:
    assert not CHIPS["V100-32GB-SXM2"].supports("bf16")
    assert not CHIPS["T4"].supports("bf16")
    assert CHIPS["RTX-3090"].supports("bf16")
    assert not CHIPS["A100-80GB-SXM4"].supports("fp8")


def row_of(chip_id: str) -> dict[str, Any]:
    return dict(read_rows(FILES / FILE)[chip_id])


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"memory": [1, "furlong", "c1"]}, "fact_unknown_unit"),
        ({"memory": [1, "MiB"]}, "fact_no_source"),
        ({"memory": [1, "MiB", "nobody"]}, "fact_no_source"),
        ({"tflops": {"bf16": [1, "TFLOP/s", ""]}}, "fact_no_source"),
        ({"tflops": {"bf16": [1]}}, "fact_unknown_unit"),
        ({"donor_source": None}, "fact_no_source"),
    ],
)
def test_a_figure_without_source_or_with_an_unknown_unit_does_not_load(change: dict[str, Any], key: str) -> None:
    table = read_sources(FILES / "chip_sources.json")
    with pytest.raises(FactError) as caught:
        chip_of({**row_of("T4"), **change}, table, file=FILE)
    assert caught.value.key == key
    assert "T4" in str(caught.value) and FILE in str(caught.value)


def test_an_id_that_stands_twice_does_not_load(tmp_path: Path) -> None:
    path = tmp_path / "chips.jsonl"
    path.write_text('{"id":"a"}\n{"id":"b"}\n{"id":"a"}\n', encoding="utf-8")
    with pytest.raises(FactError, match="a stands twice"):
        read_rows(path)


def test_an_unknown_figure_stays_unknown() -> None:
    assert CHIPS["Ascend-910B"].memory_bytes_per_s is None
    assert "bandwidth" not in CHIPS["Ascend-910B"].sources

"""Accelerators as people write them mean every variant that they can mean, slowest first, and nothing else."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from gpuplan.data.chips import load_chips
from gpuplan.data.names import find_chip, is_apple, memory_class, resolve_chip, stated_memory
from gpuplan.errors import QuestionError
from gpuplan.units import GIB

CHIPS = load_chips()
SHARED = Path(__file__).parents[2].parent / "shared"


def ids(text: str) -> list[str]:
    return [chip.id for chip in resolve_chip(text, CHIPS)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("4090", ["RTX-4090"]),
        ("RTX 4090", ["RTX-4090"]),
        ("rtx4090-24gb", ["RTX-4090"]),
        ("4090 48G", ["RTX-4090-48GB-mod"]),
        ("RTX 4060 Ti", ["RTX-4060Ti-16GB"]),
        ("4080 super", ["RTX-4080S"]),
        ("titanrtx", ["Titan-RTX"]),
        ("A100 80G", ["A100-80GB-PCIe", "A100-80GB-SXM4"]),
        ("A100-SXM-40GB", ["A100-40GB-SXM4"]),
        ("NVIDIA A100-SXM4-80GB", ["A100-80GB-SXM4"]),
        ("A10", ["A10"]),
        ("H100", ["H100-80GB-PCIe", "H100-94GB-NVL", "H100-80GB-SXM5"]),
        ("H100 PCI-E", ["H100-80GB-PCIe"]),
        ("NVIDIA_H100_80GB_HBM3", ["H100-80GB-SXM5"]),
        ("DGX H100", ["H100-80GB-SXM5"]),
        ("H100 96GB HBM2e", ["H100-96GB-HBM2e"]),
        ("B200 192GB", ["B200-180GB-SXM"]),
        ("GB200 NVL72", ["GB200"]),
        ("V100", ["V100-16GB-PCIe", "V100-32GB-PCIe", "V100-16GB-SXM2", "V100-32GB-SXM2"]),
        ("T4-16GB", ["T4"]),
        ("昇腾910B", ["Ascend-910B"]),
        ("华为昇腾 910C", ["Ascend-910C"]),
        ("Ascend910B3-64GB", ["Ascend-910B"]),
        ("Ascend-910B (Atlas 900 A2 PODc)", ["Ascend-910B"]),
        ("MI250X-GCD-64GB", ["MI250X"]),
        ("Gaudi 2", ["Gaudi2"]),
        ("RTX 6000 Ada", ["RTX-6000-Ada"]),
        ("RTX A6000", ["RTX-A6000"]),
    ],
)
def test_a_name_means_its_variants(text: str, meant: list[str]) -> None:
    assert ids(text) == meant


def test_a_bare_rtx_6000_may_be_any_of_its_three_families() -> None:
    assert {"Quadro-RTX-6000", "RTX-6000-Ada", "RTX-PRO-6000-SE"} <= set(ids("RTX 6000"))


@pytest.mark.parametrize("chip_id", list(CHIPS))
@pytest.mark.parametrize(
    "written", [str.lower, str.upper, lambda s: s.replace("-", " "), lambda s: s.replace("-", "_")]
)
def test_an_id_means_itself_however_it_is_spelled(chip_id: str, written: object) -> None:
    assert callable(written)
    assert ids(written(chip_id)) == [chip_id]


def test_variants_come_slowest_first() -> None:
    for text in ("A100", "H100", "V100", "RTX 6000", "H200"):
        chips = resolve_chip(text, CHIPS)
        speeds = [(max(c.peak_flops.get("bf16", 0), c.peak_flops.get("fp16", 0)), c.memory_bytes_per_s) for c in chips]
        assert speeds == sorted(speeds)


@pytest.mark.parametrize("text", ["", "8", "RTX", "H1000", "RTX 4090 Laptop", "toaster", "A100X9", "公司"])
def test_an_unknown_name_is_refused_with_the_nearest(text: str) -> None:
    with pytest.raises(QuestionError) as caught:
        resolve_chip(text, CHIPS)
    assert caught.value.key == "chip_unknown"
    assert all(name in CHIPS for name in str(caught.value.values["nearest"]).split(", "))


def test_a_memory_that_no_variant_has_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(QuestionError, match="known: T4"):
        resolve_chip("T4 24GB", CHIPS)


def test_find_believes_a_stated_memory_and_says_so() -> None:
    (chip,) = find_chip("RTX2080Ti-22GB", CHIPS)
    assert chip.id == "RTX-2080Ti@22GB"
    assert chip.memory_bytes == approx(22 * GIB, rel=0.03)
    assert chip.memory_bytes < 22 * GIB
    assert "stated with the name" in chip.sources["memory"]
    assert chip.peak_flops == CHIPS["RTX-2080Ti"].peak_flops


@pytest.mark.parametrize(
    ("text", "label"), [("80GB-class", 80), ("24GB card", 24), ("16GB or 32GB card", 16), ("12 GB 显卡", 12)]
)
def test_a_card_known_by_memory_alone_has_a_memory(text: str, label: float) -> None:
    usable = memory_class(text)
    assert usable is not None
    assert 0.97 * label * GIB < usable < label * GIB
    assert not find_chip(text, CHIPS)


def test_a_named_card_is_no_memory_class_but_its_memory_is_stated() -> None:
    assert memory_class("MetaX-C500-64GB") is None
    assert stated_memory("MetaX-C500-64GB") == memory_class("64GB-class")
    assert stated_memory("H100") is None


def test_every_spelling_of_measured_runs_is_a_chip_or_a_memory() -> None:
    path = SHARED / "measured/vocabulary.md"
    if not path.exists():
        pytest.skip("the measured runs are not beside this checkout")
    section = path.read_text(encoding="utf-8").split("## hardware.gpu")[1].split("##")[0]
    spellings = re.findall(r"`(.*?)`", section)
    assert len(spellings) > 100
    unknown = [text for text in spellings if not find_chip(text, CHIPS) and memory_class(text) is None]
    assert len(unknown) <= 2, unknown
    assert all(stated_memory(text) for text in unknown)


@given(st.text(max_size=60))
def test_any_text_is_answered_or_refused_in_one_line(text: str) -> None:
    try:
        assert resolve_chip(text, CHIPS)
    except QuestionError as error:
        assert str(error)
    assert isinstance(find_chip(text, CHIPS), tuple)
    memory_class(text)


@given(st.sampled_from(sorted(CHIPS)), st.text(alphabet="abxyz0123456789 -_()", max_size=8))
def test_what_resolves_is_always_a_chip_whose_words_the_text_has(chip_id: str, noise: str) -> None:
    try:
        found = resolve_chip(f"{chip_id} {noise}", CHIPS)
    except QuestionError:
        return
    assert all(chip.id in CHIPS for chip in found)


def test_a_mac_is_told_apart_from_cards_of_like_names() -> None:
    assert all(
        is_apple(text) for text in ("M2", "m3 max", "M1-Ultra", "MacBook Pro", "Mac Studio", "Apple M4", "MACBOOK")
    )
    assert not any(is_apple(text) for text in ("M40", "M60", "MI300X", "M10", "RTX 4090 Max-Q", "Max 1550"))
    assert not any(is_apple(text) for chip in CHIPS.values() for text in (chip.id, chip.name))

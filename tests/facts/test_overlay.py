"""User files extend and override the catalogue; what they get wrong is refused with place and mend."""

from pathlib import Path

import pytest

from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.names import resolve_chip, resolve_model
from gpuplan.errors import FactError, GpuplanError, InputError
from gpuplan.units import GB, GIB, TFLOP


@pytest.fixture(autouse=True)
def no_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def opened(folder: Path, text: str) -> Catalogue:
    folder.mkdir(exist_ok=True)
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return open_catalogue(folder)


HYPOTHETICAL = """
[chips.X900]
based_on = "H100-80GB-SXM5"
source = "vendor brief, 2027-01"
memory_gib = 150
bf16_tflops = 3000
bandwidth_gb_s = 9000
link_gb_s = 800
"""


def test_a_hypothetical_chip_inherits_what_it_does_not_state(tmp_path: Path) -> None:
    catalogue = opened(tmp_path / "facts", HYPOTHETICAL)
    chip, base = catalogue.chips["X900"], catalogue.chips["H100-80GB-SXM5"]
    assert chip.memory_bytes == 150 * GIB
    assert chip.memory_bytes_per_s == 9000 * GB
    assert chip.link_bytes_per_s == 800 * GB
    assert chip.peak_flops["bf16"] == 3000 * TFLOP
    assert chip.peak_flops["fp32"] == base.peak_flops["fp32"]
    assert chip.donor == base.donor
    assert chip.sources["memory"] == chip.sources["bf16"] == "vendor brief, 2027-01"
    assert chip.sources["fp32"] == base.sources["fp32"]
    assert base.memory_bytes < 80 * GIB
    assert catalogue.kernels(chip).chip_id == "H100-80GB-SXM5"


def test_a_users_chip_and_model_have_names_like_the_others(tmp_path: Path) -> None:
    text = HYPOTHETICAL + '\n[models."me/wide"]\nsource = "x"\nbased_on = "Qwen/Qwen2.5-7B"\nlayers = 40\n'
    catalogue = opened(tmp_path / "facts", text + 'aliases = ["broad-7b"]\n')
    assert [chip.id for chip in resolve_chip("x900", catalogue.chips)] == ["X900"]
    wide = resolve_model("broad-7b", catalogue.models).architecture
    assert (wide.id, wide.layers, wide.hidden) == ("me/wide", 40, 3584)
    assert wide.published_params is None


def test_an_entry_of_a_known_name_overrides_only_what_it_states(tmp_path: Path) -> None:
    catalogue = opened(tmp_path / "facts", '[chips.T4]\nsource = "own measurement"\ntdp_w = 50\n')
    plain = open_catalogue()
    assert catalogue.chips["T4"].tdp_w == 50
    assert catalogue.chips["T4"].memory_bytes == plain.chips["T4"].memory_bytes
    assert catalogue.chips["T4"].name == plain.chips["T4"].name
    assert len(catalogue.chips) == len(plain.chips)


def test_the_facts_folder_wins_over_the_configuration(tmp_path: Path) -> None:
    config = tmp_path / "config/gpuplan"
    config.mkdir(parents=True)
    (config / "a.toml").write_text('[chips.T4]\nsource = "config"\ntdp_w = 50\n', encoding="utf-8")
    assert open_catalogue().chips["T4"].tdp_w == 50
    assert opened(tmp_path / "facts", '[chips.T4]\nsource = "folder"\ntdp_w = 60\n').chips["T4"].tdp_w == 60


def test_a_users_offer_joins_the_others_on_a_users_chip(tmp_path: Path) -> None:
    offer = '[[offers]]\nprovider = "mine"\ninstance_type = "box"\nchip = "X900"\ngpus = 8\nprice = 10.0\n'
    catalogue = opened(tmp_path / "facts", HYPOTHETICAL + offer + 'source = "invoice"\ndate = 2026-11-01\n')
    (mine,) = [offer for offer in catalogue.offers if offer.provider == "mine"]
    assert mine.machine.chip.id == "X900"
    assert mine.price_per_hour == 10.0


def test_a_model_may_be_stated_whole(tmp_path: Path) -> None:
    text = """
    [models.tiny]
    source = "our config"
    layers = 12
    hidden = 768
    heads = 12
    kv_heads = 4
    head_dim = 64
    ffn = 3072
    gated_mlp = false
    vocab = 50257
    tied_embeddings = true
    [models.tiny.moe]
    experts = 8
    experts_per_token = 2
    expert_ffn = 512
    shared_ffn = 0
    dense_ffn = 3072
    moe_layers = 10
    dense_layers = 2
    """
    tiny = opened(tmp_path / "facts", text).models["tiny"]
    assert tiny.sources == {"shape": "our config"}
    assert tiny.moe is not None and tiny.moe.experts == 8


@pytest.mark.parametrize(
    ("text", "key", "word"),
    [
        ('[chips.A]\nsource = "x"\nbased_on = "T4"\nmemory_gb = 3', "overlay_unknown_key", "memory_gib"),
        ('[chips.A]\nbased_on = "T4"', "overlay_missing_key", "chips.A.source"),
        ('[chips.A]\nsource = ""\nbased_on = "T4"', "overlay_bad_value", "source"),
        ('[chips.A]\nsource = "x"\nbased_on = "T5"', "overlay_unknown_base", "T4"),
        ('[chips.A]\nsource = "x"\nbased_on = "T4"\nmemory_gib = -1', "overlay_bad_value", "memory_gib"),
        ('[chips.A]\nsource = "x"\nbased_on = "T4"\nmemory_gib = nan', "overlay_bad_value", "memory_gib"),
        ('[chips.A]\nsource = "x"\nbased_on = "T4"\nmemory_gib = inf', "overlay_bad_value", "memory_gib"),
        ('[chips.A]\nsource = "x"\nmemory_gib = 10', "overlay_incomplete", "bandwidth_gb_s"),
        ('[chips.A]\nsource = "x"\nbased_on = "T4"\ndonor = "T4"', "overlay_unknown_donor", "L40S"),
        ('[models.A]\nsource = "x"\nlayers = 3', "overlay_incomplete", "hidden"),
        ('[models.A]\nsource = "x"\nbased_on = "Qwen/Qwen3-8B"\nlayers = 0', "overlay_bad_shape", "layers"),
        ('[models.A]\nsource = "x"\nbased_on = "Qwen/Qwen3-8B"\nlayers = "many"', "overlay_bad_value", "layers"),
        ('[models.A]\nsource = "x"\nbased_on = "Qwen/Qwen3-8B"\nmoe = {experts = 4}', "overlay_missing_key", "moe"),
        ("[chip.A]\nx = 1", "overlay_unknown_key", "chips"),
        ("chips = 1", "overlay_bad_value", "chips"),
        ("offers = [1]", "overlay_bad_value", "offers"),
        ("x = ", "file_not_toml", "mine.toml"),
    ],
)
def test_a_mistake_is_refused_with_its_place_and_mend(tmp_path: Path, text: str, key: str, word: str) -> None:
    with pytest.raises(GpuplanError) as caught:
        catalogue = opened(tmp_path / "facts", text)
        assert catalogue.chips and catalogue.models and catalogue.offers
    assert caught.value.key == key
    assert word in str(caught.value)
    assert "\n" not in str(caught.value).replace("\\n", "")


def test_files_that_are_no_plain_small_text_are_refused(tmp_path: Path) -> None:
    facts = tmp_path / "facts"
    facts.mkdir()
    (facts / "a.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError) as caught:
        open_catalogue(facts)
    assert caught.value.key == "file_not_toml"
    (facts / "a.toml").unlink()
    (facts / "a.toml").symlink_to("/dev/zero")
    with pytest.raises(InputError) as caught:
        open_catalogue(facts)
    assert caught.value.key == "file_not_plain"
    (facts / "a.toml").unlink()
    with (facts / "a.toml").open("wb") as big:
        big.truncate(17 * 1024 * 1024)
    with pytest.raises(InputError) as caught:
        open_catalogue(facts)
    assert caught.value.key == "file_too_big"


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        open_catalogue(tmp_path / "nowhere")
    assert caught.value.key == "facts_dir_missing"


def test_a_broken_file_is_a_fact_error_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(FactError) as caught:
        opened(tmp_path / "facts", '[chips.A]\nsource = "x"\nfoo = 1')
    assert "foo" in caught.value.say("en") and "foo" in caught.value.say("zh")


@pytest.mark.parametrize(
    "text",
    [
        '[chips.X1]\nsource = "x"\nbased_on = "H1000"\n',
        '[chips.X1]\nsource = "x"\nmemory_gib = 80\n',
        '[chips.X1]\nsource = "x"\nbased_on = "H100-80GB-SXM5"\ndonor = "none"\n',
        '[models.m1]\nsource = "x"\nbased_on = "no/model"\n',
        '[models.m1]\nsource = "x"\nlayers = 12\n',
        '[models.m1]\nsource = "x"\nbased_on = "Qwen/Qwen2.5-7B"\nkv_heads = 3\n',
        '[[offers]]\nprovider = "mine"\n',
        '[[offers]]\nprovider = "m"\ninstance_type = "b"\nchip = "T4"\ngpus = 0\nsource = "x"\n',
        '[[offers]]\nprovider = "m"\ninstance_type = "b"\nchip = "NoChip"\ngpus = 1\nsource = "x"\n',
        '[[offers]]\nprovider = "m"\nprize = 3\n',
        "[[offers]]\nprice = nan\n",
        "[chips.X1]\ncolour = 1\n",
        "offers = 3\n",
        "= broken",
    ],
)
def test_every_mistake_in_a_users_file_names_the_file(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "a_good_one.toml").write_text(
        '[[offers]]\nprovider = "m"\ninstance_type = "b"\nchip = "T4"\ngpus = 1\nsource = "x"\n', encoding="utf-8"
    )
    with pytest.raises(GpuplanError) as caught:
        catalogue = opened(folder, text)
        _ = catalogue.chips, catalogue.models, catalogue.offers
    for lang in ("en", "zh"):
        assert str(folder / "mine.toml") in caught.value.say(lang)
    if "[[offers]]" in text:
        assert "offers[1]" in str(caught.value)


def test_a_folder_without_facts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").touch()
    with pytest.raises(InputError) as caught:
        open_catalogue(tmp_path)
    assert caught.value.key == "facts_dir_empty"

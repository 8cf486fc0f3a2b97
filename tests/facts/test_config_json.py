"""A config.json of the hub gives the shape that the catalogue has, or is refused with one line."""

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.data.config_json import MAX_BYTES, architecture_from_config, read_config
from gpuplan.data.models import load_models
from gpuplan.errors import GpuplanError, InputError, QuestionError
from gpuplan.facts.arch import Architecture
from tests.facts.counting import parameters

MODELS = load_models()
SHARED = Path(__file__).parents[2].parent / "shared"
LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}
NOT_SHAPE = {"id", "aliases", "family", "sources", "published_params", "confidence", "notes", "vision_params"}
NOT_SHAPE |= {"max_positions", "extra_params"}


def configs() -> dict[str, dict[str, Any]]:
    """Stored configs of covered models that say more than their type."""
    path = SHARED / "facts/models_llm.jsonl"
    if not path.exists():
        pytest.skip("the collected facts are not beside this checkout")
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {
        row["hf_id"]: row["config"]
        for row in rows
        if MODELS[row["hf_id"]].covered and len(row["config"]) > 3 and "model_type" in row["config"]
    }


def comparable(model: Architecture) -> dict[str, Any]:
    values = {f.name: getattr(model, f.name) for f in fields(model) if f.name not in NOT_SHAPE}
    if values["final_norm_params"] is None:
        values["final_norm_params"] = model.hidden * (2 if model.norm_bias else 1)
    if model.moe is not None and not model.moe.dense_layers:
        values["ffn"] = 0
    return values


def test_configs_give_the_shape_of_the_catalogue() -> None:
    same, other = 0, {}
    for model_id, config in configs().items():
        if "vision_config" in config:
            continue
        read = architecture_from_config(config, model_id)
        if comparable(read) == comparable(MODELS[model_id]):
            same += 1
        else:
            other[model_id] = read
        if MODELS[model_id].published_params and not MODELS[model_id].vision_params:
            assert parameters(read) == MODELS[model_id].published_params, model_id
    assert same >= 205
    assert set(other) <= {"LGAI-EXAONE/EXAONE-4.0-1.2B"}


def test_a_config_with_a_tower_beside_the_text_model_is_refused() -> None:
    towers = [config for config in configs().values() if "vision_config" in config]
    assert towers
    for config in towers:
        with pytest.raises(QuestionError) as caught:
            architecture_from_config(config, "config.json")
        assert caught.value.key == "config_tower"


def test_a_shape_is_named_after_its_file_and_sourced() -> None:
    model = architecture_from_config(LLAMA, "my/config.json")
    assert model.id == "my/config.json"
    assert "my/config.json" in model.sources["shape"]
    assert model.published_params is None


def test_biases_follow_the_config() -> None:
    plain = architecture_from_config(LLAMA, "c")
    biased = architecture_from_config({**LLAMA, "attention_bias": True, "mlp_bias": True}, "c")
    assert (plain.qkv_bias, plain.attn_out_bias, plain.mlp_bias) == (False, False, False)
    assert (biased.qkv_bias, biased.attn_out_bias, biased.mlp_bias) == (True, True, True)


def test_ties_default_as_the_type_does() -> None:
    gemma = {**LLAMA, "model_type": "gemma2"}
    del gemma["tie_word_embeddings"]
    assert architecture_from_config(gemma, "c").tied_embeddings
    assert not architecture_from_config(LLAMA, "c").tied_embeddings


def test_windows_come_from_the_layer_list_before_the_rule_of_the_type() -> None:
    kinds = ["sliding_attention"] * 30 + ["full_attention"] * 2
    config = {**LLAMA, "model_type": "gemma2", "sliding_window": 4096}
    assert architecture_from_config(config, "c").windowed_layers == 16
    assert architecture_from_config({**config, "layer_types": kinds}, "c").windowed_layers == 30


def test_layers_of_another_kind_are_refused() -> None:
    with pytest.raises(QuestionError, match="linear_attention"):
        architecture_from_config({**LLAMA, "layer_types": ["linear_attention"] * 32}, "c")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"model_type": None}, "config_missing"),
        ({"model_type": "mamba"}, "config_unsupported"),
        ({"hidden_size": None}, "config_missing"),
        ({"hidden_size": "wide"}, "config_text"),
        ({"hidden_size": -1}, "config_bad_value"),
        ({"hidden_size": 10**12}, "config_bad_value"),
        ({"hidden_size": float("nan")}, "config_bad_value"),
        ({"num_hidden_layers": 0}, "config_bad_value"),
        ({"num_key_value_heads": 5}, "config_bad_value"),
        ({"tie_word_embeddings": "false"}, "config_flag"),
        ({"audio_config": {"layers": 2}}, "config_tower"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change: dict[str, Any], key: str) -> None:
    with pytest.raises(QuestionError) as caught:
        architecture_from_config({**LLAMA, **change}, "my.json")
    assert caught.value.key == key
    assert "my.json" in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*LLAMA, "layer_types", "text_config", "head_dim", "sliding_window"]), JSON))
def test_any_config_is_read_or_refused(change: dict[str, Any]) -> None:
    for config in ({**LLAMA, **change}, {**LLAMA, "model_type": "qwen3_moe", **change}):
        try:
            assert architecture_from_config(config, "c").layers > 0
        except QuestionError as error:
            assert "\n" not in str(error)


def test_a_number_in_quotes_is_told_apart_from_a_wrong_number() -> None:
    with pytest.raises(QuestionError) as caught:
        architecture_from_config({**LLAMA, "hidden_size": "4096"}, "my.json")
    assert str(caught.value).startswith("my.json: hidden_size must be a number, not text ('4096')")


def test_a_file_gives_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("\ufeff" + json.dumps(LLAMA), encoding="utf-8")
    assert read_config(tmp_path / "config.json") == LLAMA


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b'{"model_type": "llama", "hidden_size": 1, "hidden_size": 2}', "config_twice"),
        (b'{"model_type": "llama", "rope": {"a": 1, "a": 1}}', "config_twice"),
        (b'{"model_type": "llama"', "config_broken"),
        (b"[" * 100_000, "config_broken"),
        (b"", "config_not_text"),
        (b'{"a": "\0"}', "config_not_text"),
        (b"\xff\xfe\x00", "config_not_text"),
        (b" " * (MAX_BYTES - 1) + b"{}", "config_not_text"),
    ],
    ids=["twice", "twice inside", "cut", "deep", "empty", "nul", "binary", "large"],
)
def test_a_bad_file_is_refused_as_a_config_not_as_a_question(content: bytes, key: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert caught.value.key == key
    for lang in ("en", "zh"):
        said = caught.value.say(lang).replace(str(path), "FILE")
        assert "FILE" in said
        assert "TOML" not in said
        assert "question" not in said


def test_what_is_no_regular_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    for path in (tmp_path / "config.json", tmp_path, tmp_path / "missing.json", Path("a" * 5000), Path("a\0b")):
        with pytest.raises(GpuplanError) as caught:
            read_config(path)
        assert caught.value.key in ("file_not_plain", "file_unreadable")

"""Language models: the shape fields alone give the count of the built model, or the model says why not."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuplan.data.models import FILE, architecture_of, load_models
from gpuplan.data.shelf import FILES, read_rows, read_sources
from gpuplan.errors import FactError
from tests.facts.counting import parameters

MODELS = load_models()
SHARED = Path(__file__).parents[2].parent / "shared"
COVERED = [model.id for model in MODELS.values() if model.covered]


def collected() -> dict[str, dict[str, Any]]:
    path = SHARED / "facts/models_llm.jsonl"
    if not path.exists():
        pytest.skip("the collected facts are not beside this checkout")
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {row["hf_id"]: row for row in rows}


def test_the_shape_alone_gives_the_count_of_the_built_model() -> None:
    """Text part plus the stated vision tower, for every covered model of which a built count exists."""
    checked = 0
    for model_id in COVERED:
        model = MODELS[model_id]
        blind = replace(model, published_params=None)
        if model.published_params is not None:
            assert parameters(blind) + (model.vision_params or 0) == model.published_params, model_id
            checked += 1
    assert checked >= 230


def test_models_that_nobody_built_have_the_collected_analytic_count() -> None:
    rows = collected()
    unbuilt = [model_id for model_id in COVERED if MODELS[model_id].published_params is None and model_id in rows]
    assert unbuilt
    for model_id in unbuilt:
        assert parameters(MODELS[model_id]) == rows[model_id]["exact_params_analytic"], model_id


def test_every_collected_model_is_there_and_every_uncovered_one_says_why() -> None:
    rows = collected()
    assert set(MODELS) - set(rows) == {"gpt3-175b"}
    for model_id, row in rows.items():
        model = MODELS[model_id]
        assert model.aliases == tuple(row["aliases"])
        assert model.published_params == row["exact_params_meta"]
        if not model.covered:
            assert model.notes is not None and model.notes.startswith("not covered: ")


def test_a_shape_from_a_paper_has_the_papers_size() -> None:
    assert parameters(MODELS["gpt3-175b"]) == pytest.approx(175e9, rel=0.005)


def test_high_confidence_models_of_plain_attention_are_covered() -> None:
    """What the collection's own formula recounts must not be left out."""
    for model_id, row in collected().items():
        if row["analytic_matches_meta"] and row["confidence"] == "high":
            assert MODELS[model_id].covered, model_id


def test_hybrids_and_state_space_models_are_not_covered() -> None:
    for model_id in ("state-spaces/mamba-2.8b-hf", "Qwen/Qwen3.5-27B", "ai21labs/Jamba-v0.1", "zai-org/GLM-5"):
        assert not MODELS[model_id].covered


@pytest.mark.parametrize(
    ("model", "window", "windowed"),
    [
        ("mistralai/Mistral-7B-v0.1", 4096, 32),
        ("google/gemma-2-9b", 4096, 21),
        ("google/gemma-3-27b-pt", 1024, 52),
        ("openai/gpt-oss-20b", 128, 12),
        ("EleutherAI/gpt-neo-1.3B", 256, 12),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", 8192, 36),
        ("Qwen/Qwen2.5-7B", None, 0),
    ],
)
def test_windows_cover_the_layers_that_have_them(model: str, window: int | None, windowed: int) -> None:
    assert MODELS[model].sliding_window == window
    assert MODELS[model].windowed_layers == windowed


def test_experts_and_dense_layers_add_up_to_all_layers() -> None:
    for model_id in COVERED:
        moe = MODELS[model_id].moe
        if moe is not None:
            assert moe.moe_layers + moe.dense_layers == MODELS[model_id].layers, model_id


def test_one_model_is_built_without_building_the_others() -> None:
    fresh = load_models.__wrapped__()
    assert fresh["Qwen/Qwen2.5-7B"].hidden == 3584
    assert len(fresh._built) == 1


@pytest.mark.parametrize("src", [{}, {"shape": "nobody"}, {"shape": "m1"}])
def test_a_shape_or_a_count_without_source_does_not_load(src: dict[str, str]) -> None:
    row = {**read_rows(FILES / FILE)["Qwen/Qwen2.5-7B"], "src": src}
    with pytest.raises(FactError) as caught:
        architecture_of(row, read_sources(FILES / "model_sources.json"), file=FILE)
    assert caught.value.key == "fact_no_source"

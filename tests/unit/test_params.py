"""Parameters are a fold over the table; the published count of a model judges it and never feeds it."""

from dataclasses import replace

import pytest

from gpuplan.data.models import load_models
from gpuplan.facts.arch import Architecture
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.params import active_params, local_params, total_params
from tests.unit.factories import LLAMA_2_7B, layout

MODELS = load_models()
COVERED = sorted(name for name in MODELS if MODELS[name].covered and MODELS[name].confidence == "high")


def blind(arch: Architecture) -> Architecture:
    """The shape without the published count."""
    return replace(arch, published_params=None)


@pytest.mark.parametrize("name", [name for name in COVERED if MODELS[name].published_params])
def test_the_table_counts_every_parameter_of_a_covered_model(name: str) -> None:
    assert total_params(decoder(blind(MODELS[name]))) == MODELS[name].published_params


def test_most_models_are_covered() -> None:
    assert len(COVERED) > 200


def test_llama_2_7b_has_the_parameters_of_its_paper() -> None:
    assert total_params(decoder(LLAMA_2_7B)) == 6_738_415_616


def test_ranks_hold_the_whole_model_together() -> None:
    model = decoder(LLAMA_2_7B)
    cut = layout(n_gpus=4.0, tensor_parallel=4.0)
    local = local_params(model, cut, first=True, last=True)
    whole = local_params(model, layout(), first=True, last=True)
    assert 4 * (local.total - local.small) + whole.small == pytest.approx(whole.total)


def test_a_token_visits_fewer_parameters_than_an_expert_model_has() -> None:
    model = decoder(MODELS["Qwen/Qwen3-30B-A3B"])
    assert active_params(model) == pytest.approx(3_353_032_704, rel=1e-4)

"""Models as people write them: the right shape, what was assumed is named, and unknown sizes are refused."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.data.models import load_models
from gpuplan.data.names import find_model, resolve_model
from gpuplan.errors import QuestionError

MODELS = load_models()
SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B"),
        ("qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B"),
        ("Qwen2.5 7B", "Qwen/Qwen2.5-7B"),
        ("通义千问2.5-7B", "Qwen/Qwen2.5-7B"),
        ("llama3-8b", "meta-llama/Meta-Llama-3-8B"),
        ("llama-3-70b", "meta-llama/Meta-Llama-3-70B"),
        ("Llama 2 7B", "meta-llama/Llama-2-7b-hf"),
        ("llama2-7b-chat", "meta-llama/Llama-2-7b-hf"),
        ("LLaMA-7B", "huggyllama/llama-7b"),
        ("Llama-3.1-8B-Instruct-AWQ", "meta-llama/Llama-3.1-8B"),
        ("Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B"),
        ("Qwen3-8B-FP8", "Qwen/Qwen3-8B"),
        ("gpt2", "openai-community/gpt2"),
        ("GPT-2-124M", "openai-community/gpt2"),
        ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
        ("Llama-4-Maverick-400B-A17B", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"),
        ("deepseek v3", "deepseek-ai/DeepSeek-V3"),
        ("Kimi_K2", "moonshotai/Kimi-K2-Instruct"),
        ("Bloom-176B", "bigscience/bloom"),
        ("phi-1.5", "microsoft/phi-1_5"),
        ("Qwen2.5-7B-Instruct-1M", "Qwen/Qwen2.5-7B"),
        ("gpt3-175b", "gpt3-175b"),
    ],
)
def test_a_name_means_its_model_and_nothing_is_assumed(text: str, meant: str) -> None:
    match = resolve_model(text, MODELS)
    assert match.architecture.id == meant
    assert not match.assumed


@pytest.mark.parametrize(
    ("text", "meant", "word"),
    [
        ("mistral 7b", "mistralai/Mistral-7B-v0.3", "versions"),
        ("vicuna-13b-v1.5", "meta-llama/Llama-2-13b-hf", "fine-tune"),
        ("dolly-v2-3b", "EleutherAI/pythia-2.8b", "fine-tune"),
        ("Llama3-8B-Chinese-Chat", "meta-llama/Meta-Llama-3-8B", "fine-tune"),
        ("deepseek-r1:7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "leaves open"),
        ("deepseek-v3.1", "deepseek-ai/DeepSeek-V3", "model card"),
        ("llama-2-34b", "codellama/CodeLlama-34b-hf", "34B of Llama 2"),
        ("Qwen3-Embedding-4B", "Qwen/Qwen3-4B", "relative"),
        ("Mixtral-8x7B-256kvocab", "mistralai/Mixtral-8x7B-v0.1", "fine-tune"),
    ],
)
def test_what_a_name_leaves_open_is_named(text: str, meant: str, word: str) -> None:
    match = resolve_model(text, MODELS)
    assert match.architecture.id == meant
    assert match.assumed[0].field == "model"
    assert match.assumed[0].value == meant
    assert word in match.assumed[0].source


@pytest.mark.parametrize("text", ["7B", "7b", "7 B model", "7B模型", "70b", "1.5B", "0.5B", "13B", "405b"])
def test_a_plain_size_is_the_commonest_open_dense_shape_and_named(text: str) -> None:
    match = resolve_model(text, MODELS)
    assert match.architecture.moe is None and match.architecture.covered
    assert match.assumed[0].value == match.architecture.id
    assert "of that size" in match.assumed[0].source


def test_7b_and_70b_are_llamas_by_the_measured_evidence() -> None:
    assert resolve_model("7B", MODELS).architecture.family == "LLaMA-2"
    assert resolve_model("70B", MODELS).architecture.family == "LLaMA-3"


@pytest.mark.parametrize(
    ("text", "near"), [("llama-9b", "8B"), ("Qwen2.5-13B", "Qwen2.5-14B"), ("11B", "12B"), ("gemma-2-30b", "27b")]
)
def test_a_size_that_is_not_in_the_catalogue_is_refused_with_the_nearest(text: str, near: str) -> None:
    with pytest.raises(QuestionError) as caught:
        resolve_model(text, MODELS)
    assert caught.value.key == "model_unknown"
    assert near in str(caught.value.values["nearest"])


def test_a_family_without_size_is_asked_back() -> None:
    with pytest.raises(QuestionError) as caught:
        resolve_model("llama 3", MODELS)
    assert caught.value.key == "model_size_missing"
    assert "70B" in str(caught.value) and "8B" in str(caught.value)


def test_a_model_with_a_vision_tower_is_refused_but_found_as_its_text_model() -> None:
    with pytest.raises(QuestionError) as caught:
        resolve_model("Qwen2.5-VL-7B", MODELS)
    assert caught.value.key == "model_not_language"
    match = find_model("Qwen2.5-VL-7B", MODELS)
    assert match is not None
    assert match.architecture.id == "Qwen/Qwen2.5-7B"
    assert "tower" in match.assumed[0].source


@pytest.mark.parametrize(
    "text", ["", "GPT", "GPT-18B", "GPT3-15B", "foo", "MPT-70b", "MiniCPM-8x2B", "Llama-3.2-90B-Vision", None]
)
def test_what_is_not_in_the_catalogue_is_not_found(text: str | None) -> None:
    assert find_model(text, MODELS) is None


def test_a_stated_size_decides_and_contradicts() -> None:
    match = find_model("llama 3", MODELS, params=8.03e9)
    assert match is not None and match.architecture.id == "meta-llama/Meta-Llama-3-8B"
    assert find_model("Llama-3-8B", MODELS, params=70e9) is None


def test_a_model_cut_to_some_layers_keeps_all_else() -> None:
    match = find_model("Llama-3.1-405B-21layers", MODELS)
    assert match is not None
    assert match.architecture.layers == 21
    assert match.architecture.hidden == MODELS["meta-llama/Llama-3.1-405B"].hidden
    assert match.architecture.published_params is None


def test_a_mixture_of_experts_cut_to_some_layers_still_adds_up() -> None:
    match = find_model("DeepSeek-V3-8layers", MODELS)
    assert match is not None and match.architecture.moe is not None
    assert (match.architecture.moe.dense_layers, match.architecture.moe.moe_layers) == (3, 5)


def test_every_id_and_alias_means_its_own_shape_without_its_organisation_and_in_any_case() -> None:
    shapes = {}
    for model in MODELS.values():
        for name in (model.id, *model.aliases):
            short = name.rsplit("/", 1)[-1]
            for text in (name, name.lower(), short.upper(), short.replace("-", " ")):
                found = resolve_model(text, MODELS).architecture
                shapes[text] = found.id
                assert found.published_params == model.published_params, (text, found.id)
                assert (found.layers, found.hidden, found.vocab) == (model.layers, model.hidden, model.vocab), text


def test_names_of_measured_language_models_resolve_and_agree_with_the_stated_shape() -> None:
    folder = SHARED / "measured"
    if not folder.exists():
        pytest.skip("the measured runs are not beside this checkout")
    wrong: Counter[str] = Counter()
    n_found = 0
    for name in ("pretrain", "vtrain", "finetune", "user_cases"):
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            model = json.loads(line)["model"]
            size = model.get("params_b")
            match = find_model(model.get("name"), MODELS, params=size and size * 1e9)
            if match is None:
                continue
            n_found += 1
            for field in ("layers", "hidden"):
                if model.get(field) and model[field] != getattr(match.architecture, field):
                    wrong[model["name"]] += 1
    assert n_found > 1200
    assert not wrong


@given(st.text(max_size=80))
def test_any_text_is_answered_or_refused_in_one_line(text: str) -> None:
    try:
        resolve_model(text, MODELS)
    except QuestionError as error:
        assert str(error)
    find_model(text, MODELS)

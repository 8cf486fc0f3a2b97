"""Trainers are facts: every figure has a source, words mean what people mean, versions change memory."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from gpuplan.data.trainers import choose_trainer, default_framework, front_end, load_frameworks, load_trainers
from gpuplan.facts.trainer import Trainer
from gpuplan.question.methods import method_of

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
NAMES = {"id", "framework", "version", "family", "applies_when", "sources", "assumed"}
TRAINERS = load_trainers()


def chosen(framework: str | None, method: str = "full", **stated: object) -> Trainer:
    return choose_trainer(TRAINERS, framework=framework, method=method, **stated)[0]  # type: ignore[arg-type]


def state_bytes(trainer: Trainer) -> float:
    return trainer.weight_bytes + trainer.grad_bytes + trainer.master_bytes + trainer.moment_bytes


def test_every_figure_of_a_trainer_has_a_source() -> None:
    for trainer in TRAINERS.values():
        for f in fields(Trainer):
            value = getattr(trainer, f.name)
            if f.name not in NAMES and value != f.default and value is not None:
                assert trainer.sources.get(f.name), (trainer.id, f.name)
        assert set(trainer.assumed) <= set(trainer.sources), trainer.id


def test_every_value_of_a_framework_record_has_a_source() -> None:
    for name, row in load_frameworks().items():
        for key, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert row["source"].get(key), (name, key)
            assert key != "unsourced"


@pytest.mark.parametrize(
    ("word", "states"),
    [
        ("deepspeed", 16.0),  # 2 + 2 + 4 + 8
        ("megatron", 18.0),  # gradients in fp32
        ("ms-swift", 8.0),  # everything in bf16
        ("torchtitan", 16.0),  # fp32 weights, gradients and moments
        ("llm.q", 8.0),
    ],
)
def test_states_add_up_as_each_trainer_keeps_them(word: str, states: float) -> None:
    trainer = chosen(word, "pretrain" if word in ("megatron", "torchtitan", "llm.q") else "full", zero=2, n_gpus=8)
    if word == "ms-swift":
        trainer = chosen(word, "full")
    assert state_bytes(trainer) == states


def test_zero_brings_deepspeeds_states_and_leaves_the_front_ends_defaults() -> None:
    alone, sharded = chosen("llama-factory"), chosen("llama-factory", zero=3, n_gpus=8)
    assert (alone.weight_bytes, alone.master_bytes) == (4, 0)
    assert (sharded.weight_bytes, sharded.master_bytes) == (2, 4)
    assert sharded.recompute_default == alone.recompute_default == "full"
    assert "deepspeed" in sharded.id and sharded.sources["master_bytes"] != alone.sources["master_bytes"]


def test_newer_trl_never_builds_whole_logits() -> None:
    assert chosen("trl", version="1.7.0").logit_bytes_peak > 0
    assert chosen("trl", version="1.8.1").logit_bytes_peak == 0
    assert chosen("trl", date="2025-05").logit_bytes_peak > 0
    assert chosen("trl").logit_bytes_peak == 0


def test_transformers_load_in_fp32_before_version_5() -> None:
    assert chosen("transformers", version="4.57.1").weight_bytes == 4
    assert chosen("transformers", version="transformers 5.1").weight_bytes == 2
    assert chosen("transformers", date="2025-06").weight_bytes == 4


def test_fused_adamw_removed_a_parameter_sized_temporary() -> None:
    assert chosen("transformers", master_fp32=False, date="2024-07").step_temp_bytes == 2
    assert chosen("transformers", master_fp32=False, date="2026-07").step_temp_bytes == 0


def test_a_stated_master_copy_wins_over_the_default() -> None:
    assert state_bytes(chosen("llama-factory", master_fp32=False)) == 8
    assert chosen("ms-swift", master_fp32=True).master_bytes == 4
    assert chosen("llm-foundry", "pretrain", fsdp=True, zero=3, master_fp32=False).weight_bytes == 2


def test_fp32_training_keeps_everything_in_four_bytes() -> None:
    trainer = chosen("transformers", precision="fp32")
    assert (trainer.weight_bytes, trainer.grad_bytes, trainer.moment_bytes, trainer.frozen_bytes) == (4, 4, 8, 4)


def test_accelerate_upcast_the_frozen_base_for_some_versions() -> None:
    assert chosen("trl", "lora", fsdp=True, zero=3, version="accelerate 1.8").frozen_bytes == 4
    assert chosen("trl", "lora", fsdp=True, zero=3, version="accelerate 1.15").frozen_bytes == 2


def test_an_unknown_framework_is_replaced_by_the_usual_one_and_named() -> None:
    trainer, assumed = choose_trainer(TRAINERS, framework="handmade", method="lora", n_gpus=1)
    assert trainer.framework == "llama-factory"
    assert assumed[0].field == "framework" and "handmade" in assumed[0].source


def test_large_pretraining_on_many_gpus_is_megatrons() -> None:
    assert default_framework("pretrain", 70e9, 256) == "megatron"
    assert default_framework("pretrain", 1e9, 8) == "torchtitan"
    assert default_framework("qlora", 7e9, 1) == "llama-factory"


@pytest.mark.parametrize(
    ("word", "front"),
    [
        ("NVIDIA NeMo Framework Release 25.04", "nemo"),
        ("ngc25.04_nemo", "nemo"),
        ("ms-swift (megatron-core)", "megatron"),
        ("ms-swift (transformers+deepspeed)", "ms-swift"),
        ("megatron-deepspeed", "megatron-deepspeed"),
        ("LLaMA-Factory", "llamafactory"),
        ("PyTorch 2.6.0, ROCm 6.4", "primus"),
        ("detectron2", None),
    ],
)
def test_framework_words_are_matched_by_rule(word: str, front: str | None) -> None:
    assert front_end(word) == front


def vocabulary(section: str) -> list[str]:
    path = SHARED / "measured" / "vocabulary.md"
    if not path.exists():
        pytest.skip("no shared measured runs beside this checkout")
    text = path.read_text(encoding="utf-8").split(f"## {section}")[1].split("\n## ")[0]
    return re.findall(r"`([^`]+)`", text)


def test_every_framework_word_that_occurs_finds_a_trainer_in_every_mode() -> None:
    words = vocabulary("framework")
    assert len(words) > 150
    for word in words:
        for method in ("full", "lora", "qlora", "pretrain", "freeze", "grpo"):
            for zero, fsdp in ((0, False), (1, False), (2, False), (3, False), (3, True)):
                assert chosen(word, method, zero=zero, fsdp=fsdp, n_gpus=8, date="2024-05").id


def test_every_task_word_that_occurs_is_a_method_or_is_refused_in_one_line() -> None:
    from gpuplan.errors import QuestionError

    refused = []
    for word in vocabulary("task"):
        try:
            assert method_of(word).base in ("full", "lora", "qlora", "freeze")
        except QuestionError as error:
            refused.append(word)
            assert "\n" not in str(error)
    kinds = ("diffusion", "inference", "swe", "convert")
    assert all(word.startswith(kinds) for word in refused), refused


def test_the_files_are_what_the_build_script_makes_of_its_recipes(tmp_path: Path) -> None:
    source = SHARED / "facts" / "frameworks.jsonl"
    if not source.exists():
        pytest.skip("no shared framework records beside this checkout")
    script = (
        "import sys, pathlib; sys.path.insert(0, 'tools'); import build_trainers as b;"
        f"b.FILES = pathlib.Path({str(tmp_path)!r}); b.main(pathlib.Path({str(source)!r}))"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
    for name in ("trainers.jsonl", "frameworks.jsonl"):
        shipped = ROOT / "src" / "gpuplan" / "data" / "files" / name
        assert (tmp_path / name).read_text() == shipped.read_text(), f"run tools/build_trainers.py: {name} is stale"

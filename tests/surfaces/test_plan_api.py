import subprocess
import sys
from pathlib import Path
from typing import Any

import gpuplan
from gpuplan import Question, check, estimate, plan, read_question
from gpuplan.data.catalogue import open_catalogue


def test_the_public_names_are_sorted_documented_and_real() -> None:
    assert gpuplan.__all__ == sorted(gpuplan.__all__)
    for name in gpuplan.__all__:
        assert getattr(gpuplan, name).__doc__
    assert set(gpuplan.__all__) <= set(dir(gpuplan))


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, gpuplan; print([m for m in ('numpy', 'typer', 'pydantic') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plan_needs_no_pydantic_and_no_command_line() -> None:
    code = (
        "import sys; from gpuplan import plan, Question; plan(Question(model='7B', method='qlora', own='1xT4'));"
        "print([m for m in ('typer', 'pydantic', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_plan_and_check_open_the_catalogue_themselves() -> None:
    question = Question(model="Qwen2.5-0.5B", method="lora", own="1xRTX-4090", samples=1000, mean_len=200)
    assert plan(question).picks
    assert check(Question(model="Qwen2.5-0.5B", method="lora", on="1xRTX-4090")).verdict == "fits"


def test_an_estimate_takes_a_mapping_or_a_file(tmp_path: Path) -> None:
    run: dict[str, Any] = {
        "id": "a", "model": {"name": "Qwen2.5-7B"}, "task": "lora", "hardware": {"gpu": "A100-80GB-SXM4", "n_gpus": 1},
        "seq_len": 2048, "micro_batch": 1,
    }  # fmt: skip
    path = tmp_path / "run.toml"
    path.write_text(
        'id = "a"\ntask = "lora"\nseq_len = 2048\nmicro_batch = 1\n[model]\nname = "Qwen2.5-7B"\n'
        '[hardware]\ngpu = "A100-80GB-SXM4"\nn_gpus = 1\n',
        encoding="utf-8",
    )
    facts = open_catalogue()
    assert estimate(run, catalogue=facts)["predicted"] == estimate(path, catalogue=facts)["predicted"]


def test_check_and_estimate_say_the_same_of_one_layout() -> None:
    facts = open_catalogue()
    checked = check(
        Question(
            model="meta-llama/Meta-Llama-3-70B", method="full", on="4x8xH100-80GB-SXM5", seq_len=4096, micro_batch=1,
            grad_accum=4, zero=3, framework="transformers", recompute="full", precision="bf16", packing=True,
        ),
        catalogue=facts,
    )  # fmt: skip
    run = {
        "id": "x", "model": {"name": "meta-llama/Meta-Llama-3-70B"}, "task": "full_ft", "seq_len": 4096,
        "hardware": {"gpu": "H100-80GB-SXM5", "n_gpus": 32, "gpus_per_node": 8}, "micro_batch": 1, "grad_accum": 4,
        "parallel": {"dp": 32, "zero": 3, "tp": 1, "pp": 1}, "global_batch_seqs": 128, "precision": "bf16",
        "optimizer": "adamw", "recompute": "full", "framework": "transformers",
    }  # fmt: skip
    predicted = estimate(run, catalogue=facts)["predicted"]
    assert checked.memory is not None and checked.step_time_s is not None
    assert checked.memory["device_gib"]["typical"] == predicted["device_gib"]["typical"]
    assert checked.step_time_s["typical"] == predicted["step_time_s"]["typical"]
    assert (checked.verdict == "fits") is predicted["fits"]


def test_a_question_file_and_a_question_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "q.toml"
    path.write_text('model = "7B"\nmethod = "lora"\nbudget = "¥1500"\n', encoding="utf-8")
    assert read_question(path) == Question(model="7B", method="lora", budget="1500cny")

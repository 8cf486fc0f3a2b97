"""What an answer costs: CPU seconds of each command, and estimates a second of the arithmetic.

    python benchmarks/speed.py

Writes benchmarks/speed.md. Seconds belong to a machine; the ratios beside them (to starting Python with NumPy, and to
one pass over the same arrays) travel better.
"""

import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.machines import machine_of, node_of
from gpuplan.data.trainers import choose_trainer
from gpuplan.model.hardware import Hardware
from gpuplan.model.memory import memory_of
from gpuplan.model.step import step_of
from gpuplan.question.job import Job, Role
from gpuplan.question.layout import Layout

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "benchmarks" / "speed.md"
REPEATS = 5
LIMITS_S = {"gpuplan --help": 0.25, "gpuplan plan (warm)": 1.0, "gpuplan validate, 4,000 rows": 20.0}
"""CPU seconds that are promised."""
PLAN = ["plan", "--question", str(ROOT / "examples" / "question.toml")]


def main() -> int:
    unit_s = _cpu_s([sys.executable, "-c", "import numpy"])
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs.jsonl"
        runs.write_text("\n".join(json.dumps(row) for row in itertools.islice(_rows(), 4000)), encoding="utf-8")
        commands = {
            "gpuplan --help": ["--help"],
            "gpuplan plan (warm)": PLAN,
            "gpuplan check": ["check", "llama-2-7b", "--method", "qlora", "--on", "1xT4", "--seq-len", "512"],
            "gpuplan facts chips H100": ["facts", "chips", "H100"],
            "gpuplan facts offers": ["facts", "offers"],
            "gpuplan validate, 4,000 rows": ["validate", str(runs), "--json"],
        }
        taken = {name: _cpu_s([sys.executable, "-m", "gpuplan", *words]) for name, words in commands.items()}
    report = _report(unit_s, taken, _estimates_per_s())
    REPORT.write_text(report, encoding="utf-8")
    print(report)
    return int(any(taken[name] > limit for name, limit in LIMITS_S.items()))


def _cpu_s(command: list[str]) -> float:
    """Median CPU seconds (user and system) of a command, after one run to warm the caches."""
    seconds = []
    for _ in range(REPEATS + 1):
        before = _children_s()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "GPUPLAN_LANG": "en"})
        seconds.append(_children_s() - before)
    return statistics.median(seconds[1:])


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _rows() -> "itertools.chain[dict[str, object]]":
    """Rows of measured runs as people publish them, all different."""
    models = ("Qwen2.5-7B", "llama-3-8b", "llama-2-13b", "Qwen3-30B-A3B", "gpt2", "mistral-7b", "llama-3-70b")
    cards = ("A100-SXM-80GB", "H100-SXM-80GB", "RTX-4090", "A800-80GB", "MI300X")
    grid = itertools.product(
        models, cards, ("full_ft", "lora", "qlora", "pretrain"), (1, 8, 64), (512, 2048, 8192), (1, 4)
    )
    return itertools.chain(
        {
            "id": f"row-{i}", "model": {"name": model}, "task": task, "hardware": {"gpu": card, "n_gpus": gpus},
            "seq_len": length, "micro_batch": batch, "precision": "bf16", "parallel": {"zero": "3"},
        }
        for i, (model, card, task, gpus, length, batch) in enumerate(itertools.cycle(grid))
    )  # fmt: skip


def _estimates_per_s() -> dict[str, tuple[float, float]]:
    """Layouts a second through memory_of and step_of, and passes over one array that one call costs."""
    catalogue = open_catalogue()
    chip, model = catalogue.chips["H100-80GB-SXM5"], catalogue.models["Qwen/Qwen2.5-7B"]
    trainer, _ = choose_trainer(catalogue.trainers, framework="megatron", method="full")
    job = Job(
        method="full", roles=(Role(name="policy", model=model),), trainer=trainer, precision="bf16",
        optimizer="adamw", seq_len=4096.0, time_len=4096.0,
    )  # fmt: skip
    kernels = catalogue.kernels(chip)
    machine = machine_of(chip, 8, node=node_of("aws", "p5.48xlarge"))
    hardware = Hardware(
        machine=machine, kernels=kernels, donor=catalogue.chips[chip.donor], efficiency=catalogue.efficiency
    )
    layouts = _layouts(100_000)
    one_pass_s = _wall_s(lambda: layouts.micro_batch * layouts.grad_accum)
    found = {}
    for name, call in (
        ("memory_of", lambda: memory_of(job, layouts)),
        ("step_of", lambda: step_of(job, layouts, hardware)),
    ):
        seconds = _wall_s(call)
        found[name] = (100_000 / seconds, seconds / one_pass_s)
    return found


def _layouts(number: int) -> Layout:
    random = np.random.default_rng(1)
    powers = {name: 2.0 ** random.integers(0, 4, number) for name in ("micro", "accum", "data", "tensor", "pipeline")}
    return Layout(
        n_gpus=powers["data"] * powers["tensor"] * powers["pipeline"],
        gpus_per_node=8.0,
        micro_batch=powers["micro"],
        grad_accum=powers["accum"],
        data_parallel=powers["data"],
        tensor_parallel=powers["tensor"],
        pipeline_parallel=powers["pipeline"],
        zero=random.integers(0, 4, number).astype(float),
        recompute=random.integers(0, 3, number).astype(float),
    )


def _wall_s(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def _report(unit_s: float, taken: dict[str, float], estimates: dict[str, tuple[float, float]]) -> str:
    lines = [
        "# Speed",
        "",
        f"Median of {REPEATS} runs with warm caches; CPU time is user and system. One unit is `import numpy` on",
        f"the same machine ({unit_s:.2f} s of CPU when this was written).",
        "Regenerate with `python benchmarks/speed.py`.",
        "",
        "| command | CPU s | units | promised |",
        "|---|---|---|---|",
    ]
    for name, seconds in taken.items():
        promise = f"{LIMITS_S[name]:g} s" if name in LIMITS_S else ""
        lines.append(f"| `{name}` | {seconds:.2f} | {seconds / unit_s:.1f} | {promise} |")
    lines += ["", "| arithmetic on 100,000 layouts | layouts a second | passes over one array |", "|---|---|---|"]
    lines += [f"| `{name}` | {rate:,.0f} | {passes:,.0f} |" for name, (rate, passes) in estimates.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

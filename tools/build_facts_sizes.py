"""Fills the table of plain sizes (`7B`) in src/gpuplan/data/files/model_aliases.json: `--shared DIR`.

A plain size means the dense open shape of that label that most independent sources have published measured runs of
since mid 2024; a label without such runs means the shape with most published variants in the catalogue.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Final

from gpuplan.data.model_key import model_key
from gpuplan.data.models import load_models
from gpuplan.data.names import find_model
from gpuplan.facts.arch import Architecture
from gpuplan.units import BILLION

OUT: Final = Path(__file__).parents[1] / "src/gpuplan/data/files/model_aliases.json"
SINCE: Final = "2024-06"
RUNS: Final = ("pretrain", "vtrain", "finetune", "user_cases")


def main() -> None:
    """Counts sources by shape and writes the winner of each label."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    sources = sources_by_model(parser.parse_args().shared / "measured")
    by_label: dict[float, dict[tuple[object, ...], list[Architecture]]] = defaultdict(lambda: defaultdict(list))
    for model in load_models().values():
        if model.covered and model.moe is None and model.mla is None and model.kind == "decoder":
            for size in model_key(model.id).sizes:
                by_label[size][shape(model)].append(model)
    table = json.loads(OUT.read_text(encoding="utf-8"))
    table["sizes"] = {}
    for size, shapes in sorted(by_label.items()):
        group = max(shapes.values(), key=lambda models: (n_sources(models, sources), n_variants(models), size))
        n = n_sources(group, sources)
        basis, count = ("sources", n) if n else ("variants", n_variants(group))
        chosen = max(group, key=lambda model: (len(sources[model.id]), len(model.aliases)))
        table["sizes"][f"{size / BILLION:g}B"] = [chosen.id, basis, count, SINCE]
    OUT.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(table['sizes'])} sizes")


def sources_by_model(folder: Path) -> dict[str, set[str]]:
    """Independent sources of measured runs by catalogue id."""
    models, found = load_models(), defaultdict(set)
    for name in RUNS:
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            size = row["model"].get("params_b")
            match = find_model(row["model"].get("name"), models, params=size and size * BILLION)
            if match:
                source = row["source"]
                if (source["date"] or "") >= SINCE:
                    found[match.architecture.id].add(str(source.get("repo") or source.get("title")))
    return found


def shape(model: Architecture) -> tuple[object, ...]:
    """What makes two models the same to a plan."""
    return (model.layers, model.hidden, model.heads, model.kv_heads, model.ffn, model.vocab, model.tied_embeddings)


def n_sources(models: list[Architecture], sources: dict[str, set[str]]) -> int:
    """Independent sources of all models of one shape together."""
    return len(set().union(*(sources[model.id] for model in models)))


def n_variants(models: list[Architecture]) -> int:
    """Published names of one shape."""
    return sum(1 + len(model.aliases) for model in models)


if __name__ == "__main__":
    main()

"""Builds src/gpuplan/data/files/models.jsonl from the collected model facts: `--shared DIR`.

A model is covered where its shape fields alone give the count that building it gave; the others are kept with the
reason and their published count. Only fields that differ from the record's defaults are written.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

OUT: Final = Path(__file__).parents[1] / "src/gpuplan/data/files"
UNSTATED_ACTIVATION: Final = "gelu"
"""Of BLOOM, Falcon and MPT, whose rows leave it out: GELU in the modelling code of transformers 5.24.0."""
PLAIN_LAYERS: Final = {"full_attention", "sliding_attention", "chunked_attention"}
NOT_PLAIN: Final = {
    "tencent/Hunyuan-Large": "cross-layer attention shares K and V between layers",
    "microsoft/Phi-3-small-8k-instruct": "block-sparse attention on alternate layers",
    "facebook/opt-350m": "embedding narrower than the hidden size",
    "XiaomiMiMo/MiMo-V2-Flash": "sliding layers have other KV heads than full ones",
    "reflection/Beam-1.0-501B-A23B": "extra norms and gates that no field states",
}
EXTRA_PARAMS: Final[Mapping[str, tuple[Callable[[dict[str, Any]], int], str]]] = {
    # id: (extra parameters from shape fields, the words for it)
    "skt/A.X-K1": (lambda r: r["moe"]["moe_layers"] * r["hidden"], "one extra norm or gate vector on each MoE layer"),
    "swiss-ai/Apertus-v1.5-8B": (lambda r: 2 * r["layers"], "two xIELU scalars a layer"),
    "poolside/laguna-XS.2": (lambda r: r["layers"] * r["hidden"] * r["heads"], "one gate a head on each layer"),
}
PAPER_MODELS: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": "gpt3-175b",
        "aliases": ["gpt-3-175b", "gpt-3"],
        "family": "GPT-3",
        "layers": 96,
        "hidden": 12288,
        "heads": 96,
        "kv_heads": 96,
        "head_dim": 128,
        "ffn": 49152,
        "gated_mlp": False,
        "activation": "gelu",
        "vocab": 50257,
        "tied_embeddings": True,
        "max_positions": 2048,
        "position_params": 2048 * 12288,
        "norm": "LayerNorm",
        "norm_bias": True,
        "qkv_bias": True,
        "attn_out_bias": True,
        "mlp_bias": True,
        "confidence": "medium",
        "notes": "weights not published; shape as in the paper, parts of a layer as in GPT-2",
        "src": "arXiv:2005.14165, table 2.1; biases, norms and tied head as in GPT-2 (openai-community/gpt2)",
    },
)
"""Shapes that people name and train from scratch, stated in papers."""
SHAPE_FIELDS: Final = {
    # record field: row field, written where the value is not the record's default
    "layers": "layers",
    "hidden": "hidden",
    "heads": "heads",
    "kv_heads": "kv_heads",
    "head_dim": "head_dim",
    "ffn": "ffn",
    "gated_mlp": "gated_mlp",
    "vocab": "vocab",
    "tied_embeddings": "tied_embeddings",
    "max_positions": "max_positions",
    "sliding_window": "sliding_window",
    "qk_norm_params": "qk_norm_params_per_layer",
    "embedding_norm_params": "embedding_norm_params",
    "qkv_bias": "qkv_bias",
    "attn_out_bias": "attn_out_bias",
    "mlp_bias": "mlp_bias",
    "head_bias": "lm_head_bias",
    "shared_expert_gate_params": "shared_expert_gate_params_per_layer",
    "attention_sink_params": "attention_sink_params_per_layer",
    "router_bias_params": "router_bias_params_per_layer",
    "vision_params": "vision_params",
    "norm_bias": "norm_bias",
}
REQUIRED: Final = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "gated_mlp", "vocab", "tied_embeddings")


def main() -> None:
    """Reads the collected rows, writes the compact ones and their table of sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    shared, out_dir = arguments.shared, arguments.out
    rows = [json.loads(line) for line in (shared / "facts/models_llm.jsonl").read_text().splitlines()]
    sources: dict[str, str] = {}
    lines, uncovered = [], []
    for row in rows:
        out = compact(row, sources)
        if out.get("covered") is False:
            uncovered.append(row["hf_id"])
        lines.append(json.dumps(out, ensure_ascii=False, separators=(",", ":")))
    for paper in PAPER_MODELS:
        cited = {"shape": sources.setdefault(paper["src"], f"m{len(sources) + 1}")}
        lines.append(json.dumps({**paper, "src": cited}, ensure_ascii=False, separators=(",", ":")))
    (out_dir / "models.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_id = {key: text for text, key in sources.items()}
    (out_dir / "model_sources.json").write_text(
        json.dumps(by_id, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
    )
    print(f"{len(lines)} models, {len(uncovered)} not covered, {len(sources)} sources")


def compact(row: dict[str, Any], sources: dict[str, str]) -> dict[str, Any]:
    """One row of models.jsonl."""
    fill_in(row)
    extra, extra_words = EXTRA_PARAMS.get(row["hf_id"], (_none, ""))
    extra_params = extra(row)
    reason = why_not_covered(row, extra_params)
    notes = [text for text in (row["notes"], extra_words and f"extra parameters: {extra_words}") if text]
    if "chunked_attention" in (row["layer_types"] or {}):
        notes.append("attention in chunks of the window's width is counted as a window: at most twice the work")
    if reason:
        notes.insert(0, f"not covered: {reason}")
    out: dict[str, Any] = {"id": row["hf_id"], "aliases": row["aliases"], "family": row["family"]}
    for field, name in SHAPE_FIELDS.items():
        value = row[name]
        if field in REQUIRED:
            out[field] = value if value is not None else 0
        elif value:
            out[field] = value
    out |= norm_fields(row)
    out |= window_fields(row)
    activation = row["activation"] or ("silu" if row["gated_mlp"] else UNSTATED_ACTIVATION)
    if activation != "silu":
        out["activation"] = activation
    if row.get("learned_positions"):
        out["position_params"] = row["learned_positions"] * row["hidden"]
    if extra_params:
        out["extra_params"] = extra_params
    if row["mla"]:
        out["mla"] = row["mla"]
    if row["moe"]:
        out["moe"] = moe_fields(row)
    if reason:
        out["covered"] = False
    out["published_params"] = row["exact_params_meta"]
    out["confidence"] = row["confidence"]
    if notes:
        out["notes"] = "; ".join(notes)
    out["src"] = source_ids(row, sources)
    return {key: value for key, value in out.items() if value is not None and value != []}


def _none(row: dict[str, Any]) -> int:
    return 0


def fill_in(row: dict[str, Any]) -> None:
    """Fields that rows counted from the shape alone leave out, as their notes describe them."""
    width = row["hidden"] * (2 if row["norm_bias"] else 1)
    row.setdefault("qk_norm_params_per_layer", 2 * row["head_dim"] if row["qk_norm"] else 0)
    row.setdefault("final_norm_params", width)
    for name in ("embedding_norm_params", "shared_expert_gate_params_per_layer", "attention_sink_params_per_layer"):
        row.setdefault(name, 0)
    row.setdefault("router_bias_params_per_layer", 0)
    row.setdefault("lm_head_bias", False)
    if row["sliding_window"] and not window_fields(row):
        row["sliding_window"] = None
    if row["layer_types"] and "chunked_attention" in row["layer_types"]:
        row["sliding_window"] = row["config"]["text_config"]["attention_chunk_size"]


def norm_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Kind and number of norms where they are not two RMSNorms a layer and one at the end."""
    out: dict[str, Any] = {}
    if row["norm"] != "RMSNorm":
        out["norm"] = row["norm"]
    if row["norms_per_layer"] not in (None, 2):
        out["norms_per_layer"] = row["norms_per_layer"]
    if row["final_norm_params"] != row["hidden"] * (2 if row["norm_bias"] else 1):
        out["final_norm_params"] = row["final_norm_params"]
    return out


def window_fields(row: dict[str, Any]) -> dict[str, Any]:
    """How many layers see only a window."""
    kinds = row["layer_types"] or {}
    windowed = kinds.get("sliding_attention", 0) + kinds.get("chunked_attention", 0)
    if not kinds and row["sliding_window"]:
        windowed = row["layers"] // 2 if row["model_type"] == "gpt_neo" else row["layers"]
    return {"windowed_layers": windowed} if windowed else {}


def moe_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Experts, their width, and which layers have them."""
    moe = row["moe"]
    return {
        "experts": moe["experts"],
        "experts_per_token": moe["experts_per_token"],
        "expert_ffn": moe["moe_ffn"],
        "shared_ffn": moe["shared_ffn_total"] or 0,
        "dense_ffn": moe["dense_ffn"],
        "moe_layers": moe["moe_layers"],
        "dense_layers": moe["dense_layers"],
    }


def source_ids(row: dict[str, Any], sources: dict[str, str]) -> dict[str, str]:
    """Sources of the shape and of the count, as short ids."""
    texts = {"shape": source_text(row)}
    if row["exact_params_meta"]:
        texts["published"] = "derived: built on the meta device with transformers 5.24.0 from that shape"
    return {field: sources.setdefault(text, f"m{len(sources) + 1}") for field, text in texts.items()}


def source_text(row: dict[str, Any]) -> str:
    """Where the shape was read; a copy in somebody's account is named by what it copies, not by whom."""
    config = row["source"]["config"]
    repo, path, title = config["repo"] or "", config["path"] or "", config["title"] or ""
    commit = f" @ {config['commit'][:9]}" if config["commit"] else ""
    if title.startswith("GitHub copy"):
        return f"{path} of a copy on GitHub: {repo.rsplit('/', 1)[-1]}{commit}"
    page = re.search(r"(?:Hugging Face page |ollama\.com/)(\S+)/(\S+)", title)
    if page:
        own = page[1] == row["hf_id"].split("/")[0]
        kind = "model page" if own else "model page of a derivative"
        return f"{path or 'parameters'}: {kind}, {page[2].rstrip(')')}"
    title = re.sub(r"\s*\(find_string.*?\)", "", title)
    parts = [
        part
        for part in (f"{repo} {path}".strip() + commit, f"({title})" if title and (repo or path) else title)
        if part
    ]
    return " ".join(parts)


def why_not_covered(row: dict[str, Any], extra_params: int) -> str | None:
    """The reason why attention layers of one shape do not describe this model; None where they do."""
    if row["hf_id"] in NOT_PLAIN:
        return NOT_PLAIN[row["hf_id"]]
    strange = sorted(set(row["layer_types"] or {}) - PLAIN_LAYERS)
    if strange:
        return f"layers of another kind ({', '.join(strange)})"
    if row["heads"] is None:
        return "no attention layers"
    counted = shape_params(row) + extra_params + (row["vision_params"] or 0)
    expected = row["exact_params_meta"] or row["exact_params_analytic"]
    if counted != expected:
        return "parts that no field states: the shape does not give the count of the built model"
    return None


def shape_params(row: dict[str, Any]) -> int:
    """Parameters from the shape fields alone; tests/facts/test_models.py counts again from the record."""
    h, heads, kv, d = row["hidden"], row["heads"], row["kv_heads"], row["head_dim"]
    norm = h * (2 if row["norm_bias"] else 1)
    total = row["vocab"] * h * (1 if row["tied_embeddings"] else 2) + (row["vocab"] if row["lm_head_bias"] else 0)
    total += (row.get("learned_positions") or 0) * h + row["final_norm_params"] + row["embedding_norm_params"]
    if row["mla"]:
        attention = mla_params(row["mla"], h, heads)
    else:
        attention = 2 * h * heads * d + 2 * h * kv * d
        attention += (heads * d + 2 * kv * d if row["qkv_bias"] else 0) + (h if row["attn_out_bias"] else 0)
    attention += row["qk_norm_params_per_layer"] + row["attention_sink_params_per_layer"]
    total += row["layers"] * (attention + row["norms_per_layer"] * norm)
    moe = row["moe"]
    if not moe:
        return int(total + row["layers"] * mlp_params(row, row["ffn"]))
    one = moe["experts"] * (mlp_params(row, moe["moe_ffn"]) + h)
    one += row["router_bias_params_per_layer"] + row["shared_expert_gate_params_per_layer"]
    one += mlp_params(row, moe["shared_ffn_total"]) if moe["shared_ffn_total"] else 0
    dense = mlp_params(row, moe["dense_ffn"] or row["ffn"]) if moe["dense_layers"] else 0
    return int(total + moe["moe_layers"] * one + moe["dense_layers"] * dense)


def mla_params(mla: dict[str, Any], hidden: int, heads: int) -> int:
    """Latent attention: the down and up projections, their two norms, and the output."""
    query = heads * (mla["qk_nope_head_dim"] + mla["qk_rope_head_dim"])
    rank = mla["q_lora_rank"]
    total = hidden * rank + rank + rank * query if rank else hidden * query
    latent = mla["kv_lora_rank"]
    total += hidden * (latent + mla["qk_rope_head_dim"]) + latent
    total += latent * heads * (mla["qk_nope_head_dim"] + mla["v_head_dim"])
    return int(total + heads * mla["v_head_dim"] * hidden)


def mlp_params(row: dict[str, Any], width: int) -> int:
    """One feed-forward block."""
    inner = 2 if row["gated_mlp"] else 1
    bias = inner * width + row["hidden"] if row["mlp_bias"] else 0
    return int((inner + 1) * row["hidden"] * width + bias)


if __name__ == "__main__":
    main()

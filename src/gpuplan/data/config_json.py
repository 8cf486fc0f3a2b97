"""A Hugging Face `config.json` as an `Architecture`.

What a model type has beside its numbers (gates, biases, norms, ties) stands in `files/model_types.json`; here the
numbers are read under the names that the types use. A type that is not listed, a tower beside the text model, and
numbers that contradict each other are refused with one line.
"""

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuplan.data.closest import closest
from gpuplan.data.config_parts import attention_fields, mla_of, moe_of, window_fields
from gpuplan.data.config_reader import Reader
from gpuplan.data.shape import shape_mistake
from gpuplan.data.shelf import FILES
from gpuplan.errors import InputError, QuestionError
from gpuplan.facts.arch import Architecture

MAX_BYTES: Final = 16 * 2**20
TOWERS: Final = ("vision_config", "audio_config", "thinker_config", "vision_tower")


def architecture_from_config(config: Mapping[str, Any], where: str) -> Architecture:
    """The shape that a config states; `where` names the file in messages and is the id of the result."""
    if not isinstance(config, Mapping):
        raise QuestionError("config_not_object", where=where)
    tower = next((name for name in TOWERS if config.get(name)), None)
    if tower:
        raise QuestionError("config_tower", where=where, name=tower)
    text = config.get("text_config")
    reader = Reader({**config, **text} if isinstance(text, Mapping) else config, where=where)
    traits = _traits(reader)
    architecture = _built(reader, traits)
    mistake = shape_mistake(architecture)
    if mistake:
        raise QuestionError("config_bad_value", where=where, name=mistake[0], value=mistake[1])
    return architecture


def read_config(path: Path) -> Mapping[str, Any]:
    """The object in a config file; what is no small, well-formed JSON text, or says a thing twice, is refused."""
    try:
        if path.exists() and not path.is_file():
            raise InputError("file_not_plain", path=path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = "" if len(data) > MAX_BYTES else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "bad name"
        raise InputError("file_unreadable", path=path, cause=cause) from None
    if not text.strip() or "\0" in text:
        raise InputError("config_not_text", where=path, most=MAX_BYTES // 2**20)
    try:
        config: Mapping[str, Any] = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, path))
    except (ValueError, RecursionError) as error:
        cause = " ".join(str(error).split())[:120]
        raise InputError("config_broken", where=path, cause=cause) from None
    return config


def _object(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise InputError("config_twice", where=path, name=twice)
    return found


def _traits(reader: Reader) -> Mapping[str, Any]:
    """What the model type has; the text part of a mixed config is named `..._text`."""
    table = _table()["types"]
    name = reader.word("model_type")
    if name is None:
        raise QuestionError("config_missing", where=reader.where, names="model_type")
    traits = table.get(name) or table.get(name.removesuffix("_text"))
    if traits is None:
        raise QuestionError(
            "config_unsupported", where=reader.where, type=name, nearest=", ".join(closest(name, table))
        )
    resolved = dict(traits)
    for part in ("qkv_bias", "out_bias", "mlp_bias", "head_bias"):
        key = resolved.get(part, False)
        if isinstance(key, str):
            resolved[part] = reader.flag(key, default=key in traits.get("default_true", ()))
    return resolved


def _built(reader: Reader, traits: Mapping[str, Any]) -> Architecture:
    hidden = reader.count("hidden_size", "n_embd", "d_model")
    layers = reader.count("num_hidden_layers", "n_layer", "num_layers", "n_layers")
    moe = moe_of(reader, traits, layers=layers)
    norm_width = hidden * (2 if traits.get("norm_bias") else 1)
    positions = reader.maybe("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    learned = None if "positions" not in traits or positions is None else positions + int(traits["positions"])
    return Architecture(
        id=reader.where,
        family=reader.word("model_type"),
        layers=layers,
        hidden=hidden,
        ffn=_ffn(reader, hidden) // int(traits.get("ffn_halves", 1)),
        gated_mlp=traits.get("gated", True),
        activation=reader.word("hidden_act", "hidden_activation", "activation_function")
        or traits.get("activation", "silu"),
        vocab=reader.count("padded_vocab_size", "vocab_size"),
        tied_embeddings=reader.flag("tie_word_embeddings", default=bool(traits.get("tied", False))),
        max_positions=positions,
        position_params=learned * hidden if learned else 0,
        norm=traits.get("norm", "RMSNorm"),
        norms_per_layer=_norms(reader, traits),
        norm_bias=traits.get("norm_bias", False),
        final_norm_params=0 if traits.get("no_final_norm") else None,
        embedding_norm_params=norm_width if traits.get("embedding_norm") else 0,
        mlp_bias=traits.get("mlp_bias", False),
        head_bias=traits.get("head_bias", False),
        shared_expert_gate_params=hidden if traits.get("moe") == "shared_gate" else 0,
        router_bias_params=moe.experts if moe and traits.get("router_bias") else 0,
        mla=mla_of(reader, traits),
        moe=moe,
        sources={"shape": f"{reader.where}; parts of the model type: {_table()['source']}"},
        **attention_fields(reader, traits, hidden=hidden),
        **window_fields(reader, traits, layers=layers),
    )


def _ffn(reader: Reader, hidden: int) -> int:
    """Width of the feed-forward block; four times the hidden size where the type leaves it out."""
    stated = reader.maybe("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")
    if stated is not None:
        return reader.maybe("intermediate_size_mlp") or stated
    return (reader.maybe("expansion_ratio") or 4) * hidden


def _norms(reader: Reader, traits: Mapping[str, Any]) -> int:
    """Norms of a layer; parallel residual branches share one."""
    if reader.word("model_type") == "falcon":
        parallel = reader.flag("parallel_attn", default=True)
        return 2 if reader.flag("new_decoder_architecture") or not parallel else 1
    if reader.word("model_type") == "stablelm" and reader.flag("use_parallel_residual"):
        return 1
    return int(traits.get("norms", 2))


@cache
def _table() -> Mapping[str, Any]:
    table: dict[str, Any] = json.loads((FILES / "model_types.json").read_text(encoding="utf-8"))
    return table

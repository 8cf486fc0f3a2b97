"""The parts of a model's name: words, version, size, experts, variant.

`Qwen/Qwen2.5-7B-Instruct` is words {qwen}, version {2.5}, size {7e9}; `llama3-8b` and `Meta-Llama-3-8B` are equal.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from gpuplan.units import BILLION, MILLION

NEUTRAL: Final = frozenset(
    {"instruct", "chat", "base", "it", "pt", "hf", "meta", "nvidia", "thinking", "preview", "ins", "instruction"}
    | {"sft", "dpo", "rl", "rlhf", "finetuned", "hi", "deduped", "latest", "release", "c4ai", "text", "causal", "lm"}
    | {"awq", "gptq", "bnb", "int4", "int8", "4bit", "8bit", "nf4", "fp4", "fp8", "fp16", "bf16", "nvfp4", "mxfp8"}
    | {"gguf", "mlx", "model", "class", "like", "the", "模型"}
)
"""Words that do not change the shape."""
KIN: Final = frozenset(["coder", "code", "math", "embedding", "reranker", "guard", "reward", "rm", "search", "distill"])
"""Words of relatives that share the shape of the model they grew from."""
TOWERS: Final = frozenset(["vl", "omni", "vision", "audio", "visual", "multimodal", "vlm", "ocr", "asr", "tts"])
"""Words of relatives with a further tower beside the text model."""
OTHER_SHAPE: Final = TOWERS | {
    "moe",
    "mamba",
    "rwkv",
    "hybrid",
    "linear",
    "eagle",
    "draft",
    "bert",
    "diffusion",
    "bitnet",
}
"""Words that make another architecture of a known name."""
GENERIC: Final = frozenset(["gpt", "bert", "transformer", "llm"])
"""Words that name a kind of model; alone, without version or size, they name no model."""
TRANSLATED: Final = {"通义千问": "qwen", "千问": "qwen", "百川": "baichuan", "书生浦语": "internlm"}
SMALLEST: Final = 5e6
"""Below it a number is a context length (`-1M`), not a size."""
SCALE: Final = {"t": 1e12, "b": BILLION, "m": MILLION}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKey:
    """A name taken apart."""

    words: frozenset[str]
    versions: frozenset[str]
    sizes: frozenset[float]
    """In parameters, as the name says it."""
    experts: frozenset[str]
    """`8x7b`, `a3b`, `128e`."""
    dates: frozenset[str]
    layers: int | None = None
    """`...-21layers`: the model cut to so many layers."""

    @property
    def core(self) -> tuple[frozenset[str], frozenset[str], frozenset[float], frozenset[str]]:
        """What decides the shape."""
        return self.words, self.versions, self.sizes, self.experts


def model_key(text: str) -> ModelKey:
    """The parts of a name; the organisation before a slash, and remarks in brackets, are passed over."""
    words: set[str] = set()
    versions: set[str] = set()
    sizes: set[float] = set()
    experts: set[str] = set()
    dates: set[str] = set()
    layers: int | None = None
    for token in _tokens(text):
        if token in NEUTRAL or re.fullmatch(r"\d+k", token):
            continue
        if match := re.fullmatch(r"(\d+)(?:l|layers?)", token):
            layers = int(match[1])
        elif re.fullmatch(r"\d+x\d+(?:\.\d+)?b|a\d+(?:\.\d+)?[bm]|\d+e", token):
            experts.add(token)
        elif match := re.fullmatch(r"(\d+(?:\.\d+)?)([tbm])", token):
            size = float(match[1]) * SCALE[match[2]]
            sizes |= {size} if size >= SMALLEST else set()
        elif re.fullmatch(r"0\d|\d{4}", token):
            dates.add(token)
        elif re.fullmatch(r"v?\d+(?:\.\d+)*", token):
            versions.add(token)
        else:
            words.add(token)
    return ModelKey(
        words=frozenset(words),
        versions=frozenset(versions),
        sizes=frozenset(sizes),
        experts=frozenset(experts),
        dates=frozenset(dates),
        layers=layers,
    )


def plain_size(text: str) -> float | None:
    """The size of a text that says nothing else (`7B`, `1.5b`, `7B model`)."""
    key = model_key(text)
    only_size = len(key.sizes) == 1 and not (key.words or key.versions or key.experts or key.layers)
    return next(iter(key.sizes)) if only_size else None


def _tokens(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text[:300]).casefold().strip()
    plain = re.sub(r"[(\[（].*?[)\]）]", " ", plain).rstrip("/").rsplit("/", 1)[-1]
    for name, english in TRANSLATED.items():
        plain = plain.replace(name, f" {english} ")
    plain = re.sub(r"([\u4e00-\u9fff]+)", r" \1 ", plain)
    plain = re.sub(r"(?<=\d)_(?=\d)", ".", plain)
    plain = re.sub(r"(?<=\d)\s+(?=[bm]\b)", "", plain)
    tokens: list[str] = []
    for piece in re.findall(r"[\w.]+", plain.replace("_", "-")):
        tokens += _split(piece.strip("."))
    return [token for token in tokens if token]


def _split(piece: str) -> list[str]:
    """`llama3` as word and version, `qwen2.5` too; `r1`, `k2.5`, `v3`, `7b`, `8x7b` stay whole."""
    if piece in NEUTRAL:
        return [piece]
    if match := re.fullmatch(r"([^\W\d_]{3,})(v\d+(?:\.\d+)*)", piece):
        return [match[1], match[2]]
    if match := re.fullmatch(r"([^\W\d_]{2,})[.]?(\d+(?:\.\d+)*)", piece):
        return [match[1], match[2]]
    if match := re.fullmatch(r"([^\W\d_]{2,})(\d+(?:\.\d+)?[bm])", piece):
        return [match[1], match[2]]
    return [piece]

"""Accelerators as people write them: `4090`, `A100 80G`, `NVIDIA H100 80GB HBM3`, `昇腾910B`.

A text is cut into words; words of the family must all belong to the chip, while memory, form factor and memory type
narrow the variants. What is left is every variant that the text can mean, the slowest first.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from gpuplan.data.closest import closest
from gpuplan.data.shelf import Shelf
from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.units import GIB

CARD_SHARE: Final = 0.985
"""Usable share of the label of an unnamed card: RTX 4090, 23.64 of 24 GiB, printed by out-of-memory errors."""
MEMORY_TOLERANCE: Final = 0.08
"""Labels differ by edition (GB or GiB, "B200 192GB" for 180): nearer than the next size class."""

TRANSLATED: Final = {
    "昇腾": " ascend ",
    "英伟达": " ",
    "华为": " ",
    "显卡": " ",
    "显存": " ",
    "卡": " ",
    "沐曦": " metax ",
}
NOISE: Final = frozenset(
    {"nvidia", "amd", "intel", "google", "aws", "huawei", "tesla", "geforce", "instinct", "radeon"}
    | {"gpu", "gpus", "npu", "card", "cards", "class", "accelerator", "nvlink", "nvl72", "gcd", "hbm", "vram"}
    | {"memory", "the"}
)
FORM: Final = re.compile(r"(sxm\d?|hgx|dgx|pcie|nvl|oam)$")
MEMORY: Final = re.compile(r"([1-9]\d{0,3})(?:gb|gib|g)$")
BRACKETS: Final = re.compile(r"[(（].*?[)）]")
MEMORY_TYPE: Final = re.compile(r"(g?ddr\dx?|hbm\d?e?)$")
APPLE: Final = re.compile(
    r"(.*\bapple\b.*|m[1-9]([\s-]*(pro|max|ultra))?|(.*\s)?mac(book|\s?studio|\s?mini)?\b.*)", re.IGNORECASE
)
"""Chips whose memory is the computer's own; no trainer of the catalogue runs on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    words: frozenset[str]
    prefixes: frozenset[str]
    memory_gb: frozenset[float]
    form: str | None
    memory_type: str | None


def resolve_chip(text: str, chips: Mapping[str, Chip]) -> tuple[Chip, ...]:
    """Every variant that `text` can mean, slowest first; an unknown name or memory is the user's mistake."""
    index = _index(chips)
    query = index.query(text)
    family = index.family(query)
    if not family:
        raise QuestionError("chip_unknown", text=text[:80], nearest=", ".join(closest(text, chips)))
    variants = _narrowed(family, query)
    if not variants:
        known = ", ".join(chip.id for chip in family)
        memory = "/".join(f"{gb:g}" for gb in sorted(query.memory_gb))
        raise QuestionError("chip_unknown_memory", chip=text[:80], memory=memory, nearest=known)
    return _slowest_first(variants)


def find_chip(text: str | None, chips: Mapping[str, Chip]) -> tuple[Chip, ...]:
    """Like `resolve_chip` but never raises: words that nobody knows are passed over, an unknown memory is believed.

    Empty where no family is named. A variant with believed memory has an id ending in `@<GB>GB`.
    """
    if not text:
        return ()
    index = _index(chips)
    query = index.query(text, lenient=True)
    family = index.family(query)
    variants = _narrowed(family, query) or [_resized(chip, min(query.memory_gb)) for chip in family]
    return _slowest_first(variants)


def is_apple(text: str) -> bool:
    """True where a Mac or one of Apple's chips is named (M2, M3 Max, MacBook Pro)."""
    return APPLE.fullmatch(text.strip()) is not None


def memory_class(text: str | None) -> float | None:
    """Usable bytes of a card known by its memory alone ("80GB-class", "24 GB card"); the smaller of two."""
    words = re.sub(r"\d+\s*g(?:i?b)?(?![a-z])", " ", _plain(text or ""))
    rest = set(re.findall(r"[^\W_]+", words)) - NOISE - {"or", "and", "stated"}
    return None if rest else stated_memory(text)


def stated_memory(text: str | None) -> float | None:
    """Usable bytes of a card of unknown name whose text states its memory (`MetaX-C500-64GB`); the smaller of two."""
    sizes = [float(size) for size in re.findall(r"(?<![a-z\d])(\d+)\s*g(?:i?b)?(?![a-z])", _plain(text or ""))]
    return min(sizes) * GIB * CARD_SHARE if sizes else None


class _Index:
    """Words of all chips."""

    def __init__(self, chips: Mapping[str, Chip]) -> None:
        self.words = {chip.id: (chip, _chip_words(chip)) for chip in chips.values()}
        self.vocabulary = frozenset(word for _, words in self.words.values() for word in words)

    def query(self, text: str, *, lenient: bool = False) -> _Query:
        """The text cut into words, memory, form factor and memory type."""
        words: set[str] = set()
        prefixes: set[str] = set()
        memory: set[float] = set()
        form = memory_type = None
        for token, followed_by_class, is_remark in self._read(text):
            if match := MEMORY.match(token):
                memory.add(float(match[1]))
            elif FORM.match(token):
                form = "sxm" if token[:3] in ("sxm", "hgx", "dgx") else token
            elif MEMORY_TYPE.match(token):
                memory_type = token
            elif followed_by_class:
                prefixes.add(token)
            elif token in self.vocabulary or not (token in NOISE or (is_remark and token.isdigit())):
                self._add_word(token, words, memory, lenient=lenient or is_remark)
        return _Query(
            words=frozenset(words),
            prefixes=frozenset(prefixes),
            memory_gb=frozenset(memory),
            form=form,
            memory_type=memory_type,
        )

    def _add_word(self, token: str, words: set[str], memory: set[float], *, lenient: bool) -> None:
        """Keeps a word: sub-versions (910b3) as their version, a bare number as memory where it names no chip."""
        if token not in self.vocabulary:
            if shorter := self._without_subversion(token):
                token = shorter
            elif token.isdigit() and 8 <= int(token) <= 512 and words:
                memory.add(float(token))
                return
            elif lenient and words:
                return
        words.add(token)

    def _read(self, text: str) -> list[tuple[str, bool, bool]]:
        """Words, those in brackets last: (word, followed by "class", in brackets)."""
        named = self._tokens(re.sub(BRACKETS, " ", text))
        remarks = self._tokens(" ".join(re.findall(BRACKETS, text)))
        tokens = named + remarks
        return [(t, tokens[i + 1 : i + 2] == ["class"], i >= len(named)) for i, t in enumerate(tokens)]

    def _tokens(self, text: str) -> list[str]:
        return [token for piece in _pieces(text) for token in self._segments(piece)]

    def _without_subversion(self, token: str) -> str | None:
        """`910b` for `910b3`: a known word with a number in it and one more digit."""
        shorter = re.sub(r"(?<=\d[a-z])\d$", "", token)
        return shorter if shorter != token and shorter in self.vocabulary else None

    def family(self, query: _Query) -> list[Chip]:
        """Chips that have every word of the query; a text without a number names a family only where it is small."""
        if not query.words and not query.prefixes:
            return []
        found = [
            (chip, words)
            for chip, words in self.words.values()
            if query.words <= words and all(any(w.startswith(p) for w in words) for p in query.prefixes)
        ]
        telling = any(re.search(r"\d", word) for word in query.words | query.prefixes)
        if not telling and len({words for _, words in found}) > 4:
            return []
        return [chip for chip, _ in found]

    def _segments(self, piece: str) -> list[str]:
        """A glued piece cut into known words (`rtx5060ti`, `titanrtx`, `h100sxm5`), the fewest; else the piece."""
        best: list[list[str] | None] = [[]] + [None] * len(piece)
        for end in range(1, len(piece) + 1):
            for start in range(end):
                head, token = best[start], piece[start:end]
                if head is None or not self._known(token):
                    continue
                if best[end] is None or len(head) + 1 < len(best[end] or ()):
                    best[end] = [*head, token]
        return best[-1] or [piece]

    def _known(self, token: str) -> bool:
        if token in self.vocabulary or token in NOISE or self._without_subversion(token):
            return True
        return bool(FORM.match(token) or MEMORY.match(token))


@cache
def _shelf_index(chips: Shelf[Chip]) -> _Index:
    return _Index(chips)


def _index(chips: Mapping[str, Chip]) -> _Index:
    return _shelf_index(chips) if isinstance(chips, Shelf) else _Index(chips)


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text[:200]).casefold()
    for word, english in TRANSLATED.items():
        plain = plain.replace(word, english)
    return plain


def _pieces(text: str) -> list[str]:
    """Words of a text, with units, suffixes (`4060 Ti`, `Gaudi 2`, `910 B`) and spellings joined."""
    plain = _plain(text)
    plain = re.sub(r"pci[\s_-]?e(?=\W|_|\d|$)", " pcie ", plain)
    plain = re.sub(r"max[\s-]q", "maxq", plain)
    plain = re.sub(r"(?<![a-z\d])(\d+)[\s_-]*(gib|gb|g)(?![a-z])", r" \1gb ", plain)
    raw = re.findall(r"[a-z\d]+", plain)
    joined: list[str] = []
    for token in raw:
        suffix = re.fullmatch(r"ti|super|[a-z]", token) and joined and re.search(r"\d{3}[a-z]?$", joined[-1])
        digit = re.fullmatch(r"\d", token) and joined and joined[-1].isalpha()
        if suffix or digit:
            joined[-1] += token
        else:
            joined.append(token)
    return [re.sub(r"(?<=\d)super$", "s", token) for token in joined]


def _chip_words(chip: Chip) -> frozenset[str]:
    name = re.sub(r"\(.*?\)", " ", chip.name)
    words = {token for text in (chip.id, name) for token in _pieces(text)}
    return frozenset(w for w in words if not (w in NOISE or FORM.match(w) or MEMORY.match(w) or MEMORY_TYPE.match(w)))


def _form_of(chip: Chip) -> str | None:
    if "NVL" in chip.id:
        return "nvl"
    form = (chip.form_factor or "").casefold()
    return next((kind for kind in ("sxm", "pcie", "oam") if form.startswith(kind)), None)


def _narrowed(family: Iterable[Chip], query: _Query) -> list[Chip]:
    """The variants of a family that fit what the text says of memory, form and memory type."""
    chips = list(family)
    if query.memory_gb:
        wanted = query.memory_gb
        exact = [chip for chip in chips if chip.label_gb in wanted]
        near = [chip for chip in chips if any(_is_near(chip, gb) for gb in wanted)]
        chips = exact or near
    else:
        chips = [chip for chip in chips if not chip.named_only] or chips
    if query.form:
        chips = [c for c in chips if _form_of(c) == query.form] or [c for c in chips if _form_of(c) is None] or chips
    if query.memory_type:
        chips = [c for c in chips if (c.memory_type or "").casefold() == query.memory_type] or chips
    return chips


def _is_near(chip: Chip, gb: float) -> bool:
    labels = (chip.label_gb, chip.memory_bytes / GIB)
    return any(label is not None and abs(label - gb) <= MEMORY_TOLERANCE * gb for label in labels)


def _resized(chip: Chip, gb: float) -> Chip:
    usable = gb * GIB * min(CARD_SHARE, chip.memory_bytes / GIB / (chip.label_gb or gb))
    return replace(
        chip,
        id=f"{chip.id}@{gb:g}GB",
        memory_bytes=usable,
        label_gb=gb,
        confidence="low",
        sources={**chip.sources, "memory": f"stated with the name: {gb:g} GB; no variant of that size is known"},
    )


def _slowest_first(chips: Iterable[Chip]) -> tuple[Chip, ...]:
    def speed(chip: Chip) -> tuple[float, ...]:
        peak = max((chip.peak_flops.get(dtype, 0.0) for dtype in ("bf16", "fp16", "fp32")), default=0.0)
        bandwidth, link = chip.memory_bytes_per_s or 0.0, chip.link_bytes_per_s or 0.0
        return peak / chip.donor_scale, bandwidth, link, chip.memory_bytes

    return tuple(sorted(chips, key=speed))

"""Models as people write them: hub ids, `llama3-8b`, `Llama 2 7B`, `qwen2.5-7b-instruct`, plain `7B`.

A name is taken apart (`model_key`) and compared part by part, the strictest rule first; whatever a looser rule had to
take for granted is stated in `assumed`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final

from gpuplan.data.closest import closest
from gpuplan.data.model_key import GENERIC, KIN, OTHER_SHAPE, TOWERS, ModelKey, model_key, plain_size
from gpuplan.data.shelf import FILES, Raw, Shelf
from gpuplan.errors import QuestionError
from gpuplan.facts.arch import Architecture
from gpuplan.question.figures import Assumed, assumption
from gpuplan.question.note import Note, note

SIZE_TOLERANCE: Final = 0.04
"""A size in a name is a rounded count: 124M for 124.4 million, 16B for 15.7, 7B for 6.74."""
STATED_TOLERANCE: Final = 0.35
"""A size stated beside a name is at times a label (2 for 2.5 billion): it tells models apart, no more."""
ALIASES_FILE: Final = FILES / "model_aliases.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMatch:
    """The model that a name means, and what had to be assumed."""

    architecture: Architecture
    assumed: tuple[Assumed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    model_id: str
    key: ModelKey
    labels: frozenset[float]
    """Sizes that the name states, or that the id states where an alias says none."""
    params: float | None
    covered: bool
    is_moe: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    entries: tuple[_Entry, ...]
    why: Note | None = None


def resolve_model(text: str, models: Mapping[str, Architecture]) -> ModelMatch:
    """The model that `text` means; a name or a size that nobody knows is the user's mistake."""
    index = _index(models)
    size = plain_size(text)
    if size is not None:
        return _plain(text, size, models)
    key = model_key(text)
    found = index.find(text, key)
    if not found.entries:
        kin = index.find(text, replace(key, words=key.words - TOWERS)) if key.words & TOWERS else found
        if kin.entries:
            raise QuestionError("model_not_language", text=text[:80], nearest=kin.entries[0].model_id)
        raise QuestionError("model_unknown", text=text[:80], nearest=", ".join(index.nearest(text, key)))
    if not key.sizes and _sizes_differ(found.entries):
        sizes = ", ".join(dict.fromkeys(entry.model_id for entry in found.entries))
        raise QuestionError("model_size_missing", text=text[:80], sizes=sizes)
    return _match(found, key, models)


def find_model(
    text: str | None, models: Mapping[str, Architecture], *, params: float | None = None
) -> ModelMatch | None:
    """Like `resolve_model` but never raises; `params`, where known, decides between sizes.

    Relatives with a vision or audio tower are taken as their text model, and named.
    """
    if not text:
        return None
    size = plain_size(text)
    if size is not None:
        return _plain_or_none(text, size, models)
    index, key = _index(models), model_key(text)
    for words in dict.fromkeys((key.words, key.words - TOWERS)):
        found = index.find(text, replace(key, words=words))
        if params and not key.layers:
            near = [e for e in found.entries if _is_size(e, params, tolerance=STATED_TOLERANCE) or not _sized(e)]
            found = replace(found, entries=tuple(near))
        if found.entries and (key.sizes or not _sizes_differ(found.entries)):
            if words != key.words:
                found = replace(found, why=note("model.tower"))
            return _match(found, key, models)
    return None


class _Names:
    """All names of all models; taken apart only where no model has the very name that is looked for."""

    def __init__(self, rows: Iterable[Raw]) -> None:
        self.rows = tuple(rows)
        self.by_name: dict[str, tuple[str, Raw]] = {}
        for row in self.rows:
            for name in (row["id"], *row.get("aliases", ())):
                self.by_name.setdefault(_folded(name), (name, row))
                self.by_name.setdefault(_folded(name).rsplit("/", 1)[-1], (name, row))

    @cached_property
    def entries(self) -> tuple[_Entry, ...]:
        """Every name of every model."""
        return tuple(_entry(name, row) for row in self.rows for name in (row["id"], *row.get("aliases", ())))

    def find(self, text: str, key: ModelKey) -> _Found:
        """Entries by the strictest rule that finds any."""
        exact = self.by_name.get(_folded(text))
        if exact:
            return _Found(entries=(_entry(*exact),))
        found = self._by_rules(key)
        return found if found.entries else self._renamed(key)

    def _by_rules(self, key: ModelKey) -> _Found:
        if key.words <= GENERIC and not key.versions:
            return _Found(entries=())
        for rule, why in _RULES:
            entries = tuple(entry for entry in self.entries if rule(entry, key))
            if entries:
                return _Found(entries=_same_date(entries, key), why=note(why) if why else None)
        return _Found(entries=())

    def _renamed(self, key: ModelKey) -> _Found:
        """A fine-tune by the name of the model that it grew from (`model_aliases.json`)."""
        for name, (grown_from, source) in _aliases()["families"].items():
            family, base = model_key(name), model_key(grown_from)
            if family.words <= key.words and family.versions <= key.versions and family.sizes <= key.sizes:
                grown = replace(
                    key,
                    words=(key.words - family.words) | base.words,
                    versions=base.versions or frozenset(v for v in key.versions - family.versions if v[0] != "v"),
                    sizes=base.sizes or key.sizes,
                )
                found = self._by_rules(grown)
                found = found if found.entries else self._with_more_words(grown)
                if found.entries:
                    return replace(found, why=note("model.grown", source=source))
        if key.words & KIN:
            found = self._by_rules(replace(key, words=key.words - KIN))
            if found.entries:
                return replace(found, why=note("model.kin"))
        return self._with_more_words(key)

    def _with_more_words(self, key: ModelKey) -> _Found:
        entries = tuple(entry for entry in self.entries if _more_words(entry, key))
        most = max((len(entry.key.words) for entry in entries), default=0)
        entries = tuple(entry for entry in entries if len(entry.key.words) == most)
        return _Found(entries=entries, why=note("model.tuned"))

    def nearest(self, text: str, key: ModelKey) -> list[str]:
        """Names to suggest: the same family first, its sizes nearest to the one asked for."""
        family = [entry for entry in self.entries if key.words and key.words <= entry.key.words and entry.params]
        wanted = next(iter(key.sizes), None)
        if family and wanted:

            def distance(entry: _Entry) -> float:
                strange = len(entry.key.words - key.words) + len(entry.key.versions ^ key.versions)
                return abs((entry.params or 0.0) / wanted - 1.0) + 0.1 * strange

            family.sort(key=distance)
            return list(dict.fromkeys(entry.model_id for entry in family))[:3]
        return closest(text, dict.fromkeys(entry.model_id for entry in self.entries))


def _entry(name: str, row: Raw) -> _Entry:
    key = model_key(name)
    return _Entry(
        model_id=row["id"],
        key=key,
        labels=key.sizes or model_key(row["id"]).sizes,
        params=row.get("published_params"),
        covered=row.get("covered", True),
        is_moe=bool(row.get("moe")),
    )


def _folded(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().casefold())


def _is_size(entry: _Entry, size: float, *, tolerance: float = SIZE_TOLERANCE) -> bool:
    """True where a label or the count agrees; a model of unknown size agrees with none."""
    labels = [*entry.labels, *([entry.params] if entry.params else [])]
    return any(abs(label - size) <= tolerance * size for label in labels)


def _sized(entry: _Entry) -> bool:
    return bool(entry.labels or entry.params)


def _sizes_differ(entries: Iterable[_Entry]) -> bool:
    counts = [entry.params for entry in entries if entry.params]
    return bool(counts) and max(counts) > (1.0 + SIZE_TOLERANCE) * min(counts)


def _equal(entry: _Entry, key: ModelKey) -> bool:
    return entry.key.core == key.core


def _equal_by_count(entry: _Entry, key: ModelKey) -> bool:
    """The size of the name is the count of the model, which its own name does not say or says otherwise."""
    same = entry.key.words == key.words and entry.key.versions == key.versions and _experts_agree(entry, key)
    return same and all(_is_size(entry, size) for size in key.sizes)


def _less_said(entry: _Entry, key: ModelKey) -> bool:
    """The name leaves out a version or the active size."""
    words = entry.key.words == key.words and key.versions <= entry.key.versions
    return words and _experts_agree(entry, key) and all(_is_size(entry, size) for size in key.sizes)


def _experts_agree(entry: _Entry, key: ModelKey) -> bool:
    """Active size and number of experts contradict each other nowhere; only a mixture of experts has them."""
    if not key.experts:
        return True
    if not entry.key.experts:
        return entry.is_moe
    return key.experts <= entry.key.experts or _only_active(entry, key)


def _only_active(entry: _Entry, key: ModelKey) -> bool:
    """`400B-A17B` for a name that says `17B-128E`: the active size stands there as a size."""
    active = {word for word in key.experts if word[0] == "a"}
    return active == key.experts and not any(word[0] == "a" for word in entry.key.experts)


def _fewer_words(entry: _Entry, key: ModelKey) -> bool:
    """The name leaves out a word too (`Scout` of Llama 4, `StableLM 3B`)."""
    words = key.words <= entry.key.words and key.versions <= entry.key.versions and bool(key.words)
    return words and _experts_agree(entry, key) and all(_is_size(entry, size) for size in key.sizes)


def _more_words(entry: _Entry, key: ModelKey) -> bool:
    """A name with a known model's words, version and size, and further words of its own."""
    known = entry.key.words < key.words and not (key.words - entry.key.words) & OTHER_SHAPE
    if not known or not (key.sizes or key.experts):
        return False
    return key.versions <= entry.key.versions and entry.key.sizes == key.sizes and _experts_agree(entry, key)


_VERSIONS: Final = "model.versions"
_MODELS: Final = "model.models"
_RULES: Final[tuple[tuple[Callable[[_Entry, ModelKey], bool], str], ...]] = (
    (_equal, ""),
    (_equal_by_count, ""),
    (_less_said, _VERSIONS),
    (_fewer_words, _MODELS),
)


def _same_date(entries: tuple[_Entry, ...], key: ModelKey) -> tuple[_Entry, ...]:
    return tuple(entry for entry in entries if entry.key.dates == key.dates) or entries


def _match(found: _Found, key: ModelKey, models: Mapping[str, Architecture]) -> ModelMatch:
    """The largest covered one of what was found, so that what fits it fits the others too."""
    best = max(found.entries, key=lambda entry: (entry.covered, entry.params or 0.0))
    chosen = models[best.model_id]
    assumed: list[Assumed] = []
    unsaid = {version for version in best.key.versions - key.versions if version[0] != "v"}
    unsaid |= best.key.words - key.words
    if found.why and (unsaid or found.why.key not in (_VERSIONS, _MODELS) or _several(found.entries)):
        assumed.append(_assumed(best.model_id, found.why))
    if key.layers and key.layers != chosen.layers:
        chosen = _cut(chosen, key.layers)
    return ModelMatch(architecture=chosen, assumed=tuple(assumed))


def _several(entries: Iterable[_Entry]) -> bool:
    return len({entry.model_id for entry in entries}) > 1


def _cut(model: Architecture, layers: int) -> Architecture:
    """The model with fewer layers; the first dense layers of a mixture of experts stay."""
    moe = model.moe
    if moe is not None:
        dense = min(moe.dense_layers, layers) if moe.moe_layers >= moe.dense_layers * 2 else layers // 2
        moe = replace(moe, dense_layers=dense, moe_layers=layers - dense)
    windowed = round(model.windowed_layers * layers / model.layers)
    return replace(model, layers=layers, moe=moe, windowed_layers=windowed, published_params=None)


def _plain(text: str, size: float, models: Mapping[str, Architecture]) -> ModelMatch:
    match = _plain_or_none(text, size, models)
    if match is None:
        table = _aliases()["sizes"]
        near = sorted(table, key=lambda word: abs(next(iter(model_key(word).sizes)) - size))[:3]
        nearest = ", ".join(f"{word} ({table[word][0]})" for word in near)
        raise QuestionError("model_unknown", text=text[:80], nearest=nearest)
    return match


def _plain_or_none(text: str, size: float, models: Mapping[str, Architecture]) -> ModelMatch | None:
    for word, (model_id, basis, count, since) in _aliases()["sizes"].items():
        if size in model_key(word).sizes and model_id in models:
            assumed = _assumed(model_id, note(f"model.by.{basis}", n=count, since=since))
            return ModelMatch(architecture=models[model_id], assumed=(assumed,))
    return None


def _assumed(model_id: str, why: Note) -> Assumed:
    return assumption("model", model_id, source=why, effect=note("assumed.model"))


@cache
def _aliases() -> Mapping[str, Mapping[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(ALIASES_FILE.read_text(encoding="utf-8"))
    return table


@cache
def _shelf_index(models: Shelf[Architecture]) -> _Names:
    return _Names(models.rows.values())


def _index(models: Mapping[str, Architecture]) -> _Names:
    if isinstance(models, Shelf):
        return _shelf_index(models)
    fields = ("id", "aliases", "published_params", "covered", "moe")
    return _Names({name: getattr(model, name) for name in fields} for model in models.values())

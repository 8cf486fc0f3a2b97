"""The nearest changes that make a job fit, each one computed: other layouts, more or larger cards, other methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import numpy as np

from gpuplan.app.describe import bill_of, hours, memory_json, pace_of, range_json
from gpuplan.app.hints import LIKELY, layout_options
from gpuplan.app.parts import rounded
from gpuplan.app.tried import Tried, try_on
from gpuplan.data.catalogue import Catalogue
from gpuplan.data.offers import RANKED_CONFIDENCE
from gpuplan.errors import QuestionError
from gpuplan.facts.chip import Chip
from gpuplan.question.note import Note, note
from gpuplan.question.question import Question
from gpuplan.units import GIB, YEAR

LAYOUT_KEYS: Final = ("micro_batch", "grad_accum", "zero", "tp", "pp", "cp", "ep", "recompute", "offload")
MOST_NODES: Final = 64
MOST_CARDS_TIMES: Final = 16
"""More than this many times the asked cards is another question (reasoned)."""
SHORTEST: Final = 256
SHORT: Final = 512
"""Least length that is offered together with a lighter method."""
WHOLE_NODE: Final = 8
"""Cards of a usual server: more of them in one node are tried before more nodes."""
MOST_TIMES: Final = 3.0
"""Slower than this than another change on as many of the same cards, a change is not worth offering (reasoned)."""
LARGER_CARDS: Final = 4
"""Larger cards that are tried, the smallest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that fits for sure, with its memory and time."""

    text: Note
    memory: dict[str, Any]
    time: dict[str, Any]
    chip: str
    cards: float
    s_per_token: float
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """A changed question on hardware, and how the change is said once it is computed."""

    question: Question
    chip: Chip
    nodes: int
    count: int
    """GPUs of a node."""
    worded: Callable[[Tried], Note]
    is_lighter: bool = False
    """A lighter method on the same cards."""


def nearest_changes(question: Question, catalogue: Catalogue, tried: Tried, *, today: date) -> tuple[Change, ...]:
    """Of each kind of change the smallest that fits for sure, ends within a year and does not crawl.

    Where none does on the same cards, the first lighter method that more likely fits than not, said so.
    """
    found: list[Change] = []
    likely: Change | None = None
    for ideas in _kinds(question, catalogue, tried):
        for idea in ideas:
            try:
                one = try_on(idea.question, catalogue, chip=idea.chip, nodes=idea.nodes, count=idea.count,
                             today=today)  # fmt: skip
            except QuestionError:
                continue
            if one.word == "fits" and one.detail is not None:
                found.append(_change(idea.worded(one), one))
                break
            if likely is None and idea.is_lighter and one.detail is not None and one.probability >= LIKELY:
                chance = note("count.percent", n=100 * one.probability)
                likely = _change(note("nearest.likely", change=idea.worded(one), chance=chance), one)
    sure = worthwhile(found)
    asked = float(tried.machine.n_gpus * tried.nodes)
    is_here = any(one.chip == tried.machine.chip.id and one.cards <= asked for one in sure)
    return sure if is_here or likely is None else (likely, *sure)


def worthwhile(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes that end within a year and are not `MOST_TIMES` slower than one on no more of the same cards."""
    ending = [one for one in changes if one.duration_s <= YEAR]

    def crawls(one: Change) -> bool:
        rivals = [other for other in ending if other.chip == one.chip and other.cards <= one.cards]
        return any(one.s_per_token > MOST_TIMES * other.s_per_token for other in rivals)

    return tuple(one for one in ending if not crawls(one))


def relaxed_questions(question: Question) -> Iterator[tuple[str, Question]]:
    """Questions that ask for less, with the sentence to say: any cloud, then adapters."""
    free = _without_layout(question)
    if question.own is not None or question.cloud is not None or question.region is not None:
        yield "nearest.any_cloud", replace(free, own=None, cloud=None, region=None)
    for method in ("lora", "qlora"):
        if (question.method or "lora") != method:
            yield "nearest.method_plan", replace(_as_method(free, method), own=None, cloud=None, region=None)


def _kinds(question: Question, catalogue: Catalogue, tried: Tried) -> Iterator[Iterator[Idea]]:
    yield _free_layout(question, tried)
    yield _offload(question, tried)
    yield _shorter(question, tried)
    yield _methods(question, tried)
    yield _more_cards(question, tried)
    yield _larger_cards(question, catalogue, tried)


def _free_layout(question: Question, tried: Tried) -> Iterator[Idea]:
    """The same GPUs, every stated part of the layout left to the search."""
    if any(getattr(question, key) is not None for key in LAYOUT_KEYS):
        yield _idea(tried, _without_layout(question), lambda one: note("nearest.free_layout", layout=_words(one)))


def _offload(question: Question, tried: Tried) -> Iterator[Idea]:
    """States in host memory, and how much of it; adapters have no states to speak of."""
    for kind in () if tried.understood.method.adapts else ("optimizer", "all"):
        changed = replace(_without_layout(question), offload=kind)

        def worded(one: Tried, kind: str = kind) -> Note:
            assert one.detail is not None
            host = float(one.detail.memory.host_bytes_per_node) / GIB
            return note("nearest.offload", offload=note(f"nearest.offload.{kind}"), host_gib=host)

        yield _idea(tried, changed, worded)


def _shorter(question: Question, tried: Tried) -> Iterator[Idea]:
    length = tried.understood.data.seq_len // 2
    while length >= SHORTEST:
        changed = replace(question, seq_len=length, mean_len=None, p95_len=None)
        yield _idea(tried, changed, lambda one: note("nearest.seq_len", seq_len=one.understood.data.seq_len))
        length //= 2


def _methods(question: Question, tried: Tried) -> Iterator[Idea]:
    """Adapters, then adapters over quantised weights; the objective stays."""
    method = tried.understood.method
    goal = "" if method.objective == "sft" else f"{method.objective}_"
    lighter = (f"{goal}lora", f"{goal}qlora")
    words = lighter if method.objective != "pretrain" and method.base != "qlora" else ()
    for word in words:
        if word != method.word:
            yield replace(_idea(tried, _as_method(_without_layout(question), word), _method_words), is_lighter=True)
    for length in (tried.understood.data.seq_len // part for part in (2, 4) if words):
        if length >= SHORT:
            short = replace(question, seq_len=length, mean_len=None, p95_len=None)
            changed = _as_method(_without_layout(short), lighter[-1])
            yield replace(_idea(tried, changed, _short_method_words), is_lighter=True)


def _more_cards(question: Question, tried: Tried) -> Iterator[Idea]:
    """More cards in one node up to a whole server, then more nodes."""
    chip, free = tried.machine.chip, replace(_without_layout(question), zero=question.zero)
    count, nodes = tried.machine.n_gpus, tried.nodes
    while nodes == 1 and 2 * count <= WHOLE_NODE:
        count *= 2
        changed = replace(free, on=f"{count}x{chip.id}", nodes=None)
        yield Idea(question=changed, chip=chip, nodes=1, count=count, worded=_more)
    most = MOST_CARDS_TIMES * tried.machine.n_gpus * tried.nodes
    while 2 * nodes <= MOST_NODES and 2 * nodes * count <= most:
        nodes *= 2
        changed = replace(free, on=f"{count}x{chip.id}", nodes=float(nodes))
        yield Idea(question=changed, chip=chip, nodes=nodes, count=count, worded=_more)


def _larger_cards(question: Question, catalogue: Catalogue, tried: Tried) -> Iterator[Idea]:
    """As many of a card with more memory, of those that somebody rents out, the smallest first."""
    needed = 0.0 if tried.detail is None else float(tried.detail.ranges["needed"].typical)
    rented = {
        offer.machine.chip.id: offer.machine.chip
        for offer in catalogue.offers
        if offer.confidence in RANKED_CONFIDENCE
        and offer.price_per_hour is not None
        and offer.machine.n_gpus == tried.machine.n_gpus
        and offer.machine.chip.vendor == tried.machine.chip.vendor
        and offer.machine.chip.bf16
        and offer.machine.chip.memory_bytes > max(tried.machine.chip.memory_bytes, needed)
    }
    order = sorted(rented.values(), key=lambda chip: (chip.memory_bytes, -max(chip.peak_flops.values()), chip.id))
    sizes = dict.fromkeys(chip.memory_bytes for chip in order)
    smallest = [next(chip for chip in order if chip.memory_bytes == size) for size in sizes][:LARGER_CARDS]
    for chip in smallest:
        count, nodes = tried.machine.n_gpus, float(tried.nodes)
        changed = replace(_without_layout(question), on=f"{count}x{chip.id}", nodes=nodes if nodes > 1 else None)
        yield Idea(question=changed, chip=chip, nodes=tried.nodes, count=count, worded=_card)


def _idea(tried: Tried, question: Question, worded: Callable[[Tried], Note]) -> Idea:
    machine = tried.machine
    return Idea(question=question, chip=machine.chip, nodes=tried.nodes, count=machine.n_gpus, worded=worded)


def _without_layout(question: Question) -> Question:
    return replace(question, **dict.fromkeys(LAYOUT_KEYS))  # type: ignore[arg-type]


def _as_method(question: Question, method: str) -> Question:
    """The question with another method, in the usual framework and storage of that method."""
    return replace(question, method=method, framework=None, framework_version=None, quantisation=None)


def _method_words(one: Tried) -> Note:
    return note("nearest.method", method=one.understood.method.word)


def _short_method_words(one: Tried) -> Note:
    return note("nearest.short_method", method=one.understood.method.word, seq_len=one.understood.data.seq_len)


def _more(one: Tried) -> Note:
    per_node = one.machine.n_gpus
    if one.nodes == 1:
        return note("nearest.more_cards", gpus=per_node)
    return note("nearest.more_gpus", gpus=per_node * one.nodes, nodes=one.nodes, per_node=per_node)


def _card(one: Tried) -> Note:
    name = f"{one.machine.n_gpus}x{one.machine.chip.id}"
    return note("nearest.chip", what=name if one.nodes == 1 else f"{one.nodes} x {name}")


def _words(one: Tried) -> str:
    assert one.detail is not None
    return layout_options(one.detail.layout)


def _memory(one: Tried) -> dict[str, Any]:
    assert one.detail is not None
    whole = memory_json(one.detail)
    return {name: whole[name] for name in ("needed_gib", "capacity_gib", "fits_probability", "host_per_node")}


def _change(text: Note, one: Tried) -> Change:
    assert one.detail is not None
    detail = one.detail
    time: dict[str, Any] = {"step_time_s": None, "duration_hours": None}
    pace, duration = np.inf, np.inf
    if np.isfinite(float(detail.step.total_s)):
        bill = bill_of(one.understood, pace_of(one.understood, detail), price_per_hour=0.0, is_spot=False)
        pace, duration = 1.0 / float(detail.tokens_per_s.typical), float(bill.duration_s.typical)
        time = {
            "step_time_s": range_json(detail.step_s),
            "duration_hours": hours(bill.duration_s),
            "mfu": rounded(detail.mfu),
        }
    return Change(
        text=text, memory=_memory(one), time=time, chip=one.machine.chip.id, cards=float(detail.layout.n_gpus),
        s_per_token=pace, duration_s=duration,
    )  # fmt: skip

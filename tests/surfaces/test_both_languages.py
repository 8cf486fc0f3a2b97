"""Answers say the same in both languages: every sentence is Chinese in Chinese, everything else is equal."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import pytest

from gpuplan import Catalogue, Question, check, open_catalogue, plan
from gpuplan.advice.words import export_words, fabric_words
from gpuplan.app.facts import KINDS
from gpuplan.cli.main import run
from gpuplan.locale import say
from gpuplan.question.note import said

TODAY: Final = date(2026, 12, 1)
CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
SENTENCES: Final = {"source", "effect", "reason", "warnings", "arithmetic", "change", "nearest"}
"""Keys of the answer (of an assumption, a rejection, a list) under which sentences stand."""
CITATION: Final = re.compile(r"[\w-]+, arXiv:\d{4}\.\d{5}")
MACHINE: Final = re.compile(r"(\d+ x )?\d+x[\w-]+")
"""A change may be nothing but other hardware: `2 x 8xH200`."""
ENGLISH: Final = re.compile(r"(?<![\w.-])[a-z]{2,} [a-z]{2,}(?![\w.-])")
"""Two words of a sentence side by side."""
CITED: Final = re.compile(r"（CRS .*）|基座模型计算：.*|loss scaling|\(in backward\)|--recompute \w+|--offload \w+")
"""What stands in a Chinese sentence as others wrote it: sources, terms and options."""
NAMES: Final = {"instance_type", "what", "source", "fabric"}
"""Names that providers gave."""
COMMON: dict[str, Any] = {"samples": 20_000, "seq_len": 2048}
PLANS: Final[dict[str, dict[str, Any]]] = {
    "lora": {"model": "Qwen2.5-7B", "method": "lora", "epochs": 3, "budget": "100usd", **COMMON},
    "nothing said": {"model": "7B"},
    "dpo": {"model": "llama3-8b", "method": "dpo_lora", **COMMON},
    "kto": {"model": "1.5B", "method": "kto", "samples": 300},
    "rm": {"model": "mistral 7b", "method": "rm", "samples": 50_000, "mean_len": 1500},
    "orpo": {"model": "vicuna-13b-v1.5", "method": "orpo_qlora", **COMMON},
    "grpo": {"model": "Qwen2.5-1.5B", "method": "grpo", "samples": 5000, "cloud": "china"},
    "ppo": {"model": "Qwen2.5-1.5B", "method": "ppo", "samples": 5000, "cloud": "china", "currency": "cny"},
    "freeze": {"model": "Qwen3-Embedding-4B", "method": "freeze", "samples": 20_000, "p95_len": 5000},
    "pretrain": {"model": "Llama3-8B-Chinese-Chat", "method": "pretrain", "tokens": "100B", "deadline": "60d"},
    "continue": {"model": "deepseek-r1:7b", "method": "continue", "tokens": "1B", "packing": False, "spot": True},
    "large": {"model": "llama-3-70b", "method": "pretrain", "tokens": "1B", "cloud": "aws"},
    "experts": {"model": "Qwen3-30B-A3B", "method": "full", "samples": 20_000, "cloud": "alibaba,tencent,autodl"},
    "framework": {"model": "7B", "method": "full", "tokens": "10M", "framework": "torchtune", "cloud": "runpod"},
    "own": {"model": "7B", "method": "qlora", "own": "1xT4", "samples": 1000, "seq_len": 1024},
    "several nodes": {"model": "7B", "method": "full", "own": "2x8xH100", "tokens": "1B"},
    "several nodes of cards": {"model": "7B", "method": "lora", "own": "4x1x4090", "tokens": "1M"},
    "ambiguous": {"model": "7B", "method": "lora", "own": "4xA100", **COMMON},
    "nothing fits": {"model": "llama-3-70b", "method": "full", "own": "1xT4"},
    "no money": {"model": "llama-3-70b", "method": "full", "tokens": "1B", "budget": "5cny"},
    "no time": {"model": "llama-3-70b", "method": "full", "tokens": "1B", "deadline": "1h"},
    "neither": {"model": "llama-3-70b", "method": "full", "tokens": "10B", "deadline": "1h", "budget": "5usd"},
    "no offer": {"model": "7B", "cloud": "lambda", "region": "cn-beijing"},
    "fp8": {"model": "7B", "method": "full", "precision": "fp8", "tokens": "10M", "seq_len": 8192},
    "export": {"model": "7B", "method": "full", "cloud": "alibaba", "region": "cn-", "tokens": "10M"},
    "spot": {"model": "7B", "method": "lora", "cloud": "gcp", "spot": True, **COMMON},
}  # fmt: skip
CHECKS: Final[dict[str, dict[str, Any]]] = {
    "does not fit": {"model": "llama-3-70b", "method": "full", "on": "8xH100", "zero": 3, "seq_len": 4096},
    "fits": {"model": "llama-2-7b", "method": "qlora", "on": "1xT4", "seq_len": 512},
    "unsure": {"model": "Qwen2.5-7B", "method": "lora", "on": "1xA10", "seq_len": 2048},
    "variants": {"model": "Qwen2.5-14B", "method": "lora", "on": "1xA100", "seq_len": 4096},
    "nodes": {"model": "llama-3-70b", "method": "full", "on": "2x8xH100", "tp": 8, "grad_accum": 4, "micro_batch": 1},
    "no layout": {"model": "7B", "method": "full", "on": "8xH100", "global_batch": 3},
    "experts": {"model": "Qwen3-30B-A3B", "method": "full", "on": "8xA800", "offload": "optimizer"},
    "reference": {"model": "llama3-8b", "method": "dpo", "on": "4x4090", "micro_batch": 2},
    "answers": {"model": "Qwen2.5-7B", "method": "grpo_lora", "on": "2xH20"},
    "long": {"model": "llama-2-7b", "method": "full", "on": "8xMI300X", "seq_len": 16384},
    "stages": {"model": "llama-3-70b", "method": "continue", "on": "4x8xH100", "pp": 4, "tp": 4, "tokens": "1B"},
    "codes": {"model": "7B", "method": "lora", "on": "1xV100", "quantisation": "int8", "lora_targets": "q,v"},
}  # fmt: skip


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue()


def texts(answer: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text of an answer with the names on the way to it."""
    if isinstance(answer, str):
        yield path, answer
    elif isinstance(answer, dict):
        for name, value in answer.items():
            yield from texts(value, (*path, name))
    elif isinstance(answer, list):
        for value in answer:
            yield from texts(value, path)


def is_sentence(path: tuple[str, ...], text: str) -> bool:
    """True where people read it as words: not a name, a figure, a code or a bare citation."""
    if path[-1] not in SENTENCES or "offer" in path:
        return False
    return not CITATION.fullmatch(text) and not MACHINE.fullmatch(text)


def compare(english: Any, chinese: Any) -> None:
    """Equal but for the sentences, which say the same figures in Chinese."""
    pairs = list(zip(texts(english), texts(chinese), strict=True))
    assert sum(is_sentence(path, text) for (path, text), _ in pairs) > 10
    for (path, en), (same, zh) in pairs:
        assert path == same
        assert not CHINESE.search(en), en
        if is_sentence(path, en) or en != zh:
            assert CHINESE.search(zh), zh
            assert not ENGLISH.search(CITED.sub("", zh)), zh
            assert figures(en) == figures(zh), (en, zh)
        else:
            assert not ENGLISH.search(CITED.sub("", en)) or path[-1] in NAMES, (path, en)


def figures(text: str) -> list[str]:
    """Numbers of more than one digit."""
    return sorted(re.findall(r"\d+(?:[.,]\d+)+|\d{2,}", text))


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_says_every_sentence_in_both_languages(name: str, catalogue: Catalogue) -> None:
    question = Question(**PLANS[name])
    compare(*(plan(question, catalogue=catalogue, today=TODAY, lang=lang).to_json() for lang in ("en", "zh")))


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_every_sentence_in_both_languages(name: str, catalogue: Catalogue) -> None:
    question = Question(**CHECKS[name])
    compare(*(check(question, catalogue=catalogue, today=TODAY, lang=lang).to_json() for lang in ("en", "zh")))


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_the_facts_has_a_heading_in_both_languages(kind: str, catalogue: Catalogue) -> None:
    for name in {name for row in KINDS[kind](catalogue) for name in row}:
        assert say("en", f"field.{name}") == name
        assert CHINESE.search(say("zh", f"field.{name}"))


def test_the_words_of_the_facts_are_known_in_both_languages(catalogue: Catalogue) -> None:
    for word in {word for offer in catalogue.offers for word in (offer.price_kind, offer.confidence)}:
        assert say("en", f"word.{word}") == word and CHINESE.search(say("zh", f"word.{word}"))


def test_a_table_of_facts_is_chinese_where_chinese_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "chips", "T4", "--lang", "zh"]) == 0
    page = capsys.readouterr().out
    assert "显存（GiB）" in page and "memory_gib" not in page and re.search(r"可信度 +高", page)


def test_every_rule_on_exports_in_the_facts_is_said_in_chinese(catalogue: Catalogue) -> None:
    rules = {text for chip in catalogue.chips.values() for text in chip.export_notes}
    assert rules
    for text in rules:
        assert CHINESE.search(said(export_words(text), "zh")) and said(export_words(text), "en") == text


def test_what_is_no_word_of_ours_stays_as_it_was_stated() -> None:
    assert export_words("a rule of my own") == "a rule of my own" and fabric_words("EFA") == "EFA"
    assert said(fabric_words("ethernet (no RDMA)"), "en") == "ethernet (no RDMA)"
    assert CHINESE.search(said(fabric_words(None), "zh"))

"""The whole catalogue keeps its rules, is read lazily, and costs little."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from gpuplan.data.catalogue import Catalogue, open_catalogue
from gpuplan.data.check import check_facts
from gpuplan.data.costs import cost_of, fx_rate, load_costs, of_topic
from gpuplan.data.failures import failure_of, load_failures
from gpuplan.data.overlay import Overlay
from gpuplan.data.shelf import FILES, Shelf
from gpuplan.errors import FactError
from gpuplan.facts.cost import CostFact

TODAY = date(2026, 12, 1)
SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return open_catalogue()


def test_the_shipped_facts_break_no_rule(catalogue: Catalogue) -> None:
    assert check_facts(catalogue, today=TODAY) == ()


def broken(catalogue: Catalogue, kind: str, key: str, **changes: Any) -> Catalogue:
    """The catalogue with one changed record."""
    other = Catalogue(Overlay())
    shelf = getattr(catalogue, kind)
    other.__dict__[kind] = {**shelf, key: replace(shelf[key], **changes)}
    return other


@pytest.mark.parametrize(
    ("kind", "key", "changes", "word"),
    [
        ("chips", "T4", {"sources": {}}, "memory"),
        ("chips", "H100-80GB-SXM5", {"peak_flops": {"bf16": 2e15, "fp8": 1e15}, "sources": {}}, "peak of fp8"),
        ("chips", "T4", {"memory_bytes": 1.0}, "memory"),
        ("chips", "T4", {"memory_bytes_per_s": 1e18}, "bandwidth"),
        ("chips", "T4", {"memory_bytes": 16.5 * 2**30}, "label"),
        ("chips", "T4", {"donor": "T4"}, "refers to T4"),
        ("chips", "T4", {"donor": "nobody"}, "nobody"),
        ("chips", "T4", {"donor_scale": 9.0}, "donor_scale"),
        ("models", "Qwen/Qwen2.5-7B", {"aliases": ("Qwen/Qwen3-8B",)}, "means both"),
        ("models", "Qwen/Qwen2.5-7B", {"layers": 0}, "layers"),
        ("models", "Qwen/Qwen3.5-27B", {"notes": None}, "notes"),
        ("failures", "bloom-hang", {"date": "2031-01"}, "2031-01"),
        ("failures", "bloom-hang", {"date": "soon"}, "soon"),
    ],
)
def test_each_broken_invariant_is_found(
    catalogue: Catalogue, kind: str, key: str, changes: dict[str, Any], word: str
) -> None:
    findings = check_facts(broken(catalogue, kind, key, **changes), today=TODAY)
    assert any(word in finding for finding in findings), findings


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"price_per_hour": 0.0}, "price"),
        ({"source": ""}, "no source"),
        ({"confidence": "sure"}, "sure"),
        ({"source_date": "2027-01-01"}, "2027-01-01"),
        ({"source_date": "2026-02-31"}, "2026-02-31"),
        ({"currency": "XYZ"}, "XYZ"),
    ],
)
def test_each_broken_offer_is_found(catalogue: Catalogue, changes: dict[str, Any], word: str) -> None:
    other = Catalogue(Overlay())
    other.__dict__["offers"] = (replace(catalogue.offers[0], **changes), *catalogue.offers[1:])
    assert any(word in finding for finding in check_facts(other, today=TODAY))


def test_a_row_that_does_not_load_is_told(catalogue: Catalogue) -> None:
    def refuse(row: Mapping[str, Any]) -> CostFact:
        raise FactError("fact_no_source", file="costs", id=row["id"], field="value")

    other = Catalogue(Overlay())
    other.__dict__["costs"] = Shelf({"a": {"id": "a"}}, refuse)
    assert check_facts(other, today=TODAY) == ("costs: a: no source for value; name where the figure comes from",)


def test_findings_exist_in_chinese(catalogue: Catalogue) -> None:
    findings = check_facts(broken(catalogue, "chips", "T4", memory_bytes=1.0), today=TODAY, lang="zh")
    assert any("合理范围" in finding for finding in findings)


def test_a_newer_today_never_breaks_a_date_and_an_older_one_does(catalogue: Catalogue) -> None:
    assert check_facts(catalogue, today=date(2100, 1, 1)) == ()
    assert check_facts(catalogue, today=date(2020, 1, 1))


def test_all_collected_costs_are_carried_over() -> None:
    path = SHARED / "facts/cost_facts.jsonl"
    if not path.exists():
        pytest.skip("the collected facts are not beside this checkout")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    costs = list(load_costs().values())
    assert len(costs) == len(rows)
    for fact, row in zip(costs, rows, strict=True):
        assert (fact.topic, fact.key, fact.unit) == (row["topic"], row["key"], row["unit"])
        assert (fact.value, fact.low, fact.high) == (row["value"], row["low"], row["high"])
        assert (fact.currency or "", fact.region or "", fact.date or "") == (
            row["currency"],
            row["region"],
            row["date"],
        )
        assert fact.source == row["source"] or not row["source"]


def test_all_collected_reports_of_failures_are_carried_over() -> None:
    folder = SHARED / "facts"
    if not folder.exists():
        pytest.skip("the collected facts are not beside this checkout")
    lines: Iterator[str] = (
        line
        for name in ("failures.jsonl", "failures_more.jsonl")
        for line in (folder / name).read_text(encoding="utf-8").splitlines()
    )
    facts = load_failures()
    for line in lines:
        row = json.loads(line)
        assert row["facts"].items() <= facts[row["id"]].figures.items()
        assert row["source"]["title"] in facts[row["id"]].source


def test_the_newest_rate_of_at_least_medium_confidence_converts() -> None:
    rate, day, source = fx_rate(load_costs(), "CNY")
    assert rate == approx(1 / 6.6921)
    assert (day, source) == ("2026-10-10", "compute-market-report@940879f")
    rate, day, _ = fx_rate(load_costs(), "eur")
    assert rate == approx(1.1361)
    assert day == "2026-09-29"
    assert fx_rate(load_costs(), "USD")[0] == 1.0


def test_low_confidence_rates_lose_to_older_ones() -> None:
    costs = load_costs()
    rates = {fact.id: fact for fact in of_topic(costs, "fx")}
    newest = max((f for f in rates.values() if f.unit == "CNY per USD" and f.value), key=lambda f: f.date or "")
    changed = {**rates, newest.id: replace(newest, confidence="low")}
    assert fx_rate(changed, "CNY")[1] == "2026-09-29"


def test_a_currency_without_rate_is_refused() -> None:
    with pytest.raises(FactError, match="CNY, EUR"):
        fx_rate(load_costs(), "XYZ")


def test_costs_and_failures_without_source_do_not_load() -> None:
    row = {"id": "a", "topic": "t", "key": "k", "unit": "u", "confidence": "high", "figures": {}}
    for build in (cost_of, failure_of):
        with pytest.raises(FactError) as caught:
            build({**row, "src": "nobody"}, {"s": "x"}, file="f")
        assert caught.value.key == "fact_no_source"


def test_opening_reads_nothing_and_naming_one_model_costs_little() -> None:
    script = (
        "import numpy, time; t = time.process_time()\n"
        "from gpuplan.data.catalogue import open_catalogue\n"
        "from gpuplan.data.names import resolve_chip, resolve_model\n"
        "c = open_catalogue(); assert not set(vars(c)) & {'chips', 'models', 'offers'}\n"
        "resolve_model('Qwen2.5-7B', c.models); resolve_chip('H100', c.chips)\n"
        "import sys; assert 'pydantic' not in sys.modules; print(time.process_time() - t)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.25


@pytest.mark.parametrize("tool", ["chips", "models", "costs"])
def test_the_files_are_what_the_tools_make_of_the_collection(tool: str, tmp_path: Path) -> None:
    if not (SHARED / "facts").exists():
        pytest.skip("the collected facts are not beside this checkout")
    if tool == "chips":
        pytest.importorskip("pyarrow")
    script = FILES.parents[3] / "tools" / f"build_facts_{tool}.py"
    command = [sys.executable, str(script), "--shared", str(SHARED), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    made = list(tmp_path.iterdir())
    assert made
    for path in made:
        assert path.read_bytes() == (FILES / path.name).read_bytes(), path.name


def test_the_files_stay_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FILES.iterdir() if path.is_file()}
    assert sizes["chips.jsonl"] < 150_000
    assert sizes["models.jsonl"] < 350_000
    assert sizes["costs.jsonl"] < 150_000

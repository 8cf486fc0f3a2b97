"""Prices: the right row wins, unknown stays unknown, currencies stay apart, every row names its source."""

import csv
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gpuplan.data.chips import load_chips
from gpuplan.data.offers import RENTABLE, load_offers, may_rank, price_usd_per_hour, slowness
from gpuplan.data.providers import load_providers
from gpuplan.errors import FactError
from gpuplan.facts.offer import Offer

CHIPS = load_chips()
OFFERS = load_offers(chips=CHIPS)
ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
FILES = ROOT / "src" / "gpuplan" / "data" / "files"
CHINA = {p.id for p in load_providers().values() if p.country == "CN"}


def found(provider: str, instance_type: str, *, region: str | None = None, kind: str = "list") -> list[Offer]:
    return [
        offer
        for offer in OFFERS
        if offer.provider == provider
        and offer.instance_type == instance_type
        and offer.price_kind == kind
        and (region is None or offer.region == region)
    ]


@pytest.mark.parametrize(
    ("provider", "instance_type", "region", "price", "gpus", "chip"),
    [
        ("aws", "p5.48xlarge", "us-east-1", 55.04, 8, "H100-80GB-SXM5"),
        ("aws", "g5.xlarge", "us-east-1", 1.006, 1, "A10G"),
        ("aws", "p4d.24xlarge", "us-east-1", 21.9576, 8, "A100-40GB-SXM4"),
        ("azure", "ND96isr_H100_v5", "eastus", 98.32, 8, "H100-80GB-SXM5"),
        ("gcp", "a2-highgpu-8g", "us-central1", 29.3871, 8, "A100-40GB-SXM4"),
    ],
)
def test_a_known_size_has_the_price_that_its_source_states(
    provider: str, instance_type: str, region: str, price: float, gpus: int, chip: str
) -> None:
    (offer,) = found(provider, instance_type, region=region)
    assert offer.price_per_hour == pytest.approx(price)
    assert (offer.machine.n_gpus, offer.machine.chip.id, offer.currency) == (gpus, chip, "USD")


def test_the_price_of_p5_before_the_cut_of_2025_is_nowhere() -> None:
    p5 = [o.price_per_hour for o in OFFERS if o.provider == "aws" and o.instance_type == "p5.48xlarge"]
    assert p5
    assert not [price for price in p5 if price in (98.32, 80.62)]


def test_nebius_is_quoted_only_after_the_rise_of_october_2026() -> None:
    dates = {o.source_date or "" for o in OFFERS if o.provider == "nebius" and o.price_kind != "provider_average"}
    assert dates
    assert min(dates) >= "2026-10-07"
    (eight,) = [o for o in OFFERS if o.instance_type.startswith("gpu-h100-sxm_8gpu") and o.price_kind == "per_gpu"]
    assert eight.price_per_hour == pytest.approx(8 * 4.5)


def test_a_newer_list_beats_a_surer_or_older_one() -> None:
    secure = found("runpod", "1x H100-80GB-SXM5 secure", kind="secure")
    assert [o.price_per_hour for o in secure] == [pytest.approx(3.99)]
    assert not [o for o in OFFERS if o.provider == "autodl" and "member" in o.instance_type]
    g5 = found("aws-china", "g5.xlarge")
    assert {o.source_date for o in g5} == {"2026-01-21"}
    assert {o.region for o in g5} >= {"cn-north-1", "cn-northwest-1"}


def test_single_source_rows_against_the_retail_price_are_left_out() -> None:
    (offer,) = found("azure", "NC48ads_A100_v4", region="eastus")
    assert offer.price_per_hour == pytest.approx(7.346)


def test_fractions_of_a_gpu_are_not_sold_as_whole_ones() -> None:
    names = {o.instance_type for o in OFFERS if o.provider in ("azure", "aws", "tencent", "gcp")}
    assert not names & {
        "NV6ads_A10_v5",
        "NC8ads_A10_v4",
        "NC36lds_xl_RTXPRO6000BSE_v6",
        "GN7.LARGE20",
        "g4-standard-12",
    }
    assert {
        "NV36ads_A10_v5",
        "NC16ads_A10_v4",
        "NC144ds_xl_RTXPRO6000BSE_v6",
        "GN7.2XLARGE32",
        "g4-standard-48",
    } <= names


def test_a_price_per_gpu_becomes_machines_of_the_sizes_that_the_provider_sells() -> None:
    oci = {o.instance_type: o for o in OFFERS if o.provider == "oci" and o.price_kind == "per_gpu"}
    assert oci["BM.GPU.H100.8"].price_per_hour == pytest.approx(80.0)
    assert oci["BM.GPU.L40S.4"].price_per_hour == pytest.approx(14.0)
    assert {o.machine.n_gpus for o in oci.values()} == {4, 8}
    cards = {
        o.machine.n_gpus: o.price_per_hour
        for o in OFFERS
        if o.provider == "autodl" and o.machine.chip.id == "RTX-4090" and o.price_kind == "list"
    }
    assert cards == {n: pytest.approx(1.98 * n) for n in (1, 2, 4, 8)}


def test_chinese_providers_keep_their_prices_in_yuan() -> None:
    priced = [o for o in OFFERS if o.provider in CHINA and o.price_per_hour is not None]
    assert len(priced) > 900
    assert {o.currency for o in OFFERS if o.provider in CHINA} == {"CNY"}
    gn7i = [o for o in OFFERS if o.provider == "alibaba" and ".gn7i" in o.instance_type]
    assert {o.machine.chip.id for o in gn7i} == {"A10"}


def test_a_monthly_rent_is_spread_over_730_hours_and_never_ranks() -> None:
    (lease,) = [o for o in OFFERS if o.provider == "china-lease-market" and o.machine.chip.id == "H100-80GB-SXM5"]
    assert lease.price_per_hour == pytest.approx(87_000 / 730, rel=1e-4)
    assert lease.price_kind == "monthly_rent"
    assert not may_rank(lease)


def test_an_unknown_price_is_none_and_can_never_rank() -> None:
    (h20,) = found("alibaba", "ecs.ebmgn8v.48xlarge", kind="spec_only")
    assert h20.price_per_hour is None
    assert price_usd_per_hour(h20, {"CNY": 0.14}) is None
    assert not may_rank(h20, low=True)
    (p5,) = found("aws", "p5.48xlarge", region="us-east-1")
    assert may_rank(p5)
    assert not may_rank(replace(p5, price_per_hour=None))
    assert not [o for o in OFFERS if o.price_per_hour is not None and o.price_per_hour <= 0]


def test_averages_anecdotes_and_floors_never_rank_even_when_low_confidence_may() -> None:
    kinds = {o.price_kind for o in OFFERS if may_rank(o, low=True)}
    assert kinds <= RENTABLE
    shown = {o.price_kind for o in OFFERS}
    assert {"provider_average", "anecdote", "reserved_from", "marketplace_min", "gpu_part", "spot_from"} <= shown
    assert not [o for o in OFFERS if may_rank(o) and o.confidence not in ("high", "medium")]


def test_low_confidence_ranks_only_when_asked_for() -> None:
    low = [o for o in OFFERS if o.confidence == "low" and o.price_kind in RENTABLE and o.price_per_hour]
    assert low
    assert not [o for o in low if may_rank(o)]
    assert all(may_rank(o, low=True) for o in low)


def test_a_spot_price_is_below_the_price_on_demand_of_the_same_size() -> None:
    listed = {(o.provider, o.instance_type, o.region): o.price_per_hour for o in OFFERS if o.price_kind == "list"}
    pairs = [
        (o.price_per_hour, listed[o.provider, o.instance_type, o.region])
        for o in OFFERS
        if o.is_spot and may_rank(o) and listed.get((o.provider, o.instance_type, o.region))
    ]
    assert len(pairs) > 300
    assert not [(spot, full) for spot, full in pairs if spot is not None and full is not None and spot > 1.001 * full]


def test_a_spot_minimum_over_zones_does_not_rank() -> None:
    (spot,) = found("aws", "p5.48xlarge", region="us-west-2", kind="spot")
    assert spot.is_spot
    assert not may_rank(spot)


def test_every_offer_names_a_source_a_known_provider_and_a_whole_number_of_known_chips() -> None:
    providers = load_providers()
    for offer in OFFERS:
        assert offer.source.strip(), offer
        assert offer.provider in providers, offer
        assert offer.machine.n_gpus >= 1
        assert offer.machine.chip is CHIPS[offer.machine.chip.id]
        assert offer.confidence in ("high", "medium", "low")


def test_no_row_of_the_file_is_lost_and_none_stands_twice() -> None:
    with (FILES / "offers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(OFFERS)
    keys = Counter((r["provider"], r["instance_type"], r["region"], r["chip"], r["gpus"], r["kind"]) for r in rows)
    assert keys.most_common(1)[0][1] == 1
    assert (FILES / "offers.csv").stat().st_size < 500_000


def test_an_ambiguous_name_takes_the_slower_variant_and_says_so() -> None:
    assumed = [o for o in OFFERS if o.chip_is_assumed]
    assert {o.machine.chip.id for o in assumed if o.provider == "gmicloud"} == {"H100-80GB-PCIe"}
    assert not [o for o in OFFERS if o.provider == "aws" and o.chip_is_assumed]
    assert slowness(CHIPS["A100-40GB-PCIe"]) < slowness(CHIPS["A100-40GB-SXM4"]) < slowness(CHIPS["A100-80GB-PCIe"])
    assert slowness(CHIPS["H100-80GB-PCIe"]) < slowness(CHIPS["H100-80GB-SXM5"])


def test_a_node_that_states_its_chip_settles_the_family() -> None:
    (hgx,) = [o for o in OFFERS if o.provider == "coreweave" and o.instance_type == "8x A100-80GB" and not o.is_spot]
    assert hgx.machine.chip.id == "A100-80GB-SXM4"
    assert not hgx.chip_is_assumed


def test_offers_of_one_shape_share_one_machine() -> None:
    p5 = [o.machine for o in OFFERS if o.provider == "aws" and o.instance_type == "p5.48xlarge"]
    assert len({id(machine) for machine in p5}) == 1
    assert len({id(o.machine) for o in OFFERS}) < 800


def test_ranking_converts_with_the_rate_that_it_is_given() -> None:
    (usd,) = found("aws", "p5.48xlarge", region="us-east-1")
    assert price_usd_per_hour(usd, {}) == usd.price_per_hour
    cny = replace(usd, currency="CNY", price_per_hour=100.0)
    assert price_usd_per_hour(cny, {"CNY": 0.14}) == pytest.approx(14.0)
    with pytest.raises(FactError, match="CNY"):
        price_usd_per_hour(cny, {"EUR": 1.1})


def row(**changes: object) -> dict[str, object]:
    base = {"provider": "aws", "instance_type": "p5.48xlarge", "region": "us-east-1", "chip": "H100-80GB-SXM5",
            "gpus": 8, "price": 40.0, "kind": "list", "source": "our contract"}  # fmt: skip
    return {**base, **changes}


def test_a_price_of_the_user_replaces_the_row_of_the_same_size_region_and_kind() -> None:
    offers = load_offers(chips=CHIPS, overlay=[row()])
    mine = [o for o in offers if o.provider == "aws" and o.instance_type == "p5.48xlarge"
            and o.region == "us-east-1" and o.price_kind == "list"]  # fmt: skip
    assert [(o.price_per_hour, o.source, o.confidence) for o in mine] == [(40.0, "our contract", "high")]
    assert len(offers) == len(OFFERS)
    assert len(load_offers(chips=CHIPS, overlay=[row(provider="we", instance_type="box")])) == len(OFFERS) + 1


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"colour": "red"}, "colour"),
        ({"source": ""}, "source"),
        ({"chip": "H1000"}, "H1000"),
        ({"gpus": 0}, "gpus"),
        ({"gpus": 2.5}, "gpus"),
        ({"gpus": True}, "gpus"),
        ({"price": -1}, "price"),
        ({"price": 0}, "price"),
        ({"price": float("nan")}, "price"),
        ({"price": "cheap"}, "price"),
        ({"host_gib": 1e9}, "host_gib"),
        ({"confidence": "sure"}, "confidence"),
        ({"currency": "dollars"}, "currency"),
        ({"kind": "gift"}, "kind"),
        ({"date": "yesterday"}, "date"),
        ({"date": "2026-13-01"}, "date"),
    ],
)
def test_a_mistake_in_a_price_of_the_user_is_named(changes: dict[str, object], word: str) -> None:
    with pytest.raises(FactError, match=word) as caught:
        load_offers(chips=CHIPS, overlay=[row(**changes)])
    assert "\n" not in caught.value.say("en")
    assert caught.value.say("zh") != caught.value.say("en")


def test_all_offers_load_in_less_than_a_tenth_of_a_second() -> None:
    start = time.process_time()
    load_offers(chips=CHIPS)
    assert time.process_time() - start < 0.1


@pytest.mark.skipif(not (SHARED / "facts").is_dir(), reason="the reference is not beside the checkout")
def test_the_files_are_what_their_tools_make_of_the_reference(tmp_path: Path) -> None:
    for tool, names in (
        ("build_offers.py", ("offers.csv", "sources_offers.json")),
        ("build_machines.py", ("machines.jsonl",)),
    ):
        command = [sys.executable, str(ROOT / "tools" / tool), "--shared", str(SHARED), "--out", str(tmp_path)]
        subprocess.run(command, check=True, capture_output=True)
        for name in names:
            assert (tmp_path / name).read_bytes() == (FILES / name).read_bytes(), name

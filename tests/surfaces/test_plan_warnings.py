from dataclasses import replace
from datetime import date

import pytest
from tests.unit.factories import LLAMA_2_7B, MEGATRON, full_job, layout

from gpuplan.advice.arithmetic import sums_of
from gpuplan.advice.explain import Shortage, count_rejection, limit_rejection, memory_rejection
from gpuplan.advice.warn import Chosen, price_age_days, warnings_of
from gpuplan.data.catalogue import open_catalogue
from gpuplan.data.machines import machine_of, with_fabric
from gpuplan.facts.offer import Offer
from gpuplan.locale.advice import SENTENCES
from gpuplan.model.memory import memory_of
from gpuplan.question.figures import Range
from gpuplan.question.layout import Offload
from gpuplan.question.note import figure, note
from gpuplan.units import GIB

TODAY = date(2026, 12, 1)
FACTS = open_catalogue()


def offer(chip: str = "H100-80GB-SXM5", gpus: int = 8, **more: object) -> Offer:
    fields = {
        "provider": "aws", "instance_type": "size", "region": "us", "machine": machine_of(FACTS.chips[chip], gpus),
        "price_per_hour": 10.0, "currency": "USD", "price_kind": "list", "is_spot": False, "source": "test",
        "source_date": "2026-11-01", "confidence": "high",
    }  # fmt: skip
    return Offer(**{**fields, **more})  # type: ignore[arg-type]


def warned(one: Offer, **more: object) -> list[str]:
    fields = {
        "offer": one, "nodes": 1.0, "layout": layout(), "job": full_job(LLAMA_2_7B), "fits_probability": 1.0,
        "cost_usd": None, "budget_usd": None, "resume_auto": True, "country": "US",
    }  # fmt: skip
    return [found.key for found in warnings_of(Chosen(**{**fields, **more}), TODAY)]  # type: ignore[arg-type]


def test_a_fresh_sure_price_on_a_measured_card_needs_no_warning() -> None:
    assert warned(offer()) == []


@pytest.mark.parametrize(
    ("stated", "days"),
    [("2026-11-30", 1), ("2026-09-01", 91), ("2026-11", 3), ("2026", 0), ("2025", 338), (None, None), ("", None)],
)
def test_the_age_of_a_price_counts_from_the_newest_day_it_can_mean(stated: str | None, days: int | None) -> None:
    assert price_age_days(stated, TODAY) == days


@pytest.mark.parametrize(
    ("one", "more", "key"),
    [
        (offer(source_date="2026-08-01"), {}, "warn.price_age"),
        (offer(source_date=None), {}, "warn.price_undated"),
        (offer(confidence="low"), {}, "warn.low_confidence"),
        (offer(price_kind="community"), {}, "warn.marketplace"),
        (offer(chip_is_assumed=True), {}, "warn.chip_assumed"),
        (offer(is_spot=True), {}, "warn.spot"),
        (offer(is_spot=True), {"resume_auto": False}, "warn.spot_flag"),
        (offer(is_spot=True, provider="gcp"), {}, "warn.spot_price"),
        (offer(price_kind="own", price_per_hour=None), {}, "warn.own_cost"),
        (offer("T4"), {"job": full_job(LLAMA_2_7B, precision="fp16")}, "warn.no_bf16"),
        (offer("A100-80GB-SXM4"), {"job": full_job(LLAMA_2_7B, precision="fp8")}, "warn.precision"),
        (offer("RTX-4090"), {}, "warn.no_p2p"),
        (offer("RTX-4090"), {}, "warn.chip_borrowed"),
        (offer("MI300X"), {}, "warn.vendor"),
        (offer(), {"nodes": 2.0}, "warn.no_rdma"),
        (offer(price_kind="own", price_per_hour=None), {"nodes": 2.0}, "warn.fabric_assumed"),
        (offer(), {"layout": layout(offload=float(Offload.ALL))}, "warn.offload"),
        (offer(), {"host_bytes_needed": 1e12}, "warn.host_unknown"),
        (offer(), {"fits_probability": 0.7}, "warn.unsure"),
        (offer(), {"cost_usd": Range(low=1.0, typical=2.0, high=9.0), "budget_usd": 5.0}, "warn.budget_edge"),
        (offer("A100-80GB-SXM4"), {"country": "CN"}, "warn.export"),
    ],
)  # fmt: skip
def test_each_risk_has_its_warning(one: Offer, more: dict[str, object], key: str) -> None:
    assert key in warned(one, **more)


def test_export_rules_are_told_only_where_they_bite() -> None:
    assert "warn.export" not in warned(offer("A100-80GB-SXM4"))
    assert "warn.export" not in warned(offer("T4"), country="CN")


@pytest.mark.parametrize("fabric", ["EFA", "RoCE v2", "eRDMA"])
def test_a_fabric_is_never_said_to_lack_what_its_name_means(fabric: str) -> None:
    one = offer()
    rented = replace(one, machine=with_fabric(one.machine, 1e9, fabric=fabric, rdma=False))
    assert warned(rented, nodes=2.0) == ["warn.no_gpudirect"]
    own = replace(rented, price_kind="own", price_per_hour=None)
    assert warned(own, nodes=2.0) == ["warn.own_cost", "warn.fabric_assumed"]


def test_a_network_with_rdma_needs_no_warning() -> None:
    good = offer()
    fast = replace(good, machine=with_fabric(good.machine, 5e10, fabric="InfiniBand", rdma=True))
    assert warned(fast, nodes=4.0) == []


def test_the_sum_names_bytes_a_parameter_shards_and_the_card() -> None:
    job, where = full_job(LLAMA_2_7B, MEGATRON), layout(n_gpus=8.0, tensor_parallel=8.0)
    memory = memory_of(job, where)
    needed = Range(low=1e10, typical=2e10, high=9e10)
    lines = sums_of(job, where, memory, needed, params=6.738e9, chip=FACTS.chips["H100-80GB-SXM5"])
    first = lines[0].values
    # 2 weights + 4 gradients + 4 master + 8 moments = 18 bytes a parameter, cut over 8 tensor ranks
    assert first["bytes"] in ("18", "18.1") and first["gpus"] == "8"
    assert lines[-1].key == "arithmetic.above"
    assert all("{" not in line.say(lang) for line in lines for lang in ("en", "zh"))


def test_the_constraint_that_binds_is_named_with_its_numbers() -> None:
    base = {"cost": 100.0, "hours": 10.0, "currency": "USD", "best_cost": 50.0, "best_hours": 12.0}
    for limits, reason in (
        ({"budget": 80.0, "deadline_hours": None}, "budget"),
        ({"budget": 200.0, "deadline_hours": 5.0}, "deadline"),
        ({"budget": None, "deadline_hours": None}, "cost_faster"),
        ({"budget": None, "deadline_hours": None, "best_hours": 8.0}, "cost"),
    ):
        found = limit_rejection("x", **{**base, **limits})  # type: ignore[arg-type]
        assert found is not None and found.reason == reason
        assert "{" not in found.note().say("zh") and "100" in found.note().say("en")
    assert limit_rejection("x", **{**base, "budget": None, "deadline_hours": None, "best_cost": 200.0}) is None  # type: ignore[arg-type]


def shortage(chance: float, gpus: float = 1.0) -> Shortage:
    needed = Range(low=18 * GIB, typical=20 * GIB, high=25 * GIB)
    return Shortage(needed=needed, capacity_bytes=14.75 * GIB, fits_probability=chance, phase="forward", gpus=gpus,
                    most_gpus=8.0)  # fmt: skip


def test_a_card_that_is_too_small_is_told_with_the_typical_need_its_range_and_the_phase() -> None:
    found = memory_rejection("T4", shortage(0.01))
    assert found.reason == "memory" and found.numbers["needed_gib"] == 20.0
    said = found.note().say("en")
    assert all(part in said for part in ("20 GiB (18 to 25)", "14.8 GiB", "1 GPU;", "8 GPUs", "forward"))
    assert "前向" in found.note().say("zh") and "unsure" not in said and "network" not in said


def test_where_the_network_is_unknown_that_is_why_more_nodes_were_not_tried() -> None:
    alone = replace(shortage(0.01), is_alone=True)
    assert "nobody states the network" in memory_rejection("T4", alone).note().say("en")


@pytest.mark.parametrize(("chance", "reason"), [(0.04, "memory"), (0.06, "memory_unsure"), (0.9, "memory_unsure")])
def test_a_card_that_may_be_large_enough_is_called_unsure(chance: float, reason: str) -> None:
    found = memory_rejection("A10", shortage(chance))
    assert found.reason == reason
    assert (f"{100 * chance:g} %" in found.note().say("en")) is (reason == "memory_unsure")


def test_one_offer_is_one_and_two_are_two() -> None:
    assert count_rejection("price", 1, examples=["a"]).note().say("en").startswith("1 offer without")
    assert count_rejection("price", 2, examples=["a"]).note().say("en").startswith("2 offers without")


def test_figures_have_three_digits() -> None:
    assert [figure(v) for v in (0.012345, 9.999, 1234.5, 3, "x")] == ["0.0123", "10", "1,234", "3", "x"]


def test_every_sentence_has_the_same_gaps_in_both_languages() -> None:
    import string

    for english, chinese in SENTENCES.values():
        gaps = [sorted(f for _, f, _, _ in string.Formatter().parse(text) if f) for text in (english, chinese)]
        assert gaps[0] == gaps[1], english


def test_a_note_is_said_in_both_languages() -> None:
    one = note("nearest.seq_len", seq_len=1024.0)
    assert one.say("en") == "length 1,024" and "1,024" in one.say("zh")


def test_the_edge_of_a_budget_is_told_in_the_currency_of_the_answer() -> None:
    one = Chosen(
        offer=offer(), nodes=1.0, layout=layout(), job=full_job(LLAMA_2_7B), fits_probability=1.0,
        cost_usd=Range(low=1.0, typical=2.0, high=9.0), budget_usd=5.0, resume_auto=True, country="US", currency="CNY",
        usd_per_unit=0.125,
    )  # fmt: skip
    edge = next(found for found in warnings_of(one, TODAY) if found.key == "warn.budget_edge")
    assert "72 CNY" in edge.say("en") and "40 CNY" in edge.say("zh")

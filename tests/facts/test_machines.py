"""Nodes: the link a ring can use, the fabric between nodes, the names people write for hardware and clouds."""

import json
from dataclasses import replace
from math import isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.data.chips import load_chips
from gpuplan.data.fleet import MAX_GPUS, parse_fleet, split_fleet
from gpuplan.data.links import ring_link
from gpuplan.data.machines import generic_fabric, load_nodes, machine_of, node_of, own_machine
from gpuplan.data.offers import load_offers
from gpuplan.data.providers import load_providers, region_matches, resolve_clouds, resolve_provider
from gpuplan.errors import GpuplanError, QuestionError
from gpuplan.facts.offer import Offer
from gpuplan.units import GB, GBIT, TB

CHIPS = load_chips()
OFFERS = load_offers(chips=CHIPS)
FILES = Path(__file__).parents[2] / "src" / "gpuplan" / "data" / "files"


def offer_of(provider: str, instance_type: str) -> Offer:
    return next(o for o in OFFERS if o.provider == provider and o.instance_type == instance_type)


def test_a_switched_board_gives_every_size_the_whole_link() -> None:
    for chip, rate in (("H100-80GB-SXM5", 450), ("A100-80GB-SXM4", 300), ("H800-80GB-SXM5", 200), ("H20-96GB", 450)):
        for n in (2, 4, 8):
            link = ring_link(CHIPS[chip], n)
            assert (link.kind, link.bytes_per_s, link.domain_gpus) == ("NVLink", rate * GB, n)


def test_cards_on_pcie_lose_when_there_are_many_and_more_without_peer_access() -> None:
    a100 = [ring_link(CHIPS["A100-80GB-PCIe"], n).bytes_per_s for n in (2, 4, 8)]
    assert a100 == pytest.approx([20.8e9, 20.8e9, 12.6e9], rel=0.01)
    t4 = ring_link(CHIPS["T4"], 4)
    assert t4.kind == "PCIe"
    assert isclose(t4.bytes_per_s, a100[0] / 2, rel_tol=0.01)
    consumer = ring_link(CHIPS["RTX-4090"], 4)
    assert consumer.kind == "PCIe through host memory"
    assert 2e9 < consumer.bytes_per_s < 8e9 < ring_link(CHIPS["RTX-6000-Ada"], 4).bytes_per_s
    assert ring_link(CHIPS["RTX-5000-Ada"], 2).kind == "PCIe"
    assert ring_link(CHIPS["RTX-3090"], 2).kind == "PCIe through host memory"


def test_a_bridge_joins_two_and_only_where_it_is_stated() -> None:
    nvl, card = CHIPS["H100-94GB-NVL"], CHIPS["A100-80GB-PCIe"]
    assert ring_link(nvl, 2).bytes_per_s == 300 * GB
    assert ring_link(nvl, 4).kind == "PCIe"
    assert ring_link(CHIPS["H200-141GB-NVL"], 4).bytes_per_s == 450 * GB
    assert ring_link(card, 2).kind == "PCIe"
    assert ring_link(card, 2, stated="NVLink bridge pairs + PCIe").bytes_per_s == 300 * GB
    assert ring_link(card, 2, stated="NVLink bridge pair / PCIe").kind == "PCIe"


def test_a_mesh_loses_links_with_its_peers() -> None:
    assert [ring_link(CHIPS["MI300X"], n).bytes_per_s / GB for n in (2, 8)] == [64.0, 448.0]
    v100 = [ring_link(CHIPS["V100-32GB-SXM2"], n).bytes_per_s / GB for n in (2, 3, 4, 8, 16)]
    assert v100 == [25, 50, 100, 150, 150]
    assert ring_link(CHIPS["P100-16GB"], 2).kind == "PCIe"


def test_a_rack_of_gb200_is_one_domain_of_72() -> None:
    tray = offer_of("azure", "ND128isr_NDR_GB200_v6").machine
    assert (tray.n_gpus, tray.link_domain_gpus, tray.link_bytes_per_s) == (4, 72, 900 * GB)


def test_a_node_of_p5_has_the_fabric_and_the_disks_of_its_source() -> None:
    p5 = offer_of("aws", "p5.48xlarge").machine
    assert (p5.fabric, p5.rdma, p5.nic_bytes_per_s_per_gpu) == ("EFA", True, 400 * GBIT)
    assert p5.nvme_bytes == pytest.approx(30.4 * TB)
    assert p5.host_bytes == 2048 * 2**30
    assert "karpenter" in p5.source


@pytest.mark.parametrize(
    ("provider", "instance_type", "fabric", "gbps", "rdma"),
    [
        ("azure", "ND96isr_H100_v5", "InfiniBand NDR", 400, True),
        ("azure", "ND96is_H100_v5", None, None, False),
        ("gcp", "a2-highgpu-8g", "ethernet (no RDMA)", 12.5, False),
        ("gcp", "a3-megagpu-8g", "GPUDirect-TCPXO", 200, True),
        ("oci", "BM.GPU.H100.8", "RoCE v2", None, False),
        ("lambda", "gpu_8x_a100_80gb_sxm4", None, None, False),
        ("coreweave", "8x H100-80GB-SXM5", "InfiniBand NDR", 400, True),
        ("aws-china", "g5.48xlarge", "EFA", 12.5, False),
        ("tencent", "HCCPNV6.96XLARGE2304", "RDMA", 400, True),
    ],
)
def test_the_fabric_is_that_of_the_size_or_unknown(
    provider: str, instance_type: str, fabric: str | None, gbps: float | None, rdma: bool
) -> None:
    machine = offer_of(provider, instance_type).machine
    assert machine.fabric == fabric
    assert machine.nic_bytes_per_s_per_gpu == (None if gbps is None else gbps * GBIT)
    assert machine.rdma is rdma


def test_rental_platforms_are_planned_as_single_nodes() -> None:
    for provider in ("runpod", "vast", "autodl", "salad", "gongji", "compshare"):
        assert {o.machine.nic_bytes_per_s_per_gpu for o in OFFERS if o.provider == provider} == {None}


def test_a_smaller_size_does_not_inherit_the_fabric_of_the_whole_node() -> None:
    node = node_of("azure", "NC48ads_A100_v4")
    assert node is not None
    assert node.n_gpus == 4
    half = machine_of(CHIPS["A100-80GB-PCIe"], 2, node=node)
    assert (half.fabric, half.nvme_bytes) == (None, None)


def test_every_node_of_the_file_has_a_source_and_figures_that_can_be() -> None:
    for line in (FILES / "machines.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert row["source"]
        assert row["confidence"] in ("high", "medium", "low")
        assert row["nic_gbps_per_gpu"] is None or 0 < row["nic_gbps_per_gpu"] <= 800
        assert row["link_gb_s_bidirectional"] is None or 0 < row["link_gb_s_bidirectional"] <= 1800
    assert len({(node.provider, node.instance_type) for node in load_nodes()}) == len(load_nodes())


def test_own_cards_have_a_fabric_only_when_it_is_stated() -> None:
    box = own_machine(CHIPS["H100-80GB-SXM5"], 8)
    assert (box.link_kind, box.nic_bytes_per_s_per_gpu, box.vcpus) == ("NVLink", None, None)
    wired = own_machine(CHIPS["RTX-4090"], 4, nic_gbps_per_gpu=25)
    assert wired.nic_bytes_per_s_per_gpu == 25 * GBIT
    assert not wired.rdma
    for rate in (0, -1, float("nan"), float("inf"), 1e9):
        with pytest.raises(QuestionError):
            own_machine(CHIPS["T4"], 1, nic_gbps_per_gpu=rate)


def test_an_unstated_fabric_is_the_commonest_of_the_clouds_and_says_so() -> None:
    nic, fabric, source = generic_fabric(CHIPS["H100-80GB-SXM5"])
    assert (nic, fabric) == (400 * GBIT, "InfiniBand NDR")
    assert "H100-80GB-SXM5" in source
    assert generic_fabric(CHIPS["A800-80GB-SXM4"])[0] == 200 * GBIT
    card, _, reason = generic_fabric(CHIPS["RTX-4090"])
    assert card == 12.5 * GBIT
    assert "RTX-4090" in reason


def test_of_two_equally_common_fabrics_the_slower_is_taken() -> None:
    node = next(n for n in load_nodes() if n.instance_type == "p5.48xlarge")
    slow = replace(node, nic_bytes_per_s_per_gpu=100 * GBIT, fabric="slow")
    for nodes in ([node, slow], [slow, node]):
        assert generic_fabric(CHIPS["H100-80GB-SXM5"], nodes)[:2] == (100 * GBIT, "slow")
    assert generic_fabric(CHIPS["H100-80GB-SXM5"], [slow, node, node])[0] == 400 * GBIT


def test_hardware_reads_as_people_write_it() -> None:
    for text in ("8xH100", "8 x H100", "H100x8", "8*H100", "8×H100", "8X H100", "H100 * 8", " 8xH100 "):
        assert parse_fleet(text) == (8, "H100"), text
    assert parse_fleet("8×A100 80G") == (8, "A100 80G")
    assert parse_fleet("4090") == (1, "4090")
    assert parse_fleet("2x4090") == (2, "4090")
    assert parse_fleet("4x昇腾910B") == (4, "昇腾910B")
    for name in ("RTX 4090", "rtx4090", "GTX 1080Ti", "RX 6800", "MI300X", "Quadro RTX 6000"):
        assert parse_fleet(name) == (1, name)
        assert parse_fleet(f"{name} x 4") == parse_fleet(f"4x{name}") == (4, name)
    assert parse_fleet("4090x2") == parse_fleet("2x4090") == (2, "4090")


@pytest.mark.parametrize(
    "text", ["0xH100", "-1xH100", "999999999999xH100", "H100x0", "", "  ", "x", "8x", "8x8xH100", "x" * 200]
)
def test_hardware_that_cannot_be_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(QuestionError) as caught:
        parse_fleet(text)
    assert "\n" not in str(caught.value)
    assert caught.value.say("zh") != caught.value.say("en")


@given(st.integers(1, MAX_GPUS), st.sampled_from(["H100", "A100 80G", "RTX-4090", "昇腾910B"]), st.sampled_from("x×*X"))
def test_count_and_name_come_back_whatever_joins_them(count: int, name: str, times: str) -> None:
    assert parse_fleet(f"{count}{times}{name}") == (count, name)
    assert parse_fleet(f"{name} {times} {count}") == (count, name)


@given(st.text(max_size=60))
def test_any_text_is_hardware_or_a_refusal(text: str) -> None:
    try:
        count, name = parse_fleet(text)
    except GpuplanError:
        return
    assert 1 <= count <= MAX_GPUS
    assert name == name.strip() != ""


@given(st.sampled_from(sorted(CHIPS)), st.integers(1, 4096))
def test_splitting_a_fleet_loses_no_card(chip: str, n_gpus: int) -> None:
    nodes, per_node = split_fleet(CHIPS[chip], n_gpus)
    assert nodes * per_node == n_gpus


@given(st.sampled_from(sorted(CHIPS)), st.integers(1, 16))
def test_every_chip_has_a_link_in_every_node(chip: str, n_gpus: int) -> None:
    link = ring_link(CHIPS[chip], n_gpus)
    assert 1e9 < link.bytes_per_s <= 1e12
    assert link.domain_gpus == n_gpus


def test_clouds_go_by_the_names_that_people_use() -> None:
    for text, provider in {
        "AWS": "aws", "amazon": "aws", "Azure": "azure", "Google Cloud": "gcp", "oracle": "oci", "aliyun": "alibaba",
        "阿里云": "alibaba", "腾讯云": "tencent", "华为云": "huawei", "火山引擎": "volcengine", "AutoDL": "autodl",
        "Lambda Labs": "lambda", "vast.ai": "vast", "CoreWeave": "coreweave", "datacrunch": "verda",
    }.items():  # fmt: skip
        assert resolve_provider(text) == provider, text
    with pytest.raises(QuestionError, match="alibaba") as caught:
        resolve_provider("alibabba")
    assert "alibabba" in caught.value.say("zh")


def test_china_and_any_are_sets_of_clouds() -> None:
    china = resolve_clouds(["china"])
    assert china is not None
    assert {"alibaba", "tencent", "huawei", "volcengine", "autodl", "aws-china"} <= china
    assert not {"aws", "azure", "runpod"} & china
    assert resolve_clouds(["any"]) is None
    assert resolve_clouds([]) is None
    assert resolve_clouds(["us", "our-lab"], others=["our-lab"]) == (resolve_clouds(["us"]) or frozenset()) | {
        "our-lab"
    }
    assert resolve_clouds(["aws", "阿里云"]) == frozenset({"aws", "alibaba"})


def test_names_of_providers_are_unique() -> None:
    taken: dict[str, str] = {}
    for provider in load_providers().values():
        for name in {provider.id, provider.name.casefold(), *(a.casefold() for a in provider.aliases)}:
            assert taken.setdefault(name, provider.id) == provider.id, name


@pytest.mark.parametrize(
    ("provider", "region", "text", "matches"),
    [
        ("aws", "us-east-1", "us-east-1", True),
        ("aws", "us-east-1", "US", True),
        ("aws", "us-east-1", "us-east", True),
        ("aws", "us-east-1", "eu", False),
        ("azure", "eastus2", "us", True),
        ("azure", "southcentralus", "us", True),
        ("azure", "australiaeast", "us", False),
        ("azure", "westeurope", "eu", True),
        ("azure", "swedencentral", "eu", True),
        ("azure", "southeastasia", "asia", True),
        ("gcp", "europe-west4", "eu", True),
        ("gcp", "us-central1", "us", True),
        ("gcp", "asia-east1", "us", False),
        ("alibaba", "cn-hangzhou", "china", True),
        ("alibaba", "eu-central-1", "china", False),
    ],
)
def test_a_region_matches_its_name_its_beginning_and_its_area(
    provider: str, region: str, text: str, matches: bool
) -> None:
    offer = next(o for o in OFFERS if o.provider == provider and o.region == region)
    assert region_matches(offer, text) is matches


def test_an_offer_without_region_matches_only_the_area_of_its_seat() -> None:
    card = offer_of("autodl", "1x RTX 4090")
    assert card.region is None
    assert region_matches(card, "china")
    assert not region_matches(card, "us")
    assert not region_matches(card, "cn-beijing")

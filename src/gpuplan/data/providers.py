"""Clouds by the names that people write, and regions by the words that they use for them."""

import csv
import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from gpuplan.data.shelf import FILES
from gpuplan.errors import QuestionError
from gpuplan.facts.offer import Offer

EUROPE: Final = frozenset(["DE", "FI", "FR", "GB", "IT", "NL"])
GROUPS: Final = {
    "any": None, "all": None, "任意": None, "全部": None,
    "china": frozenset({"CN"}), "cn": frozenset({"CN"}), "中国": frozenset({"CN"}), "国内": frozenset({"CN"}),
    "us": frozenset({"US"}), "usa": frozenset({"US"}), "美国": frozenset({"US"}),
    "eu": EUROPE, "europe": EUROPE, "欧洲": EUROPE,
}  # fmt: skip
"""Words for many providers and the countries of their seats; None is every provider."""

AREAS: Final = {
    "us": re.compile(r"us([-\d]|gov)|northamerica-us|(north|south|west|east)*(central)?us(\d|euap|stage)*$|na-us"),
    "eu": re.compile(
        r"eu-|europe-|(north|west)europe|france|germany|sweden|norway|switzerland|italy|poland|spain|uk(south|west)|"
        r"austria|belgium|denmark|finland|fin-|fr-|nl-|it-|de-|norway-"
    ),
    "china": re.compile(r"cn-|china|ap-(beijing|shanghai|guangzhou|nanjing|chengdu|chongqing)"),
    "asia": re.compile(r"ap-|asia-|(east|southeast)asia|japan|korea|india|.*india|indonesia|malaysia|jio|in\d|cn-"),
}
"""Areas of the world and how the names of their regions begin."""
AREA_WORDS: Final = {
    "us": "us", "usa": "us", "美国": "us", "eu": "eu", "europe": "eu", "欧洲": "eu",
    "china": "china", "cn": "china", "中国": "china", "国内": "china", "asia": "asia", "亚洲": "asia",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Somebody who rents machines; `country` is that of the seat, None where not known."""

    id: str
    name: str
    name_zh: str | None
    country: str | None
    kind: str
    """cloud, rental (cards by the hour), marketplace, serverless, index (not somebody to rent from)."""
    aliases: tuple[str, ...]


@cache
def load_providers() -> dict[str, Provider]:
    """All providers by id."""
    with (FILES / "providers.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["id"]: Provider(
                id=row["id"],
                name=row["name"],
                name_zh=row["name_zh"] or None,
                country=row["country"] or None,
                kind=row["kind"],
                aliases=tuple(filter(None, row["aliases"].split(";"))),
            )
            for row in csv.DictReader(file)
        }


def resolve_provider(text: str) -> str:
    """The id of the provider that `text` names; an unknown name is refused with the nearest ones."""
    names = _names()
    found = names.get(_plain(text))
    if found is None:
        nearest = difflib.get_close_matches(_plain(text), names, n=3, cutoff=0.4) or ["aws", "alibaba", "runpod"]
        raise QuestionError(
            "provider_unknown", text=text[:60], nearest=", ".join(dict.fromkeys(names[n] for n in nearest))
        )
    return found


def resolve_clouds(words: Sequence[str], *, others: Collection[str] = ()) -> frozenset[str] | None:
    """Ids of the providers that the words allow: names, `china`, `us`, `eu`; None, for all, with `any` or no words.

    `others` are providers of the user's own price list; they go by their id.
    """
    allowed: set[str] = set()
    for word in words or ("any",):
        if word in others:
            allowed.add(word)
        elif _plain(word) in GROUPS:
            countries = GROUPS[_plain(word)]
            if countries is None:
                return None
            allowed |= {p.id for p in load_providers().values() if p.country in countries}
        else:
            allowed.add(resolve_provider(word))
    return frozenset(allowed)


def country_of(provider: str) -> str | None:
    """Country of the provider's seat, where known."""
    known = load_providers().get(provider)
    return known.country if known else None


def region_matches(offer: Offer, text: str) -> bool:
    """True where the offer's region is `text`, begins with it, or lies in the area that `text` names.

    An offer without a region matches an area only by the seat of its provider (`china` and a Chinese platform).
    """
    wanted = text.strip().casefold()
    area = AREA_WORDS.get(wanted)
    if offer.region is None:
        return area is not None and country_of(offer.provider) in (GROUPS.get(area) or ())
    region = offer.region.casefold()
    if area is not None:
        return AREAS[area].match(region) is not None
    return region == wanted or region.startswith(wanted)


def nearest_region(text: str, offers: Iterable[Offer]) -> str:
    """The region, or area of the world, whose name looks most like `text`; a few examples where none does."""
    known = {offer.region.casefold() for offer in offers if offer.region} | set(AREAS)
    near = difflib.get_close_matches(text.casefold()[:60], sorted(known), n=3, cutoff=0.6)
    return ", ".join(near or AREAS)


@cache
def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for provider in load_providers().values():
        for name in (provider.id, provider.name, provider.name_zh or "", *provider.aliases):
            if name:
                names.setdefault(_plain(name), provider.id)
    return names


def _plain(text: str) -> str:
    return re.sub(r"[\s._-]+", "", text.casefold())

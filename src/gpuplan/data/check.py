"""`facts check`: the rules that every fact of the catalogue keeps, one rule a function.

The loaders already refuse a figure without source, an unknown unit and a second row of an id; here stands what shows
only when the facts are seen together. Rules name what they find, as sentences of the catalogue of sentences.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Any, Final

from gpuplan.data.catalogue import Catalogue
from gpuplan.data.kernels import measured_chips
from gpuplan.data.shape import shape_mistake
from gpuplan.errors import FactError
from gpuplan.facts.chip import Chip
from gpuplan.locale import say
from gpuplan.units import GB, GIB, TB

Finding = tuple[str, dict[str, Any]]
"""A key of the catalogue of sentences and its values."""

PEAK_ORDER: Final = ("fp32", "tf32", "bf16", "fp8", "fp4")
"""A narrower type is never slower on one chip."""
ROUNDING: Final = 0.99
"""Sources round: a derived tf32 of 90.5 beside an fp32 of 90.52."""
MEMORY_LIMITS: Final = (4 * GIB, 1024 * GIB)
BANDWIDTH_LIMITS: Final = (100 * GB, 30 * TB)
SCALE_LIMITS: Final = (0.5, 3.0)
DATE: Final = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
CONFIDENCE: Final = {"high", "medium", "low", "none"}


def check_facts(catalogue: Catalogue, *, today: date, lang: str = "en") -> tuple[str, ...]:
    """Everything that breaks a rule, as sentences; empty where the facts are clean.

    A row that no loader accepts hides what the other rules would find, so it is told alone.
    """
    found = list(loaders_accept_every_row(catalogue, today))
    if not found:
        found = [finding for rule in RULES for finding in rule(catalogue, today)]
    return tuple(say(lang, key, **values) for key, values in found)


def loaders_accept_every_row(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Each row becomes a record: its figures have units and sources, its id stands once."""
    shelves: tuple[Mapping[str, object], ...] = (
        catalogue.chips, catalogue.models, catalogue.costs, catalogue.failures, catalogue.trainers,
    )  # fmt: skip
    for shelf in shelves:
        for key in shelf:
            try:
                shelf[key]
            except FactError as error:
                yield error.key, error.values


def chip_figures_have_sources(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Memory, bandwidth, links, power and every peak name where they come from."""
    for chip in catalogue.chips.values():
        for field in (*_stated_figures(chip), "donor"):
            if not chip.sources.get(field):
                yield "fact_no_source", {"file": "chips", "id": chip.id, "field": field}


def peaks_are_ordered(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """fp32 <= tf32 <= bf16 <= fp8 <= fp4, as far as they are stated."""
    for chip in catalogue.chips.values():
        stated = [dtype for dtype in PEAK_ORDER if dtype in chip.peak_flops]
        for wide, narrow in pairwise(stated):
            if chip.peak_flops[narrow] < ROUNDING * chip.peak_flops[wide]:
                yield "check_peaks", {"id": chip.id, "narrow": narrow, "wide": wide}


def chip_figures_are_plausible(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Memory, bandwidth and time factor lie where accelerators lie; usable memory is below its label."""
    for chip in catalogue.chips.values():
        limits = (
            ("memory", chip.memory_bytes, MEMORY_LIMITS),
            ("bandwidth", chip.memory_bytes_per_s, BANDWIDTH_LIMITS),
            ("donor_scale", chip.donor_scale, SCALE_LIMITS),
        )
        for field, value, (low, high) in limits:
            if value is not None and not low <= value <= high:
                yield "check_implausible", {"id": chip.id, "field": field, "value": f"{value:g}"}
        if chip.label_gb is not None and chip.memory_bytes > chip.label_gb * GIB:
            yield "check_above_label", {"id": chip.id, "label": f"{chip.label_gb:g}"}


def donors_were_measured(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """The donor of each chip exists, is its own donor and has a kernel set."""
    measured = set(measured_chips())
    for chip in catalogue.chips.values():
        donor = catalogue.chips.get(chip.donor)
        if donor is None or donor.donor != donor.id or donor.id not in measured:
            yield "check_donor", {"id": chip.id, "donor": chip.donor}


def aliases_are_unique(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """A name of a model means one id."""
    owners: dict[str, str] = {}
    for model in catalogue.models.values():
        for name in (model.id, *model.aliases):
            owner = owners.setdefault(name.casefold(), model.id)
            if owner != model.id:
                yield "check_alias", {"name": name, "first": owner, "second": model.id}


def shapes_can_be(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Covered models have positive widths, heads that divide, and layers that add up."""
    for model in catalogue.models.values():
        mistake = shape_mistake(model) if model.covered else None
        if mistake:
            yield "overlay_bad_shape", {"file": "models", "id": model.id, "name": mistake[0], "value": mistake[1]}
        if not model.covered and not model.notes:
            yield "fact_no_source", {"file": "models", "id": model.id, "field": "notes (why not covered)"}


def offers_stand_on_facts(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Each offer has a known chip, a positive price or none, a source and a known confidence."""
    for offer in catalogue.offers:
        where = f"{offer.provider} {offer.instance_type}"
        if offer.machine.chip.id not in catalogue.chips:
            yield "check_donor", {"id": where, "donor": offer.machine.chip.id}
        if offer.price_per_hour is not None and not 0 < offer.price_per_hour < 1e6:
            yield "check_implausible", {"id": where, "field": "price", "value": offer.price_per_hour}
        if not offer.source:
            yield "fact_no_source", {"file": "offers", "id": where, "field": "price"}
        if offer.confidence not in CONFIDENCE:
            yield "check_implausible", {"id": where, "field": "confidence", "value": offer.confidence}


def dates_are_past(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Source dates parse (day, month or year) and are not after `today`."""
    dated = [(f"{o.provider} {o.instance_type}", o.source_date) for o in catalogue.offers]
    dated += [(fact.id, fact.date) for fact in catalogue.costs.values()]
    dated += [(fact.id, fact.date) for fact in catalogue.failures.values()]
    for where, text in dict.fromkeys(dated):
        if text and not _is_past(text, today):
            yield "check_date", {"id": where, "date": text}


def currencies_convert(catalogue: Catalogue, today: date) -> Iterator[Finding]:
    """Every currency of an offer has a dated rate to USD."""
    from gpuplan.data.costs import fx_rate

    for currency in sorted({offer.currency for offer in catalogue.offers}):
        try:
            fx_rate(catalogue.costs, currency)
        except FactError as error:
            yield error.key, error.values


RULES: Final[tuple[Callable[[Catalogue, date], Iterator[Finding]], ...]] = (
    chip_figures_have_sources,
    peaks_are_ordered,
    chip_figures_are_plausible,
    donors_were_measured,
    aliases_are_unique,
    shapes_can_be,
    offers_stand_on_facts,
    dates_are_past,
    currencies_convert,
)


def _stated_figures(chip: Chip) -> list[str]:
    """Names of the figures of a chip that are not null."""
    figures = {
        "memory": chip.memory_bytes,
        "bandwidth": chip.memory_bytes_per_s,
        "link": chip.link_bytes_per_s,
        "pcie": chip.pcie_bytes_per_s,
        "tdp": chip.tdp_w,
        **chip.peak_flops,
    }
    return [name for name, value in figures.items() if value is not None]


def _is_past(text: str, today: date) -> bool:
    match = DATE.fullmatch(text)
    if not match:
        return False
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        return date(year, month, day) <= today
    except ValueError:
        return False

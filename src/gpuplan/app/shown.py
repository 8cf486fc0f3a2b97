"""Records as plain values, shared by plan and check: the question as understood, assumptions, offers."""

from typing import Any

from gpuplan.app.describe import range_json
from gpuplan.app.plan_result import OfferView
from gpuplan.app.question_to_job import Understood
from gpuplan.facts.offer import Offer
from gpuplan.question.figures import Assumed


def question_json(understood: Understood, lang: str, *, assumed: tuple[Assumed, ...]) -> dict[str, Any]:
    """The question as understood."""
    data = understood.data
    return {
        **understood.question.keys(),
        "model_id": understood.model.id,
        "params": int(understood.params),
        "method": understood.method.word,
        "framework": understood.framework,
        "seq_len": int(data.seq_len),
        "global_batch": int(understood.global_batch),
        "packing": data.packed,
        "trained_tokens": range_json(data.tokens) if data.is_known else None,
        "per": None if data.is_known else "million_tokens",
        "assumed": [assumed_json(one, lang) for one in assumed],
    }


def assumed_json(one: Assumed, lang: str) -> dict[str, str]:
    """An assumption as plain values."""
    return one.say(lang)


def offer_view(offer: Offer) -> OfferView:
    """An offer as plain values."""
    return OfferView(
        provider=offer.provider,
        instance_type=offer.instance_type,
        region=offer.region,
        gpu=offer.machine.chip.id,
        gpus_per_node=offer.machine.n_gpus,
        price=offer.price_per_hour,
        currency=offer.currency,
        price_kind=offer.price_kind,
        spot=offer.is_spot,
        source=offer.source,
        source_date=offer.source_date,
        confidence=offer.confidence,
    )

"""A layout that states more ranks than it has GPUs: no verdict can rest on it."""

from gpuplan.facts.measured import MeasuredRun

DEGREES = ("tp", "pp", "cp", "dp")
"""Degrees whose product is the number of GPUs; expert ranks lie inside the data-parallel ones."""


def stated_ranks(run: MeasuredRun) -> float:
    """Product of the degrees that the run states."""
    product = 1.0
    for name in DEGREES:
        product *= float(run.parallel.get(name) or 1)
    return product


def needs_more_gpus(run: MeasuredRun) -> bool:
    """True where the stated degrees need more GPUs than are stated."""
    n_gpus = run.hardware.get("n_gpus")
    return bool(n_gpus) and stated_ranks(run) > float(n_gpus or 0)

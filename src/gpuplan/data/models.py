"""Language models from `files/models.jsonl`, each built into a record only when it is asked for."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuplan.data.figures import Figures
from gpuplan.data.shelf import FILES, Raw, Shelf, read_rows, read_sources
from gpuplan.facts.arch import Architecture, Mla, Moe

FILE: Final = "models.jsonl"
NESTED: Final = ("mla", "moe", "src")


@cache
def load_models() -> Shelf[Architecture]:
    """All language models by id; `rows` holds what the names index needs without building a record."""
    table = read_sources(FILES / "model_sources.json")
    return Shelf(read_rows(FILES / FILE), lambda row: architecture_of(row, table, file=FILE))


def architecture_of(row: Raw, table: Mapping[str, str], *, file: str) -> Architecture:
    """One row as a record; the shape and a published count must each name a source of `table`."""
    figures = Figures(file=file, row_id=row["id"], table=table)
    cited = row.get("src", {})
    figures.cite("shape", cited.get("shape"))
    if "published_params" in row:
        figures.cite("published", cited.get("published"))
    plain: dict[str, Any] = {name: value for name, value in row.items() if name not in NESTED}
    plain["aliases"] = tuple(row.get("aliases", ()))
    return Architecture(
        **plain,
        mla=Mla(**row["mla"]) if "mla" in row else None,
        moe=Moe(**row["moe"]) if "moe" in row else None,
        sources=figures.sources,
    )

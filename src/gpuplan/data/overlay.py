"""The user's own facts: TOML files that extend or override the package's, hypothetical chips included.

Read from `$XDG_CONFIG_HOME/gpuplan/*.toml` (`~/.config` where unset) and then from `--facts DIR/*.toml`.
Every entry names its `source`; unknown keys are refused; docs/facts.md lists the keys.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpuplan.data.overlay_offers import PLACE
from gpuplan.data.shelf import Shelf
from gpuplan.errors import InputError
from gpuplan.facts.arch import Architecture
from gpuplan.facts.chip import Chip

if TYPE_CHECKING:
    from gpuplan.data.overlay_schema import Entry

MAX_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """Validated entries of the user's files; later files have overridden earlier ones."""

    chips: Mapping[str, "Entry"] = field(default_factory=dict)
    models: Mapping[str, "Entry"] = field(default_factory=dict)
    offers: tuple[Mapping[str, Any], ...] = ()
    """One plain dict an offer, as the file states it, and its place; `overlay_offers` checks them with the chips."""
    places: Mapping[str, Path] = field(default_factory=dict)
    """The file of each chip and model."""

    def chips_on(self, base: Mapping[str, Chip]) -> Mapping[str, Chip]:
        """The chips of `base` with those of the user on top."""
        if not self.chips:
            return base
        from gpuplan.data.overlay_records import chip_records

        return _topped(base, chip_records(self.chips, base, places=self.places))

    def models_on(self, base: Mapping[str, Architecture]) -> Mapping[str, Architecture]:
        """The models of `base` with those of the user on top."""
        if not self.models:
            return base
        from gpuplan.data.overlay_records import model_records

        return _topped(base, model_records(self.models, base, places=self.places))


def read_overlay(facts_dir: Path | None = None) -> Overlay:
    """All files of the user's configuration, then those of `facts_dir`."""
    files = [*_toml_files(_config_dir())]
    if facts_dir is not None:
        if not facts_dir.is_dir():
            raise InputError("facts_dir_missing", path=facts_dir)
        own = [*_toml_files(facts_dir)]
        if not own:
            raise InputError("facts_dir_empty", path=facts_dir)
        files += own
    if not files:
        return Overlay()
    from gpuplan.data.overlay_schema import validated

    chips: dict[str, Entry] = {}
    models: dict[str, Entry] = {}
    offers: list[Mapping[str, Any]] = []
    places: dict[str, Path] = {}
    for path in files:
        content = validated(_read_toml(path), path)
        chips |= content.chips
        models |= content.models
        offers += [{**row, PLACE: f"{path}: offers[{i}]"} for i, row in enumerate(content.offers, start=1)]
        places |= dict.fromkeys((*content.chips, *content.models), path)
    return Overlay(chips=chips, models=models, offers=tuple(offers), places=places)


def _config_dir() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "gpuplan"


def _toml_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(folder.glob("*.toml"))


def _read_toml(path: Path) -> dict[str, Any]:
    """The parsed file; what is no plain, small, well-formed TOML file is the user's mistake."""
    if not path.is_file():
        raise InputError("file_not_plain", path=path)
    if path.stat().st_size > MAX_BYTES:
        raise InputError("file_too_big", path=path, limit=MAX_BYTES // 1024 // 1024)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("file_unreadable", path=path, cause=error.strerror) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("file_not_toml", path=path, cause=error) from error


def _topped(base: Mapping[str, Any], records: Mapping[str, Any]) -> Mapping[str, Any]:
    assert isinstance(base, Shelf)
    rows = {key: {"id": key, "aliases": list(getattr(record, "aliases", ()))} for key, record in records.items()}
    return base.topped(records, rows)

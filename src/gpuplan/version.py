"""The version of this package."""

from typing import Final

VERSION: Final = "0.1.0"

"""How frozen weights are stored where they are quantised: bytes a weight by name.

block codes:  bits / 8 + bytes of a scale / block        (arXiv:2305.14314, section 3)
"""

from collections.abc import Mapping
from typing import Final

from gpuplan.question.job import Quantisation

_BLOCK, _SECOND_BLOCK = 64, 256
_NF4: Final = 0.5 + 4 / _BLOCK
_NF4_DOUBLE: Final = 0.5 + 1 / _BLOCK + 4 / (_BLOCK * _SECOND_BLOCK)

QUANTISED: Final[Mapping[str, Quantisation]] = {
    name: Quantisation(name=name, bytes_per_param=size, source=source)
    for name, size, source in (
        ("nf4", _NF4, "4-bit codes and an fp32 scale a block of 64 (arXiv:2305.14314, section 3)"),
        ("nf4-double", _NF4_DOUBLE, "scales quantised too (arXiv:2305.14314, section 3)"),
        ("fp4", _NF4, "as nf4, arXiv:2305.14314 section 3"),
        ("int4", 0.53, "4-bit codes with scales, zeros and order index (GPTQ, arXiv:2210.17323)"),
        ("int8", 1.03, "8-bit codes with scales (arXiv:2208.07339)"),
    )
}
WORDS: Final[Mapping[str, str]] = {
    "nf4-dq": "nf4-double", "4bit": "nf4", "8bit": "int8", "awq": "int4", "gptq": "int4", "gptq-int4": "int4",
    "gptq-int8": "int8",
}  # fmt: skip
"""Other words for the same storage (AWQ: 4-bit codes with scales and zeros, arXiv:2306.00978)."""


def quantised(word: str) -> Quantisation | None:
    """The storage that a word means.

    >>> quantised("nf4").bytes_per_param, quantised("GPTQ-Int4").name, quantised("bf16")
    (0.5625, 'int4', None)
    """
    name = word.lower()
    return QUANTISED.get(WORDS.get(name, name))

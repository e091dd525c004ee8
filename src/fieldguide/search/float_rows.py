"""Rows of four-byte floats, each worked on as a whole by simsimd: what numpy would do, without its 57 MB.

Two facts about such floats do the rest. Beside 1.5 * 2**23 a float has no room for a fraction, so adding that number
rounds, and the lowest byte is the rounded number. And the sign is the highest bit of the highest byte.

`out` is never given to simsimd: on Python 3.11 it then gives away a reference to None that it does not own, and the
process ends when the last of them is gone.
"""

import math
import sys
from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import simsimd

Row: TypeAlias = "array[float] | memoryview[float]"

# Its annotations know numpy's arrays alone; it takes whatever has a buffer.
_wsum: Any = simsimd.wsum
_fma: Any = simsimd.fma
_dot: Any = simsimd.dot
_cdist: Any = simsimd.cdist

BYTES = 4
ROUNDING = 1.5 * 2**23
_LOWEST, _HIGHEST, _NEXT = (0, 3, 2) if sys.byteorder == "little" else (3, 0, 1)
_ROUNDING_BYTES = array("f", [ROUNDING]).tobytes()
_UPWARDS = bytes(each ^ 0x80 for each in range(256))  # -128 to 127 become 0 to 255
_ONE_IF_POSITIVE = (bytes([0x3F] * 128 + [0] * 128), bytes([0x80] * 128 + [0] * 128))  # the upper bytes of 1.0


def zeros(width: int) -> "array[float]":
    """A row of nothing."""
    return array("f", bytes(BYTES * width))


def from_signed(signed: memoryview) -> "memoryview[float]":
    """Signed bytes as floats."""
    held = bytearray(_ROUNDING_BYTES * len(signed))
    held[_LOWEST::BYTES] = bytes(signed).translate(_UPWARDS)
    return plus(memoryview(held).cast("f"), _ones(len(signed)), -ROUNDING - 128)


def to_signed(row: Row, scale: float) -> bytes:
    """Each float times `scale`, rounded to a whole number between -128 and 127 (or 0 and 255), as one byte."""
    return bytes(_wsum(row, _ones(len(row)), alpha=scale, beta=ROUNDING))[_LOWEST::BYTES]


def plus(row: Row, other: Row, weight: float = 1.0) -> "memoryview[float]":
    """The row, and the other so many times."""
    return memoryview(_wsum(row, other, alpha=1.0, beta=weight))


def times(row: Row, factor: float) -> "memoryview[float]":
    """The row so many times."""
    return memoryview(_wsum(row, row, alpha=factor, beta=0.0))


def weighted_sum(rows: Iterable[Row], weights: Iterable[float], width: int) -> "memoryview[float]":
    """All rows, each so many times."""
    total, add = zeros(width), _wsum
    for row, weight in zip(rows, weights, strict=True):
        total = add(total, row, alpha=1.0, beta=weight)
    return memoryview(total)


def products_with(rows: Iterable[Row], other: Row) -> list[float]:
    """The product of each row with another."""
    multiply = _dot
    return [multiply(row, other) for row in rows]


def length_of(row: Row) -> float:
    """How long a row is as a vector."""
    squared: float = _dot(row, row)
    return math.sqrt(squared)


def largest_of(row: Row) -> float:
    """The largest component, whatever its sign."""
    components = row.tolist()
    return max(max(components), -min(components))


def positive(values: memoryview) -> "memoryview[float]":
    """Every float that is not below zero; zero for the others."""
    raw = values.cast("B")
    signs = bytes(raw[_HIGHEST::BYTES])
    kept = bytearray(len(raw))
    kept[_HIGHEST::BYTES], kept[_NEXT::BYTES] = map(signs.translate, _ONE_IF_POSITIVE)
    floats = raw.cast("f")
    return memoryview(_fma(floats, memoryview(kept).cast("f"), floats, alpha=1.0, beta=0.0))


def products(left: Row, right: Row, width: int) -> memoryview:
    """The product of every row on the left with every row on the right, row by row."""
    return memoryview(_cdist(_table(left, width), _table(right, width), "dot", out_dtype="f32"))


def _table(rows: Row, width: int) -> "memoryview[float]":
    return memoryview(rows).cast("B").cast("f", (len(rows) // width, width))


@lru_cache(maxsize=4)
def _ones(width: int) -> "array[float]":
    return array("f", [1.0]) * width

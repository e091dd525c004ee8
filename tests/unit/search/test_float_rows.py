"""Rows of floats without numpy: each operation gives what numpy gives."""

import random
import sys
from array import array

import numpy as np
import pytest

from fieldguide.search import embedding

SEEDED = random.Random(11)
ROW = array("f", (SEEDED.uniform(-3, 3) for _ in range(256)))
OTHER = array("f", (SEEDED.uniform(-3, 3) for _ in range(256)))


def floats(row):
    return np.frombuffer(bytes(memoryview(row).cast("B")), np.float32)


def test_signed_bytes_become_floats_and_come_back():
    signed = memoryview(bytes(range(256))).cast("b")

    row = embedding.from_signed(signed)

    assert row.tolist() == [float(each) for each in signed.tolist()]
    assert embedding.to_signed(row, 1.0) == bytes(range(256))


@pytest.mark.parametrize("scale", [1.0, 42.3, 0.001])
def test_floats_are_rounded_to_bytes_as_numpy_rounds_them(scale):
    expected = np.rint(floats(ROW) * np.float32(scale)).astype(np.int8).tobytes()

    assert embedding.to_signed(ROW, scale) == expected


def test_halves_are_rounded_to_the_even_number():
    halves = array("f", [0.5, 1.5, 2.5, -0.5, -1.5])

    assert list(memoryview(embedding.to_signed(halves, 1.0)).cast("b")) == [0, 2, 2, 0, -2]


def test_a_weighted_sum_is_that_of_numpy():
    found = embedding.sum_weighted([ROW, OTHER, ROW], [0.5, -2.0, 0.25], 256)

    assert floats(found) == pytest.approx(floats(ROW) * 0.75 - 2 * floats(OTHER), abs=1e-5)
    assert embedding.sum_weighted([], [], 4).tolist() == [0.0] * 4


def test_only_what_is_positive_is_kept():
    values = array("f", [1.5, -2.0, 0.0, -0.0, 1e-30, -1e30, 3e30])

    assert embedding.clip_negative(memoryview(values)).tolist() == np.maximum(floats(values), 0).tolist()


def test_products_lengths_and_largest_are_those_of_numpy():
    table = array("f", [*ROW, *OTHER])

    found = embedding.multiply_rows(table, table, 256)

    rows = floats(table).reshape(2, 256)
    assert floats(found).reshape(2, 2) == pytest.approx(rows @ rows.T, rel=1e-5)
    assert [embedding.multiply(row, ROW) for row in (ROW, OTHER)] == pytest.approx((rows @ rows[0]).tolist(), rel=1e-5)
    assert embedding.measure_length(ROW) == pytest.approx(float(np.linalg.norm(rows[0])), rel=1e-6)


def test_no_reference_to_none_is_given_away():
    """What simsimd does with `out` on Python 3.11 would end a process that has embedded some thousand texts."""
    before = sys.getrefcount(None)

    for _ in range(2_000):
        embedding.sum_weighted([ROW, OTHER], [1.0, 2.0], 256)
        embedding.clip_negative(memoryview(ROW))
        embedding.to_signed(embedding.add_rows(ROW, OTHER), 1.0)

    assert sys.getrefcount(None) > before - 500

"""Vectors in memory: the nearest are found exactly, with numpy at hand and without."""

import math
import random
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.search import vectors as vectors_module
from fieldguide.search.embedding import packed
from fieldguide.search.port import chunk_number, place_of
from fieldguide.search.vectors import NOWHERE, Rows, VectorBlock
from tests.proves import proves

SIZE = 4
COMPONENTS = st.lists(st.integers(-3, 3), min_size=SIZE, max_size=SIZE)


def rows(source, *vectors):
    return Rows(source, b"".join(packed([float(each) for each in vector]) for vector in vectors))


def cosine_distance(left, right):
    lengths = math.hypot(*left) * math.hypot(*right)
    return 1 - sum(a * b for a, b in zip(left, right, strict=True)) / lengths


@pytest.fixture(params=["with numpy", "without numpy"], autouse=True)
def numpy_or_not(request, monkeypatch):
    """Both ways to the smallest distances."""
    if request.param == "without numpy":
        monkeypatch.setattr(vectors_module, "_imported_numpy", lambda: None)
    else:
        import numpy

        assert vectors_module._imported_numpy() is numpy


BLOCK = VectorBlock(
    {
        7: rows(1, (1, 0, 0, 0), (1, 1, 0, 0)),
        3: rows(2, (1, 0, 0, 0)),
        5: rows(1, (-1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0)),
        9: rows(3),
    },
    SIZE,
)
EAST = packed([1.0, 0, 0, 0])


@proves("U2-5")
def test_the_nearest_come_first_with_their_cosine_distance_and_equal_ones_in_order():
    found = BLOCK.nearest(EAST, [1, 2], without=None, limit=10)

    assert [place_of(chunk) for chunk in found] == [(5, 2), (7, 0), (3, 0), (7, 1), (5, 1), (5, 0)]
    assert list(found.values()) == pytest.approx([0, 0, 0, 1 - 2**-0.5, 1, 2], abs=0.001)


def test_only_the_sources_and_documents_of_the_scope_are_found():
    def nearest(*sources, without=None, limit=10):
        return [place_of(chunk) for chunk in BLOCK.nearest(EAST, sources, without=without, limit=limit)]

    assert nearest(2) == [(3, 0)]
    assert nearest(1, without=5) == [(7, 0), (7, 1)]
    assert nearest(1, without=5, limit=1) == [(7, 0)]
    assert nearest(1, without=99, limit=2) == [(5, 2), (7, 0)]
    assert nearest(2, 2, limit=10) == [(3, 0)]
    assert nearest(3) == nearest(4) == nearest() == []


def test_a_vector_without_direction_is_near_to_nothing():
    nowhere = bytes(SIZE)

    assert BLOCK.nearest(nowhere, [1, 2], without=None, limit=10) == {}
    assert BLOCK.distances(nowhere, [(7, 0), (99, 0)]) == [NOWHERE, NOWHERE]


@proves("D-18")
def test_the_distance_of_any_chunk_can_be_asked_for():
    asked = [(5, 0), (99, 0), (7, 1), (7, 2), (3, 0), (9, 0)]

    distances = BLOCK.distances(EAST, asked)

    assert distances == pytest.approx([2, NOWHERE, 1 - 2**-0.5, NOWHERE, 0, NOWHERE], abs=0.001)
    assert BLOCK.distances(EAST, []) == []


def test_a_block_tells_what_the_next_is_made_from():
    again = VectorBlock(dict(BLOCK.documents()), SIZE)

    assert len(again) == len(BLOCK) == 6
    assert dict(again.documents()) == dict(BLOCK.documents())
    assert again.vectors_of(7) == [packed([1.0, 0, 0, 0]), packed([1.0, 1.0, 0, 0])]
    assert again.vectors_of(99) == again.vectors_of(9) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(COMPONENTS.filter(any), min_size=1, max_size=30), COMPONENTS.filter(any), st.integers(1, 30))
def test_no_nearer_chunk_is_left_out(vectors, query, limit):
    block = VectorBlock({number: rows(1, vector) for number, vector in enumerate(vectors)}, SIZE)

    found = block.nearest(packed([float(each) for each in query]), [1], without=None, limit=limit)

    expected = sorted(cosine_distance(query, vector) for vector in vectors)[:limit]
    assert list(found.values()) == pytest.approx(expected, abs=0.02)
    assert len(found) == min(limit, len(vectors))


def test_a_chunks_number_holds_its_document_and_its_place():
    assert place_of(chunk_number(2**40, 2**20 - 1)) == (2**40, 2**20 - 1)
    assert chunk_number(1, 0) > chunk_number(0, 2**20 - 1)


def test_in_a_large_block_the_smallest_distances_are_found_exactly():
    seeded = random.Random(7)
    distances = array("d", (seeded.random() for _ in range(20_000)))

    found = vectors_module._smallest(memoryview(distances), 100, 5)

    assert sorted(found) == sorted((value, row + 5) for row, value in enumerate(distances))[:100]

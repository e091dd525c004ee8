"""Vectors in memory: the nearest are found exactly."""

import math
import random
from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.search.embedding import pack_vector
from fieldguide.search.indexes import vectors as block_module
from fieldguide.search.indexes import vectors as nearest_module
from fieldguide.search.indexes.vectors import NOWHERE, CurrentVectors, IndexState, VectorBlock, VectorLoad
from fieldguide.search.types import DOCUMENT_BITS, locate_chunk, number_chunk
from fieldguide.text.errors import StillLoading
from tests.proves import proves

SIZE = 4
COMPONENTS = st.lists(st.integers(-3, 3), min_size=SIZE, max_size=SIZE)


def rows(*vectors):
    return b"".join(pack_vector([float(each) for each in vector]) for vector in vectors)


def document(source, number):
    """The number of a source's document, as the store gives it."""
    return source << DOCUMENT_BITS | number


def cosine_distance(left, right):
    lengths = math.hypot(*left) * math.hypot(*right)
    return 1 - sum(a * b for a, b in zip(left, right, strict=True)) / lengths


D5, D7, D3, D9, D99 = document(1, 5), document(1, 7), document(2, 3), document(3, 9), document(1, 99)
HELD = {
    D7: rows((1, 0, 0, 0), (1, 1, 0, 0)),
    D3: rows((1, 0, 0, 0)),
    D5: rows((-1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0)),
    D9: rows(),
}
BLOCK = VectorBlock((), SIZE).changed(HELD)
EAST = pack_vector([1.0, 0, 0, 0])


@proves("U2-5")
def test_the_nearest_come_first_with_their_cosine_distance_and_equal_ones_in_order():
    found = BLOCK.nearest(EAST, [1, 2], without=None, limit=10)

    assert [locate_chunk(chunk) for chunk in found] == [(D5, 2), (D7, 0), (D3, 0), (D7, 1), (D5, 1), (D5, 0)]
    assert list(found.values()) == pytest.approx([0, 0, 0, 1 - 2**-0.5, 1, 2], abs=0.001)


def test_only_the_sources_and_documents_of_the_scope_are_found():
    def nearest(*sources, without=None, limit=10):
        return [locate_chunk(chunk) for chunk in BLOCK.nearest(EAST, sources, without=without, limit=limit)]

    assert nearest(2) == [(D3, 0)]
    assert nearest(1, without=D5) == [(D7, 0), (D7, 1)]
    assert nearest(1, without=D5, limit=1) == [(D7, 0)]
    assert nearest(1, without=D99, limit=2) == [(D5, 2), (D7, 0)]
    assert nearest(2, 2, limit=10) == [(D3, 0)]
    assert nearest(3) == nearest(4) == nearest() == []


def test_a_vector_without_direction_is_near_to_nothing():
    nowhere = bytes(SIZE)

    assert BLOCK.nearest(nowhere, [1, 2], without=None, limit=10) == {}
    assert BLOCK.distances(nowhere, [(D7, 0), (D99, 0)]) == [NOWHERE, NOWHERE]


@proves("D-18")
def test_the_distance_of_any_chunk_can_be_asked_for():
    asked = [(D5, 0), (D99, 0), (D7, 1), (D7, 2), (D3, 0), (D9, 0)]

    distances = BLOCK.distances(EAST, asked)

    assert distances == pytest.approx([2, NOWHERE, 1 - 2**-0.5, NOWHERE, 0, NOWHERE], abs=0.001)
    assert BLOCK.distances(EAST, []) == []


def test_a_block_holds_the_vectors_of_its_documents():
    assert len(BLOCK) == 6
    assert BLOCK.vectors_of(D7) == [pack_vector([1.0, 0, 0, 0]), pack_vector([1.0, 1.0, 0, 0])]
    assert BLOCK.vectors_of(D99) == BLOCK.vectors_of(D9) == BLOCK.vectors_of(0) == []


@settings(max_examples=100)
@given(st.lists(st.dictionaries(st.integers(0, 12), st.integers(0, 4)), max_size=6), st.integers(1, 6))
def test_a_changed_block_equals_one_that_is_made_anew(changes, segment_rows):
    before, block_module.SEGMENT_ROWS = block_module.SEGMENT_ROWS, segment_rows
    block, held = VectorBlock((), SIZE), dict[int, bytes]()
    for turn, change in enumerate(changes):
        new = {document(1, number): rows(*[(turn + 1, number, 1, 2)] * chunks) for number, chunks in change.items()}
        block, held = block.changed(new), held | new
    block_module.SEGMENT_ROWS = before

    assert len(block) == sum(len(each) for each in held.values()) // SIZE
    assert all(b"".join(block.vectors_of(each)) == held[each] for each in held)
    assert len(block.nearest(EAST, [1], without=None, limit=1000)) == len(block)


def test_a_change_makes_only_its_own_segment_anew(monkeypatch):
    monkeypatch.setattr(block_module, "SEGMENT_ROWS", 10)
    block = VectorBlock((), SIZE).changed({document(1, each): rows((1, each, 0, 0)) for each in range(100)})

    newer = block.changed({document(1, 55): rows((0, 0, 1, 0))})

    shared = set(map(id, block._segments)) & set(map(id, newer._segments))
    assert len(block._segments) == len(newer._segments) == 10
    assert len(shared) == 9


@settings(max_examples=100)
@given(st.lists(COMPONENTS.filter(any), min_size=1, max_size=30), COMPONENTS.filter(any), st.integers(1, 30))
def test_no_nearer_chunk_is_left_out(vectors, query, limit):
    block = VectorBlock((), SIZE).changed({document(1, each): rows(vector) for each, vector in enumerate(vectors)})

    found = block.nearest(pack_vector([float(each) for each in query]), [1], without=None, limit=limit)

    expected = sorted(cosine_distance(query, vector) for vector in vectors)[:limit]
    assert list(found.values()) == pytest.approx(expected, abs=0.02)
    assert len(found) == min(limit, len(vectors))


def test_a_chunks_number_holds_its_document_and_its_place():
    assert locate_chunk(number_chunk(2**40, 2**20 - 1)) == (2**40, 2**20 - 1)
    assert number_chunk(1, 0) > number_chunk(0, 2**20 - 1)


@pytest.mark.parametrize("spread", [2.0, 0.01, 1e-5])
def test_in_a_large_block_the_smallest_numbers_are_found_exactly(spread):
    seeded = random.Random(7)
    values = array("f", (0.4 + (seeded.random() - 0.2) * spread for _ in range(20_000)))

    found = nearest_module.find_smallest(values, 100)

    expected = sorted(range(20_000), key=values.__getitem__)[:100]
    assert set(expected) <= set(found) or spread < 1e-4
    assert max(values[place] for place in sorted(found, key=values.__getitem__)[:100]) <= values[expected[-1]] + 2e-6
    assert len(found) <= 300


def test_what_lies_just_beyond_a_step_is_as_good_as_what_lies_before_it():
    step = 50.5 / nearest_module.LEVELS
    values = array("f", [step + 3e-7, *[step - 3e-7] * 2, *[1.0] * 100])

    assert 0 in nearest_module.find_smallest(values, 2)


def test_of_many_equal_ones_only_some_are_looked_at():
    assert nearest_module.find_smallest(array("f", [1.0]) * 10_000, 10) == list(range(20))


class OneDocument:
    """A transaction that sees one document."""

    def fetch_one(self, sql, given):
        return {"identity": "one", "revision": 1}

    def fetch_all(self, sql, given):
        return [{"document_id": D5, "vectors": HELD[D5], "revision": 1}]


def test_a_call_adds_nothing_to_a_load_that_others_go_on_with_when_its_time_is_over():
    vectors = CurrentVectors(SIZE, "maker")
    vectors._load = VectorLoad(IndexState("one", 1), patience_ends=0.0)
    transaction: Any = OneDocument()

    vectors._is_read_on = True
    with pytest.raises(StillLoading):
        vectors.seen_by(transaction)

    vectors._is_read_on = False
    assert len(vectors.seen_by(transaction)) == 3

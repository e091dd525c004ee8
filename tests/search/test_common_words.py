"""Queries with common words in a large index: chunks that hold a rarer word are ranked as if all had been."""

import pytest

from fieldguide.search.engine import SearchQuestion
from fieldguide.search.indexes import sqlite
from fieldguide.search.types import Scope
from tests.search.engines import DOCS, numbers, put


@pytest.fixture
def texts():
    return {f"d{number:02}": f"fern {'moss ' * (number % 4)}{'fox' if number % 3 == 0 else ''}" for number in range(30)}


def scores(engine, text):
    scope = Scope(tuple(numbers(engine, DOCS)))
    with engine.database.reading() as transaction:
        return engine._index.by_words(transaction, text.split(), scope, 100)


def test_the_score_of_a_chunk_with_a_rare_word_counts_its_common_words_too(engine, texts, monkeypatch):
    put(engine, **texts)
    whole = scores(engine, "fern moss fox")

    monkeypatch.setattr(sqlite, "SMALL_INDEX", 0)
    monkeypatch.setattr(sqlite, "ENOUGH_CANDIDATES", 12)
    some = scores(engine, "fern moss fox")

    assert 0 < len(some) < len(whole)
    assert some == pytest.approx({chunk: whole[chunk] for chunk in some})
    assert list(some) == [chunk for chunk in whole if chunk in some]


def test_a_word_that_is_nowhere_hides_no_others_and_counts_once_it_is_there(engine, texts, monkeypatch):
    monkeypatch.setattr(sqlite, "SMALL_INDEX", 0)
    put(engine, **texts)
    scope = Scope(tuple(numbers(engine, DOCS)))
    hits = engine.search(SearchQuestion("unheard-of fox", scope, 50))
    before = scores(engine, "badger")
    put(engine, new="A badger.")
    assert (before, len(scores(engine, "badger"))) == ({}, 1)
    assert {hit.document for hit in hits[:10]} == {f"d{number:02}" for number in range(0, 30, 3)}


def test_every_document_that_holds_a_word_is_told_however_common_it_is(engine, texts, monkeypatch):
    monkeypatch.setattr(sqlite, "SMALL_INDEX", 0)
    monkeypatch.setattr(sqlite, "ENOUGH_CANDIDATES", 1)
    put(engine, **texts)
    scope = Scope(tuple(numbers(engine, DOCS)))

    assert engine.documents_with(["fern"], scope) == set(texts)
    assert engine.documents_with(["foxes", "unheard-of"], scope) == {f"d{number:02}" for number in range(0, 30, 3)}
    assert engine.documents_with(["unheard-of"], scope) == engine.documents_with([], scope) == set()
    assert engine.documents_with(["fern"], Scope(())) == set()

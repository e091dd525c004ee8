"""The vectors in memory follow the index: one that was made anew, older views of it, and a load that takes long."""

import os

import pytest

from fieldguide.search.indexes import vectors as vector_module
from fieldguide.text.errors import Cancelled, StillLoading
from tests.search.engines import DOCS, SqlitePlace, names, numbers, put, search


@pytest.fixture
def place(tmp_path):
    found = SqlitePlace(tmp_path / "index.db")
    yield found
    found.close()


def vectors_of(engine):
    return engine._index._vectors


def seen(engine, transaction):
    return vectors_of(engine).seen_by(transaction)


def test_an_index_that_was_deleted_and_made_again_is_read_again(place, tmp_path):
    engine = place.open()
    put(engine, a="fern", b="fern fox", c="fox")
    assert names(search(engine, "fern"))[0] == "a"

    for file in tmp_path.iterdir():
        os.remove(file)
    other = place.open()
    for text in ("fern", "moss", "pond"):  # as many changes as the deleted one had seen
        put(other, only=text)

    found = search(engine, "pond", by_words=False)
    assert names(search(engine, "fern pond")) == names(found) == ["only"]
    assert found[0].distance == pytest.approx(0.0, abs=0.001)


def test_an_older_view_is_served_without_reading_all_again(place, monkeypatch):
    engine, other = place.open(), place.open()
    put(engine, a="fern", b="fox", c="moss")
    with engine.database.reading() as old:
        before = seen(engine, old)
        put(other, a="pond", d="fern")
        with engine.database.reading() as new:
            newest = seen(engine, new)
            monkeypatch.setattr(vectors_of(engine), "_read_part", None)  # what a load would call

            as_it_was = seen(engine, old)

            assert seen(engine, old) is as_it_was
            assert seen(engine, new) is newest
    held = [as_it_was.vectors_of(number) for number in sorted(vectors_of(engine)._newest_changes)]
    assert held == [before.vectors_of(number) for number in sorted(vectors_of(engine)._newest_changes)]
    assert (len(before), len(newest)) == (3, 4)


def test_a_view_older_than_all_that_is_remembered_is_read_for_itself(place, monkeypatch):
    monkeypatch.setattr(vector_module, "REMEMBERED", 1)
    engine, other = place.open(), place.open()
    put(engine, a="fern", b="fox")
    with engine.database.reading() as old:
        seen(engine, old)
        put(other, c="moss", d="pond")
        with engine.database.reading() as new:
            assert len(seen(engine, new)) == 4

        assert len(seen(engine, old)) == 2


class Interrupted:
    """A transaction whose call is cancelled after so many parts of the load."""

    def __init__(self, transaction, parts):
        self._transaction = transaction
        self._left = parts
        self.fetch_one = transaction.fetch_one

    def fetch_all(self, sql, parameters):
        self._left -= 1
        if self._left < 0:
            raise Cancelled("The call was cancelled.")
        return self._transaction.fetch_all(sql, parameters)


def test_what_a_cancelled_call_has_read_stays(place, monkeypatch):
    monkeypatch.setattr(vector_module, "PART_DOCUMENTS", 2)
    engine = place.open()
    put(engine, a="fern", b="fox", c="moss", d="pond", e="fern fox")
    with pytest.raises(Cancelled), engine.database.reading() as transaction:
        seen(engine, Interrupted(transaction, parts=2))

    with engine.database.reading() as transaction:
        block = seen(engine, Interrupted(transaction, parts=2))  # the last part, and what is remembered

    assert len(block) == 5
    assert len(search(engine, "fern", by_words=False)) == 5


def test_a_load_that_takes_long_leaves_the_words_and_goes_on_by_itself(place, monkeypatch):
    monkeypatch.setattr(vector_module, "PART_DOCUMENTS", 1)
    monkeypatch.setattr(vector_module, "PATIENCE_SECONDS", 0.0)
    put(place.open(), a="fern", b="fox", c="moss")
    engine = place.open()

    first = search(engine, "fern")
    engine._loading.join()
    after = search(engine, "fern", by_words=False)

    assert names(first) == ["a"]
    assert first[0].distance == pytest.approx(0.0, abs=0.001)  # its true one, though not all vectors were there
    assert names(after) == ["a", "b", "c"]
    assert [hit.distance for hit in after if hit.document == "a"] == [first[0].distance]


def test_a_search_by_vectors_alone_is_refused_while_they_are_read(place, monkeypatch):
    monkeypatch.setattr(vector_module, "PART_DOCUMENTS", 1)
    monkeypatch.setattr(vector_module, "PATIENCE_SECONDS", 0.0)
    put(place.open(), a="fern", b="fox")
    engine = place.open()

    with pytest.raises(StillLoading):
        search(engine, "fern", by_words=False)


def test_what_changes_during_a_load_is_seen_after_it(place, monkeypatch):
    monkeypatch.setattr(vector_module, "PART_DOCUMENTS", 1)
    engine, other = place.open(), place.open()
    put(engine, a="fern", b="fox", c="moss")
    with engine.database.reading() as transaction:
        vectors = vectors_of(engine)
        vectors._may_go_on(vectors._state_of(transaction))
        vectors._read_part(transaction)
        put(other, a="pond")
        other.finish(DOCS, {}, gone=["c"])

    found = search(engine, "pond", by_words=False)

    assert names(found) == ["a", "b"]
    assert found[0].distance == pytest.approx(0.0, abs=0.001)


def test_a_load_is_not_continued_by_an_older_view(place, monkeypatch):
    monkeypatch.setattr(vector_module, "PART_DOCUMENTS", 1)
    engine, other = place.open(), place.open()
    put(other, a="fern", b="fox")
    with engine.database.reading() as old:
        vectors = vectors_of(engine)
        old.fetch_one("SELECT COUNT(*) FROM search_vectors", {})
        put(other, b="moss")
        with engine.database.reading() as new:
            vectors._may_go_on(vectors._state_of(new))
            vectors._read_part(new)

        with pytest.raises(StillLoading):
            seen(engine, old)
    assert names(search(engine, "moss", by_words=False, limit=1)) == ["b"]
    assert numbers(engine, DOCS)

"""An index remembers what made it: another model's vectors are never compared, and two projects never mix."""

from functools import partial

from fieldguide.search.backlog import SourceFile
from fieldguide.search.types import SearchSource
from fieldguide.toolsets.documents.snapshot import Snapshot
from fieldguide.toolsets.documents.upkeep import sync_collection
from tests.fakes import FakeEmbedder
from tests.proves import proves
from tests.search.engines import DOCS, WORDS, names, put, search


def sync(engine, collection="dir:docs", stamp="", **texts):
    """A sync of a collection that holds these texts (None: can't be read just now)."""
    contents = {name: None if text is None else text.encode() for name, text in texts.items()}
    entries = [SourceFile(name, stamp, partial(contents.get, name)) for name in texts]
    return tuple(sync_collection(engine, collection, Snapshot(entries, {}), lambda done, total, name: None))


@proves("U2-10")
def test_a_sync_adds_updates_and_removes_by_content(engine):
    assert sync(engine, a="fern", b="fox", c="moss") == (3, 0, 0, 3)
    assert sync(engine, a="fern", b="fox", c="moss") == (0, 0, 0, 3)
    assert sync(engine, a="fern", b="pond", d="fox") == (1, 1, 1, 3)
    assert names(search(engine, "pond", limit=1)) == ["b"]
    assert sorted(engine.known(DOCS)) == ["a", "b", "d"]


@proves("U2-10")
def test_a_file_that_cannot_be_read_just_now_stays_as_it_was(engine):
    sync(engine, a="fern", b="fox")

    assert sync(engine, a=None, b="fox", c=None) == (0, 0, 0, 2)
    assert names(search(engine, "fern", limit=1)) == ["a"]


def test_a_stamp_that_is_the_same_spares_the_reading(engine):
    sync(engine, a="fern", stamp="today")

    assert sync(engine, a="fox", stamp="today") == (0, 0, 0, 1)
    assert sync(engine, a="fox", stamp="tomorrow") == (0, 1, 0, 1)
    assert sync(engine, a="fox", stamp="later") == (0, 0, 0, 1)
    assert engine.known(DOCS)["a"].stamp == "later"


def test_another_model_makes_every_vector_again(place):
    first = place.open(FakeEmbedder(*WORDS, identity="one"))
    sync(first, stamp="same", a="fern", b="fox")

    second = place.open(FakeEmbedder("zebra", *WORDS, "fern again", identity="two"))
    before = search(second, "fern", by_words=False)
    counts = sync(second, stamp="same", a="fern", b="fox")

    assert before == []
    assert names(search(second, "fern", by_words=False))[0] == "a"
    assert counts == (0, 2, 0, 2)
    assert {each.maker for each in second.known(DOCS).values()} == {second.maker}
    assert second.maker != first.maker


def test_words_are_found_while_the_vectors_are_made_again(place):
    put(place.open(FakeEmbedder(*WORDS, identity="one")), a="fern", b="fox")

    hits = search(place.open(FakeEmbedder(*WORDS, identity="two")), "fern")

    assert names(hits) == ["a"]
    assert hits[0].distance == 1.0


def test_the_sources_of_another_kind_are_not_ours(engine):
    put(engine, SearchSource("code", "dir:docs"), main="fern")
    put(engine, docs="fern")

    assert names(search(engine, "fern")) == ["docs"]
    assert [source.documents for source in engine.sources("code")] == [1]


def test_two_engines_with_two_models_do_not_make_each_others_work_again_for_ever(place):
    one, other = place.open(FakeEmbedder(*WORDS)), place.open(FakeEmbedder(*WORDS, identity="other"))

    counts = [sync(engine, a="fern") for engine in (one, other, one, other, one)]

    assert [each[:2] for each in counts] == [(1, 0), (0, 1), (0, 0), (0, 0), (0, 0)]

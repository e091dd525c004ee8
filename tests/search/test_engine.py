"""What is put into the engine and what comes out, on SQLite and on PostgreSQL."""

import pytest

from fieldguide.search.engine import SearchQuestion
from fieldguide.search.types import Scope
from tests.fakes import FakeEmbedder
from tests.proves import proves
from tests.search.engines import DOCS, KEPT, OTHER, WORDS, document, kept, names, numbers, put, search


@proves("S2-6", "U2-12")
def test_a_document_comes_back_as_hits_with_their_place(engine):
    put(engine, ferns="# Ferns\n\nA fern.\n\n## Water\n\nWet fern ground.\n")

    first, second = search(engine, "fern")

    assert (first.source, first.document, first.title, first.total) == ("dir:docs", "ferns", "Ferns", 2)
    assert {(hit.position, hit.passage.start_line, hit.passage.end_line) for hit in (first, second)} == {
        (0, 1, 3),
        (1, 5, 7),
    }
    deeper = next(hit for hit in (first, second) if hit.position == 1)
    assert deeper.passage.text == "## Water\n\nWet fern ground."
    assert deeper.passage.headings == ("Ferns", "Water")


@proves("S2-6")
def test_the_tables_hold_collections_documents_and_chunks(engine):
    put(engine, ferns="# Ferns\n\nA fern.\n")
    engine.finish(DOCS, {"name": "garden", "version": "1", "description": "All of it."})

    assert kept(engine) == {
        "details": ['{"description": "All of it.", "name": "garden", "version": "1"}'],
        "title": ["Ferns"],
        "text": ["# Ferns\n\nA fern.\n"],
        "body": ["# Ferns\n\nA fern."],
    }


def test_a_document_put_again_takes_the_place_of_the_old_one(engine):
    put(engine, pot="# Pot\n\nfern\n\n## Dry\n\nfern\n\n## Wet\n\nfern\n\n## Gone\n\nfox\n", rest="# Rest\n\nmoss\n")
    put(engine, pot="# Pot\n\nfern\n\n## Dry\n\nfern moss\nand so on\n\n## Wet\n\nfern\n")
    assert {(hit.position, hit.passage.start_line) for hit in search(engine, "fern")} == {(0, 1), (1, 5), (2, 10)}
    put(engine, pot="# Pot\n\nfox\n")

    assert names(search(engine, "fox", limit=1)) == ["pot"]
    assert not any("fern" in hit.passage.text for hit in search(engine, "fern"))
    assert [hit.total for hit in search(engine, "pot fox", limit=1)] == [1]
    assert len(engine.known(DOCS)) == 2


def test_what_is_gone_is_found_by_neither_side(engine):
    put(engine, ferns="fern", foxes="fox")

    engine.finish(DOCS, {}, gone=["ferns"])

    assert names(search(engine, "fern")) == ["foxes"]
    assert names(search(engine, "fern", by_words=False)) == ["foxes"]
    assert list(engine.known(DOCS)) == ["foxes"]


def test_a_removed_source_leaves_nothing_and_the_others_alone(engine):
    put(engine, ferns="fern")
    put(engine, OTHER, ferns="fern")

    engine.remove(DOCS)

    assert [source.name for source in engine.sources("documents")] == ["dir:other"]
    assert names(search(engine, "fern", OTHER)) == ["ferns"]
    assert {column: len(values) for column, values in kept(engine).items()} == dict.fromkeys(KEPT, 1)


def test_several_documents_are_put_all_or_none(engine):
    broken = document("broken", "fox")._replace(outline=[object()])  # type: ignore[list-item]  # no JSON

    with pytest.raises(TypeError):
        engine.put(DOCS, [document("whole", "fern"), broken])

    assert engine.sources("documents") == []


def test_another_process_sees_what_was_put_replaced_and_removed(place):
    writer, reader = place.open(), place.open()
    put(writer, one="fern", two="fern pond")
    before = names(search(reader, "fern"))

    put(writer, two="fox")
    writer.finish(DOCS, {}, gone=["one"])

    assert sorted(before) == ["one", "two"]
    assert names(search(reader, "fern fox")) == ["two"]
    assert search(reader, "fern fox")[0].passage.text == "fox"


@pytest.mark.parametrize("by_words", [True, False])
def test_a_scope_holds_for_words_and_for_vectors(engine, by_words):
    put(engine, **{f"near{number}": "fern fern" for number in range(120)})
    put(engine, OTHER, far="fern pond pond")
    mine = numbers(engine, OTHER)

    hits = engine.search(SearchQuestion("fern", Scope(mine), limit=10, by_words=by_words))

    assert names(hits) == ["far"]
    assert engine.search(SearchQuestion("fern", Scope(()), limit=10, by_words=by_words)) == []


@pytest.mark.parametrize("by_words", [True, False])
def test_a_document_can_be_left_out_of_words_and_of_vectors(engine, by_words):
    put(engine, one="fern", two="fern moss")
    with engine.database.reading() as transaction:
        one = engine.store(transaction).find(numbers(engine, DOCS)[0], "one")
    assert one is not None

    assert names(search(engine, "fern", without=one.id, by_words=by_words)) == ["two"]


@proves("D-18", "S2-60")
def test_a_hit_by_its_words_alone_has_its_true_distance_before_the_filter(engine):
    put(engine, **{f"near{number:03}": "fern" for number in range(100)}, worded="zebra pond fern")

    hits = {hit.document: hit for hit in search(engine, "zebra fern", limit=200)}

    half_right_angle = 1 - 2**-0.5
    assert hits["worded"].distance == pytest.approx(half_right_angle, abs=0.01)
    assert hits["near000"].distance == pytest.approx(0, abs=1e-6)
    assert "worded" not in names(search(engine, "zebra fern", by_words=False, limit=100))
    assert "worded" in names(search(engine, "zebra fern", limit=200, max_distance=0.3))
    assert "worded" not in names(search(engine, "zebra fern", limit=200, max_distance=0.28))


def test_equal_hits_come_in_the_order_of_their_places_every_time(engine):
    put(engine, **{f"doc{number}": "# Same\n\nfern\n\n## Same\n\nfern\n" for number in range(20)})

    hits = search(engine, "fern", limit=40)

    places = [(hit.document, hit.position) for hit in hits]
    scores = {hit.score for hit in hits}
    within = [[place for place, hit in zip(places, hits, strict=True) if hit.score == score] for score in scores]
    assert max(map(len, within)) > 1
    for equal in within:
        assert equal == sorted(equal, key=lambda place: (int(place[0][3:]), place[1]))
    assert len(places) == len(set(places)) == 40
    assert [(hit.document, hit.position) for hit in search(engine, "fern", limit=7)] == places[:7]
    assert search(engine, "fern", limit=40) == hits


@proves("S2-44")
def test_a_batch_asks_one_model_query_after_query_and_a_repeated_one_once(place):
    model = FakeEmbedder(*WORDS)
    engine = place.open(model)
    put(engine, ferns="fern", foxes="fox")
    scope = Scope(numbers(engine, DOCS))
    model.told.clear()

    answers = engine.search_all([SearchQuestion(text, scope, limit=1) for text in ("fern", "fox", "fern", "moss")])

    assert model.told == ["fern", "fox", "moss"]
    assert [names(answer) for answer in answers[:3]] == [["ferns"], ["foxes"], ["ferns"]]
    assert answers[0] == answers[2]


def test_text_that_the_model_does_not_know_is_found_by_its_words(engine):
    put(engine, known="fern", unknown="zebra")

    hits = search(engine, "zebra")

    assert names(hits) == ["unknown"]
    assert hits[0].distance == 1.0
    assert search(engine, "zebra", by_words=False) == []
    assert "unknown" not in names(search(engine, "fern", by_words=False, limit=1))

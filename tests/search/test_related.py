"""What is like a document: by the centre of its chunks, or by a text."""

import pytest

from fieldguide.search.embedding import average_vectors
from tests.fakes import FakeEmbedder
from tests.proves import proves
from tests.search.engines import DOCS, OTHER, WORDS, names, numbers, put

BOTH = "# One\n\nfern fern\n\n## Two\n\nfox fox\n"


def related(engine, name, **options):
    sources = numbers(engine, *options.pop("sources", (DOCS,)))
    with engine.database.reading() as transaction:
        document = engine.store(transaction).find(sources[0], name)
    given = {"limit": 10, "text": None, "same_document": False, **options}
    return engine.related(document, sources=sources, **given)


@proves("S2-50")
def test_without_a_text_the_middle_of_the_documents_vectors_is_the_query(engine):
    put(engine, both=BOTH, ferns="fern", foxes="fox", middle="fern fox", moss="moss")

    hits = related(engine, "both")

    assert names(hits) == ["middle", "ferns", "foxes", "moss"]
    assert [hit.distance for hit in hits] == pytest.approx([0, 0.293, 0.293, 1], abs=0.01)
    assert [hit.score for hit in hits] == [1 - hit.distance for hit in hits]


@proves("S2-50")
def test_a_text_is_embedded_and_looked_for_instead(place):
    model = FakeEmbedder(*WORDS)
    engine = place.open(model)
    put(engine, both=BOTH, ferns="fern", foxes="fox", moss="moss")
    model.told.clear()

    by_text = related(engine, "both", text="moss")
    told = list(model.told)
    related(engine, "both")

    assert names(by_text)[0] == "moss"
    assert told == model.told == ["moss"]


@proves("S2-51")
def test_the_document_itself_comes_only_where_it_is_wanted(engine):
    put(engine, both=BOTH, moss="moss")

    assert names(related(engine, "both")) == ["moss"]
    assert names(related(engine, "both", text="fern")) == ["moss"]
    assert names(related(engine, "both", same_document=True)) == ["both", "both", "moss"]


@proves("S2-52")
def test_the_most_alike_come_first_and_no_more_than_asked_for(engine):
    put(engine, source="fern", **{f"d{number}": "fern " + "fox " * number for number in range(1, 5)})

    hits = related(engine, "source", limit=3)

    assert names(hits) == ["d1", "d2", "d3"]
    assert [hit.distance for hit in hits] == sorted(hit.distance for hit in hits)


def test_each_other_document_comes_once_with_its_nearest_chunk(engine):
    put(engine, source="fern", long="# L\n\nfern fox\n\n## M\n\nfern\n\n## N\n\nmoss\n", short="pond")

    hits = related(engine, "source")

    assert names(hits) == ["long", "short"]
    assert hits[0].passage.headings == ("L", "M")


@proves("D-17", "S2-53")
def test_only_the_given_sources_are_looked_through(engine):
    put(engine, source="fern", here="fox")
    put(engine, OTHER, there="fern")

    assert names(related(engine, "source")) == ["here"]
    assert names(related(engine, "source", sources=(DOCS, OTHER))) == ["there", "here"]


def test_a_document_whose_words_the_model_does_not_know_is_like_nothing(engine):
    put(engine, unknown="zebra", empty="", ferns="fern")

    assert related(engine, "unknown") == []
    assert related(engine, "empty") == []


def test_a_chunk_that_points_nowhere_does_not_move_the_middle():
    model = FakeEmbedder("fern", "fox")
    fern, fox, nowhere = (model.embed_query(text) for text in ("fern", "fox", "zebra"))

    assert average_vectors([fern, nowhere, nowhere]) == fern
    assert average_vectors([fern, fern * 1, fox, fox]) == model.embed_query("fern fox")
    assert average_vectors([nowhere]) == nowhere
    assert average_vectors([]) == b""


@proves("S2-52")
def test_a_long_document_does_not_take_the_places_of_all_others(engine):
    long = "\n\n".join(f"# Part {number}\n\nfern" for number in range(150))
    put(engine, source="fern", long=long, near="fern fern fox", far="fox")

    assert sorted(names(related(engine, "source", limit=3))) == ["far", "long", "near"]

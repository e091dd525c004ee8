"""`documents_search_batch`: several queries in one call, each answered as if it had been asked alone."""

import pytest

from tests.document_wires import GUIDE_ID, NOTES_ID
from tests.proves import proves


def batch(ask, *queries, **options):
    asked = [{"query": each} if isinstance(each, str) else each for each in queries]
    return ask("documents_search_batch", queries=asked, **options).value["results"]


@proves("S2-41", "S2-63", "S2-40")
def test_it_answers_the_queries_in_their_order(ask):
    told = ask("documents_search_batch", queries=[{"query": "fox den"}, {"query": "peat"}, {"query": "cron"}])

    assert list(told.value) == ["results"]
    assert told.structured == told.value
    assert [list(each) for each in told.value["results"]] == [["query", "results"]] * 3
    assert [each["query"] for each in told.value["results"]] == ["fox den", "peat", "cron"]
    assert [each["results"][0]["documentId"] for each in told.value["results"]] == [
        "foxes.md",
        "ferns.md",
        "setup/install.md",
    ]
    assert [len(each["results"]) for each in told.value["results"]] == [5, 5, 5]


@proves("S2-45", "S2-41")
@pytest.mark.parametrize(
    "options",
    [
        {"limit": 5},
        {"limit": 2},
        {"limit": 100, "maxDistance": 0.9},
        {"limit": 100, "hybridSearch": False},
        {"limit": 0},
    ],
    ids=str,
)
def test_a_batch_of_one_gives_what_a_search_gives(ask, options):
    alone = ask("documents_search", query="water the roots", collections=["guide"], **options)

    together = batch(ask, {"query": "water the roots", "collections": ["guide"]}, **options)

    items = [] if alone.texts == ["No results found for the given query."] else alone.value
    assert together == [{"query": "water the roots", "results": items}]
    assert bool(items) == (options["limit"] > 0)


@proves("S2-42", "D-31", "S2-63")
def test_ten_queries_are_answered_and_none_or_eleven_are_refused(ask):
    ten = [{"query": f"fern {number}"} for number in range(10)]

    assert len(ask("documents_search_batch", queries=ten).value["results"]) == 10
    none = ask("documents_search_batch", queries=[])
    eleven = ask("documents_search_batch", queries=[*ten, {"query": "fern"}])
    assert none.error == "Error: field queries must hold at least 1"
    assert eleven.error == "Error: field queries must hold at most 10"


@proves("S2-43", "S2-3", "S2-4")
def test_each_query_has_its_own_collections_by_alias_or_id(ask):
    results = batch(
        ask,
        {"query": "shade", "collections": ["notes"]},
        {"query": "shade", "collections": [GUIDE_ID]},
        {"query": "shade"},
        {"query": "shade", "collections": ["nowhere"]},
        limit=100,
    )

    shown = [{(hit["collection"], hit["collectionId"]) for hit in each["results"]} for each in results]
    notes, guide = ("notes", NOTES_ID), ("guide", GUIDE_ID)
    assert shown == [{notes}, {guide}, {notes, guide}, set()]

"""`documents_search`: the chunks that answer a query best, and all that is known of each."""

import pytest

from tests.cited import cited_lines
from tests.document_wires import FERNS, GUIDE_ID, NOTES_ID, UNTITLED
from tests.proves import proves

NOTHING = "No results found for the given query."
FIELDS = [
    "collection", "collectionId", "documentId", "documentTitle", "sectionHeading", "content", "relevanceScore",
    "distance", "chunkIndex", "totalChunks", "startLine", "endLine", "citation",
]  # fmt: skip


def found(ask, query, **options):
    return ask("documents_search", query=query, **options).items


@proves("S2-2", "S2-4", "S2-54", "S2-55", "S2-56", "S2-57", "S2-58", "U2-1", "U2-12")
def test_every_wire_tells_all_of_a_hit(wire):
    hit = found(wire, "Which soil do ferns want?", collections=["guide"])[0]

    assert list(hit) == [*FIELDS, "also"]
    assert {key: hit[key] for key in FIELDS if key not in ("relevanceScore", "distance")} == {
        "collection": "guide",
        "collectionId": GUIDE_ID,
        "documentId": "ferns.md",
        "documentTitle": "Ferns",
        "sectionHeading": "Which soil",
        "content": "#### Which soil\n\nPeat and bark.",
        "chunkIndex": 5,
        "totalChunks": 5,
        "startLine": 22,
        "endLine": 24,
        "citation": cited_lines("guide/ferns.md", FERNS, 22, 24),
    }
    assert 0 < hit["relevanceScore"] <= 1
    assert 0 <= hit["distance"] <= 2


@proves("S2-55", "S2-56", "D-12")
def test_a_chunk_below_no_heading_has_none_and_its_title_is_the_id(ask):
    hit = found(ask, "moss", collections=["notes"])[0]

    assert hit["content"] == UNTITLED.rstrip("\n")
    assert hit["documentTitle"] == "untitled.md"
    assert "sectionHeading" not in hit


@proves("S2-57", "S2-58")
def test_the_positions_of_a_documents_chunks_count_from_one_to_their_total(ask):
    hits = [hit for hit in found(ask, "ferns", limit=100) if hit["documentId"] == "ferns.md"]

    assert sorted(hit["chunkIndex"] for hit in hits) == [1, 2, 3, 4, 5]
    assert {hit["totalChunks"] for hit in hits} == {5}
    in_order = sorted(hits, key=lambda hit: hit["chunkIndex"])
    assert [hit["startLine"] for hit in in_order] == [1, 5, 9, 13, 22]


@proves("S2-3", "S2-4")
def test_collections_are_named_by_alias_or_id_and_shown_by_alias(ask):
    by_alias = found(ask, "shade", collections=["notes"])

    assert found(ask, "shade", collections=[NOTES_ID]) == by_alias
    assert found(ask, "shade", collections=[NOTES_ID, "notes", "nowhere"]) == by_alias
    assert {(hit["collection"], hit["collectionId"]) for hit in by_alias} == {("notes", NOTES_ID)}
    assert {hit["collection"] for hit in found(ask, "shade")} == {"notes", "guide"}


@proves("U2-1", "S2-5")
def test_it_says_that_nothing_was_found_and_what_to_try(ask):
    empty = ask("documents_search", query="fern", collections=[])
    unknown = ask("documents_search", query="fern", collections=["nowhere"])
    too_far = ask("documents_search", query="fern", collections=["guide"], maxDistance=0)

    assert empty.texts[0] == too_far.texts[0] == NOTHING
    assert unknown.texts[:2] == [NOTHING, 'Collection "nowhere" not found.']
    assert not any(told.is_error for told in (empty, unknown, too_far))
    assert "leave `collections` out" in empty.texts[-1]
    assert "guide" in unknown.texts[-1]
    assert too_far.texts[-1].startswith("Searched, with the number of documents: guide (")
    assert "maxDistance 0 was left out" in too_far.texts[-1]
    assert "Other collections were not searched" in too_far.texts[-1]


@proves("U2-1")
def test_ten_hits_come_unless_another_number_is_asked_for(ask):
    everything = found(ask, "water", limit=1000)
    ten = found(ask, "water", limit=10)

    assert found(ask, "water") == ten
    assert [hit["citation"] for hit in found(ask, "water", limit=3)] == [hit["citation"] for hit in ten[:3]]
    assert found(ask, "water", limit=3.9) == found(ask, "water", limit=3)
    assert len(everything) > 10
    assert ask("documents_search", query="water", limit=0).sentence == NOTHING


@proves("S2-59", "S2-2")
def test_a_word_is_found_by_its_letters_and_a_meaning_by_its_likeness(ask):
    identifier = found(ask, "sprinkler_timeout_seconds", limit=1)[0]
    part = found(ask, "timeout", limit=1)[0]
    meant = [found(ask, query, limit=1)[0]["sectionHeading"] for query in ("Ubuntu", "Microsoft")]

    assert "sprinkler_timeout_seconds" in identifier["content"]
    assert part["citation"] == identifier["citation"]
    assert meant == ["Linux", "Windows"]


@proves("U2-5", "S2-59")
def test_without_keywords_the_score_is_the_likeness_and_the_nearest_comes_first(ask):
    hits = found(ask, "watering the plants", hybridSearch=False, limit=100)

    assert [hit["distance"] for hit in hits] == sorted(hit["distance"] for hit in hits)
    assert all(hit["relevanceScore"] == pytest.approx(1 - hit["distance"], abs=1e-4) for hit in hits)
    fused = found(ask, "watering the plants", limit=100)
    scores = [hit["relevanceScore"] for hit in fused]
    assert scores == sorted(scores, reverse=True)
    assert scores != [pytest.approx(1 - hit["distance"], abs=1e-4) for hit in fused]
    assert {hit["citation"]: hit["distance"] for hit in fused} == {hit["citation"]: hit["distance"] for hit in hits}


@proves("S2-60", "U2-1", "D-18")
@pytest.mark.parametrize("hybrid", [True, False])
def test_nothing_farther_than_the_greatest_distance_is_told(ask, hybrid):
    everything = found(ask, "watering ferns", limit=100, hybridSearch=hybrid)
    limit = sorted(hit["distance"] for hit in everything)[len(everything) // 2] + 1e-6

    near = found(ask, "watering ferns", limit=100, hybridSearch=hybrid, maxDistance=limit)

    def order(hits):
        return [(hit["citation"], hit["distance"]) for hit in hits]

    assert order(near) == [entry for entry in order(everything) if entry[1] <= limit]
    assert 0 < len(near) < len(everything)
    assert found(ask, "watering ferns", limit=100, hybridSearch=hybrid, maxDistance=2) == everything


@proves("U2-1")
def test_a_second_look_is_accepted(ask):
    assert found(ask, "timer for linux kernels", rerank=True) == found(ask, "timer for linux kernels")


@pytest.mark.parametrize(
    "query", ["", " ", "?!", "🦊", '"', "a AND", "NEAR(", "title:fern", "fern*", "'; --", "\\", "% _", "a" * 5000]
)
def test_no_query_is_an_instruction_to_the_index(ask, query):
    assert not ask("documents_search", query=query).is_error

"""The list of `guide_search`, from candidates to hits: joined, parted and calibrated."""

import json
from pathlib import Path

from fieldguide.search.code_ranking import QuestionNames
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.models.choice import choose_embedder
from fieldguide.search.pools import PoolCandidate
from fieldguide.search.ranking import QueryTerms, QueryWords
from fieldguide.search.types import ChunkPassage
from fieldguide.toolsets.guide import search_scoring
from fieldguide.toolsets.guide.search_candidates import SearchCandidates, is_unknown_name
from fieldguide.toolsets.guide.search_scoring import (
    CandidateFeatures,
    ListedHit,
    PlacedCandidate,
    is_likely,
    list_hits,
    score_candidate,
    split_file_stem,
)
from tests.proves import proves

NOTHING = CandidateFeatures(*[0.0] * len(CandidateFeatures._fields))


def candidate(path: str, start: int, end: int, odds: float, text: str = ""):
    document = StoredDocument(1, 1, path, path, 10, 3, ())
    passage = ChunkPassage(text or f"{path} {start}", (), start, end)
    return score_candidate(
        PlacedCandidate(PoolCandidate(start, document, passage, 0.5, 0.5), path, "code", is_code=True), odds
    )


def spans(hits: list[ListedHit]) -> list[tuple[str, int, int]]:
    return [(hit.best.placed.path, hit.start, hit.end) for hit in hits]


@proves("G-21")
def test_every_feature_has_a_weight_and_the_card_tells_it():
    weights = search_scoring.read_weights()
    card = Path(search_scoring.WEIGHTS_FILE).with_suffix(".md").read_text(encoding="utf-8")

    assert set(weights) == {search_scoring.BIAS, *CandidateFeatures._fields}
    assert all(f"| {name} | {weight:.3f} |" in card for name, weight in weights.items())
    assert json.loads(Path(search_scoring.WEIGHTS_FILE).read_text(encoding="utf-8")) == weights


@proves("G-21")
def test_what_fits_better_is_likelier_whatever_its_kind():
    poor, good = search_scoring.compute_log_odds(
        [NOTHING._replace(fused=0.2), NOTHING._replace(fused=0.9, likeness=0.5)]
    )

    assert 0 < search_scoring.to_probability(poor) < search_scoring.to_probability(good) < 1


@proves("G-22")
def test_neighbours_that_are_nearly_as_likely_are_one_hit():
    near = [candidate("a", 10, 20, 1.0), candidate("a", 40, 50, 0.5), candidate("a", 80, 90, -3.0)]

    assert spans(list_hits(near, 10)) == [("a", 10, 50)]


@proves("G-22")
def test_a_file_has_two_hits_and_the_second_must_be_much_likelier_than_others():
    far = [candidate("a", start, start + 5, 1.0 - start / 10_000) for start in (1, 500, 1000, 1500)]
    other = candidate("b", 1, 5, 0.0)

    hits = list_hits([*far, other], 10)

    assert spans(hits) == [("a", 1, 6), ("b", 1, 5), ("a", 500, 505)]
    assert hits[0].also == ("#L1000-L1005", "#L1500-L1505")


@proves("G-22", "G-28")
def test_copies_are_named_once_and_the_order_of_candidates_says_nothing():
    text = "The same sentence, which is long enough to be no coincidence, stands in two files of one project."
    given = [candidate("b", 1, 5, 0.5, text), candidate("a", 7, 9, 0.5, f"{text}\n"), candidate("c", 1, 2, 0.5)]

    hits = list_hits(given, 10)

    assert spans(hits) == [("a", 7, 9), ("c", 1, 2)]
    assert hits[0].also == ("b#L1-L5",)
    assert list_hits(reversed(given), 10) == hits


@proves("G-25")
def test_what_is_hardly_likely_is_unsure():
    likely, hardly = list_hits([candidate("a", 1, 5, -6.0), candidate("b", 1, 5, -4.0)], 10)

    assert is_likely(likely)
    assert not is_likely(hardly)


@proves("D-41")
def test_a_code_that_no_text_holds_is_an_unknown_name():
    words = QueryWords("54140be5", choose_embedder({}, {}))
    other, held = candidate("a", 1, 5, 0.0).placed, candidate("b", 1, 5, 0.0, "since 54140be5").placed
    held = held._replace(candidate=held.candidate._replace(is_exact=True))
    for placed, is_unknown in (([other], True), ([other, held], False)):
        found = SearchCandidates(placed, [NOTHING] * len(placed), QueryTerms({}), words)
        assert is_unknown_name(found, QuestionNames("54140be5")) is is_unknown


def test_the_words_of_a_files_name_leave_out_that_it_is_a_test():
    assert split_file_stem("tests/test_http_cache.py") == ("http", "cache")
    assert split_file_stem("src/HttpCacheTest.java") == ("http", "cache")
    assert split_file_stem("lib/http-cache.test.js") == ("http", "cache")

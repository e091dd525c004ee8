"""The list of `guide_search`, from candidates to hits: joined, parted and calibrated."""

import json
from pathlib import Path

from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.mixed.pools import Candidate
from fieldguide.search.port import Passage
from fieldguide.toolsets.guide.finding import calibration
from fieldguide.toolsets.guide.finding.features import Features, Placed, stem_words
from fieldguide.toolsets.guide.finding.listing import Listed, listed, scored
from tests.proves import proves

NOTHING = Features(*[0.0] * len(Features._fields))


def candidate(path: str, start: int, end: int, odds: float, text: str = ""):
    document = StoredDocument(1, 1, path, path, 10, 3, ())
    passage = Passage(text or f"{path} {start}", (), start, end)
    return scored(Placed(Candidate(start, document, passage, 0.5, 0.5), path, "code", is_code=True), odds)


def spans(hits: list[Listed]) -> list[tuple[str, int, int]]:
    return [(hit.best.placed.path, hit.start, hit.end) for hit in hits]


@proves("G-21")
def test_every_feature_has_a_weight_and_the_card_tells_it():
    weights = calibration.learnt()
    card = Path(calibration.WEIGHTS_FILE).with_name("card.md").read_text(encoding="utf-8")

    assert set(weights) == {calibration.BIAS, *Features._fields}
    assert all(f"| {name} | {weight:.3f} |" in card for name, weight in weights.items())
    assert json.loads(Path(calibration.WEIGHTS_FILE).read_text(encoding="utf-8")) == weights


@proves("G-21")
def test_what_fits_better_is_likelier_whatever_its_kind():
    poor, good = calibration.log_odds([NOTHING._replace(fused=0.2), NOTHING._replace(fused=0.9, likeness=0.5)])

    assert 0 < calibration.probability(poor) < calibration.probability(good) < 1


@proves("G-22")
def test_neighbours_that_are_nearly_as_likely_are_one_hit():
    near = [candidate("a", 10, 20, 1.0), candidate("a", 40, 50, 0.5), candidate("a", 80, 90, -3.0)]

    assert spans(listed(near, 10)) == [("a", 10, 50)]


@proves("G-22")
def test_a_file_has_two_hits_and_the_second_must_be_much_likelier_than_others():
    far = [candidate("a", start, start + 5, 1.0 - start / 10_000) for start in (1, 500, 1000, 1500)]
    other = candidate("b", 1, 5, 0.0)

    hits = listed([*far, other], 10)

    assert spans(hits) == [("a", 1, 6), ("b", 1, 5), ("a", 500, 505)]
    assert hits[0].also == ("#L1000-L1005", "#L1500-L1505")


@proves("G-22", "G-28")
def test_copies_are_named_once_and_the_order_of_candidates_says_nothing():
    text = "The same sentence, which is long enough to be no coincidence, stands in two files of one project."
    given = [candidate("b", 1, 5, 0.5, text), candidate("a", 7, 9, 0.5, f"{text}\n"), candidate("c", 1, 2, 0.5)]

    hits = listed(given, 10)

    assert spans(hits) == [("a", 7, 9), ("c", 1, 2)]
    assert hits[0].also == ("b#L1-L5",)
    assert listed(reversed(given), 10) == hits


@proves("G-25")
def test_what_is_hardly_likely_is_no_hit():
    assert listed([candidate("a", 1, 5, -6.0)], 10) == []


def test_the_words_of_a_files_name_leave_out_that_it_is_a_test():
    assert stem_words("tests/test_http_cache.py") == ("http", "cache")
    assert stem_words("src/HttpCacheTest.java") == ("http", "cache")
    assert stem_words("lib/http-cache.test.js") == ("http", "cache")

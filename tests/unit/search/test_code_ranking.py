"""The one ranking for code: what does the work comes before what only has its name."""

from fieldguide.search.code_ranking import CodeChunk, QuestionNames, compute_code_odds
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.pools import PoolCandidate
from fieldguide.search.ranking import QueryTerms, RecordJudge
from fieldguide.search.types import ChunkPassage, number_chunk
from fieldguide.toolsets.context.search import rank_hits
from tests.proves import proves

METHOD = "def throw_away(self):\n" + "    keep(self, only=lambda each: each.lasts)\n" * 8
CONSTRUCTOR = "def __init__(self, path):\n    self.path = path\n    self.kept = []\n"
DECLARATION = "THROW_AWAY = True"
COMMENT = "# Keeps what the session has, and throws it away.\n# More about the jar.\nclass Jar:"


def chunk(text, *names, path="src/jar.py", role="", fused=0.8, likeness=0.4, is_exact=False):
    passage = ChunkPassage(text, names, 1, text.count("\n") + 1)
    return CodeChunk(path, passage, role, fused, likeness, is_exact)


def order(question, *chunks):
    odds = compute_code_odds(chunks, QuestionNames(question))
    return sorted(range(len(chunks)), key=lambda number: -odds[number])


@proves("S3-16")
def test_the_method_that_does_the_work_beats_constructors_heads_and_declarations():
    found = order(
        "what is left of the session at the end",
        chunk(CONSTRUCTOR, "Jar", "__init__"),
        chunk(DECLARATION, "THROW_AWAY"),
        chunk(COMMENT, "Jar"),
        chunk(METHOD, "Jar", "throw_away"),
    )

    assert found[0] == 3


@proves("S3-16")
def test_a_class_that_is_named_counts_for_its_members_and_not_twice_for_its_constructor():
    chunks = (
        chunk("Jar(String path) {\n  this.path = path;\n}", "Jar", "Jar"),
        chunk(COMMENT, "Jar"),
        chunk(METHOD, "Jar", "throw_away"),
        chunk(METHOD, "Box", "throw_away"),
    )

    assert order("how does Jar get rid of what is old", *chunks)[0] == 2
    assert order("where is class Jar defined", *chunks)[0] == 1
    assert order("how is a Jar constructed", *chunks).index(0) < 3


def test_tests_come_after_the_implementation_unless_they_are_asked_for():
    work, test = (
        chunk(METHOD, "throw_away"),
        chunk(METHOD, "test_throw_away", path="tests/a.py", role="tests", fused=1.0),
    )

    assert order("throw old things away", test, work) == [1, 0]
    assert order("tests of throwing old things away", test, work) == [0, 1]


def test_a_name_whose_parts_the_question_has_counts_in_whatever_order_they_stand():
    named, other = chunk(METHOD, "openPageInEditor"), chunk(METHOD, "buildNavigation")

    assert order("open a page in the local editor", other, named) == [1, 0]
    assert order("close a page in the local browser", other, named) == [0, 1]


def test_tests_within_a_file_of_code_come_after_its_code():
    assert order("throw old things away", chunk(METHOD, "tests", "drops"), chunk(METHOD, "drops")) == [1, 0]


def test_code_that_holds_what_the_question_says_comes_before_code_that_is_a_little_nearer():
    near, quoted = chunk(METHOD, "near"), chunk(METHOD, "quoted")

    assert order("give up when the lock is held", near._replace(likeness=0.55), quoted._replace(held=0.5)) == [0, 1]
    assert order("give up when the lock is held", near._replace(likeness=0.55), quoted._replace(held=1.0)) == [1, 0]


@proves("S3-16")
def test_a_definition_that_was_cut_is_one_hit_again():
    document = StoredDocument(7, 1, "src/jar.py", "src/jar.py", 900, 3, ())
    parts = [ChunkPassage("one\ntwo", ("Jar", "sort"), 1, 2), ChunkPassage("three", ("Jar", "sort"), 4, 4)]
    other = ChunkPassage("five", ("Jar", "other"), 5, 5)
    candidates = [
        PoolCandidate(number_chunk(7, place), document, passage, 0.9 - place / 10, 0.5)
        for place, passage in enumerate([*parts, other])
    ]

    hits = rank_hits(candidates, QuestionNames("put things in order"), {1: "code\n"}, frozenset((1,)), QueryTerms({}))

    spans = [(hit.passage.start_line, hit.passage.end_line, hit.passage.text) for hit in hits]
    assert (1, 4, "one\ntwo\n\nthree") in spans
    assert (5, 5, "five") in spans


@proves("D-41")
def test_a_record_that_holds_the_identifier_of_a_question_always_answers_it():
    judge = RecordJudge("somebody asked in the meeting about what we should remember of ERR_POOL_7731")

    assert judge.answers(0.0, "rule", "Restart the worker when ERR_POOL_7731 shows up in its log.")
    assert not judge.answers(0.0, "rule", "Water the ferns twice a day.")

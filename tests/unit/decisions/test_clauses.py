"""What a sentence takes and what it drops, by its structure."""

import pytest

from fieldguide.knowledge.decisions.clauses import read_clauses
from fieldguide.knowledge.decisions.record import RecordSentence


def read(text):
    said = read_clauses([RecordSentence(text, 1)])
    taken = {term for each in said if each.is_taken for term in each.terms}
    return taken, {term for each in said if not each.is_taken for term in each.terms}


@pytest.mark.parametrize(
    ("text", "taken", "dropped"),
    [
        ("Use mongo instead of oracle", {"mongo"}, {"oracl"}),
        ("Rather than oracle, we will use mongo", {"mongo"}, {"oracl"}),
        ("Replace oracle with mongo", {"mongo"}, {"oracl"}),
        ("Oracle is replaced by mongo", {"mongo"}, {"oracl"}),
        ("Do not replace oracle with mongo", {"oracl"}, {"mongo"}),
        ("Migrate from oracle to mongo", {"mongo"}, {"oracl"}),
        ("Move away from oracle", set(), {"oracl"}),
        ("We prefer mongo over oracle", {"mongo"}, {"oracl"}),
        ("We no longer forbid oracle", {"oracl"}, set()),
        ("Oracle is no longer used", set(), {"oracl"}),
        ("Stop using oracle and use mongo", {"mongo"}, {"oracl"}),
        ("Drop oracle, mongo and redis", set(), {"oracl", "mongo", "redis"}),
        ("Neither oracle nor mongo", set(), {"oracl", "mongo"}),
        ("Deprecate oracle in favour of mongo", {"mongo"}, {"oracl"}),
    ],
)
def test_negations_and_contrasts_turn_what_they_bind_to(text, taken, dropped):
    own, other = read(text)

    assert other == dropped
    assert taken <= own
    assert not own & dropped


@pytest.mark.parametrize("text", [
    "Currently we use oracle", "Because oracle is not stable", "If oracle fails", "Should we drop oracle?",
    "We considered oracle",
])  # fmt: skip
def test_the_past_a_reason_a_condition_and_a_question_say_nothing(text):
    assert read(text) == (set(), set())


def test_what_a_contrast_is_for_is_said_of_both_sides():
    assert read("Use mongo instead of oracle for orders") == ({"mongo", "order"}, {"oracl"})

"""Questions that are made of headings and decisions, and the headings that make none."""

import pytest

from fieldguide.cli.init_questions import make_decision_question, make_heading_question
from tests.proves import proves


@proves("Z-25")
@pytest.mark.parametrize(("heading", "question"), [
    ("How to cancel an order", "How do I cancel an order?"),
    ("3. How to deploy to `production`", "How do I deploy to production?"),
    ("How to let [Prometheus](https://p.example) monitor itself", "How do I let Prometheus monitor itself?"),
    ("Why is a rebuild needed?", "Why is a rebuild needed?"),
])  # fmt: skip
def test_a_heading_that_tells_what_to_do_makes_a_question(heading, question):
    assert make_heading_question(heading) == question


@proves("Z-25")
@pytest.mark.parametrize(
    "heading",
    [
        "License",
        "What is Redis?",
        "Test Client",
        "Debug Mode",
        "Building blocks",
        "Installation",
        "Upgrading to 2.0",
        "Support us",
        "How to use it",
        "Wie man Bestellungen storniert",
        "Use \u202ethe evil",
        "How to add " + "very " * 40 + "much",
        "",
    ],
)
def test_other_headings_make_none(heading):
    assert make_heading_question(heading) == ""


@proves("Z-25")
@pytest.mark.parametrize(
    ("name", "asked", "question"),
    [
        ("Keep orders in PostgreSQL", "", "What was decided about Keep orders in PostgreSQL?"),
        ("Transaction ordering", "", "What was decided about Transaction ordering?"),
        ("Whatever", "Orders matter.\nWhich database keeps them?", "Which database keeps them?"),
        ("Whatever", "", ""),
    ],
)
def test_a_decision_is_asked_for_in_its_own_words(name, asked, question):
    assert make_decision_question(name, asked) == question

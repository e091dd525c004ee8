"""Proposals of one sentence, as an agent writes them: what each does to a single decision, and what is quoted."""

import pytest
from fieldguide.toolsets.architecture.adr import Alignment
from fieldguide.toolsets.architecture.adr.amounts import amounts_in
from fieldguide.toolsets.architecture.adr.frames import frames_of
from fieldguide.toolsets.architecture.adr.names import names_in

from fieldguide.toolsets.architecture.decisions import read_record
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence


def record(title, decision, context="Why it came up.", options=()):
    listed = "## Considered Options\n\n" + "".join(f"* {option}\n" for option in options) if options else ""
    return read_record(
        "0001-a.md",
        f"# 1. {title}\n\n## Status\n\nAccepted\n\n## Context\n\n{context}\n\n{listed}\n## Decision\n\n{decision}\n",
    )


NO_ORM = record("No ORM", "Services must not use an object-relational mapper. SQL is written by hand.")
WITHOUT_NUMPY = record("Scan byte vectors, without numpy for a query", "Vectors are scanned one and all.")
PREFER_REST = record("Prefer REST over GraphQL", "Public endpoints are REST resources. Partners asked for it.")
SECRETS = record("Secrets live in Vault", "Secrets must never be written to the repository or to container images.")
PEOPLE_FETCH = record("Fetch only what a person asks for", "A served project reads what is on this machine.")
BACKEND_IN_GO = record("Write backend services in Go", "New backend services are written in Go.")
RETENTION = record("Keep raw telemetry for 30 days", "Raw positions are deleted 30 days after they arrived.")
PRIVATE = record("Use a private cluster endpoint", "The endpoint of the cluster is private.")
SEARCH = record(
    "Catalogue search",
    'Chosen option: "PostgreSQL full-text search", because there is nothing new to run.',
    options=("Elasticsearch", "PostgreSQL full-text search"),
)
TESTS = record("Tests belong to the change", "A pull request contains the tests of what it changes.")
SQLITE_FOR_USERS = record("Plain SQL behind a port", "The default is SQLite. Teams use PostgreSQL with its pool.")
LIGHTWEIGHT = record("Against the use of lightweight transactions", "We should no longer rely on them.")


def label(decision, proposal):
    found = Alignment([decision], None).check(proposal).related
    return found[0].alignment if found else "not listed"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (NO_ORM, "Introduce SQLAlchemy ORM models for the order service"),
        (NO_ORM, "Adopt Hibernate in the payment service"),
        (WITHOUT_NUMPY, "Use numpy for query vectors"),
        (PREFER_REST, "Offer a GraphQL endpoint for partners"),
        (SECRETS, "Put the API keys into the repository"),
        (SECRETS, "Bake the private key into the container image"),
        (PEOPLE_FETCH, "Fetch remote documents in the background while serving"),
        (BACKEND_IN_GO, "Write the new notification service in Rust"),
        (RETENTION, "Keep raw vehicle positions for two years"),
        (RETENTION, "Never delete raw telemetry"),
        (PRIVATE, "Make the cluster endpoint public"),
        (SEARCH, "Introduce Elasticsearch for the catalogue search"),
        (SEARCH, "Use Typesense for the catalogue search"),
        (SQLITE_FOR_USERS, "Use MySQL as our main database"),
        (LIGHTWEIGHT, "Use lightweight transactions for mailbox names"),
    ],
)
def test_a_sentence_against_a_decision_conflicts_with_it(decision, proposal):
    assert label(decision, proposal) == "conflicts"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (NO_ORM, "Write the report's SQL by hand, no ORM"),
        (SECRETS, "Read the database password from Vault"),
        (BACKEND_IN_GO, "Implement the loans service in Go"),
        (SEARCH, "Add a trigram index to the PostgreSQL full-text search"),
    ],
)
def test_a_sentence_that_builds_on_a_decision_supports_it(decision, proposal):
    assert label(decision, proposal) == "supports"


@pytest.mark.parametrize(
    ("decision", "proposal"),
    [
        (NO_ORM, "Add a linter for SQL files"),
        (PREFER_REST, "Raise the rate limit of the public endpoints"),
        (SECRETS, "Rename the repository"),
        (BACKEND_IN_GO, "Give each backend service its own dashboard"),
        (RETENTION, "Send positions every five seconds"),
        (SEARCH, "Show popular searches on the start page"),
        (TESTS, "Run the tests on two Go versions"),
        (TESTS, "Reject pull requests that bring code without tests"),
    ],
)
def test_a_sentence_that_touches_a_decision_is_no_conflict(decision, proposal):
    assert label(decision, proposal) != "conflicts"


def test_what_an_option_names_as_an_example_was_turned_down_with_it():
    decision = record(
        "Index by pairs of characters",
        'Chosen option: "Pairs of characters", because words have two of them.',
        options=("A word segmenter: ICU, jieba, MeCab", "Pairs of characters"),
    )

    assert label(decision, "Segment text into words with jieba before it is indexed by characters") == "conflicts"


def test_a_related_decision_is_quoted_by_its_chosen_option():
    decision = record(
        "Catalogue search",
        'Chosen option: "FTS5", because it is there.\n\n- That beat reciprocal rank fusion on the labelled sets.',
        options=("FTS5", "An index of our own"),
    )

    told = Alignment([decision], None).check("Explain the catalogue search in the guide").related[0]

    assert (told.alignment, "“FTS5” (line 18)" in told.reason) == ("related", True)


def test_a_decision_that_is_far_from_the_proposal_is_no_conflict():
    far = read_record("0002-b.md", "# 2. Plugins\n\n## Decision\n\nEvery plugin has a record of its own.\n")
    near = record("Do not use numbers in headings", "Headings carry the title only.")

    told = Alignment([near, far], None).check("Put the number of a decision in the headings of each record").related

    assert {each.record.number: each.alignment for each in told}[1] == "conflicts"
    assert "conflicts" not in [each.alignment for each in told if each.record.number == 2]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("for 30 days", {"period": 2_592_000.0}),
        ("retried three times", {"times": 3.0}),
        ("updated once a week", {"rate": 604_800.0}),
        ("80 % coverage", {"%": 80.0}),
        ("in no time", {}),
    ],
)
def test_amounts_are_known_by_what_they_count(text, amounts):
    assert amounts.items() <= amounts_in(text).items()
    assert bool(amounts_in(text)) == bool(amounts)


@pytest.mark.parametrize(
    "text", ["Store readings in InfluxDB", "Readings are stored in InfluxDB", "We store readings in InfluxDB"]
)
def test_an_order_and_a_passive_say_the_same(text):
    frame = next(frames_of(Sentence(text, 1)))

    assert (frame.verb, frame.head, set(frame.phrases)) == ("store", "read", {"where"})


def test_names_are_told_from_words_that_only_open_a_sentence():
    assert set(names_in("Send mail through SendGrid and Postgres")) >= {"sendgrid", "postgresql"}
    assert "send" not in set(names_in("Send mail through SendGrid"))


def test_a_record_that_shares_two_words_with_a_short_proposal_is_told_of():
    records = [
        read_record("0001-a.md", "# 1. Use PostgreSQL\n\nStatus: Accepted\n\n## Decision\n\nWe will use PostgreSQL.\n"),
        read_record(
            "0003-b.md",
            "# 3. Services must not share databases\n\nStatus: Accepted\n\n## Decision\n\nEach service owns its data. "
            "A service must never read the tables of another service.\n",
        ),
    ]

    related = Alignment(records, None).check("Let the billing service query the orders tables for reports").related

    assert [each.record.adr_id for each in related] == ["0003"]

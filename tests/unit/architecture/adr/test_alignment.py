"""Proposals against small sets of decisions: what supports, what conflicts, what only touches, and in whose words."""

import pytest
from fieldguide.toolsets.architecture.adr import Alignment

from fieldguide.toolsets.architecture.decisions import read_record


def nygard(title, status, decision, context="Orders, builds and logs."):
    return f"# {title}\n\n## Status\n\n{status}\n\n## Context\n\n{context}\n\n## Decision\n\n{decision}\n"


REST = (
    "---\nstatus: accepted\n---\n# Use REST for the public API\n\n## Considered Options\n\n"
    "* REST\n* GraphQL\n* gRPC\n\n"
    '## Decision Outcome\n\nChosen option: "REST", because every client can use it.\n'
)
POSTGRESQL = nygard("1. Use PostgreSQL", "Accepted", "We will use PostgreSQL as our primary database.")
LAYERS = nygard("3. Layers", "Accepted", "The UI must not access the database directly.")
MONOLITH = nygard("4. Build a modular monolith", "Accepted", "We will build a modular monolith.")
JENKINS = nygard("5. Use Jenkins for CI", "Superseded by [ADR 6](0006-ci.md)", "We use Jenkins for CI.")
ACTIONS = nygard("6. Use GitHub Actions for CI", "Accepted", "We use GitHub Actions for continuous integration.")
SOURCING = nygard("7. Event sourcing for orders", "Rejected", "We will use event sourcing for orders.")
LOGGING = nygard("8. Structured logging", "Accepted", "All services must write logs as JSON to stdout.")
FLAGS = nygard("9. Feature flags", "Proposed", "We will use LaunchDarkly for feature flags.")
TEXTS = {
    "0001-db.md": POSTGRESQL,
    "0002-api.md": REST,
    "0003-layers.md": LAYERS,
    "0004-shape.md": MONOLITH,
    "0005-ci.md": JENKINS,
    "0006-ci.md": ACTIONS,
    "0007-events.md": SOURCING,
    "0008-logs.md": LOGGING,
    "0009-flags.md": FLAGS,
}
RECORDS = [read_record(path, text) for path, text in TEXTS.items()]


@pytest.fixture(scope="module")
def alignment():
    return Alignment(RECORDS, None)


def labels(verdicts):
    return {each.record.number: each.alignment for each in verdicts.related}


@pytest.mark.parametrize(
    ("proposal", "number"),
    [
        ("Use MongoDB instead of PostgreSQL for storage", 1),
        ("Switch the primary data store to MySQL", 1),
        ("Use MongoDB as the primary database", 1),
        ("Migrate from PostgreSQL to DynamoDB", 1),
        ("We will not use PostgreSQL any more", 1),
        ("Use GraphQL for public API", 2),
        ("Replace the REST API with GraphQL", 2),
        ("Allow direct database access from the UI", 3),
        ("Adopt a microservices architecture", 4),
        ("Split the system into microservices", 4),
        ("Abandon the monolith", 4),
        ("Use Jenkins for CI", 6),
        ("Move CI from GitHub Actions to CircleCI", 6),
        ("Use event sourcing for orders", 7),
        ("Services no longer write logs as JSON to stdout", 8),
        ("Write service logs as plain text instead of JSON on stdout", 8),
        ("Use Unleash instead of LaunchDarkly for feature flags", 9),
        ("This supersedes ADR 8: logs go to a file", 8),
    ],
)
def test_a_proposal_that_goes_against_a_decision_conflicts_with_it(alignment, proposal, number):
    verdicts = alignment.check(proposal)

    assert labels(verdicts)[number] == "conflicts"
    assert number in [conflict.record.number for conflict in verdicts.conflicts]


@pytest.mark.parametrize(
    ("proposal", "number"),
    [
        ("Store orders in PostgreSQL with a read replica", 1),
        ("We will keep REST and not use GraphQL", 2),
        ("Keep the modular monolith and add a billing module", 4),
        ("Run tests in GitHub Actions", 6),
        ("Services should log JSON to stdout", 8),
    ],
)
def test_a_proposal_that_builds_on_a_decision_supports_it(alignment, proposal, number):
    verdicts = alignment.check(proposal)

    assert labels(verdicts)[number] == "supports"
    assert verdicts.conflicts == ()


@pytest.mark.parametrize(
    "proposal", ["Use Redis as cache in front of PostgreSQL", "Adopt Kubernetes", "We should not remove PostgreSQL"]
)
def test_a_proposal_beside_a_decision_is_no_conflict(alignment, proposal):
    assert alignment.check(proposal).conflicts == ()


@pytest.mark.parametrize("proposal", ["Translate the marketing website into French", "", "?!", "\x00" * 100])
def test_a_proposal_about_nothing_that_was_decided_finds_nothing(alignment, proposal):
    assert alignment.check(proposal).related == ()


def test_a_superseded_decision_points_to_its_successor(alignment):
    verdicts = alignment.check("Use Jenkins for CI")

    assert labels(verdicts)[5] == "related"
    assert "ADR 6" in next(each.reason for each in verdicts.related if each.record.number == 5)
    assert any("superseded by ADR 6" in suggestion for suggestion in verdicts.suggestions)


@pytest.mark.parametrize(
    ("proposal", "number"),
    [
        ("Migrate from PostgreSQL to DynamoDB", 1),
        ("Use GraphQL for public API", 2),
        ("Allow direct database access from the UI", 3),
    ],
)
def test_a_reason_quotes_the_record_with_the_line_it_stands_on(alignment, proposal, number):
    verdict = next(each for each in alignment.check(proposal).related if each.record.number == number)

    quote, _, rest = verdict.reason.partition("” (line ")
    line = int(rest.partition(")")[0])
    assert quote.rpartition("“")[2] in TEXTS[verdict.record.path].splitlines()[line - 1]


def test_the_same_proposal_always_gets_the_same_answer(alignment):
    again = Alignment(list(reversed(RECORDS)), None)

    assert alignment.check("Use MongoDB as the primary database") == again.check("Use MongoDB as the primary database")


def test_a_changed_record_is_seen_and_the_others_are_kept(alignment):
    changed = read_record("0001-db.md", POSTGRESQL.replace("PostgreSQL", "MySQL"))

    later = Alignment([changed, *RECORDS[1:]], None, alignment)

    assert labels(later.check("Store orders in MySQL"))[1] == "supports"
    assert later.check("Use GraphQL for public API") == Alignment([changed, *RECORDS[1:]], None).check(
        "Use GraphQL for public API"
    )


def test_one_record_alone_and_no_record_at_all_are_enough():
    assert Alignment([], None).check("Use ferns").related == ()
    assert labels(Alignment(RECORDS[:1], None).check("Migrate from PostgreSQL to DynamoDB")) == {1: "conflicts"}

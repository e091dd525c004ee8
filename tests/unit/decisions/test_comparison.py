"""Proposals against small sets of decisions: what supports, what conflicts, what only touches, and in whose words."""

import pytest

from fieldguide.knowledge.decisions.comparison import Alignment, name_record
from fieldguide.knowledge.decisions.reader import read_record


def nygard(title, status, decision, context="Orders, builds and logs."):
    return f"# {title}\n\n## Status\n\n{status}\n\n## Context\n\n{context}\n\n## Decision\n\n{decision}\n"


def madr(title, options, outcome):
    listed = "\n".join(f"* {option}" for option in options)
    return (
        f"---\nstatus: accepted\n---\n# {title}\n\n## Considered Options\n\n{listed}\n\n"
        f'## Decision Outcome\n\nChosen option: "{outcome}", because it is simple.\n'
    )


TEXTS = {
    "0001-db.md": nygard("1. Use PostgreSQL", "Accepted", "We will use PostgreSQL as our primary database."),
    "0002-api.md": madr("Use REST for the public API", ("REST", "GraphQL", "gRPC"), "REST"),
    "0003-layers.md": nygard("3. Layers", "Accepted", "The UI must not access the database directly."),
    "0004-shape.md": nygard("4. Build a modular monolith", "Accepted", "We will build a modular monolith."),
    "0005-ci.md": nygard("5. Use Jenkins for CI", "Superseded by [ADR 6](0006-ci.md)", "We use Jenkins for CI."),
    "0006-ci.md": nygard("6. Use GitHub Actions for CI", "Accepted", "We use GitHub Actions for integration."),
    "0007-events.md": nygard("7. Event sourcing for orders", "Rejected", "We will use event sourcing for orders."),
    "0008-logs.md": nygard("8. Structured logging", "Accepted", "All services must write logs as JSON to stdout."),
    "0009-flags.md": nygard("9. Feature flags", "Proposed", "We will use LaunchDarkly for feature flags."),
    "0010-release.md": madr(
        "How often do we release?", ("Continuous releases", "Weekly releases"), "Continuous releases"
    ),
    "0011-events.md": nygard("11. Typed Events", "Accepted", "Emit typed events for every message."),
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
        ("Migrate from PostgreSQL to DynamoDB", 1),
        ("We will not use PostgreSQL any more", 1),
        ("Use GraphQL for public API", 2),
        ("Let us build the public API with gRPC.", 2),
        ("Replace the REST API with GraphQL", 2),
        ("The UI may access the database directly", 3),
        ("Abandon the modular monolith", 4),
        ("Stop using GitHub Actions for CI", 6),
        ("Use event sourcing for orders", 7),
        ("Logs are no longer written as JSON to stdout.", 8),
        ("Drop LaunchDarkly", 9),
        ("We go back to weekly releases", 10),
        ("This replaces ADR 8: every service picks a format.", 8),
        ("ADR 4 is superseded by this.", 4),
        ("We no longer follow [the first decision](0001-db.md).", 1),
        ("This overrides decision 6.", 6),
    ],
)
def test_a_proposal_that_goes_against_a_decision_conflicts_with_it(alignment, proposal, number):
    verdicts = alignment.check(proposal)

    assert labels(verdicts)[number] == "conflicts"
    assert [each.record.number for each in verdicts.conflicts] == [number]


@pytest.mark.parametrize(
    ("proposal", "number"),
    [
        ("We will use PostgreSQL as our primary database", 1),
        ("We use GitHub Actions for CI, not Jenkins.", 6),
        ("Build a modular monolith", 4),
        ("We will use continuous releases", 10),
        ("Use continuous releases rather than weekly releases", 10),
    ],
)
def test_a_proposal_that_says_what_was_decided_supports_it(alignment, proposal, number):
    verdicts = alignment.check(proposal)

    assert labels(verdicts)[number] == "supports"
    assert verdicts.conflicts == ()


@pytest.mark.parametrize("proposal", [
    "This does not replace ADR 8.", "ADR 8 replaced the text files.", "Unlike the problem of ADR 4, this one is small.",
    "As decided in ADR 8, we drop the text files.", "Structured logging, part 2: sampling",
    "Store untyped attributes with every message", "Rotate the logs every week", "Currently we use PostgreSQL.",
    "Write reports because PostgreSQL is not a warehouse.", "Do not use Redis for feature flags in PostgreSQL backups",
])  # fmt: skip
def test_a_proposal_beside_a_decision_is_neither(alignment, proposal):
    assert set(labels(alignment.check(proposal)).values()) <= {"related"}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.path)
def test_a_copy_of_a_decision_is_never_said_to_oppose_it(alignment, record):
    description = f"{record.title}\n\n" + "\n\n".join(passage.text for passage in record.decision)

    told = labels(alignment.check(description))

    assert told[record.number] == {"rejected": "conflicts", "retired": "related"}.get(record.standing, "supports")


def test_only_what_is_rare_is_a_subject():
    shared = [
        read_record(
            f"{number:04}-{name}.md", nygard(f"{name} on GOV.UK", "Accepted", f"Use {name}, provided by GOV.UK.")
        )
        for number, name in enumerate(("Notify", "Pay", "Verify", "Forms", "Design"), start=1)
    ]

    told = labels(Alignment(shared, None).check("Do not use fonts that GOV.UK provided in emails"))

    assert set(told.values()) <= {"related"}


def test_the_same_question_is_told_with_both_answers(alignment):
    [first, *_] = alignment.check("How often do we release? Every two months, by hand.").related

    assert (first.record.number, first.same_question) == (10, True)
    assert first.reason.text.startswith("ADR 10 answers the same question: “Continuous releases” (line ")
    assert "The proposal: “" in first.reason.text


def test_a_sentence_over_several_lines_is_cited_whole():
    record = read_record(
        "0001-db.md", nygard("Database", "Accepted", "We will use PostgreSQL\nfor all\nof the orders.")
    )

    [only] = Alignment([record], None).check("Stop using PostgreSQL for orders").related

    assert only.reason.last_line - only.reason.first_line == 2


def test_a_changed_record_is_seen_and_the_others_are_kept(alignment):
    changed = read_record("0001-db.md", TEXTS["0001-db.md"].replace("PostgreSQL", "MongoDB"))

    after = Alignment([changed, *RECORDS[1:]], None, alignment)

    assert labels(after.check("Use MongoDB as our primary database"))[1] == "supports"
    assert after.check("Use GraphQL for public API").conflicts


def test_one_record_alone_and_no_record_at_all_are_enough():
    assert Alignment([], None).check("Use PostgreSQL").suggestions
    assert labels(Alignment(RECORDS[:1], None).check("Drop PostgreSQL")) == {1: "conflicts"}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("docs/adr/0009-paths.md", "ADR 9"),
        ("docs/rfc/0009-storage.md", "RFC 9"),
        ("design/RFC-0009-storage.md", "RFC 9"),
        ("proposals/storage.md", "“Storage”"),
    ],
)
def test_a_record_is_called_by_its_own_series(path, name):
    assert name_record(read_record(path, "# Storage\n\n## Decision\n\nWe use files.\n")) == name

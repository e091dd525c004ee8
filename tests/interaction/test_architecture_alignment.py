"""`check-adr-alignment`: what the decisions that were made before say about a proposal."""

import re

import pytest

from tests.architecture_projects import ADR, call, served, write_architecture
from tests.projects import Project
from tests.proves import proves

TOOL = "check-adr-alignment"
POSTGRESQL = "architecture://adr/001-use-postgresql"
REST = "architecture://adr/003-offer-rest"
STATUSES = {
    "---\nstatus: Accepted\n---\n# Use Redis\n": "accepted",
    "---\nstatus: superseded\n---\n# Use Redis\n": "superseded",
    "# Use Redis\n\n## Status\n\nDeprecated\n": "deprecated",
    "# Use Redis\n\n## Status\nPROPOSED\n": "proposed",
    "# Use Redis\n\n**Status**: Rejected\n": "rejected",
    "# Use Redis\n\nStatus: Accepted\n": "accepted",
    "# Use Redis\n\n* Status: Draft\n": "draft",
    "# Use Redis\n": "unknown",
}
NYGARD = """\
# 4. Deploy with containers

Date: 2024-05-17

## Status

Accepted

## Context

Every team deploys in its own way.

## Decision

We will deploy every service as a container on Kubernetes.
"""
MADR = """\
# Choose a logging library

* Status: accepted
* Deciders: everyone

## Context and Problem Statement

Logs have as many shapes as there are services.

## Considered Options

* structlog
* loguru

## Decision Outcome

Chosen option: "structlog", because it writes JSON.
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("decided"))
    write_architecture(project)
    project.write(f"{ADR}/004-deploy-with-containers.md", NYGARD)
    project.write("docs/decisions/0005-choose-a-logging-library.md", MADR)
    return project


@pytest.fixture(scope="module")
def client(project):
    with served(project) as client:
        yield client


QUEUE = """\
# 12. Message queue

## Considered options

* RabbitMQ
* Kafka (NOT chosen)
* SQS

## Decision

Kafka was NOT chosen, because it is heavy. RabbitMQ is used for the message queue.
"""
LANGUAGES = """\
# 13. Use Bash, Node and Python as core languages

## Status

Accepted

## Decision

We will use Bash, Node and Python as our core languages.
"""
HOSTING = """\
# 14. Use Heroku for hosting

## Status

Accepted

## Decision

We will use Heroku for hosting all environments.
"""
RELEASES = """\
# 15. Minimum supported Python version

## Status

Accepted

## Decision

The two latest minor versions of Python are supported.
"""
REPLACED = "architecture://adr/0012-message-queue"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A server over four decisions: to ask changes nothing."""
    project = Project(tmp_path_factory.mktemp("records"))
    for name, text in (
        ("0012-message-queue", QUEUE),
        ("0013-core-languages", LANGUAGES),
        ("0014-hosting", HOSTING),
        ("0015-python-versions", RELEASES),
        ("0003-layers", "# 3. Layers\n\n## Status\n\nAccepted\n\n## Decision\n\nViews never query tables.\n"),
    ):
        project.write(f"docs/decisions/{name}.md", text)
    with served(project) as client:
        yield client


def check(client, description, **more):
    return call(client, TOOL, decision_description=description, **more)


def alignments(told):
    return {each["uri"]: each["alignment"] for each in told["related_adrs"]}


@proves("S0-50", "S0-51", "S0-52", "S0-54")
def test_a_conflict_is_told_with_its_decision_and_its_reason(client):
    told = check(client, "Use MongoDB instead of PostgreSQL for the orders")

    assert list(told) == ["related_adrs", "conflicts", "suggestions"]
    first = told["related_adrs"][0]
    assert list(first) == ["uri", "title", "adr_id", "status", "alignment", "reason", "citation", "same_question"]
    assert (first["uri"], first["adr_id"]) == (POSTGRESQL, "001")
    assert (first["title"], first["status"]) == ("1. Use PostgreSQL for orders", "accepted")
    assert first["alignment"] == "conflicts"
    assert [list(each) for each in told["conflicts"]] == [["adr_uri", "conflict_description", "citation"]]
    assert told["conflicts"][0]["adr_uri"] == POSTGRESQL
    assert all(isinstance(each, str) and each for each in (first["reason"], *told["suggestions"]))


@proves("S0-54", "S0-53", "S0-80")
@pytest.mark.parametrize(
    "proposal",
    [
        "Use MongoDB instead of PostgreSQL for orders",
        "We will replace PostgreSQL with MongoDB as the database for orders",
        "We will stop using PostgreSQL for orders",
    ],
)
def test_a_proposal_that_opposes_a_decision_conflicts_with_it(client, proposal):
    told = check(client, proposal)

    assert alignments(told)[POSTGRESQL] == "conflicts"
    assert POSTGRESQL in [each["adr_uri"] for each in told["conflicts"]]
    assert told["suggestions"]


@proves("S0-54", "S0-80")
@pytest.mark.parametrize(
    ("proposal", "uri"),
    [
        ("Keep the orders in PostgreSQL", POSTGRESQL),
        ("We will use PostgreSQL as the database for orders", POSTGRESQL),
        ("Offer a REST interface described by OpenAPI for invoices", REST),
    ],
)
def test_a_proposal_that_fits_a_decision_supports_it(client, proposal, uri):
    told = check(client, proposal)

    assert alignments(told)[uri] == "supports"
    assert uri not in [each["adr_uri"] for each in told["conflicts"]]


@proves("S0-54", "S0-80")
@pytest.mark.parametrize(
    "proposal", ["Measure how long the deploy of a service takes", "Name Kubernetes namespaces after teams"]
)
def test_a_proposal_that_only_touches_a_decision_is_related(client, proposal):
    told = check(client, proposal)

    assert alignments(told)["architecture://adr/004-deploy-with-containers"] == "related"
    assert told["conflicts"] == []


@proves("S0-53", "S0-48")
def test_the_context_helps_to_find_the_decisions(client):
    alone = check(client, "Take a library that writes JSON")
    helped = check(client, "Take a library that writes JSON", decision_context="Choose a logging library for services")

    uri = "architecture://adr/0005-choose-a-logging-library"
    assert uri in alignments(helped)
    assert helped["related_adrs"][0]["uri"] == uri
    assert set(alignments(alone)) <= set(alignments(helped)) | {uri}


@proves("S0-51", "S0-54")
def test_conflicts_are_exactly_the_related_decisions_that_conflict(client):
    for proposal in ("Use MongoDB", "Offer GraphQL", "Deploy to bare machines without containers", "Use loguru"):
        told = check(client, proposal)
        conflicting = [each["uri"] for each in told["related_adrs"] if each["alignment"] == "conflicts"]
        assert [each["adr_uri"] for each in told["conflicts"]] == conflicting
        assert {each["alignment"] for each in told["related_adrs"]} <= {"supports", "conflicts", "related"}


def test_every_reason_quotes_the_decision_with_its_line(client):
    told = check(client, "Use MongoDB instead of PostgreSQL for orders")

    with_reasons = [each for each in told["related_adrs"] if each["alignment"] != "related"]
    assert "conflicts" in {each["alignment"] for each in with_reasons}
    for each in with_reasons:
        [contents] = client.request("resources/read", uri=each["uri"])["result"]["contents"]
        lines = contents["text"].splitlines()
        quoted = re.findall(r"“([^”]+)” \(line (\d+)\)", each["reason"])
        assert quoted
        for words, line in quoted:
            assert words.rstrip(".…") in lines[int(line) - 1]


@proves("U0-15", "S0-53")
def test_the_status_is_found_wherever_it_stands_and_told_in_lower_case(tmp_path):
    project = Project(tmp_path)
    for number, text in enumerate(STATUSES):
        project.write(f"{ADR}/00{number}-use-redis.md", f"{text}\n## Decision\n\nWe will use Redis for sessions.\n")
    with served(project) as client:
        related = check(client, "Use Redis for sessions")["related_adrs"]

    assert {each["adr_id"]: each["status"] for each in related} == {
        f"00{number}": status for number, status in enumerate(STATUSES.values())
    }


def test_a_superseded_decision_points_to_the_one_that_holds(tmp_path):
    project = Project(tmp_path)
    project.write(
        f"{ADR}/002-kafka.md",
        "# 2. Publish events through Kafka\n\n## Status\n\nSuperseded by [ADR 6](006-rabbitmq.md)\n\n"
        "## Decision\n\nWe will publish domain events through Kafka.\n",
    )
    project.write(
        f"{ADR}/006-rabbitmq.md",
        "# 6. Publish events through RabbitMQ\n\n## Status\n\nAccepted\n\nSupersedes ADR 2\n\n"
        "## Decision\n\nWe will publish domain events through RabbitMQ.\n",
    )
    with served(project) as client:
        told = check(client, "Publish domain events through RabbitMQ")

    [old] = [each for each in told["related_adrs"] if each["adr_id"] == "002"]
    assert (old["status"], old["alignment"]) == ("superseded", "related")
    assert "ADR 6" in old["reason"]
    assert alignments(told)["architecture://adr/006-rabbitmq"] == "supports"
    assert told["conflicts"] == []


@pytest.mark.parametrize(
    "proposal",
    ["?", "not", "the of and", "\u0000", "MongoDB " * 600, "倉庫に保存する", "(((", "a\n\n\nb"],
)
def test_any_text_is_a_proposal(client, proposal):
    told = check(client, proposal)

    assert set(told) == {"related_adrs", "conflicts", "suggestions"}


@proves("S0-80")
def test_a_project_without_decisions_says_so(tmp_path):
    with served(Project(tmp_path)) as client:
        told = check(client, "Use PostgreSQL")

    assert (told["related_adrs"], told["conflicts"]) == ([], [])
    assert told["suggestions"]


@proves("S0-54", "S0-53")
@pytest.mark.parametrize(
    "written",
    [
        "Supersedes [Message queue](0012-message-queue.md)",
        "Supersedes: [Message queue](0012-message-queue.md)",
        "Replaces: [ADR-0012](../decisions/0012-message-queue.md)",
        "## Supersedes\n\n- [Message queue](0012-message-queue.md)\n\n## Decision",
        "Replaces:\n\n* ADR-12\n",
        "| Status | Proposed |\n| --- | --- |\n| Supersedes | ADR-12 |",
        "**Supersedes**: ADR-12",
        "- **Obsoletes:** 12",
        "Supersedes: Message queue",
        "This amends ADR 12.",
        "This obsoletes ADR 12, since much has changed (see below).",
        "We deprecate ADR-0012.",
        "What follows holds in place of ADR 12.",
        "This holds instead of the decision made in ADR 12, which did not work out.",
        "We revoke ADR 12.",
        "ADR-12 is superseded by this.",
        "ADR 12 no longer applies.",
        "Contrary to ADR 12, each team decides.",
    ],
)
def test_a_record_that_is_said_to_be_replaced_is_a_conflict(records, written):
    told = check(records, f"Mail between services\n\n{written}\n\nServices send each other mail.")

    assert alignments(told)[REPLACED] == "conflicts"
    assert [each["adr_uri"] for each in told["conflicts"]] == [REPLACED]
    assert "The proposal: “" in told["conflicts"][0]["conflict_description"]


@proves("S0-54", "S0-53")
@pytest.mark.parametrize(
    "front",
    [
        "supersedes: ADR-0012",
        "supersedes: 12",
        'supersedes: ["0012"]',
        "supersedes:\n  - ADR-12\n  - ADR-99",
        "replaces:\n- docs/decisions/0012-message-queue.md",
    ],
)
def test_front_matter_that_says_what_is_replaced_is_read(records, front):
    told = check(records, f"---\nstatus: proposed\n{front}\n---\n# Mail\n\nServices send each other mail.")

    assert [each["adr_uri"] for each in told["conflicts"]] == [REPLACED]


@proves("S0-54")
@pytest.mark.parametrize(
    "written",
    [
        "The text files are removed according to ADR 3.",
        "We drop the text files, as described in ADR 3.",
        "We replace the text files with pages (see ADR 3).",
        "Replaces the text files by [canonical-proto3](canonical-proto3.md).",
        "This does not supersede ADR 3.",
        "ADR 12 supersedes ADR 3.",
        "ADR 3 was superseded by ADR 12.",
        "If this works, it might replace ADR 3.",
        "Superseded by: ADR 3",
    ],
)
def test_a_record_that_is_only_mentioned_is_no_conflict(records, written):
    told = check(records, f"Mail between services\n\n{written}")

    assert told["conflicts"] == []


@proves("S0-54")
@pytest.mark.parametrize(
    ("proposal", "uri"),
    [
        ("We will use Kubernetes instead of Heroku (see the costs of last year).", "0014-hosting"),
        ("We will host on Kubernetes in place of Heroku, because it is cheaper.", "0014-hosting"),
        ("We phase out Heroku, which nobody operates, for hosting.", "0014-hosting"),
        ("Use Kafka as the message queue, which keeps what was sent.", "0012-message-queue"),
        ("Minimum supported Python version\n\nOnly the latest minor release is supported.", "0015-python-versions"),
    ],
)
def test_a_conflict_that_is_not_named_is_seen_in_what_both_choose(records, proposal, uri):
    told = check(records, proposal)

    assert [each["adr_uri"] for each in told["conflicts"]] == [f"architecture://adr/{uri}"]


@proves("S0-54")
@pytest.mark.parametrize("proposal", ["Use Bash and Node as core languages", "Kafka is not chosen as message queue"])
def test_a_part_of_a_choice_and_a_refused_option_are_read_as_what_they_are(records, proposal):
    told = alignments(check(records, proposal))

    assert told.get("architecture://adr/0013-core-languages") != "supports"
    assert told.get(REPLACED) != "conflicts"

"""Which documents are decision records, by what they say and where they lie: seen through the architecture tools."""

from tests.architecture_projects import call, served
from tests.proves import proves

PROPOSAL = """---
type: proposal
title: {title}
status: accepted
---

## Summary

We describe how {title} is done.

## Goals

* Fewer surprises

## Proposal

We propose to use {choice} for {title}.

## Alternatives

* Doing nothing
"""
TABLED = """# Org - {number} - {title}

|            |            |
| ---------- | ---------- |
| Date       | 2023-04-11 |
| Status     | {status}   |
| Authors    | Fern       |

## What

We use {choice} for {title}.

## Why

It is the best that there is.
"""
GUIDE = "# {title}\n\n## Installation\n\nRun `make`.\n\n## Usage\n\nCall it with a file.\n"
MINUTES = "# Meeting\n\n## Attendees\n\nAnn\n\n## Agenda\n\nFerns\n\n## Decisions\n\nNone.\n"


def records(client):
    """The decisions of a project as they are listed: their ids with their paths."""
    listed = client.request("resources/list")["result"]["resources"]
    prefix = "architecture://adr/"
    return {
        each["uri"].removeprefix(prefix): each["annotations"]["path"]
        for each in listed
        if each["uri"].startswith(prefix)
    }


def checked(client, description):
    return call(client, "check-adr-alignment", decision_description=description)["related_adrs"]


@proves("S0-51", "S0-53", "S0-54")
def test_proposals_named_by_their_month_are_found_and_compared(project):
    named = {
        "docs/proposals-accepted/201906-receiver.md": ("the receiver", "hashrings"),
        "docs/proposals-accepted/202005-query-logging.md": ("query logging", "structlog"),
        "docs/proposals-accepted/202005-rule-storage.md": ("rule storage", "Postgres"),
        "docs/proposals-done/201909-sharding.md": ("sharding", "relabelling"),
    }
    for path, (title, choice) in named.items():
        project.write(path, PROPOSAL.format(title=title, choice=choice))
    for folder in ("proposals-accepted", "proposals-done"):
        project.write(f"docs/{folder}/README.md", "# Proposals\n\n* [One](one.md)\n")
    project.write("docs/contributing/proposal-process.md", "# Proposal process\n\n## Status\n\nAccepted or not.\n")
    for number in range(6):
        project.write(f"docs/0{number}-chapter.md", GUIDE.format(title=f"Chapter {number}"))
        project.write(
            f"docs/blog/2020-01-0{number + 1}-news.md", f"---\nauthor: Ann\ndate: 2020\n---\n# News {number}\n"
        )
    project.write("docs/meetings/2020-02-01.md", MINUTES)

    with served(project) as client:
        found = records(client)
        related = checked(client, "Stop using structlog for query logging, use plain text instead of structlog")

    assert sorted(found.values()) == sorted(named)
    assert related[0]["uri"] == "architecture://adr/202005-query-logging"
    assert (related[0]["adr_id"], related[0]["status"]) == ("202005-query-logging", "accepted")
    assert related[0]["alignment"] == "conflicts"


@proves("S0-51", "S0-53")
def test_records_of_a_named_folder_are_taken_whatever_their_names(project):
    project.write("fieldguide.toml", '[architecture]\nadr = ["records"]\n')
    taken = {
        "records/ODH-ADR-0003-licence.md": TABLED.format(
            number=3, title="the licence", status="Approved", choice="MIT"
        ),
        "records/operator/ODH-ADR-Operator-0001-scope.md": "# Scope\n\n## What\n\nOne operator.\n",
        "records/use-ferns.md": "# Use ferns\n\nThey are green.\n",
        "records/moss.adoc": "= Use moss\n\n== Why\n\nIt is soft.\n",
        "records/lichen.rst": "Use lichen\n==========\n\nIt is old.\n",
        "records/kafka/README.md": "# Kafka\n\n## Context\n\nEvents.\n\n## Decision\n\nKafka.\n\n## Status\n\nDone\n",
    }
    left = {
        "records/README.md": "# Records\n\n* [Scope](operator/ODH-ADR-Operator-0001-scope.md)\n",
        "records/operator/README.md": "# Decisions of the operator\n\n* [Scope](ODH-ADR-Operator-0001-scope.md)\n",
        "records/ODH-ADR-0000-template.md": TABLED.format(number=0, title="{title}", status="Draft", choice="{it}"),
        "records/index.md": "# All records\n",
    }
    for path, text in (taken | left).items():
        project.write(path, text)

    with served(project) as client:
        found = records(client)
        [licence] = [each for each in checked(client, "Use Apache as the licence") if "licence" in each["uri"]]

    assert sorted(found.values()) == sorted(taken)
    assert (licence["adr_id"], licence["status"]) == ("ODH-ADR-0003-licence", "approved")


@proves("S0-51")
def test_every_record_has_an_id_of_its_own(project):
    text = "# {}\n\n## Status\n\nAccepted\n\n## Context\n\nOrders grow.\n\n## Decision\n\nWe use Postgres for orders.\n"
    paths = [
        "docs/adr/backend/0001-postgres-orders.md", "docs/adr/frontend/0001-orders-cache.md",
        "docs/adr/backend/0002-same.md", "docs/adr/frontend/0002-same.md", "docs/adr/0007-orders-alone.md",
        "enhancements/KEP-1234/README.md", "rfcs/RFC-0012.md",
    ]  # fmt: skip
    for path in paths:
        project.write(path, text.format(path.rpartition("/")[2]))

    with served(project) as client:
        found = records(client)
        ids = [each["adr_id"] for each in checked(client, "Use MongoDB instead of Postgres for orders")]

    assert {path: adr_id for adr_id, path in found.items()} == {
        "docs/adr/backend/0001-postgres-orders.md": "0001-postgres-orders",
        "docs/adr/frontend/0001-orders-cache.md": "0001-orders-cache",
        "docs/adr/backend/0002-same.md": "docs/adr/backend/0002-same",
        "docs/adr/frontend/0002-same.md": "docs/adr/frontend/0002-same",
        "docs/adr/0007-orders-alone.md": "0007",
        "enhancements/KEP-1234/README.md": "KEP-1234",
        "rfcs/RFC-0012.md": "RFC-0012",
    }
    assert len(ids) == len(set(ids)) == len(paths)


@proves("S0-51", "S0-53")
def test_a_status_is_taken_from_the_folder_where_the_text_gives_none(project):
    for folder in ("rejected", "proposals-accepted"):
        for name in ("orders", "invoices", "parcels"):
            text = PROPOSAL.format(title=f"{folder} {name}", choice="Postgres").replace("status: accepted\n", "")
            project.write(f"proposals/{folder}/{folder}-{name}-database.md", text)

    with served(project) as client:
        related = checked(client, "Use Postgres for the orders database")

    statuses = {each["uri"].rpartition("/")[2]: each["status"] for each in related}
    assert statuses["rejected-orders-database"] == "rejected"
    assert statuses["proposals-accepted-orders-database"] == "accepted"


@proves("S0-53")
def test_pages_and_forms_beside_decisions_are_none(project):
    decision = "# Use ferns\n\n## Status\n\nAccepted\n\n## Context\n\nGreen.\n\n## Decision\n\nFerns.\n"
    project.write("docs/decisions/0001-ferns.md", decision)
    project.write("docs/decisions/backend/0002-moss.md", decision)
    project.write("docs/decisions/backend/README.md", "# Decisions of the backend\n\n* [Moss](0002-moss.md)\n")
    project.write("docs/decisions/backend/adr-template.md", decision)
    project.write("docs/decisions/how-to-run.md", GUIDE.format(title="How to run"))
    project.write("docs/decisions/PROCESS.md", "# Process\n\n## Status\n\nEvery decision has one.\n")

    with served(project) as client:
        found = records(client)

    assert sorted(found.values()) == ["docs/decisions/0001-ferns.md", "docs/decisions/backend/0002-moss.md"]

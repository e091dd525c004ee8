"""Live tokens in files that are served: kept in no index, journal, finding or search result; a reader is warned."""

import json
from typing import Any

import pytest

from fieldguide.text.secrets import MARK
from tests.hostile.live_values import drawn, github_token, private_key
from tests.projects import Project
from tests.raw_client import RawClient

TOKEN = github_token()
PASSWORD = drawn(20, seed=9)
KEY = private_key()
SECRETS = (TOKEN, PASSWORD, KEY.splitlines()[2])
GUIDE = f"""\
# Deployment of the orchard

Log in with `{TOKEN}` before you deploy the orchard.

## Database of the orchard

The address is postgres://app:{PASSWORD}@db.internal/orchard, as before.

```
{KEY}```

## Afterwards

Water the orchard.
"""
CODE = f"""\
def deploy_orchard():
    token = "{TOKEN}"
    key = '''{KEY}'''
    return token, key


def water_orchard():
    return "wet"
"""
DECISION = f"# Deploy by hand\n\n## Status\n\nAccepted\n\n## Decision\n\nWe deploy the orchard with {TOKEN}.\n"
MESSAGE = f"""fix(auth): reject expired refresh tokens

The expiry was compared in local time while {TOKEN} holds UTC, so tokens lived two hours longer in summer.
"""


@pytest.fixture
def leaky(project: Project) -> Project:
    project.add_directive()
    project.write("docs/deploy.md", GUIDE)
    project.write("src/deploy.py", CODE)
    project.write("docs/decisions/0001-deploy.md", DECISION)
    project.write("directive/login.md", f"Use {TOKEN}\n")
    return project


@pytest.fixture
def client(leaky):
    with RawClient(leaky.root).ready() as client:
        yield client


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block.get("text", "") for block in result["content"])


def value_of(result: dict[str, Any]) -> Any:
    return json.loads(result["content"][0]["text"])  # beside it may stand that the index is not whole


def kept_bytes(project: Project) -> bytes:
    """Everything that is kept of the project."""
    return b"".join(each.read_bytes() for each in project.state.rglob("*") if each.is_file())


def test_what_is_read_verbatim_stays_as_it_is_and_warns(client):
    file = value_of(client.call("read_file", path="src/deploy.py"))
    document = value_of(client.call("documents_get_document", collection="docs", document="deploy.md"))
    place = {"collection": "docs", "document": "deploy.md"}
    section = value_of(client.call("documents_get_section", **place, section="Database of the orchard"))
    clean = value_of(client.call("documents_get_section", **place, section="Afterwards"))
    directive = value_of(client.call("directive/file.get", path="directive/login.md"))
    resource = client.request("resources/read", uri="architecture://adr/0001")["result"]["contents"][0]

    assert file["file"]["content"] == CODE
    assert document["content"] == GUIDE
    assert section["content"] in GUIDE
    assert PASSWORD in section["content"]
    assert resource["text"] == DECISION
    assert directive["content"] == f"Use {TOKEN}\n"
    for warnings in (file["warnings"], document["warnings"], section["warnings"], directive["warnings"]):
        assert "live secret" in warnings[0]
    assert "GitHub token" in resource["_meta"]["fieldguide/warnings"][0]
    assert "warnings" not in clean


def test_no_search_shows_them_and_lines_stay_where_they_are(client):
    found = [
        text_of(client.call("documents_search", query="deploy the orchard database", limit=20)),
        text_of(client.call("documents_find_related", collection="docs", document="deploy.md", sameDocument=True)),
        text_of(client.call("context_search", query="deploy orchard token")),
        text_of(client.call("search-architecture", query="deploy the orchard")),
        *(text_of(client.call("grep_codebase", pattern=each)) for each in ("orchard", "token", "ghp_", KEY[40:60])),
    ]
    grepped = value_of(client.call("grep_codebase", pattern="def water_orchard"))["matches"]
    searched = value_of(client.call("documents_search", query="water afterwards", limit=1))

    assert all(MARK in text for text in found[:6])
    assert not [(secret, text) for text in found for secret in SECRETS if secret in text]
    assert grepped[0]["line"] == CODE[: CODE.index("def water")].count("\n") + 1
    assert searched[0]["startLine"] == GUIDE[: GUIDE.index("## Afterwards")].count("\n") + 1


def test_nothing_that_is_kept_holds_them(leaky):
    with RawClient(leaky.root).ready() as client:
        client.call("documents_search", query="deploy the orchard")
        client.call("context_search", query="deploy the orchard")
        client.call("search-architecture", query="deploy the orchard")
        recorded = value_of(client.call("guide_record", type="rule", content=f"Never print {TOKEN}"))
        client.call("guide_record", type="rule", content="Log in first", evidence={"files": [], "why": TOKEN})
        known = text_of(client.call("context_search", query="never print", type="rule"))
        overview = client.request("resources/read", uri="context://project/overview")["result"]["contents"][0]["text"]
        client.leave()

    kept = kept_bytes(leaky)
    assert recorded["content"] == f"Never print {MARK}"
    assert "GitHub token" in recorded["warnings"][0]
    assert f"Never print {MARK}" in known
    assert f"Never print {MARK}" in overview
    assert b"orchard" in kept
    assert not [secret for secret in SECRETS if secret.encode() in kept]


def test_the_journal_holds_none_of_what_was_asked(leaky):
    with RawClient(leaky.root).ready() as client:
        client.call("context_search", query=f"what is {TOKEN}")
        client.call("documents_search_batch", queries=[{"query": f"and {TOKEN}", "collections": [TOKEN]}])
        client.call("read_file", path=f"src/{TOKEN}.py")
        client.call("add_task", title="x" * 80 + f" {TOKEN}", description=KEY)
        client.call("grep_codebase", pattern=f"({TOKEN}")
        client.request("tools/call", name=TOKEN, arguments={"key": KEY})
        _, _, journal = client.leave()

    written = json.dumps(journal)
    assert "what is" in written
    assert TOKEN[:20] not in written
    assert KEY.splitlines()[2][:30] not in written

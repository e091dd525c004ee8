"""`guide_record`: what an agent found out is kept once, with its evidence, and found again."""

import re

import pytest

from tests.context_wires import ask_by_command, ask_over_stdio, refusal, write_code
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import run

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
RULE = {"type": "rule", "content": "Callers must hold the lock", "module": "auth"}


@pytest.fixture
def served(project, database_flags):
    """A project with code, asked over stdio, in each database."""
    write_code(project)
    with ask_over_stdio(project, *database_flags) as ask:
        yield ask


@proves("U3-2")
@pytest.mark.each_database
def test_a_discovery_is_found_at_once_with_its_evidence(served):
    evidence = {"files": ["src/index.ts"], "commit": "abc123"}

    recorded = served("guide_record", **RULE, evidence=evidence).value

    assert UUID.fullmatch(recorded["id"])
    assert recorded == {"status": "recorded", **RULE, "id": recorded["id"]}
    [item] = served("context_search", query="which lock", type="rule").value["results"]
    assert (item["id"], item["content"], item["module"]) == (recorded["id"], RULE["content"], "auth")
    assert item["evidence"] == {"extractedFrom": "guide_record", "confidence": 1.0, **evidence}
    assert UUID.fullmatch(item["session"])


def test_the_same_words_are_kept_once_and_another_module_is_another_matter(served):
    served("guide_record", **RULE)

    again = served("guide_record", type="rule", content="  callers MUST hold\nthe lock ", module="auth").value
    elsewhere = served("guide_record", **{**RULE, "module": "users"}).value

    assert again["status"] == "already known"
    assert "id" not in again
    assert elsewhere["status"] == "recorded"
    assert served("context_search", query="lock", type="rule").value["totalFound"] == 2


def test_evidence_must_be_a_file_that_can_be_looked_at(served):
    for path in ("nowhere.ts", "../outside.ts", "/etc/passwd", ".env", "src"):
        told = refusal(served("guide_record", **RULE, evidence={"files": [path]}))
        assert told["error"].startswith(f"The evidence {path!r} can't be read: ")
        assert (told["path"], told["tool"]) == (path, "guide_record")

    assert served("guide_record", **RULE).value["status"] == "recorded"


def test_who_recorded_it_is_part_of_the_evidence(project):
    with ask_over_stdio(project, "--user", "ann") as ask:
        ask("guide_record", **RULE)

        [item] = ask("context_search", query="lock", type="rule").value["results"]

    assert item["evidence"]["by"] == "ann"


def test_what_people_remember_is_found_by_agents(project):
    run("findings", "add", RULE["content"], "--type", "rule", "--module", "auth", "--project", project.root)

    [item] = ask_by_command(project)("context_search", query="lock", module="auth").value["results"]

    assert (item["content"], item["session"]) == (RULE["content"], None)


def test_a_server_that_only_reads_does_not_offer_it(project):
    with RawClient(project.root, "--toolsets", "context,guide", "--read-only").ready() as client:
        tools = client.request("tools/list")["result"]["tools"]

    assert "guide_record" not in {tool["name"] for tool in tools}

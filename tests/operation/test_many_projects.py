"""A service of many projects as those see it who run it: each project by its name, and who gave rights away."""

import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.hosting.services import Service
from tests.raw_http import get

CALL = {"name": "list_tasks", "arguments": {}}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """What Ann did in two projects, what Bob tried, what a monitor read, and the audit log in the end."""
    folder = tmp_path_factory.mktemp("service")
    service = Service(folder, ())
    for name in ("farm", "shop"):
        (folder / name).mkdir()
        (folder / name / "README.md").write_text(f"# The {name}\n")
        service.run("team", "projects", "add", name, folder / name)
        service.run("team", "projects", "grant", "ann", name, "--write")
    monitor = {"Authorization": f"Bearer {service.token('monitor', '--scopes', 'metrics')}"}
    told = {}
    with service.serving(FIELDGUIDE_LIMIT_DRAIN_NOTICE_SECONDS="1"):
        told["before"] = json.loads(get(service.url, "/readyz").text)
        for name in ("farm", "shop"):
            told[name] = service.ask("ann", name, "tools/call", {**CALL, "_meta": META}, **MODERN).status
        told["bob"] = service.ask("bob", "shop", "tools/call", {**CALL, "_meta": META}, **MODERN).status
        told["ready"] = json.loads(get(service.url, "/readyz").text)
        told["metrics"] = get(service.url, "/metrics", **monitor).text
    told["audit"] = [json.loads(line) for line in service.run("team", "audit").splitlines()]
    return told


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN = {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_tasks"}


def test_a_service_is_ready_before_and_after_a_project_is_opened(story):
    parts = {"database": "ok", "migrations": "ok", "index": "ok", "model": "ok"}
    assert story["before"] == story["ready"] == {"status": "ready", "parts": parts}


def test_each_project_is_told_by_its_name(story):
    families = {family.name: family for family in text_string_to_metric_families(story["metrics"])}
    calls = {sample.labels["project"]: sample.value for sample in families["fieldguide_calls"].samples}

    assert (story["farm"], story["shop"]) == (200, 200)
    assert calls == {"farm": 1, "shop": 1}
    assert families["fieldguide_projects"].samples[0].value == 2


def test_the_log_names_the_commands_that_gave_rights_away(story):
    told = [
        (line["project"], line["name"], line["arguments"]) for line in story["audit"] if line["action"] == "command"
    ]

    assert ("shop", "projects grant", '{"principal":"ann","write":true}') in told
    assert ("", "token new", '{"name":"monitor","scopes":"metrics","expires":"90d"}') in told
    assert not any("fgt_" in each for line in told for each in line)

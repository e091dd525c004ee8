"""Two replicas of a service with many projects and many people."""

import json

import pytest

from tests.hosting.services import Service
from tests.proves import proves
from tests.raw_http import INITIALIZE

FEW = {"FIELDGUIDE_LIMIT_CALLS_PER_USER_AND_DAY": "6"}
WORKFLOW = "fieldguide/workflow"


@pytest.fixture(scope="module")
def services(tmp_path_factory, postgres):
    folder, database = tmp_path_factory.mktemp("service"), ("--database", postgres.new_database())
    one, two = Service(folder, database), Service(folder, database)
    two.tokens, two.journal = one.tokens, folder / "second-journal"
    for name in ("shop", "barn"):
        (folder / name).mkdir()
        (folder / name / "README.md").write_text(f"# The {name}\n", encoding="utf-8")
        one.run("team", "projects", "add", name, folder / name)
    for user, project in (("ann", "shop"), ("bob", "shop"), ("bob", "barn"), ("carol", "shop")):
        one.run("team", "projects", "grant", user, project, "--write")
    for user in ("ann", "bob", "carol"):
        one.token(user)
    with one.serving(**FEW), two.serving(**FEW):
        yield one, two


def opened(service, user, project="shop"):
    answer = service.ask(user, project, "initialize", INITIALIZE["params"])
    assert answer.status == 200, answer.text
    return answer.headers["mcp-session-id"]


@proves("Z-217")
def test_a_session_is_its_principals_and_its_projects_on_every_replica(services):
    one, two = services
    session = opened(one, "bob")

    own = two.ask("bob", "shop", "tools/list", **{"Mcp-Session-Id": session})
    foreign = two.ask("ann", "shop", "tools/list", **{"Mcp-Session-Id": session})
    elsewhere = two.ask("bob", "barn", "tools/list", **{"Mcp-Session-Id": session})
    never = two.ask("ann", "shop", "tools/list", **{"Mcp-Session-Id": "0" * 32})
    taken = two.send("ann", "DELETE", "/mcp/shop", **{"Mcp-Session-Id": session})

    assert own.status == 200
    assert {(each.status, each.text) for each in (foreign, elsewhere, taken)} == {(never.status, never.text)}
    assert never.status == 404
    assert one.ask("bob", "shop", "ping", **{"Mcp-Session-Id": session}).status == 200


@proves("Z-209", "Z-217")
def test_a_workflow_is_its_users_on_every_replica(services):
    one, two = services
    sessions = {user: opened(one, user) for user in ("ann", "bob")}
    listed = two.ask("ann", "shop", "prompts/list", **{"Mcp-Session-Id": sessions["ann"]}).message["result"]["prompts"]
    named = {"name": listed[0]["name"], "arguments": {each["name"]: "apples" for each in listed[0]["arguments"]}}
    got = one.ask("ann", "shop", "prompts/get", named, **{"Mcp-Session-Id": sessions["ann"]}).message
    handle = got["result"]["_meta"][WORKFLOW]

    def call(service, user):
        params = {"name": "list_tasks", "arguments": {}, "_meta": {WORKFLOW: handle}}
        return service.ask(user, "shop", "tools/call", params, **{"Mcp-Session-Id": sessions[user]}).message

    assert "result" in call(two, "ann")
    assert "Unknown or expired" in call(two, "bob")["error"]["message"]


@proves("Z-216", "Z-217")
def test_the_calls_of_a_day_are_counted_across_replicas_and_projects(services):
    one, two = services
    sessions = [(service, opened(service, "carol")) for service in (one, two)]

    def call(service, session):
        params = {"name": "list_tasks", "arguments": {}}
        return service.ask("carol", "shop", "tools/call", params, **{"Mcp-Session-Id": session}).message

    told = [json.dumps(call(*sessions[number % 2])) for number in range(7)]

    assert ["No more calls today" in each for each in told] == [False] * 6 + [True]

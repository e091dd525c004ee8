"""Between users: what somebody read or found is nobody else's to see, and the journal says who called."""

import json

import pytest

from tests.raw_client import RawClient

pytestmark = pytest.mark.each_database


@pytest.fixture
def code(project):
    project.write("src/payroll.py", "SALARY = 1\n")
    project.write("src/kitchen.py", "MENU = 2\n")
    return project


def reading(client, path):
    """Read a file, and wait until the session tells of it."""
    client.call("read_file", path=path)
    for _ in range(100):
        told = client.request("resources/read", uri="context://session/current")
        if path in json.dumps(told):
            return
    raise AssertionError("the session never told of it")


@pytest.mark.parametrize("uri", ["context://session/current", "context://sessions/recent"])
def test_a_bound_user_sees_only_their_own_sessions(code, database_flags, uri):
    with RawClient(code.root, "--user", "ann", *database_flags).ready() as ann:
        reading(ann, "src/payroll.py")
        with RawClient(code.root, "--user", "bob", *database_flags).ready() as bob:
            before = json.dumps(bob.request("resources/read", uri=uri))
            reading(bob, "src/kitchen.py")
            after = json.dumps(bob.request("resources/read", uri=uri))
        own = json.dumps(ann.request("resources/read", uri=uri))

    assert "payroll" not in before + after
    assert "kitchen" in after
    assert "payroll" in own
    assert "kitchen" not in own


def test_a_bound_user_searches_only_their_own_sessions(code, database_flags):
    for user, path in (("ann", "src/payroll.py"), ("bob", "src/kitchen.py")):
        with RawClient(code.root, "--user", user, *database_flags).ready() as client:
            reading(client, path)
            client.leave()

    found = {}
    for user in ("ann", "bob"):
        with RawClient(code.root, "--user", user, "--toolsets", "context", *database_flags).ready() as client:
            found[user] = sessions_found(client)

    assert ["payroll" in text for text in found["ann"]] == [True]
    assert ["kitchen" in text for text in found["bob"]] == [True]


def sessions_found(client):
    """The sessions that a search tells of, once the index is made."""
    for _ in range(200):
        answer = json.loads(
            client.call("context_search", query="session of files payroll kitchen")["content"][0]["text"]
        )
        found = [item["content"] for item in answer.get("results", ()) if item["source"] == "session"]
        if found:
            return found
    raise AssertionError("no session was ever found")


def test_the_journal_names_the_user(code):
    with RawClient(code.root, "--user", "ann").ready() as bound:
        bound.call("list_tasks")
        _, _, journal = bound.leave()
    with RawClient(code.root).ready() as unbound:
        unbound.call("list_tasks", user_id="bob")
        unbound.call("read_file", path="src/kitchen.py")
        _, _, other = unbound.leave()

    assert [line["user"] for line in journal if line["message"] == "Tool completed"] == ["ann"]
    assert [line.get("user") for line in other if line["message"] == "Tool completed"] == ["bob", None]

"""`fieldguide findings`: what was kept can be looked over and corrected."""

import json

from tests.servers import run


def kept(project, *flags):
    return json.loads(run("findings", "list", "--json", "--project", project.root, *flags).stdout)


def found(project, query):
    done = run("call", "context_search", json.dumps({"query": query, "type": "rule"}), "--project", project.root)
    return [each["content"] for each in json.loads(done.stdout)["results"]]


def test_what_was_wrong_is_removed_and_found_no_more(project):
    place = ("--project", project.root)
    run("findings", "add", "Callers must hold the lock.", "--type", "rule", "--module", "spine", *place)
    run("findings", "add", "Callers must never hold the lock.", "--type", "rule", *place)
    run("findings", "add", "We chose SQLite.", "--type", "decision", *place)
    before = found(project, "hold the lock")
    wrong = next(each["id"] for each in kept(project) if "never" in each["content"])

    removed = run("findings", "remove", wrong, *place)
    again = run("findings", "remove", wrong, *place, code=1)

    assert removed.stdout == f"Removed {wrong}.\n"
    assert again.stderr == f"fieldguide: There is no finding '{wrong}'.\n"
    assert len(before) == 2
    assert found(project, "hold the lock") == ["Callers must hold the lock."]
    assert {each["content"] for each in kept(project)} == {"Callers must hold the lock.", "We chose SQLite."}


def test_the_list_can_be_narrowed_and_says_when_there_is_nothing(project):
    nothing = run("findings", "list", "--project", project.root)
    place = ("--project", project.root)
    run("findings", "add", "Callers must hold the lock.", "--type", "rule", "--module", "spine", *place)

    listed = run("findings", "list", *place).stdout.splitlines()

    assert nothing.stdout == "No findings.\n"
    assert listed[0].endswith("rule in spine")
    assert listed[1] == "    Callers must hold the lock."
    assert kept(project, "--type", "issue") == kept(project, "--module", "other") == []
    assert len(kept(project, "--type", "rule", "--module", "spine")) == 1

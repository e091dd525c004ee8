"""`completion/complete`: the names of patterns, guidelines and decisions while a person types."""

import pytest

from tests.architecture_projects import (
    GUIDELINES,
    PATTERNS,
    call,
    served,
    write_architecture,
)
from tests.projects import Project
from tests.proves import proves

GUIDED = {"type": "ref/prompt", "name": "guided-pattern-validation"}


def completed(client, argument, begun, reference=GUIDED, **more):
    params = {"ref": reference, "argument": {"name": argument, "value": begun}, **more}
    return client.request("completion/complete", **params)["result"]["completion"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("completed"))
    write_architecture(project)
    return project


@pytest.fixture(scope="module")
def client(project):
    with served(project) as client:
        yield client


@proves("U0-8")
@pytest.mark.parametrize(
    ("argument", "begun", "values"),
    [
        ("pattern_name", "", ["layered-imports", "repository-pattern"]),
        ("pattern_name", "r", ["repository-pattern"]),
        ("pattern_name", "REPO", ["repository-pattern"]),
        ("pattern_name", "repository-pattern", ["repository-pattern"]),
        ("pattern_name", "pattern", []),
        ("guideline_name", "", ["http/errors", "naming"]),
        ("guideline_name", "Http/", ["http/errors"]),
        ("adr_id", "", ["001", "002", "003"]),
        ("adr_id", "003", ["003"]),
        ("adr_id", "9", []),
        ("language", "", []),
        ("code", "", []),
    ],
)
def test_a_name_is_completed_from_its_beginning_whatever_the_case(client, argument, begun, values):
    assert completed(client, argument, begun) == {"values": values, "total": len(values), "hasMore": False}


@proves("U0-8")
def test_every_template_is_completed_by_its_own_documents(client):
    def values(uri, argument):
        return completed(client, argument, "", {"type": "ref/resource", "uri": uri})["values"]

    assert values("architecture://patterns/{path}", "path") == ["layered-imports", "repository-pattern"]
    assert values("architecture://adr/{id}", "id") == ["001", "002", "003"]
    assert values("architecture://nothing/{path}", "path") == []
    assert values("other://patterns/{path}", "path") == []


def test_what_is_completed_is_a_name_that_the_tool_takes(tmp_path):
    project = Project(tmp_path)
    names = ["Größe", "naming things", "ordner/tief", "設計"]
    for name in names:
        project.write(f"{PATTERNS}/{name}.md", f"# {name}\n")
    with served(project) as client:
        values = completed(client, "pattern_name", "")["values"]
        begun = completed(client, "pattern_name", "grö")["values"]
        found = [call(client, "validate-against-pattern", code="x = 1", pattern_name=name) for name in values]

    assert sorted(values) == sorted(names)
    assert begun == ["Größe"]
    assert [each["pattern"] for each in found] == values


def test_a_hundred_names_are_given_and_the_rest_counted(tmp_path):
    project = Project(tmp_path)
    for number in range(130):
        project.write(f"{GUIDELINES}/g{number:03d}.md", f"# {number}\n")
    with served(project) as client:
        told = completed(client, "guideline_name", "g")

    assert told["values"] == [f"g{number:03d}" for number in range(100)]
    assert (told["total"], told["hasMore"]) == (130, True)


@pytest.mark.parametrize("params", [{}, {"ref": 5, "argument": {}}, {"ref": {}, "argument": []}])
def test_a_reference_that_is_none_is_refused(client, params):
    assert client.request("completion/complete", **params)["error"]["code"] == -32602

"""What `resources/read` answers for an address that is none, in the words and codes of the specification."""

from datetime import datetime

import pytest

from tests.architecture_projects import (
    POSTGRESQL,
    served,
    text_at,
    write_architecture,
)
from tests.proves import proves
from tests.raw_client import MODERN

FORMAT = "Invalid URI format, expected 'architecture://{category}/{path}'"
TRAVERSAL = "Path traversal attempt detected"
INVALID = [
    ("other://patterns/x", "Invalid resource URI"),
    ("http://127.0.0.1/", "Invalid resource URI"),
    ("file:///etc/passwd", "Invalid resource URI"),
    ("architecture:/patterns/x", "Invalid resource URI"),
    ("architecture", "Invalid resource URI"),
    ("ARCHITECTURE://patterns/repository-pattern", "Invalid resource URI"),
    ("architecture://", FORMAT),
    ("architecture://patterns", FORMAT),
    ("architecture://patterns/", FORMAT),
    ("architecture:///x", FORMAT),
    ("architecture://patterns/../adr/001", TRAVERSAL),
    ("architecture://patterns/..", TRAVERSAL),
    ("architecture://patterns/%2e%2e/adr/001", TRAVERSAL),
    ("architecture://patterns/..%2f..%2f..%2fetc%2fpasswd", TRAVERSAL),
    ("architecture://patterns/a\\b", TRAVERSAL),
    ("architecture://patterns/a%5Cb", TRAVERSAL),
    ("architecture://nothing/..", TRAVERSAL),
    ("architecture://nothing/x", "unsupported resource category"),
    ("architecture://pattern/repository-pattern", "unsupported resource category"),
    ("architecture://prompts/create-adr", "unsupported resource category"),
]
MISSING = [
    "architecture://patterns/nothing", "architecture://patterns/repository", "architecture://guidelines/errors",
    "architecture://adr/4", "architecture://adr/0", "architecture://adr/99999999999999999999999999",
    "architecture://adr/²", "architecture://patterns/ ", "architecture://patterns//repository-pattern",
    "architecture://patterns//etc/passwd", "architecture://patterns/repository-pattern\u0000",
    "architecture://patterns/%00", "architecture://patterns/%ff", "architecture://patterns/%",
    "architecture://patterns/" + "x" * 5000, "architecture://patterns/*",
]  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    from tests.projects import Project

    project = Project(tmp_path_factory.mktemp("errors"))
    write_architecture(project)
    with served(project) as client:
        yield client


def error(client, uri, **more):
    return client.request("resources/read", uri=uri, **more)["error"]


@proves("U0-4")
@pytest.mark.parametrize(("uri", "message"), INVALID)
def test_an_address_that_is_none_is_refused_in_the_specified_words(client, uri, message):
    told = error(client, uri)

    assert (told["code"], told["message"]) == (-32602, message)
    assert told["data"]["uri"] == uri


@proves("U0-4")
@pytest.mark.parametrize("uri", MISSING)
def test_an_address_where_nothing_lies_is_not_found(client, uri):
    told = error(client, uri)

    assert (told["code"], told["message"]) == (-32002, "Resource not found")
    assert text_at(client, "architecture://adr/001") == POSTGRESQL


@proves("U0-5")
def test_an_error_carries_what_a_program_reads(client):
    invalid = error(client, "architecture://nothing/x")["data"]
    missing = error(client, "architecture://patterns/nothing")["data"]

    times = [datetime.fromisoformat(data.pop("timestamp")) for data in (invalid, missing)]
    assert all(time.tzinfo is not None for time in times)
    assert invalid == {
        "category": "validation",
        "code": "INVALID_PARAMS",
        "severity": "low",
        "context": {"uri": "architecture://nothing/x"},
        "uri": "architecture://nothing/x",
    }
    assert missing == {
        "category": "resource",
        "code": "RESOURCE_NOT_FOUND",
        "severity": "medium",
        "context": {"uri": "architecture://patterns/nothing"},
        "uri": "architecture://patterns/nothing",
    }


@proves("U0-5")
def test_the_errors_of_tools_carry_it_too(client):
    told = client.request("tools/call", name="search-architecture", arguments={})["error"]["data"]

    assert datetime.fromisoformat(told.pop("timestamp")).tzinfo is not None
    assert told.pop("issues")
    assert told == {
        "tool": "search-architecture",
        "category": "validation",
        "code": "INVALID_PARAMS",
        "severity": "low",
        "context": {"tool": "search-architecture"},
    }


@proves("U0-4")
def test_the_new_era_has_no_code_of_its_own_for_what_is_missing(client):
    missing = error(client, "architecture://patterns/nothing", _meta=MODERN)
    invalid = error(client, "architecture://nothing/x", _meta=MODERN)

    assert (missing["code"], missing["message"]) == (-32602, "Resource not found")
    assert (invalid["code"], invalid["message"]) == (-32602, "unsupported resource category")


@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": None}, {"uri": ""}, {"uri": ["architecture://adr/001"]}])
def test_an_address_that_is_no_text_is_refused(client, params):
    assert client.request("resources/read", **params)["error"]["code"] == -32602

"""`validate-against-pattern`: code held against the rules that a pattern document lays down."""

import json

import pytest

from tests.architecture_projects import (
    FLAGS,
    PATTERNS,
    REPOSITORY,
    call,
    error_of,
    served,
    write_architecture,
)
from tests.clients import connected, payload
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import MODERN

TOOL = "validate-against-pattern"
KEYS = ["compliant", "pattern", "violations", "suggestions", "checked", "not_checked"]
BAD_SERVICE = """\
import sqlite3

class BillingService:
    def total(self, customer_id: int) -> int:
        with sqlite3.connect("orders.db") as connection:
            return connection.execute("SELECT SUM(total) FROM orders").fetchone()[0]
"""
GOOD_SERVICE = '''\
class BillingService:
    """Imports nothing: `import sqlite3` stands only in this sentence."""

    def __init__(self, orders: "OrderRepository") -> None:
        self.orders = orders  # not: import sqlite3

    def total(self, customer_id: int) -> int:
        return sum(order.total for order in self.orders.of_customer(customer_id))
'''
BAD_NAME = "class Orders(BaseRepository):\n    def unpaid(self) -> list[int]:\n        return []\n"
PROSE = """\
# Sessions

Sessions live in cookies.

## Best Practices

### Do not call `print()`

Write to the log instead.

### Think about names

A name is a promise.

## Common Pitfalls

### Never call `eval()`

It runs whatever a stranger wrote.

## Implementation

Cookies are signed with a key of the server.
"""
SMALL = """\
# Data access

Data access goes through repositories.

## Rules

- Repositories must not import `requests`.
- Never call `print()`; use the logger.
- Think before you write.

## Example

Good:

```python
class UserRepository:
    def get(self, user_id):
        return self.session.get(User, user_id)
```

Bad:

```python
class UserRepository:
    def get(self, user_id):
        return db.execute(f"SELECT name FROM users WHERE id = {user_id}")
```
"""
SMALL_GOOD = """\
class OrderRepository:
    def find(self, order_id):
        return self.session.get(Order, order_id)
"""
SMALL_BAD = """\
import requests

class OrderRepository:
    def find(self, key):
        print(key)
        return requests.get(key)
"""
RECORDED = """\
def restore(text):
    print(text)
    return eval(text)
"""
BY_LANGUAGE = {
    "python": ("import os\nimport psycopg\n\n\ndef f():\n    return psycopg\n", 2),
    "typescript": ('import { Client } from "pg";\n\nexport const client: Client = new Client();\n', 1),
    "javascript": ('const pg = require("pg");\n\nmodule.exports = { pg };\n', 1),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("validated"))
    write_architecture(project)
    project.write(f"{PATTERNS}/web/sessions.md", PROSE)
    project.write(f"{PATTERNS}/small.md", SMALL)
    return project


@pytest.fixture(scope="module")
def client(project):
    with served(project) as client:
        yield client


def validate(client, code, pattern="repository-pattern", **more):
    return call(client, TOOL, code=code, pattern_name=pattern, **more)


@proves("S0-30", "S0-31", "S0-34", "S0-80")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_is_told_what_is_wrong_and_where(project, mode):
    async with connected(project.root, *FLAGS, mode=mode) as client:
        told = payload(await client.call_tool(TOOL, {"code": BAD_SERVICE, "pattern_name": "repository-pattern"}))

    assert list(told) == KEYS
    assert (told["checked"], told["not_checked"]) == (2, [])
    assert told["compliant"] is False
    assert told["pattern"] == "repository-pattern"
    [violation] = told["violations"]
    assert (violation["rule"], violation["severity"]) == ("no-driver-in-services", "error")
    assert violation["description"] == "A service imports no database driver."
    assert violation["line"] == 1
    assert REPOSITORY.splitlines()[violation["document_line"] - 1] == "### Services ask, repositories answer"
    assert any("Take a repository through the constructor" in each for each in told["suggestions"])


@proves("S0-30", "S0-35", "S0-80")
def test_code_that_follows_the_pattern_has_no_violation_though_it_speaks_of_one(client):
    told = validate(client, GOOD_SERVICE)

    assert told["compliant"] is True
    assert told["violations"] == []
    assert told["pattern"] == "repository-pattern"
    assert all(isinstance(each, str) for each in told["suggestions"])


@proves("S0-34", "S0-31")
def test_every_rule_that_is_broken_is_told_in_the_order_of_the_code(client):
    told = validate(client, f"{BAD_NAME}\n\nimport psycopg\n")

    assert [(each["rule"], each["line"]) for each in told["violations"]] == [
        ("repository-names", 1),
        ("no-driver-in-services", 6),
    ]
    assert {each["severity"] for each in told["violations"]} == {"error", "warning"}


@proves("S0-28", "S0-32")
@pytest.mark.parametrize("language", BY_LANGUAGE)
@pytest.mark.parametrize("is_told", [True, False], ids=["told", "detected"])
def test_the_structure_of_the_code_is_read_in_its_language(client, language, is_told):
    code, line = BY_LANGUAGE[language]

    told = validate(client, code, **({"language": language} if is_told else {}))

    assert [(each["rule"], each["line"]) for each in told["violations"]] == [("no-driver-in-services", line)]


@proves("U0-15", "S0-32")
def test_the_sections_of_a_document_are_rules_too(client):
    told = validate(client, RECORDED, "web/sessions", language="python")

    lines = PROSE.splitlines()
    assert [(lines[each["document_line"] - 1], each["severity"], each["line"]) for each in told["violations"]] == [
        ("### Do not call `print()`", "warning", 2),
        ("### Never call `eval()`", "error", 3),
    ]
    assert any("Think about names" in each for each in told["suggestions"])  # no machine can check it


@proves("S0-32", "S0-34", "S0-35")
def test_a_document_without_front_matter_gives_rules_by_its_bans_and_its_examples(client):
    bad = validate(client, SMALL_BAD, "small", language="python")
    good = validate(client, SMALL_GOOD, "small", language="python")

    lines = SMALL.splitlines()
    assert [(lines[each["document_line"] - 1], each["line"]) for each in bad["violations"]] == [
        ("- Repositories must not import `requests`.", 1),
        ("- Never call `print()`; use the logger.", 5),
    ]
    assert bad["compliant"] is False
    assert (good["compliant"], good["violations"]) == (True, [])


@proves("D-34", "S0-30")
@pytest.mark.parametrize(
    ("code", "pattern", "language", "reason"),
    [
        (GOOD_SERVICE, "layered-imports", "python", "The document has no rule that a machine can check."),
        (GOOD_SERVICE, "repository-pattern", "sql", "not checked"),
        ("no language at all", "repository-pattern", None, "The language could not be told"),
        ("((" * 20_000, "repository-pattern", "python", "nested too deeply"),
    ],
)
def test_code_that_nothing_could_be_checked_on_is_not_compliant(client, code, pattern, language, reason):
    told = validate(client, code, pattern, **({"language": language} if language else {}))

    assert (told["compliant"], told["checked"]) == (False, 0)
    assert reason in told["not_checked"][0]
    assert any("No rule of this pattern" in each for each in told["suggestions"])


@proves("D-34", "S0-35")
@pytest.mark.parametrize("code", ["", "\n\n"])
def test_empty_code_breaks_nothing(client, code):
    told = validate(client, code)

    assert (told["compliant"], told["violations"], told["checked"], told["not_checked"]) == (True, [], 2, [])


@proves("S0-33", "D-3", "U0-14", "S0-80")
def test_an_unknown_pattern_is_an_error_with_the_names_that_there_are(client):
    error = error_of(client, TOOL, code="x", pattern_name="repository-patern")
    new = client.request("tools/call", name=TOOL, arguments={"code": "x", "pattern_name": "saga"}, _meta=MODERN)[
        "result"
    ]

    known = ["layered-imports", "repository-pattern", "small", "web/sessions"]
    assert (error["code"], error["message"]) == (-32602, "pattern not found: repository-patern")
    assert error["data"]["available"] == known
    assert error["data"]["suggestions"] == ["repository-pattern"]
    assert new["isError"]
    assert json.loads(new["content"][0]["text"]) == {
        "available": known,
        "error": "pattern not found: saga",
        "code": -32602,
        "tool": TOOL,
    }


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("repository-pattern", "repository-pattern"),
        ("repository-pattern.md", "repository-pattern"),
        ("Repository Pattern", "repository-pattern"),
        ("repository_pattern", "repository-pattern"),
        ("mcp/resources/patterns/repository-pattern.md", "repository-pattern"),
        ("architecture://patterns/repository-pattern", "repository-pattern"),
        ("web/sessions", "web/sessions"),
        ("sessions", "web/sessions"),
        ("Sessions", "web/sessions"),
        ("web/sessions.md", "web/sessions"),
    ],
)
def test_a_pattern_goes_by_its_name_its_title_its_path_and_its_uri(client, name, pattern):
    assert validate(client, BAD_SERVICE, name)["pattern"] == pattern


def test_a_last_part_that_two_patterns_have_names_neither(tmp_path):
    project = Project(tmp_path)
    for folder in ("web", "batch"):
        project.write(f"{PATTERNS}/{folder}/sessions.md", PROSE)
    with served(project) as client:
        error = error_of(client, TOOL, code="x", pattern_name="sessions")

    assert (error["code"], error["data"]["available"]) == (-32602, ["batch/sessions", "web/sessions"])


@proves("S0-36", "S0-80")
@pytest.mark.parametrize("language", ["python", "typescript", "rust", None])
@pytest.mark.parametrize(
    "code",
    [
        "", " \n\t", "def broken(:\n    return\n", "}}}}}} ((((( '''' \"\"\" /* <!-- ", "\x00\x01\x02\ufffd\ufeff",
        "((" * 20_000, "x" * 50_000, "\r\n" * 1_000, "🦊 = 1", "Just a sentence about code, which is none.",
    ],
    ids=["empty", "blank", "broken", "marks", "bytes", "deep", "long", "lines", "fox", "prose"],
)  # fmt: skip
def test_code_that_cannot_be_parsed_is_answered_all_the_same(client, code, language):
    told = validate(client, code, **({} if language is None else {"language": language}))

    assert list(told) == KEYS
    assert told["compliant"] is (told["violations"] == [] and told["checked"] > 0)
    assert told["checked"] > 0 or told["not_checked"]
    assert {each["severity"] for each in told["violations"]} <= {"error", "warning"}

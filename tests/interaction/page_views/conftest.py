"""One project with decisions, patterns, tasks and findings, served over HTTP, and one that is served read-only."""

import re
from urllib.parse import urlencode

import pytest

from fieldguide.app import open_database
from fieldguide.knowledge.findings.finding import FindingRepository, create_finding
from fieldguide.settings.config import read_settings
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.storage.database import FINDINGS_SCHEMA
from tests.projects import Project
from tests.raw_http import get, host_of, send
from tests.servers import AUTHORIZATION, http_server

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> \u202egnp.exe"
BEARER = AUTHORIZATION["authorization"]
PATTERN = """---
rules:
  - id: no-print
    message: Write to the log.
    forbid-call: print
    languages: [python]
---

# Log, do not print

Bad:

```python
print("x")
```
"""
FINDINGS = (
    ("rule", "Callers hold the lock.", "spine"),
    ("issue", f"It broke once. {HOSTILE}", None),
    ("decision", "Times are in UTC, see `src/gone.py`.", "storage"),
)


class Page:
    """A page as a browser sees it: what it shows, and what its forms send."""

    def __init__(self, url):
        self.url = url

    def get(self, path, **headers):
        return get(self.url, path, Authorization=BEARER, **headers)

    def field(self, path, name):
        """What a form carries in a hidden field."""
        [value, *_] = re.findall(rf'name="{name}" value="([^"]+)"', self.get(path).text)
        return value

    def csrf(self, path="/tasks"):
        return self.field(path, "csrf")

    def post(self, path, *, csrf=None, headers=(), **fields):
        given = {"csrf": self.csrf() if csrf is None else csrf, **fields}
        body = urlencode(given).encode()
        sent = [
            ("Host", host_of(self.url)),
            ("Authorization", BEARER),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Content-Length", str(len(body))),
            *headers,
        ]
        return send(self.url, "POST", path, sent, body)


def decision(number, title, *, status="accepted", day="2024-01-02", more=""):
    return (
        f"---\nstatus: {status}\ndate: {day}\n---\n\n# {title}\n\n{more}\n\n## Context\n\nWhich one?\n\n"
        f'## Considered Options\n\n* Files\n* A database\n\n## Decision Outcome\n\nChosen option: "A database", '
        "because it is one.\n"
    )


def fill(project):
    """Decisions that replace each other, a pattern, and findings."""
    project.write("docs/decisions/0001-files.md", decision(1, "Use files", status="superseded by 0003"))
    project.write("docs/decisions/0002-cache.md", decision(2, "Cache", day="2024-03-04", more="Amends ADR 0001."))
    project.write("docs/decisions/0003-database.md", decision(3, "Use a database", day="2025-02-03"))
    project.write("docs/decisions/0004-evil.md", decision(4, HOSTILE, status="rejected", day="2025-03-03"))
    project.write("mcp/resources/patterns/logging.md", PATTERN)
    settings = read_settings({"project": str(project.root)}, {})
    database = open_database(settings, [FINDINGS_SCHEMA], Journal(Metrics()))
    with database.writing() as transaction:
        for type_, content, module in FINDINGS:
            FindingRepository(transaction, "").add(create_finding(type_, content, module=module))
    database.close()


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("views"))
    fill(project)
    with http_server(project.root, "--user", "ann") as url:
        yield Page(url)


@pytest.fixture(scope="session")
def read_only(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("read-only"))
    fill(project)
    with http_server(project.root, "--user", "ann", "--read-only") as url:
        yield Page(url)

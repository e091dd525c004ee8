"""The one document cache: whoever asks for a document, it is read once."""

from collections import Counter

import pytest

from fieldguide.app import build_app
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.settings.config import read_settings
from fieldguide.wire.protocol import Connection
from tests.architecture_projects import DOCUMENTS, write_architecture
from tests.proves import proves

CALLS = [
    ("validate-against-pattern", {"code": "import sqlite3\n", "pattern_name": "repository-pattern"}),
    ("search-architecture", {"query": "repository"}),
    ("check-adr-alignment", {"decision_description": "Use MongoDB for orders"}),
]


@pytest.fixture
def reads(monkeypatch):
    """How often each file of a project was read."""
    counted: Counter[str] = Counter()
    read = ConfinedFolder.read_with_status

    def counting(self, path, *, limit_bytes):
        counted[path] += 1
        return read(self, path, limit_bytes=limit_bytes)

    monkeypatch.setattr(ConfinedFolder, "read_with_status", counting)
    return counted


@pytest.fixture
def ask(project):
    """An app of the project in this process, asked as over a wire."""
    given = {"project": str(project.root), "toolsets": ("architecture",)}
    app = build_app(read_settings(given, {}), write_journal=lambda lines: None)
    connection = Connection(id="test")

    def ask(method, **params):
        return app.answer(method, params, connection)

    return ask


@proves("S0-20", "S0-24", "S0-81")
def test_resources_prompts_completions_and_tools_read_each_document_once(project, ask, reads):
    write_architecture(project)

    for _ in range(2):
        listed = ask("resources/list")
        for resource in listed["resources"]:
            ask("resources/read", uri=resource["uri"])
        ask("prompts/get", name="review-code-against-patterns", arguments={"code": "x"})
        ask(
            "completion/complete",
            ref={"type": "ref/prompt", "name": "guided-pattern-validation"},
            argument={"name": "pattern_name", "value": ""},
        )
        for tool, arguments in CALLS:
            assert "error" not in ask("tools/call", name=tool, arguments=arguments)

    assert len(listed["resources"]) == len(DOCUMENTS)
    assert {path: reads[path] for path in DOCUMENTS} == dict.fromkeys(DOCUMENTS, 1)


def test_listing_tools_reads_nothing(project, ask, reads):
    write_architecture(project)

    ask("tools/list")

    assert reads.total() == 0

"""The patches of the walkthroughs apply to the code, and what they add works."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks_of
from tests.servers import environment

PAGE = ROOT / "docs" / "guides" / "own-toolset.md"
WALKTHROUGHS = PAGE.read_text(encoding="utf-8").partition("\n## Five common changes\n")[2]
MOST_FILES = 3
RENDER = """
from starlette.applications import Starlette
from starlette.testclient import TestClient
from fieldguide.pages import breakers

class Site:
    facts = type("Facts", (), {"health": staticmethod(lambda: {"circuit_breakers": {"tool_a<b": "open"}})})
    def add_section(self, *given): pass
    def page(self, request, title, main, at):
        from starlette.responses import HTMLResponse
        return HTMLResponse(main.markup)
    def route(self, path, show):
        from starlette.routing import Route
        return Route(path, show)

print(TestClient(Starlette(routes=breakers.routes(Site()))).get("/breakers").text)
"""


def patches() -> list[str]:
    blocks = blocks_of(PAGE, WALKTHROUGHS)
    return [block.text for block in blocks if block.language == "diff"]


@pytest.fixture(scope="module")
def patched(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("patched")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for patch in patches():
        subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=folder, check=True, capture_output=True)
    return folder


def run(patched: Path, *words: str, **variables: str) -> str:
    project = patched / "project"
    project.mkdir(exist_ok=True)
    (project / "notes.org").write_text("* Marmots\n\nThey eat grass.\n", encoding="utf-8")
    given = {**environment(), "PYTHONPATH": str(patched / "src"), **variables}
    done = subprocess.run([sys.executable, *words], cwd=project, env=given, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def test_each_change_touches_few_files():
    sections = WALKTHROUGHS.split("\n### ")[1:]
    touched = {section.partition("\n")[0]: section.count("\n+++ ") for section in sections}

    assert len(touched) == 5
    assert all(0 < files <= MOST_FILES for files in touched.values()), touched


def test_the_tool_and_the_setting_work(patched):
    fieldguide = ("-m", "fieldguide", "call")
    arguments = json.dumps({"user_id": "ada", "title": "write a walkthrough"})

    run(patched, *fieldguide, "add_task", arguments)
    refused = run(patched, *fieldguide, "add_task", arguments, FIELDGUIDE_LIMIT_TASK_TITLE_WORDS="2")

    assert json.loads(run(patched, *fieldguide, "count_tasks", '{"user_id": "ada"}')) == {"tasks": 1}
    assert "the limit is 2 (task_title_words)" in refused


def test_the_format_the_command_and_the_view_work(patched):
    read = (
        "from fieldguide.prose.readers import read_document as r; print(r('a.org', '* A\\n\\nb\\n').headings[0].text)"
    )

    assert run(patched, "-c", read) == "A\n"
    assert run(patched, "-m", "fieldguide", "languages").split() == ["1", "other"]
    assert "<td>open</td>" in run(patched, "-c", RENDER)
    assert "tool_a&lt;b" in run(patched, "-c", RENDER)

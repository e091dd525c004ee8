"""The start screen of a repository that somebody has never met: what it is, where it begins, what changes most."""

import pytest

from tests.git_projects import GitProject
from tests.indexed_projects import index_whole
from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.projects import Project
from tests.servers import http_server

EVIL = "<img src=x onerror=alert(1)>"
MANIFEST = f'''\
[project]
name = "ferry"
description = "Ferries people over the river. {EVIL}"

[project.scripts]
ferry = "ferry.cli:main"
"{EVIL}" = "ferry.cli:main"

[tool.pytest]
'''
SERVER = f"""\
from flask import Flask

app = Flask(__name__)


@app.route("/boats/{EVIL}")
def boats():
    return []
"""


@pytest.fixture(scope="module")
def ferry(tmp_path_factory):
    project = GitProject(tmp_path_factory.mktemp("ferry"))
    project.write("pyproject.toml", MANIFEST)
    project.write("ferry/cli.py", "def main():\n    pass\n")
    project.write("ferry/server.py", SERVER)
    project.write(f"{EVIL}/odd.py", "import ferry.cli\n")
    project.write("docs/guide.md", "# Guide\n")
    project.write("Makefile", f"test:\n\techo '{HOSTILE}'\n")
    project.git("add", "--all")
    project.commit_all("Begin")
    project.commit("Again", "ferry/cli.py")
    index_whole(project.root)
    with http_server(project.root, "--user", "ann") as url:
        yield Page(url)


def test_a_repository_is_introduced_with_where_it_begins_and_what_changes_most(ferry):
    lead = ferry.get("/").text
    about = ferry.get("/?part=about", X_Fragment="1").text

    assert '<p class="lead" dir="auto">Ferries people over the river.' in lead
    assert lead.index('type="search"') < lead.index("<h2>Index</h2>")
    assert 'Python <span class="quiet">3 files</span>' in about
    assert '<h2>Programs</h2> <span class="count">' in about
    assert 'href="/code/ferry/cli.py">ferry/cli.py</a> <code>ferry</code>' in about
    assert "<h2>Routes</h2>" in about
    assert "symbol=%2Fboats%2F" in about
    assert "<code>make test</code>" in about
    assert "2 commits" in about.partition("<h2>What changes most</h2>")[2]
    assert 'href="/code/docs">docs</a> <span class="quiet">1 document</span>' in about
    assert '<a href="/code">The map of the project</a>' in about


def test_the_introduction_is_there_without_script(ferry):
    assert "<h2>Where it begins</h2>" in ferry.get("/?part=about").text


def test_what_a_manifest_a_route_and_a_folder_say_is_text(ferry):
    text = ferry.get("/").text + ferry.get("/?part=about").text

    assert "<img src=x" not in text
    assert "<script>alert" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


def test_an_empty_project_has_no_introduction(tmp_path):
    with http_server(Project(tmp_path).root, "--user", "ann") as url:
        text = Page(url).get("/?part=about").text

    assert "<h2>Where it begins</h2>" not in text
    assert "<h2>Index</h2>" in text

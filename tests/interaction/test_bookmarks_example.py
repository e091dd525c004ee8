"""The example with a table: served beside ours, in both databases, for each user and each project alone."""

import json
import subprocess

import pytest

from tests.docs.markdown import ROOT
from tests.docs.test_code_blocks import pretend_to_install
from tests.servers import FIELDGUIDE, environment, run

GUIDE = ROOT / "docs" / "guides" / "own-toolset.md"
PACKAGE = ROOT / "examples" / "bookmarks_toolset" / "src" / "fieldguide_bookmarks"


@pytest.fixture
def call(project, tmp_path, database_flags):
    """Runs a tool with the example installed beside us; gives what it printed, as JSON."""
    site = tmp_path / "site"
    site.mkdir()
    pretend_to_install(["./examples/bookmarks_toolset"], site)

    def ask(tool, *flags, root=project.root, **arguments):
        words = ("call", tool, json.dumps(arguments), "--project", root, *database_flags, *flags)
        return json.loads(run(*words, code=None, PYTHONPATH=str(site)).stdout)

    return ask


@pytest.mark.each_database
def test_what_is_kept_is_found_by_its_owner_in_its_project(call, project, tmp_path, database_flags):
    project.write("docs/ferns.md", "# Ferns\n\nA fern likes shade.\n")
    project.write("docs/foxes.md", "# Foxes\n\nA fox digs a den.\n")
    indexing = [FIELDGUIDE, "index", "--project", str(project.root), *database_flags]
    subprocess.run(indexing, env=environment(), check=True, capture_output=True, timeout=60)
    other = tmp_path / "other"
    other.mkdir()
    for path in ("docs/foxes.md", "docs/ferns.md"):
        assert call("add_bookmark", "--user", "ann", path=path, why="so") == {"kept": path}
    call("add_bookmark", "--user", "ann", path="docs/ferns.md", why="shade")

    kept = [{"path": "docs/ferns.md", "why": "shade"}, {"path": "docs/foxes.md", "why": "so"}]
    assert call("find_bookmarks", "--user", "ann") == {"bookmarks": kept}
    assert call("find_bookmarks", "--user", "ann", about="where a fox digs")["bookmarks"][0] == kept[1]
    assert call("find_bookmarks", "--user", "bob") == {"bookmarks": []}
    assert call("find_bookmarks", "--user", "ann", root=other) == {"bookmarks": []}
    assert call("add_bookmark", path="../secret")["tool"] == "add_bookmark"


def test_the_guide_shows_the_package_as_it_is():
    page = GUIDE.read_text(encoding="utf-8")

    shown = [PACKAGE / "__init__.py", *sorted((PACKAGE / "migrations").glob("*.sqlite.sql"))]
    assert len(shown) == 3
    assert [path.name for path in shown if f"\n{path.read_text(encoding='utf-8')}```" not in page] == []


def test_the_guide_names_every_part_of_services_and_the_example_uses_it():
    from fieldguide.spine.toolset import Services

    page, source = GUIDE.read_text("utf-8"), (PACKAGE / "__init__.py").read_text("utf-8")
    assert [part for part in Services._fields if f"| `{part}` |" not in page] == []
    assert [part for part in Services._fields if f"services.{part}" not in source] == []

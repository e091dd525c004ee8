"""One service for all tests of its pages: two projects of Ann's, one that Bob reads a part of, and one of nobody's."""

from collections.abc import Iterator

import pytest

from tests.hosting.services import Service
from tests.projects import Project

ADR = "# 1. Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use PostgreSQL.\n"


@pytest.fixture(scope="package")
def service(tmp_path_factory) -> Iterator[Service]:
    """A service that serves: Ann reads shop and yard, Bob the documents of shop, and vault is nobody's."""
    folder = tmp_path_factory.mktemp("service")
    made = Service(folder, ())
    for name in ("shop", "yard", "vault"):
        project = Project(folder / name)
        project.write("docs/ferns.md", f"# Ferns of {name}\n\nFerns like shade. See [the others](moss.md).\n")
        project.write("docs/moss.md", "# Moss\n")
        project.write("docs/adr/0001-use-postgresql.md", ADR)
        project.write("src/water.py", "def water():\n    return 1\n")
        made.run("team", "projects", "add", name, project.root)
    made.run("team", "projects", "grant", "ann", "shop", "--write")
    made.run("team", "projects", "grant", "ann", "yard")
    made.run("team", "projects", "grant", "bob", "shop", "--toolsets", "documents,guide")
    with made.serving():
        yield made

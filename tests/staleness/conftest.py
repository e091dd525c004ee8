"""A repository whose code is cited."""

import pytest

from tests.git_projects import GitProject
from tests.staleness.cited_projects import functions


@pytest.fixture
def garden(project) -> GitProject:
    """One commit with five functions, each of three lines: they begin at 1, 6, 11, 16 and 21."""
    made = GitProject(project.root)
    made.write("src/a.py", functions("one", "two", "three", "four", "five"))
    made.commit_all("Plant it")
    return made

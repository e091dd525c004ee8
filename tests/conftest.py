"""Fixtures that every kind of test uses: a project on disk, and servers for it."""

import pytest

from tests.projects import Project


@pytest.fixture
def project(tmp_path) -> Project:
    """An empty project in a folder of its own."""
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"

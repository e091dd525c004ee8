"""One server for all tests of static tokens: a project that everybody with a token may use."""

from collections.abc import Iterator

import pytest

from tests.identity.service import Service, service_of
from tests.projects import Project


@pytest.fixture(scope="session")
def served_project(tmp_path_factory) -> Project:
    """A project with a document, a decision and a directive."""
    project = Project(tmp_path_factory.mktemp("served"))
    project.add_directive()
    project.write("README.md", "# Served\n\nA project about lighthouses.\n")
    project.write("docs/decisions/0001-lamps.md", "# 1. Lamps\n\nStatus: accepted\n\nWe use lamps.\n")
    return project


@pytest.fixture(scope="session")
def service(served_project, tmp_path_factory) -> Iterator[Service]:
    """The project served with `--auth tokens`, and its command line."""
    with service_of(served_project.root, tmp_path_factory.mktemp("state"), "--auth", "tokens") as running:
        yield running

"""One build of everything that is handed out, for the tests of a module."""

import pytest

from release.__main__ import build_packages, write_notes
from release.facts import read_facts
from release.registry import write_entry


@pytest.fixture(scope="session")
def facts():
    return read_facts()


@pytest.fixture(scope="session")
def dist(facts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    build_packages(folder)
    write_entry(facts, folder)
    write_notes(facts, folder)
    return folder

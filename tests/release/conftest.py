"""One build of everything that is handed out, for the tests of a module."""

import pytest

from release.__main__ import add_bundles, build_packages
from release.facts import read_facts


@pytest.fixture(scope="session")
def facts():
    return read_facts()


@pytest.fixture(scope="session")
def dist(facts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    build_packages(folder)
    add_bundles(facts, folder)
    return folder

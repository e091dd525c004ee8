"""Fixtures that every kind of test uses: a project on disk, and servers for it."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator

import hypothesis
import pytest

from tests.databases import PostgresServer, postgres_server
from tests.document_sources import Command, command_in
from tests.git_projects import GitProject
from tests.projects import Project
from tests.warm_starts.commands import start_warm

# What servers keep, and what a person has set and allowed, lies in folders of this run's own. They are named before any
# test runs, so that servers which live longer than one test have them too.
OWN_FOLDERS = tempfile.mkdtemp(prefix="fieldguide-tests-")
atexit.register(shutil.rmtree, OWN_FOLDERS, ignore_errors=True)
for variable, folder in {"FIELDGUIDE_STATE": "state", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "xdg"}.items():
    os.environ[variable] = os.path.join(OWN_FOLDERS, folder)
os.environ["FIELDGUIDE_BACKGROUND"] = "off"  # a test that wants the process says so
for variable in ("COLUMNS", "LINES"):  # nobody looks at a terminal; a process that runs tests beside others is told one
    os.environ.pop(variable, None)
start_warm()
hypothesis.settings.register_profile("tests", deadline=None)  # a busy machine is no reason to fail
hypothesis.settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of `tests/cases`; pytest reads options from this file only."""
    group = parser.getgroup("cases", "the Markdown pages in tests/cases")
    group.addoption("--update", action="store_true", help="write today's answers into the pages")
    group.addoption("--real", action="store_true", help="ask a started `fieldguide serve` and started commands")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One database is enough where the code above it is the same; a test of what differs is marked."""
    if "database_kind" in metafunc.fixturenames and metafunc.definition.get_closest_marker("each_database"):
        metafunc.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever waits for PostgreSQL to start is slow."""
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if "postgres" in getattr(item, "fixturenames", ()) or "postgres" in map(str, parameters):
            item.add_marker("slow")


@pytest.fixture
def project(tmp_path) -> Project:
    """An empty project in a folder of its own."""
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


@pytest.fixture
def own_home(tmp_path, monkeypatch) -> None:
    """Settings of a person of this test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def fieldguide(project, capsys) -> Command:
    """Runs commands for the project, in this process."""
    return command_in(project, capsys)


@pytest.fixture
def repository(tmp_path) -> GitProject:
    """An empty repository."""
    root = tmp_path / "repository"
    root.mkdir()
    return GitProject(root)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, started when the first test needs it."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def database_kind(request) -> str:
    """`sqlite`; a test that is marked `each_database` runs with `postgres` too."""
    kind: str = getattr(request, "param", "sqlite")
    return kind


@pytest.fixture
def database_flags(request, database_kind) -> tuple[str, ...]:
    """The flags that choose a fresh database."""
    if database_kind == "sqlite":
        return ()
    return ("--database", request.getfixturevalue("postgres").new_database())

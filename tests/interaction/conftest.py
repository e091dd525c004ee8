"""The servers that the tests of the document tools share: they only read, so one of each kind serves all."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import context_wires
from tests.document_wires import Ask, ask_by_command, ask_over_http, ask_over_stdio, write_library
from tests.indexed_projects import index_whole
from tests.projects import Project
from tests.raw_client import RawClient

ROOT = Path(__file__).parent.parent.parent
OUR_PARTS = ("docs", "directive", "mcp", "examples", "README.md", "AGENTS.md", "CHANGELOG.md", "pyproject.toml")
OUR_CODE = ("spine", "prose", "storage", "toolsets")


@pytest.fixture(scope="session")
def library(tmp_path_factory) -> Project:
    """The project that all of them serve, indexed before the first server starts."""
    project = Project(tmp_path_factory.mktemp("library"))
    write_library(project)
    assert len(ask_by_command(project)("documents_list_collections").value) == 2
    return project


@pytest.fixture(scope="session")
def wires(library) -> Iterator[dict[str, Ask]]:
    """Every wire to the library; what asks for `wire` runs on each."""
    with ExitStack() as stack:
        yield {
            "stdio": stack.enter_context(ask_over_stdio(library)),
            "http": stack.enter_context(ask_over_http(library)),
            "call": ask_by_command(library),
        }


@pytest.fixture(params=["stdio", "http", "call"])
def wire(request, wires) -> Ask:
    found: Ask = wires[request.param]
    return found


@pytest.fixture
def ask(wires) -> Ask:
    found: Ask = wires["stdio"]
    return found


@pytest.fixture(scope="session")
def code_project(tmp_path_factory) -> Project:
    """A project with code, discoveries and a session that has ended; what asks it reads, and records no discovery."""
    project = Project(tmp_path_factory.mktemp("orchard"))
    context_wires.write_code(project)
    with context_wires.ask_over_stdio(project) as ask:
        context_wires.record_all(ask)
    with RawClient(project.root, *context_wires.FLAGS).ready() as client:
        client.call("read_file", path="src/server/users/UserRepository.ts")
        client.leave()  # the official client waits two seconds, and then kills a server that still closes its session
    found = context_wires.ask_by_command(project)("context_search", query="session about UserRepository.ts", limit=20)
    assert "session" in {item["source"] for item in found.value["results"]}
    return project


@pytest.fixture(scope="session")
def code_wires(code_project) -> Iterator[dict[str, Ask]]:
    """Every wire to the project with code."""
    with ExitStack() as stack:
        yield {
            "stdio": stack.enter_context(context_wires.ask_over_stdio(code_project)),
            "http": stack.enter_context(context_wires.ask_over_http(code_project)),
            "call": context_wires.ask_by_command(code_project),
        }


@pytest.fixture(params=["stdio", "http", "call"])
def code_wire(request, code_wires) -> Ask:
    found: Ask = code_wires[request.param]
    return found


@pytest.fixture(scope="session")
def our_repository(tmp_path_factory) -> Project:
    """The documents and some of the code of this repository, real files of many kinds, indexed once in a run."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    project, index = Project(shared / "ours"), shared / "index-of-ours"
    with (shared / "ours.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if index.exists():
            shutil.copytree(index, project.state)
        else:
            for part in (*OUR_PARTS, *(f"src/fieldguide/{name}" for name in OUR_CODE)):
                (project.root / part).parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
                copy(ROOT / part, project.root / part)
            index_whole(project.root)
            shutil.copytree(project.state, index)
    return project

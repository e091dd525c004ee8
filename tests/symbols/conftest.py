"""Engines, and projects in them."""

import pytest

from fieldguide.search.engine import open_sqlite_engine
from tests.symbols.indexed_symbols import NAMESPACE, SymbolProject


@pytest.fixture
def engine(tmp_path):
    made = open_sqlite_engine(lambda: str(tmp_path / "index.db"), {}, lambda sentence: None)
    made.namespace = NAMESPACE
    yield made
    made.database.close()


def bring_up(engine, project, files) -> SymbolProject:
    made = SymbolProject(engine, project, files)
    made.bring_up()
    return made


@pytest.fixture
def symbol_project(engine, project):
    """Makes a project of files, with its symbols brought up."""
    return lambda files: bring_up(engine, project, files)


@pytest.fixture
def small_project(tmp_path, project):
    """Makes a project of files in SQLite, with its symbols brought up."""
    engine = open_sqlite_engine(lambda: str(tmp_path / "small.db"), {}, lambda sentence: None)
    engine.namespace = NAMESPACE
    yield lambda files: bring_up(engine, project, files)
    engine.database.close()

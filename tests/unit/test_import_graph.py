"""Which files import which: kept as the index changes, parsed once for each content."""

import pytest

from fieldguide.code.imports import graph
from fieldguide.code.imports.graph import ALIKE, AROUND, IMPORTS, NAMES, ImportStore, update_import_graph
from fieldguide.search.engine import open_sqlite_engine
from tests.symbols.indexed_symbols import NAMESPACE, SymbolProject

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": "import os\n",
    "shop/cart.py": "from shop import prices\n",
    "tests/test_prices.py": "import sys\nfrom shop.prices import total\n",
    "tests/test_strings.py": 'run(\n    "shop.prices",\n)\n',
    "tests/test_else.py": "from elsewhere.prices import total\n",
}


@pytest.fixture
def engine(tmp_path):
    made = open_sqlite_engine(lambda: str(tmp_path / "index.db"), {}, lambda sentence: None)
    made.namespace = NAMESPACE
    yield made
    made.database.close()


@pytest.fixture
def parsed(monkeypatch) -> list[str]:
    """The files whose imports were read, one after the other."""
    read: list[str] = []
    reading = graph.read_file_imports

    def noted(path, text):
        read.append(path)
        return reading(path, text)

    monkeypatch.setattr(graph, "read_file_imports", noted)
    return read


class Indexed(SymbolProject):
    """A project whose imports are brought up alone."""

    def bring_up(self, *only: str) -> int:
        return update_import_graph(self.engine, NAMESPACE, self.folder, sorted(self.files), only or None)

    def importers(self, *names: str) -> list[tuple[str, int, int]]:
        with self.engine.database.reading() as transaction:
            edges = ImportStore(transaction, NAMESPACE).importers(names)
        return [(edge.importer, edge.line, edge.bond) for edge in edges]


@pytest.fixture
def indexed(engine, project) -> Indexed:
    return Indexed(engine, project, FILES)


def test_who_imports_a_file_is_told_by_how_sure_it_is(indexed):
    assert indexed.bring_up() == len(FILES)

    assert indexed.importers("shop/prices.py") == [
        ("shop/cart.py", 1, IMPORTS),
        ("tests/test_prices.py", 2, IMPORTS),
        ("tests/test_strings.py", 2, NAMES),
        ("tests/test_else.py", 1, ALIKE),
    ]
    assert ("tests/test_prices.py", 2, AROUND) in indexed.importers("shop/__init__.py")


def test_only_what_changed_is_read_again(indexed, parsed):
    indexed.bring_up()
    assert sorted(parsed) == sorted(FILES)
    parsed.clear()
    assert indexed.bring_up() == 0

    indexed.write("shop/cart.py", "import json\n")
    assert indexed.bring_up() == 1

    assert parsed == ["shop/cart.py"]
    assert "shop/cart.py" not in [importer for importer, _, _ in indexed.importers("shop/prices.py")]


def test_a_file_that_comes_or_goes_changes_where_others_lead(indexed, parsed):
    indexed.bring_up()
    parsed.clear()

    indexed.write("elsewhere/prices.py", "X = 1\n")
    indexed.bring_up()
    assert parsed == ["elsewhere/prices.py"]
    assert ("tests/test_else.py", 1, IMPORTS) in indexed.importers("elsewhere/prices.py")

    indexed.remove("elsewhere/prices.py")
    indexed.remove("tests/test_prices.py")
    indexed.bring_up()
    assert indexed.importers("elsewhere/prices.py") == []
    assert [importer for importer, _, _ in indexed.importers("shop/prices.py")] == [
        "shop/cart.py",
        "tests/test_strings.py",
        "tests/test_else.py",
    ]


def test_text_that_no_parser_takes_and_enormous_text_are_left_out(indexed):
    indexed.write("deep.py", "(" * 200_000)
    indexed.write("large.py", "import shop\n" * 100_000)
    indexed.bring_up()

    assert [each for each in indexed.importers("shop/__init__.py") if each[0] in ("deep.py", "large.py")] == []

"""The imports of a file that has thousands of them: what is given, and what is said to be left out."""

import json
from typing import Any

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import FileList
from fieldguide.text.tokens import MOST_TOKENS, fits
from fieldguide.toolsets.context import file_reader as dependencies_module
from fieldguide.toolsets.context.file_reader import Dependencies, read_file
from tests.proves import proves
from tests.unit.context.import_trees import grow

LINES = {
    "main.py": "import missing_{0}",
    "main.ts": "import './missing_{0}';",
    "main.c": '#include "missing_{0}.h"',
    "main.go": 'import "./missing_{0}"',
}
LAST = {
    "main.py": "import there",
    "main.ts": "import './there'",
    "main.c": '#include "there.h"',
    "main.go": 'import "./there"',
}
FOUND = {"main.py": "there.py", "main.ts": "there.ts", "main.c": "there.h", "main.go": "there.go"}


def read(root: Any, path: str, count: int) -> dict[str, Any]:
    """The answer about a file with so many imports that lead nowhere, and one at its end that leads to a file."""
    opening = "package main\n" if path.endswith(".go") else ""
    lines = [LINES[path].format(number) for number in range(count)]
    grow(root, {path: opening + "\n".join([*lines, LAST[path]]) + "\n", FOUND[path]: "\n"})
    project = ConfinedFolder(str(root))
    return read_file(project, path, Dependencies(project, FileList(project)))


@proves("S3-31", "D-38")
@pytest.mark.parametrize("path", sorted(LINES))
def test_of_thousands_of_imports_that_lead_nowhere_those_that_fit_are_given_and_the_rest_counted(tmp_path, path):
    value = read(tmp_path, path, 5_000)

    given = len(value["external"])
    assert [each["path"] for each in value["dependencies"]] == [FOUND[path]]
    assert 100 < given < 5_000
    note = f"The first {given:,} of 5,000 imports that lead outside of the project are given."
    assert value["externalNote"] == note
    assert fits(json.dumps(value, ensure_ascii=False, indent=2), MOST_TOKENS)


@proves("S3-31")
def test_so_many_imports_as_nobody_writes_are_not_all_looked_up_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(dependencies_module, "MOST_IMPORTS", 10)

    value = read(tmp_path, "main.py", 20)

    assert (len(value["external"]), value["dependencies"]) == (10, [])
    assert value["externalNote"] == "Only the first 10 of 21 imports were looked up."


def test_nothing_is_said_where_nothing_is_left_out(tmp_path):
    assert "externalNote" not in read(tmp_path, "main.py", 50)

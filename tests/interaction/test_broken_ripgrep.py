"""Commands and tools where ripgrep is missing, crashes, is made for another machine, or fails: they still answer."""

import json

import pytest

from fieldguide.cli.main import main
from fieldguide.files import listing, matching
from fieldguide.toolsets.context import grep
from tests.proves import proves

CODE = "def water_orchard():\n    return 'wet'\n"
BROKEN = {
    "missing": None,
    "exits with 2": b"#!/bin/sh\necho 'rg: broken' >&2\nexit 2\n",
    "crashes": b"#!/bin/sh\nkill -SEGV $$\n",
    "of another architecture": b"\x7fELF\x02\x01\x01\x00" + bytes(8) + b"\x02\x00\xf3\x00" + bytes(40),
    "exits with 127": b"#!/bin/sh\nexit 127\n",
}


@pytest.fixture(params=sorted(BROKEN))
def broken(request, tmp_path, monkeypatch):
    """A ripgrep that does nothing, in the place of ours."""
    content = BROKEN[request.param]
    path = tmp_path / "rg"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o755)

    def find(project):
        if content is None:
            raise listing.RipgrepBroken("ripgrep is not installed.")
        return str(path)

    for module in (grep, listing, matching):
        monkeypatch.setattr(module, "find_ripgrep", find)
    return request.param


@pytest.fixture
def orchard(project, tmp_path, monkeypatch):
    monkeypatch.setenv("FIELDGUIDE_STATE", str(tmp_path / "state"))
    project.write("src/orchard.py", CODE)
    project.write("src/main.py", "from orchard import water_orchard\n\nwater_orchard()\n")
    project.write(".gitignore", "# ours\n/build2/\n*.log\n!kept.log\n")
    for path in ("build2/orchard.py", "node_modules/orchard.py", "orchard.log", "dist/orchard.py", ".env"):
        project.write(path, CODE)
    project.write("kept.log", "orchard\n")
    return project


@pytest.fixture
def told(orchard, capsys):
    def run(*words):
        code = main([*words, "--project", str(orchard.root)])
        return code, capsys.readouterr().out

    return run


@proves("S3-46", "S3-48")
def test_grep_gives_the_same_matches(broken, told):
    code, printed = told("call", "grep_codebase", '{"pattern": "ORCHARD", "limit": 50}')
    limited = json.loads(told("call", "grep_codebase", '{"pattern": "orchard", "limit": 1, "filePattern": "*.py"}')[1])
    cased = json.loads(told("call", "grep_codebase", '{"pattern": "ORCHARD", "caseSensitive": true}')[1])
    wrong = told("call", "grep_codebase", '{"pattern": "("}')

    found = json.loads(printed)
    assert code == 0
    assert [(match["file"], match["line"]) for match in found["matches"]] == [
        ("kept.log", 1), ("src/main.py", 1), ("src/main.py", 3), ("src/orchard.py", 1),
    ]  # fmt: skip
    assert found["matches"][3]["column"] == 11
    assert found["matches"][3]["context"] == {"before": [], "after": ["    return 'wet'"]}
    assert len(limited["matches"]) == 1
    assert cased["matches"] == []
    assert "Invalid regex pattern" in wrong[1]


@proves("G-154")
def test_a_sweep_gives_the_same_lines(broken, told):
    _, printed = told("call", "guide_search", '{"pattern": "orchard"}')
    cased = told("call", "guide_search", '{"pattern": "Orchard"}')[1]
    wrong = told("call", "guide_search", '{"pattern": "("}')[1]

    assert printed.split("\n")[0].startswith("4 lines in 3 files")
    assert [line for line in printed.split("\n") if line and line[0] != " "][1:] == [
        "kept.log", "src/main.py", "src/orchard.py",
    ]  # fmt: skip
    assert "No line matches Orchard." in cased
    assert "no regular expression" in wrong


@proves("S3-46")
def test_commands_answer(broken, told):
    answers = {
        "find": told("find", "water orchard", "--wait"),
        "brief": told("brief", "Water the orchard twice a day"),
        "governs": told("governs", "src/orchard.py"),
        "read": told("call", "read_file", '{"path": "src/main.py", "includeDeps": true}'),
        "search": told("call", "context_search", '{"query": "water orchard"}'),
        "overview": told("call", "project_overview", "{}"),
    }

    for command in ("find", "brief", "read", "search"):
        code, printed = answers[command]
        assert code == 0, (command, printed)
        assert "orchard.py" in printed, command
    assert "build2" not in "".join(printed for _, printed in answers.values())


def test_the_walk_lists_what_ripgrep_lists(orchard):
    from fieldguide.files.confined_folder import ConfinedFolder
    from fieldguide.files.listing import walk_files

    folder = ConfinedFolder(str(orchard.root))

    assert sorted(walk_files(folder)) == list(listing.list_files(folder).paths)
    assert sorted(walk_files(folder, ["src"])) == ["src/main.py", "src/orchard.py"]

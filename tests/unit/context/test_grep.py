"""ripgrep as a child process: what a client can't arrange."""

import json
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Cancelled, ToolFailed
from fieldguide.sensitive_files import SensitiveFiles
from fieldguide.spine.cancellation import Cancellation
from fieldguide.toolsets.context import grep, listing, ripgrep
from fieldguide.toolsets.context.files import FileList
from fieldguide.toolsets.context.grep import Request
from tests.processes import eventually, is_alive
from tests.proves import proves


def script(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def search(root, pattern="needle", cancellation=None, limit=50):
    request = Request(pattern, None, is_case_sensitive=False, limit=limit)
    project = ConfinedFolder(str(root))
    return grep.grep(project, request, FileList(project), cancellation or Cancellation())


def process_of(pid_file):
    assert eventually(lambda: pid_file.exists() and pid_file.read_text("ascii").strip() != "")
    return int(pid_file.read_text("ascii"))


def test_a_cancelled_search_kills_its_child(project, tmp_path, monkeypatch):
    pid_file = tmp_path / "pid"
    endless = script(tmp_path / "rg", f"echo $$ > '{pid_file}'", 'printf \'{"type":"be\'', "exec sleep 600")
    monkeypatch.setattr(grep, "find_ripgrep", lambda root: endless)
    cancellation, ends = Cancellation(), []

    def run():
        try:
            search(project.root, cancellation=cancellation)
        except Cancelled as error:
            ends.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    process = process_of(pid_file)
    cancellation.set()
    thread.join(10)

    assert len(ends) == 1
    assert not is_alive(process)


@proves("S3-48")
def test_a_search_that_has_found_enough_stops_its_child(project, tmp_path, monkeypatch):
    pid_file = tmp_path / "pid"
    match = json.dumps(
        {
            "type": "match",
            "data": {
                "path": {"text": "./a.txt"},
                "lines": {"text": "needle\n"},
                "line_number": 1,
                "submatches": [{"start": 0, "end": 6}],
            },
        }
    )
    endless = script(tmp_path / "rg", f"echo $$ > '{pid_file}'", f"yes '{match}' | head -n 20", "exec sleep 600")
    monkeypatch.setattr(grep, "find_ripgrep", lambda root: endless)

    answer = search(project.root, limit=2)

    assert (len(answer["matches"]), answer["totalMatches"], answer["limitReached"]) == (2, 20, True)
    assert not is_alive(process_of(pid_file))


def test_a_search_that_is_cancelled_already_starts_nothing_that_lasts(project):
    cancellation = Cancellation()
    cancellation.set()

    with pytest.raises(Cancelled):
        search(project.root, cancellation=cancellation)


def test_a_pattern_that_backtracking_engines_never_finish_is_done_at_once(project):
    project.write("a.txt", "a" * 5_000 + "b\n")

    assert search(project.root, pattern="(a+)+$")["totalMatches"] == 0
    assert search(project.root, pattern="(x+x+)+y")["totalMatches"] == 0


def test_ripgrep_comes_from_our_environment_before_the_path(tmp_path):
    found = ripgrep.find_ripgrep(str(tmp_path))

    assert os.access(found, os.X_OK)
    assert not Path(found).is_relative_to(tmp_path)


def test_a_ripgrep_inside_the_project_is_never_taken(project, tmp_path, monkeypatch):
    outside = tmp_path / "tools"
    outside.mkdir()
    script(project.root / "rg", "exit 0")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", f"{project.root}:.::relative")

    with pytest.raises(ToolFailed, match="ripgrep is not installed"):
        ripgrep.find_ripgrep(str(project.root))
    wanted = script(outside / "rg", "exit 0")
    monkeypatch.setenv("PATH", f"{project.root}:{outside}")
    assert ripgrep.find_ripgrep(str(project.root)) == wanted


def test_nobody_outside_gives_ripgrep_options(monkeypatch):
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", "/somewhere")

    assert "RIPGREP_CONFIG_PATH" not in ripgrep.environment()
    assert "PATH" in ripgrep.environment()
    assert "--no-config" in ripgrep.listing_flags(SensitiveFiles())


@proves("S3-53", "S3-54")
def test_the_list_of_files_is_what_ripgrep_would_search(project):
    for path in ("a.py", ".hidden/b.py", "scripts/build", "dist/c.py", "x/node_modules/d.py", ".env", "e/.env.local"):
        project.write(path, "x\n")
    project.write(".gitignore", "ignored/\n")
    project.write("ignored/f.py", "x\n")
    project.write("-dash\nline.py", "x\n")

    assert listing.list_files(ConfinedFolder(str(project.root))) == (
        "-dash\nline.py", ".gitignore", ".hidden/b.py", "a.py", "scripts/build"
    )  # fmt: skip


def test_files_are_listed_again_only_after_a_change_while_they_are_watched(project):
    listed = FileList(ConfinedFolder(str(project.root)))
    project.write("a.py", "x\n")
    assert listed.paths() == ("a.py",)
    project.write("b.py", "x\n")
    assert listed.paths() == ("a.py", "b.py")
    listed.is_watched = True
    listed.paths()
    project.write("c.py", "x\n")

    assert listed.count(None) == 2
    assert listed.count("a.*") == 1
    listed.forget()
    assert listed.count(None) == 3
    assert listed.count("*.py") == 3

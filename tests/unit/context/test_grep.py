"""ripgrep as a child process: what a client can't arrange."""

import json
import stat
import sys
import threading

import pytest

from fieldguide.files import listing
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import FileList, TreeListing
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, ToolFailed
from fieldguide.toolsets.context import grep
from fieldguide.toolsets.context.grep import GrepRequest
from tests.processes import eventually, is_alive
from tests.proves import proves


def script(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def search(root, pattern="needle", cancellation=None, limit=50):
    request = GrepRequest(pattern, None, is_case_sensitive=False, limit=limit)
    project = ConfinedFolder(str(root))
    return grep.run_grep(project, request, FileList(project), cancellation or Cancellation())


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


MATCH = json.dumps(
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
BEGIN = json.dumps({"type": "begin", "data": {"path": {"text": "./a.txt"}}})
FILE_END = json.dumps({"type": "end", "data": {"path": {"text": "./a.txt"}}})
AFTER = json.dumps(
    {"type": "context", "data": {"path": {"text": "./a.txt"}, "lines": {"text": "hay\n"}, "line_number": 3}}
)
SUMMARY = json.dumps({"type": "summary", "data": {}})


def fake_ripgrep(tmp_path, monkeypatch, *lines):
    fake = script(tmp_path / "rg", *lines)
    for module in (grep, listing):
        monkeypatch.setattr(module, "find_ripgrep", lambda root: fake)


@pytest.mark.parametrize("end", ["kill -9 $$", 'printf \'{"type":"be\'; kill -9 $$'])
def test_a_search_that_was_cut_off_never_says_that_there_are_no_matches(project, tmp_path, monkeypatch, end):
    fake_ripgrep(tmp_path, monkeypatch, end)

    with pytest.raises(ToolFailed, match="The search did not come to its end: ripgrep"):
        search(project.root)


def test_what_was_found_before_a_search_was_cut_off_is_told_as_a_part(project, tmp_path, monkeypatch):
    fake_ripgrep(
        tmp_path, monkeypatch, *(f"cat <<'END'\n{line}\nEND" for line in (BEGIN, MATCH, FILE_END)), "kill -9 $$"
    )
    project.write("a.txt", "needle\n")

    answer = search(project.root)

    assert (answer["totalMatches"], answer["incomplete"]) == (1, True)
    assert answer["incompleteReason"] == "Not everything was searched: ripgrep was ended by signal 9."


def test_files_that_could_not_be_read_make_an_answer_a_part(project, tmp_path, monkeypatch):
    fake_ripgrep(tmp_path, monkeypatch, f"echo '{SUMMARY}'", "exit 2")

    answer = search(project.root)

    assert answer["message"] == "No matches found for pattern 'needle'"
    assert (answer["totalMatches"], answer["incomplete"]) == (0, True)
    assert answer["incompleteReason"] == "Not everything was searched: some files or folders could not be read."


@proves("S3-48")
def test_a_search_that_has_found_enough_stops_its_child(project, tmp_path, monkeypatch):
    pid_file = tmp_path / "pid"
    found = f"yes '{MATCH}' | head -n 20"
    endless = script(tmp_path / "rg", f"echo $$ > '{pid_file}'", found, f"printf '%s\\n' '{AFTER}'", "exec sleep 600")
    monkeypatch.setattr(grep, "find_ripgrep", lambda root: endless)

    answer = search(project.root, limit=2)

    assert (len(answer["matches"]), answer["totalMatches"], answer["limitReached"]) == (2, 20, True)
    assert not is_alive(process_of(pid_file))


def test_a_ripgrep_inside_the_project_is_never_taken(project, tmp_path, monkeypatch):
    outside = tmp_path / "tools"
    outside.mkdir()
    script(project.root / "rg", "exit 0")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", f"{project.root}:.::relative")

    with pytest.raises(ToolFailed, match="ripgrep is not installed"):
        listing.find_ripgrep(str(project.root))
    wanted = script(outside / "rg", "exit 0")
    monkeypatch.setenv("PATH", f"{project.root}:{outside}")
    assert listing.find_ripgrep(str(project.root)) == wanted


@proves("S3-53", "S3-54")
def test_the_list_of_files_is_what_ripgrep_would_search(project):
    for path in ("a.py", ".hidden/b.py", "scripts/build", "dist/c.py", "x/node_modules/d.py", ".env", "e/.env.local"):
        project.write(path, "x\n")
    project.write(".gitignore", "ignored/\n")
    project.write("ignored/f.py", "x\n")
    project.write("-dash\nline.py", "x\n")

    assert listing.list_files(ConfinedFolder(str(project.root))) == TreeListing(
        ("-dash\nline.py", ".gitignore", ".hidden/b.py", "a.py", "scripts/build"), is_whole=True
    )


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (r"printf 'a.py\0b.py\0'; kill -9 $$", "ripgrep was ended by signal 9"),
        (r"printf 'a.py\0'; exit 134", "ripgrep ended with 134"),
        (r"printf 'a.py\0b.p'", "ripgrep broke off"),
        (r"printf 'a.py\0'; exec sleep 60", "ripgrep has told nothing for"),
    ],
)
def test_a_listing_that_breaks_off_is_a_failure(project, tmp_path, monkeypatch, lines, why):
    monkeypatch.setattr(listing, "SILENCE_SECONDS", 0.2 if "sleep" in lines else 30.0)
    fake_ripgrep(tmp_path, monkeypatch, lines)

    with pytest.raises(ToolFailed, match=why):
        listing.list_files(ConfinedFolder(str(project.root)))

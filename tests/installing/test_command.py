"""What a person sees of `fieldguide install`: the diff, the question, the codes, the flags."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fieldguide.cli.clients.catalog import CLIENTS, starts_fieldguide
from fieldguide.cli.clients.settings_files import SettingsFile
from fieldguide.text.errors import Refusal
from tests.docs.markdown import ROOT
from tests.servers import FIELDGUIDE, environment

SETTINGS = b'{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n'


def servers(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))["mcpServers"]


def test_clients_are_found_by_file_folder_and_program(person, monkeypatch, tmp_path):
    person.keeps("~/.claude.json", b"{}")
    (person.home / ".cursor").mkdir()
    tool = tmp_path / "bin" / "codex"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)

    found = [each["client"] for each in person.changes("install", "--only", "entry")]

    assert found == ["claude-code", "cursor", "codex"]


def test_a_folder_in_the_project_tells_of_a_client_that_the_team_uses(person):
    (person.project / ".vscode").mkdir()

    found = [each["client"] for each in person.changes("install", "--scope", "project")]

    assert found == ["vscode"]


def test_where_no_client_is_it_says_so_and_names_them(person):
    code, _, said = person.types("install")

    assert code == 0
    assert "No client was found here" in said
    assert "claude-code, claude-desktop, cursor" in said
    assert (person.changes("install"), person.types("install", "--json")[0]) == ([], 0)
    assert (person.changes("install", "--remove"), person.types("install", "--remove", "--json")[0]) == ([], 0)


def test_without_a_terminal_it_only_shows_the_change(person):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)

    code, printed, said = person.types("install")

    assert code == 3
    assert "nobody is here to ask" in said
    assert file.read_bytes() == SETTINGS
    lines = printed.splitlines()
    assert lines[:5] == [
        "Cursor  fieldguide is added to ~/.cursor/mcp.json",
        "--- ~/.cursor/mcp.json",
        "+++ ~/.cursor/mcp.json",
        "@@ -1,5 +1,15 @@",
        " {",
    ]
    assert '     "other": {"command": "x"}' in lines, "no line of others changes"


@pytest.mark.parametrize(("answer", "code", "is_written"), [(b"y\n", 0, True), (b"n\n", 3, False), (b"\x04", 3, False)])
def test_on_a_terminal_the_person_decides(person, answer, code, is_written):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [FIELDGUIDE, "install", "--only", "entry", "--project", str(person.project)],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(), close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, answer)
    shown = b""
    while part := _read(ours):
        shown += part
    os.close(ours)

    assert process.wait(60) == code
    assert b"Write this change? [y/N]" in shown
    assert (file.read_bytes() != SETTINGS) == is_written


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other side is closed
        return b""


def test_a_second_install_changes_nothing_and_says_so(person):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)
    person.installs("--only", "entry")
    once = file.read_bytes()

    code, printed, _ = person.types("install", "--only", "entry")

    assert (code, printed) == (0, "Cursor  fieldguide is there already, in ~/.cursor/mcp.json\n")
    assert file.read_bytes() == once


def test_an_entry_that_was_changed_by_hand_is_kept_unless_forced(person):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)
    person.installs()
    file.write_bytes(file.read_bytes().replace(b'"ann"', b'"eve"'))
    by_hand = file.read_bytes()

    code, printed, _ = person.types("install", "--yes")

    assert code == 1
    assert "has another 'fieldguide', which --force replaces" in printed
    assert file.read_bytes() == by_hand

    assert person.installs("--force") == 0
    assert b'"ann"' in file.read_bytes()
    assert person.uninstalls() == 0
    assert file.read_bytes() == SETTINGS


def test_an_entry_for_another_project_is_not_taken_over(person, tmp_path):
    file = person.keeps("~/.config/Claude/claude_desktop_config.json", b"{}")
    person.installs()
    other = tmp_path / "other"
    other.mkdir()
    first, person.project = person.project, other

    assert person.installs() == 1
    assert servers(file)["fieldguide"]["args"][2] == str(first)

    assert person.installs("--name", "other-guide") == 0
    assert servers(file)["other-guide"]["args"][2] == str(other)
    assert person.uninstalls() == 0
    assert file.read_bytes() == b"{}"


def test_a_copy_is_kept_where_only_the_person_can_read_it(person):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)
    file.chmod(0o600)

    told = json.loads(person.types("install", "--yes", "--json")[1])["changes"][0]

    backup = Path(told["backup"])
    assert (told["changed"], told["action"], told["file"]) == (True, "add", str(file))
    assert backup.read_bytes() == SETTINGS
    assert backup.stat().st_mode & 0o077 == 0
    assert backup.is_relative_to(person.home.parent / "state")
    person.uninstalls()
    assert not backup.exists()


def test_a_file_that_was_changed_meanwhile_is_not_written(person):
    file = person.keeps("~/.cursor/mcp.json", SETTINGS)
    place = SettingsFile(str(file), None, str(person.home))
    before = place.read()
    file.write_bytes(b"changed")

    with pytest.raises(Refusal, match="changed by somebody else meanwhile"):
        place.write(before, b"ours")

    assert file.read_bytes() == b"changed"
    assert os.listdir(file.parent) == ["mcp.json"]


def test_settings_behind_a_link_are_written_where_they_lie(person):
    real = person.keeps("~/dotfiles/cursor.json", SETTINGS)
    real.chmod(0o640)
    link = person.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to("../dotfiles/cursor.json")

    assert person.installs() == 0

    assert link.is_symlink()
    assert "fieldguide" in servers(real)
    assert real.stat().st_mode & 0o777 == 0o640
    person.uninstalls()
    assert real.read_bytes() == SETTINGS


@pytest.mark.parametrize("linked", [".cursor", ".cursor/mcp.json"])
def test_a_link_out_of_the_project_is_not_followed(person, linked):
    target = person.keeps("~/precious/mcp.json", SETTINGS)
    link = person.project / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target if linked.endswith("json") else target.parent)

    code, printed, _ = person.types("install", "--yes", "--scope", "project", "--client", "cursor")

    assert code == 1
    assert "leads out of the project" in printed
    assert target.read_bytes() == SETTINGS
    assert os.listdir(target.parent) == ["mcp.json"]


BROKEN = {
    ("cursor", ".cursor/mcp.json"): [
        (b'{\n  "a": 1,\n  "b" 2\n}', "can't be understood as JSON: expecting ':' delimiter, in line 3."),
        (b"{'a': 1}", "can't be understood as JSON"),
        (b'{"a": 1,, "b": 2}', "in line 1"),
        (b"[1, 2]", "is no JSON object"),
        (b'{"mcpServers": []}', "something else than an object as 'mcpServers'"),
        (b'{"mcpServers": {"a": {}}, "mcpServers": {}}', "has the key 'mcpServers' twice"),
        (b'{"mcpServers": {"fieldguide": {}, "fieldguide": 1}}', "has the key 'fieldguide' twice"),
        (b"\xff\xfe{\x00}\x00", "is not UTF-8 text, in line 1"),
        (b"{\n\n\x80}", "is not UTF-8 text, in line 3"),
        (b"\x00\x01\x02", "can't be understood as JSON"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
        (b'{"a": ' + b"1" * 10_000 + b"}", "a number in it is too long"),
        (b" " * ((1 << 20) + 1), "is larger than 1 MiB"),
    ],
    ("codex", ".codex/config.toml"): [
        (b"a = 1\nb = \n", "can't be understood as TOML: Invalid value (at line 2, column 5)."),
        (b"a = 1\na = 2\n", "can't be understood as TOML"),
        (b"mcp_servers = 1\n", "something else than a table"),
        (b"mcp_servers = { a = {} }\n", "can't be changed safely"),
        (b"a = " + b"[" * 100_000, "can't be understood as TOML"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("client", "name", "content", "reason"), [(*file, *row) for file, rows in BROKEN.items() for row in rows]
)
def test_a_file_that_cannot_be_understood_is_left_alone(person, client, name, content, reason):
    file = person.keeps(name, content)

    code, printed, _ = person.types("install", "--yes", "--scope", "project", "--client", client)

    assert code == 1
    assert reason in printed
    assert file.read_bytes() == content


def test_a_file_of_the_project_names_no_person_and_no_path(person, monkeypatch):
    monkeypatch.setenv("PATH", os.path.dirname(FIELDGUIDE))

    person.installs("--scope", "project", "--client", "claude-code")

    entry = servers(person.project / ".mcp.json")["fieldguide"]
    assert entry == {"type": "stdio", "command": "fieldguide", "args": ["serve", "--bind-user"], "alwaysLoad": True}


def test_who_came_by_uvx_is_told_how_to_install_it_for_good(monkeypatch, person):
    monkeypatch.setattr(sys, "prefix", "/home/ann/.cache/uv/archive-v0/x9")
    monkeypatch.setenv("PATH", "/nowhere")

    told = person.types("install", "--client", "cursor", "--yes")

    assert "Through uvx every conversation waits" in told[2]
    assert "`uv tool install --compile-bytecode" in told[2]


def test_uninstall_takes_what_starts_fieldguide_and_nobody_elses(person):
    mine = {"command": "/opt/bin/fieldguide", "args": ["serve"]}
    by_uvx = {"command": "uvx", "args": ["--from", "git+https://example.org/f", "fieldguide", "serve"]}
    others = {
        "a": {"command": "x", "args": ["fieldguide"]},
        "b": {"url": "https://x"},
        "c": 1,
        "d": {"command": "serve"},
    }
    file = person.keeps(
        "~/.cursor/mcp.json", json.dumps({"mcpServers": {"guide": mine, **others, "u": by_uvx}}).encode()
    )

    assert person.uninstalls() == 0

    assert servers(file) == others
    assert starts_fieldguide(mine)
    assert person.types("install", "--remove")[1].startswith("Nothing of Fieldguide is in")


def test_the_page_names_every_client_and_every_file():
    page = (ROOT / "docs" / "guides" / "connect.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]

    for client in CLIENTS:
        (row,) = [line for line in rows if f"| {client.title} | `{client.key}` |" in line]
        assert all(f"`{path}`" in row for path in client.project)
        assert all(path.partition("}")[2] in row for path in client.user)
        assert f"`{'.'.join(client.path)}`" in row


def test_the_same_server_under_another_name_is_not_added_twice(person):
    file = person.keeps("~/.claude.json", b'{"mcpServers": {"guide": {"command": "fieldguide", "args": ["serve"]}}}')
    before = file.read_bytes()

    code, printed, _ = person.types("install", "--yes")

    assert (code, file.read_bytes()) == (1, before)
    assert "starts Fieldguide already, as 'guide'; --force adds another" in printed
    assert person.installs("--force") == 0
    assert [*servers(file)] == ["fieldguide", "guide"]

"""Texts of a repository on a terminal: shown, never obeyed, by every command, on a terminal and in a pipe."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
import tty
import unicodedata
from pathlib import Path

import pytest

from fieldguide.cli.main import COMMANDS
from fieldguide.text.display import make_json_visible, make_visible, to_visible_line
from tests.git_projects import GitProject
from tests.servers import FIELDGUIDE, environment

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x90q\x9c\u202e\u200b\x7f\x08\r"
SHOWN = r"\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x90q\x9c\u202e\u200b\x7f\x08"
OUR_CODES = re.compile(r"\x1b\[(?:[012]|3[2-6])m|\r\x1b\[K")
SECONDS = 240
DRIVER = """
import json, sys
from fieldguide.cli.main import main
for number, words in enumerate(json.loads(sys.stdin.readline())):
    print(f"== {number}", flush=True)
    try:
        main(words)
    except SystemExit:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
"""
PATTERN = f"""---
title: {json.dumps("Evil" + EVIL)}
rules:
  - id: no-print
    message: {json.dumps("Do not print" + EVIL)}
    fix: {json.dumps("Log" + EVIL)}
    languages: [python]
    forbid-call: print
  - id: broken
    message: {json.dumps("x" + EVIL)}
    {json.dumps("unheard" + EVIL)}: 1
---
# Evil{EVIL}
"""
MODEL = f"""version: 1
project: {{name: {json.dumps("shop" + EVIL)}, type: service}}
modules:
  {json.dumps("auth" + EVIL)}:
    description: {json.dumps("who" + EVIL)}
    keyFiles: [{{path: {json.dumps("src/a" + EVIL)}, role: core}}]
    patterns: [{json.dumps("tokens" + EVIL)}]
"""


SETTINGS = [
    f"[search]\nmodel = {json.dumps('model' + EVIL)}\n",
    f"toolsets = [{json.dumps(EVIL)}]\n",
    f"{json.dumps('unheard' + EVIL)} = 1\n",
    f"tool_names = {json.dumps(EVIL)}\n",
    f"broken {EVIL}",
    f"[documents.collections.{json.dumps('c' + EVIL)}]\nsource = {json.dumps('git+https://h/' + EVIL)}\n",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> GitProject:
    """A repository in which every text that a person can be shown plays with the terminal."""
    root = tmp_path_factory.mktemp("hostile") / "clone\x1b]0;root\x07\x9b2J\u202e"
    root.mkdir()
    project = GitProject(root)
    project.write(f"docs/fox{EVIL}.md", f"# Fox{EVIL}\n\nA fox{EVIL} digs\x1b]0;owned\x07 its den.\n")
    os.link(root / f"docs/fox{EVIL}.md", os.fsencode(root) + b"/docs/fox\xff\xfe.md")
    project.write(
        f"docs/adr/0001-use{EVIL}.md", f"# 1. Use foxes{EVIL}\n\nStatus: accepted{EVIL}\n\nWe use{EVIL} them.\n"
    )
    project.write(f"mcp/resources/patterns/evil{EVIL}.md", PATTERN)
    project.write(f"src/a{EVIL}.py", f"x = 1  # {EVIL[:-1]}\nprint(x)\n")
    project.write(f"src/big{EVIL}.py", b"x = 1\n\0")
    project.write(".context/project.yaml", MODEL)
    aliases = {f"notes{EVIL}": {"url": "docs"}, f"gone{EVIL}": {"url": f"nowhere{EVIL}"}}
    project.write("context.json", json.dumps({"collections": aliases}))
    project.add_directive()
    project.write("directive/agent_context.md", f"# Context{EVIL}\n")
    project.write(".mcp.json", json.dumps({"mcpServers": {f"x{EVIL}": {"command": EVIL}}}, ensure_ascii=False))
    project.write(".cursor/mcp.json", f"broken {EVIL}")
    project.write("AGENTS.md", f"Agents{EVIL}")
    project.write("plain/a.txt", "")
    for number, text in enumerate(SETTINGS):
        project.write(f"set{number}/fieldguide.toml", text)
    project.commit("Begin")
    message = f"Stop under the lock{EVIL[:-1]}, so that nothing{EVIL[:-1]} is stopped after its end"
    project.commit(message, f"src/b{EVIL}.py", author=f"Eve{EVIL[:-1]}")
    return project


def commands(root: Path, tmp: Path) -> dict[str, list[list[str]]]:
    """Every command, in the ways in which it prints a project's text or a caller's."""
    here = ["--project", str(root)]
    user = ["--user", f"ann{EVIL}"]
    unset = ["--project", str(root / "plain")]
    return {
        "tools": [["call", *here], ["call", "--json", *here], ["call", "--toolsets", EVIL, *here]],
        "call": [
            ["call", "read_file", json.dumps({"path": f"src/a{EVIL}.py"}), *here],
            ["call", "read_file", json.dumps({"path": f"src/a{EVIL}.py"}), "--json", "--journal", *here],
            ["call", "documents_list_collections", *here],
            ["call", "directive/file.get", json.dumps({"path": f"{EVIL}"}), *here],
            ["call", "directive/template.get", json.dumps({"path": "agent_context.md"}), *here],
            ["call", EVIL, "{}", *here],
            ["call", "read_file", EVIL, *here],
        ],
        "directive": [
            ["init", "directive", "--bundle", "spec", *here],
            ["init", "directive", "--bundle", f"{EVIL}", *here],
            ["init", "directive", *here],
        ],
        "search": [
            ["find", "fox", "den", *here],
            ["find", "fox", "--json", *here],
            ["find", "fox", "--kind", EVIL, *here],
            ["find", "fox", "--limit", EVIL, *here],
        ],
        "documents": [
            ["documents", "list", *here],
            ["documents", "list", "--json", *here],
            ["documents", "sync", *here],
            ["documents", "sync", EVIL, *here],
            ["documents", "add", EVIL, "docs", *here],
            ["documents", "add", "more", f"docs{EVIL}", *here],
            ["documents", "remove", EVIL, *here],
        ],
        "install": [
            ["install", "--scope", "project", "--client", "claude-code", "--client", "cursor", *here],
            ["install", "--yes", "--json", "--client", "claude-desktop", "--user", EVIL, *here],
            ["install", "--print", "--user", EVIL, *here],
            ["install", "--name", EVIL, *here],
            ["install", "--client", EVIL, *here],
        ],
        "remove": [
            ["install", "--remove", *here],
            ["install", "--remove", "--json", *here],
            ["install", "--remove", "--name", EVIL, *here],
        ],
        "token": [
            ["team", "token", "new", f"ann{EVIL}"],
            ["team", "token", "new", "ann", "--note", EVIL],
            ["team", "token", "new", "ann", "--scopes", EVIL],
            ["team", "token", "new", "ann", "--expires", EVIL],
            ["team", "token", "list"],
            ["team", "token", "revoke", EVIL],
        ],
        "audit": [
            ["team", "audit"],
            ["team", "audit", "--since", EVIL],
        ],
        "projects": [
            ["team", "projects", "add", EVIL, str(root)],
            ["team", "projects", "add", "evil", f"{root}{EVIL}"],
            ["team", "projects", "add", "evil", f"https://example.org/{EVIL}"],
            ["team", "projects", "add", "evil", "https://example.org/x", "--branch", EVIL],
            ["team", "projects", "add", "evil", str(root)],
            ["team", "projects", "grant", f"ann{EVIL}", "evil"],
            ["team", "projects", "grant", "ann", EVIL],
            ["team", "projects", "revoke", f"ann{EVIL}", "evil"],
            ["team", "projects", "list"],
            ["team", "projects", "list", "--json"],
            ["team", "projects", "remove", EVIL],
        ],
        "state": [
            ["data", "where", *here],
            ["data", "where", "--all"],
            ["data", "where", "--all", "--json"],
            ["data", "move", EVIL, *here],
            ["data", "prune"],
        ],
        "brief": [
            ["brief", f"what{EVIL}", *here],
            ["brief", f"foxes{EVIL}", "--json", *here],
        ],
        "find": [["find", f"foxes{EVIL}", *here], ["find", f"foxes{EVIL}", "--json", *here]],
        "open": [
            ["open", f"src/big{EVIL}.py", *here],
            ["open", "docs/a.md#L1-L3", "--json", *here],
            ["open", f"no{EVIL}.py#L1-L2@00000000", *here],
        ],
        "governs": [
            ["governs", f"src/big{EVIL}.py", *here],
            ["governs", f"no{EVIL}.py", "--json", *here],
        ],
        "symbol": [["symbol", f"no{EVIL}", *here], ["symbol", "main", "--json", *here]],
        "index": [["index", *here], ["index", "--json", *here]],
        "tasks": [
            ["tasks", "add", f"Buy{EVIL}", "--description", f"two{EVIL}", *user, *here],
            ["tasks", "list", *user, *here],
            ["tasks", "list", "--json", *user, *here],
            ["tasks", "done", "1", "9", *user, *here],
            ["tasks", "edit", "1", "--title", f"Sell{EVIL}", *user, *here],
            ["tasks", "rm", EVIL, *here],
        ],
        "patterns": [
            ["patterns", "list"],
            ["patterns", "show", EVIL],
            ["patterns", "show", "error-handling"],
            ["patterns", "add", f"x{EVIL}", *here],
        ],
        "check": [
            ["check", *here],
            ["check", "--format", "json", *here],
            ["check", "--format", "sarif", *here],
            ["check", "--pattern", EVIL, *here],
            ["check", "--language", EVIL, *here],
            ["check", str(root / f"src/big{EVIL}.py"), *here],
            ["check", str(root / f"no{EVIL}.py"), *here],
        ],
        "stale": [
            ["stale", *here],
            ["stale", "--json", *here],
            ["stale", f"no{EVIL}.md", *here],
            ["stale", "--notes", str(tmp / "notes.json"), "--json", *here],
            ["stale", "--notes", str(tmp / "notes.json"), *here],
        ],
        "init": [["init", *here], ["init", "--json", *here], ["init", "--with", EVIL]],
        "show": [
            ["status", "--overview", *here],
            ["status", "--overview", "--module", f"auth{EVIL}", *here],
            ["status", "--overview", "--module", f"none{EVIL}", *here],
            ["status", "--overview", "--sessions", "--project", str(root)],
            ["status", "--overview", "--stats", *here],
        ],
        "status": [["status", *here], ["status", "--json", *here]],
        "remember": [
            [
                "findings",
                "add",
                f"Foxes{EVIL}",
                "--type",
                "rule",
                "--module",
                f"auth{EVIL}",
                "--file",
                f"a{EVIL}",
                *here,
            ],
            ["findings", "add", f"Foxes{EVIL}", "--type", "rule", "--json", *here],
        ],
        "discoveries": [
            ["findings", "list", *here],
            ["findings", "list", "--json", *here],
            ["findings", "remove", EVIL, *here],
        ],
        "backup": [
            ["data", "backup", str(tmp / f"kept{EVIL}"), *here],
            ["data", "backup", str(tmp / EVIL / "x"), *here],
        ],
        "doctor": [["doctor", *here], ["doctor", "--json", *here], ["doctor", *unset]],
    }


ELSEWHERE = {"serve"}  # takes the pipes for itself: a test of its own
SHOWS = {
    "call", "documents", "index", "tasks", "patterns", "check", "status", "findings", "install", "data", "doctor",
    "init",
}  # fmt: skip
"""Commands that print what was planted: that no raw character comes out of them is not because nothing does."""


def hidden_in(text: str) -> list[str]:
    """The characters that would act or hide."""
    kinds = ("Cc", "Cs", "Zl", "Zp")
    return [each for each in text if (unicodedata.category(each) in kinds and each not in "\n\t") or each in BIDI]


def private(tmp: Path) -> dict[str, str]:
    places = {name: str(tmp / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")}
    return {**environment(), **places, "TERM": "xterm", "COLUMNS": "200", "PYTHONUTF8": "1"}


def run_piped(command: list[str], stdin: bytes, tmp: Path) -> str:
    done = subprocess.run(
        command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=private(tmp), timeout=SECONDS
    )
    return done.stdout.decode()


def run_on_a_terminal(command: list[str], stdin: bytes, tmp: Path) -> str:
    controller, terminal = pty.openpty()
    tty.setraw(terminal)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=private(tmp))
    os.close(terminal)
    assert process.stdin is not None
    late = threading.Timer(SECONDS, process.kill)
    late.start()
    process.stdin.write(stdin)
    process.stdin.close()
    seen = b""
    try:
        while data := os.read(controller, 65536):
            seen += data
    except OSError:  # EIO: nobody has the other end any more
        pass
    finally:
        late.cancel()
        os.close(controller)
        process.wait(timeout=60)
    return seen.decode()


RUNS = {"piped": run_piped, "on a terminal": run_on_a_terminal}


def test_the_list_of_commands_is_whole(tmp_path):
    run = {words[0] for listed in commands(tmp_path, tmp_path).values() for words in listed}

    assert {*run, *ELSEWHERE} == {*COMMANDS}


@pytest.mark.parametrize("way", RUNS)
def test_no_command_lets_a_text_act(hostile, tmp_path, way):
    listed = commands(hostile.root, tmp_path)
    words = [each[0] for each in listed.values()]
    if way == "on a terminal":  # where colours and bars are written too; in a pipe one call of each command will do
        words = [each for name in listed for each in listed[name]] + [[EVIL], ["tasks", EVIL], ["find", f"--{EVIL}"]]
        for number in range(len(SETTINGS)):
            place = ["--project", str(hostile.root / f"set{number}")]
            asked = (["doctor"], ["status"], ["find", "x"], ["index"])
            words += [[*each, *place] for each in asked]

    out = RUNS[way]([sys.executable, "-c", DRIVER], json.dumps(words).encode() + b"\n", tmp_path)

    parts = re.split(r"^== \d+\n", OUR_CODES.sub("", out), flags=re.MULTILINE)[1:]
    assert len(parts) == len(words)
    raw = {" ".join(map(to_visible_line, said)): hidden_in(part) for said, part in zip(words, parts, strict=True)}
    assert {said: found for said, found in raw.items() if found} == {}
    showing = {said[0] for said, part in zip(words, parts, strict=True) if "52;c;" in part}
    assert showing >= (SHOWS if way == "on a terminal" else {"call", "find", "check"})
    assert [part for part in parts if "Traceback" in part] == []


@pytest.mark.parametrize("way", RUNS)
def test_a_server_writes_a_journal_of_plain_characters(hostile, tmp_path, way):
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": EVIL}}).encode() + b"\n"
    command = ["sh", "-c", 'exec "$0" "$@" >/dev/null', FIELDGUIDE, "serve", "--project", str(hostile.root)]

    out = RUNS[way](command, asked, tmp_path)

    lines = [json.loads(line) for line in out.splitlines()]
    assert out.isascii()
    assert hidden_in(out) == []
    assert any(line["message"] == "Tool execution failed" and line["tool"] == EVIL for line in lines)


def test_json_stays_json_and_says_the_same(hostile, tmp_path):
    words = ["findings", "add", f"Foxes{EVIL}bark", "--type", "rule", "--json", "--project", str(hostile.root)]

    out = run_piped([FIELDGUIDE, *words], b"", tmp_path)

    assert hidden_in(out) == []
    assert json.loads(out)["content"] == f"Foxes{EVIL}bark"


@pytest.mark.parametrize("text", ['{"a": "\x9b\u202e\U000e0041"}', '[1,\r\n"\x7f"]', '"\ud800"'])
def test_a_json_text_is_made_visible_as_json(text):
    assert hidden_in(make_json_visible(text)) == []
    assert json.loads(make_json_visible(text)) == json.loads(text)


def test_what_acts_is_shown_and_what_a_script_needs_stays():
    assert to_visible_line(EVIL) == SHOWN
    assert make_visible(SHOWN) == SHOWN
    assert make_visible("a\r\nb\tc\rd\u2028") == "a\nb\tc\\x0dd\\u2028"
    assert make_visible("می\u200cخواهم 👩\u200d🚀 ❤\ufe0f naïve") == "می\u200cخواهم 👩\u200d🚀 ❤\ufe0f naïve"
    assert hidden_in(make_visible("".join(map(chr, range(0x110000))))) == []


def test_a_progress_bar_shows_the_name_of_what_it_counts(monkeypatch, capsys):
    from fieldguide.cli.console import terminal

    monkeypatch.setattr(terminal, "is_watched", lambda: True)
    monkeypatch.setattr(terminal, "BAR_PATIENCE_SECONDS", 0.0)

    terminal.ProgressBar()(1, 2, f"fox{EVIL}\n")

    shown = OUR_CODES.sub("", capsys.readouterr().err)
    assert "fox" in shown
    assert hidden_in(shown) == []


def test_a_bug_of_ours_tells_its_trace_without_acting(monkeypatch, capsys):
    from fieldguide.cli import main as command_line

    def fail(name, words):
        raise ValueError(EVIL)

    monkeypatch.setattr(command_line, "_run", fail)

    assert command_line.main(["call"]) == 1
    assert f"ValueError: {SHOWN}" in capsys.readouterr().err

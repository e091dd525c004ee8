"""`fieldguide init`: what it adds and never changes, and what it prints."""

import json
import os
import pty
import subprocess
from pathlib import Path

from tests.servers import FIELDGUIDE, environment, run
from tests.shop_projects import shop_in


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a project with its bytes."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def test_nothing_is_written_unasked_and_the_status_is_printed(tmp_path):
    project = shop_in(tmp_path / "shop")
    before = tree(project.root)

    told = run("init", "--project", project.root).stdout

    assert tree(project.root) == before
    assert told.startswith("What could be added, by `fieldguide init --yes` or `--with NAME`:\n  patterns ")
    assert "\n  directive " in told
    assert "\n  modules " in told
    assert "\n  decisions " not in told, "there is one"
    assert "\nindexed      13 files of code, " in told
    assert told.endswith("Next: `fieldguide install` connects your agent to this project.\n")


def test_yes_adds_what_is_missing_and_changes_nothing(tmp_path):
    project = shop_in(tmp_path / "shop")
    project.write(".context/project.yaml", b"mine: true\r\n")
    before = tree(project.root)

    first = json.loads(run("init", "--yes", "--json", "--project", project.root).stdout)
    after = tree(project.root)
    second = json.loads(run("init", "--yes", "--json", "--project", project.root).stdout)

    assert [each["name"] for each in first["missing"]] == ["patterns", "directive"]
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == set(first["created"])
    assert "mcp/resources/patterns/error-handling.md" in after
    assert "directive/agent_context.md" in after
    assert first["status"]["indexed"]["code"] == 13
    assert (second["missing"], second["created"], tree(project.root)) == ([], [], after)


def test_only_what_is_named_is_added_and_a_wrong_name_is_refused(project):
    project.write("src/main.rs", "fn main() {}\n")

    wrong = run("init", "--with", "patterns,desicions", "--project", project.root, code=2)
    untouched = tree(project.root)
    run("init", "--with", "modules,patterns,decisions", "--project", project.root)
    told = json.loads(run("init", "--json", "--project", project.root).stdout)

    assert "There is no 'desicions' to add. Did you mean 'decisions'?" in wrong.stderr
    assert list(untouched) == ["src/main.rs"]
    first = "docs/decisions/0001-record-architecture-decisions.md"
    expected = {"src/main.rs", ".context/project.yaml", first, "docs/decisions/template.md"}
    assert set(tree(project.root)) == expected, "no starter pattern is for Rust"
    assert [each["name"] for each in told["missing"]] == ["directive"]


def test_decisions_go_where_the_documents_of_the_project_are(project):
    project.write("doc/usage.md", "# Usage\n\nRun it.\n")

    run("init", "--with", "decisions", "--project", project.root)

    assert "doc/decisions/0001-record-architecture-decisions.md" in tree(project.root)


def test_a_person_is_asked_once_for_each_offer(tmp_path):
    project = shop_in(tmp_path / "shop")

    shown = at_terminal(project.root, "y\n", "\n", "\x04")

    assert shown.count("[y/N]") == 3
    created = {path for path in tree(project.root) if path.startswith(("mcp/", "directive/", ".context/"))}
    assert "mcp/resources/patterns/logging.md" in created
    assert all(path.startswith("mcp/") for path in created)


def at_terminal(root: Path, *typed: str) -> str:
    """What a terminal shows while somebody types these answers ahead."""
    master, slave = pty.openpty()
    command = [FIELDGUIDE, "init", "--project", str(root)]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment()) as process:
        os.close(slave)
        os.write(master, "".join(typed).encode())
        shown = b""
        while piece := _read(master):
            shown += piece
    os.close(master)
    assert process.returncode == 0, shown
    return shown.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # how Linux tells that nobody has the other end any more
        return b""

"""`fieldguide init`, the guided start: what it tells, what it adds and never changes, and what it asks."""

import json
import os
import pty
import subprocess
from pathlib import Path

from tests.proves import proves
from tests.servers import FIELDGUIDE, environment, run
from tests.shop_projects import shop_in


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a project with its bytes."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


@proves("Z-20")
def test_what_is_there_is_told_and_nothing_is_written(tmp_path):
    project = shop_in(tmp_path / "shop")
    before = tree(project.root)

    told = run("init", "--no-questions", "--project", project.root).stdout
    found = json.loads(run("init", "--no-questions", "--json", "--project", project.root).stdout)["found"]

    assert tree(project.root) == before
    assert "decisions   1 in docs/adr; 1 accepted" in told
    assert "history     2 commits by 2 people, the first 2026-03-04" in told
    assert "for agents  AGENTS.md" in told
    assert "Nothing was written. `fieldguide init --yes` adds all of it" in told
    assert told.endswith("Next: `fieldguide install` connects your agent to this project.\n")
    assert found["documents"]["count"] >= 2
    assert found["code"]["languages"] == [{"name": "python", "files": 13, "lines": 68}]
    assert (found["patterns"], found["directive"], found["modules"]) == ([], [], False)


@proves("Z-21")
def test_yes_adds_what_is_missing_and_changes_nothing(tmp_path):
    project = shop_in(tmp_path / "shop")
    project.write(".context/project.yaml", b"mine: true\r\n")
    before = tree(project.root)

    first = json.loads(run("init", "--yes", "--no-questions", "--json", "--project", project.root).stdout)
    after = tree(project.root)
    second = json.loads(run("init", "--yes", "--no-questions", "--json", "--project", project.root).stdout)

    assert first["chosen"] == ["patterns", "directive"]
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == set(first["created"])
    assert "mcp/resources/patterns/error-handling.md" in after
    assert "directive/agent_context.md" in after
    assert (second["missing"], second["created"], tree(project.root)) == ([], [], after)


@proves("Z-21")
def test_a_first_decision_and_its_template_are_read_as_such(project):
    run("init", "--with", "decisions", "--no-questions", "--project", project.root)

    told = json.loads(run("init", "--json", "--no-questions", "--project", project.root).stdout)

    assert (project.root / "docs/decisions/template.md").is_file()
    assert told["found"]["decisions"] == {
        "count": 1,
        "folders": {"docs/decisions": 1},
        "statuses": {"proposed": 1},
    }


@proves("Z-22")
def test_only_what_is_named_is_added_and_a_wrong_name_is_refused(project):
    project.write("src/main.rs", "fn main() {}\n")

    wrong = run("init", "--with", "patterns,desicions", "--project", project.root, code=2)
    untouched = tree(project.root)
    named = run("init", "--with", "modules,patterns", "--no-questions", "--project", project.root).stdout

    assert "There is no 'desicions' to add. Did you mean 'decisions'?" in wrong.stderr
    assert list(untouched) == ["src/main.rs"]
    assert set(tree(project.root)) == {"src/main.rs", ".context/project.yaml"}
    assert "patterns: no starter fits what this is written in" in named


@proves("Z-23")
def test_a_person_is_asked_once_for_each_offer(tmp_path):
    project = shop_in(tmp_path / "shop")

    shown = at_terminal(project.root, "y\n", "y\n", "\n")

    assert shown.count("[Y/n]") == 0
    assert shown.count("[y/N]") == 3
    created = {path for path in tree(project.root) if path.startswith(("mcp/", "directive/", ".context/"))}
    assert "mcp/resources/patterns/logging.md" in created
    assert "directive/agent_context.md" in created
    assert ".context/project.yaml" not in created


@proves("Z-23")
def test_enter_writes_nothing(tmp_path):
    project = shop_in(tmp_path / "shop")
    before = tree(project.root)

    at_terminal(project.root, "\n", "\n", "\n")

    assert tree(project.root) == before


@proves("Z-23")
def test_who_says_no_or_ends_the_input_gets_nothing(tmp_path):
    project = shop_in(tmp_path / "shop")
    before = tree(project.root)

    shown = at_terminal(project.root, "n\n", "\x04", "\x04")

    assert "created" not in shown
    assert tree(project.root) == before


@proves("Z-24")
def test_a_dry_run_names_what_it_would_write(project):
    project.write("app.py", "print(1)\n")

    told = run("init", "--dry-run", "--no-questions", "--project", project.root).stdout
    chosen = run("init", "--dry-run", "--with", "modules", "--no-questions", "--project", project.root).stdout

    assert list(tree(project.root)) == ["app.py"]
    assert "would create  docs/decisions/template.md" in told
    assert "would create  directive/agent_context.md" in told
    assert [line for line in chosen.splitlines() if line.startswith("would")] == ["would create  .context/project.yaml"]


@proves("Z-25")
def test_three_questions_are_answered_from_the_project(tmp_path):
    project = shop_in(tmp_path / "shop")

    questions = json.loads(run("init", "--json", "--project", project.root).stdout)["questions"]

    assert [each["question"] for each in questions] == [
        "Which database keeps the orders?",
        "How do I cancel an order?",
        "What is OrderBook, and who uses it?",
    ]
    decided, told, used = questions
    assert decided["citation"].startswith("docs/adr/0002-keep-orders-in-postgresql.md#L11")
    assert decided["quote"][0].startswith("We keep orders in PostgreSQL")
    assert told["citation"].startswith("README.md#L")
    assert told["quote"][0].startswith("Call `cancel_order` with the number")
    assert used["citation"].startswith("shop/orders.py#L4")
    assert used["quote"] == ["4: class OrderBook:", "Called (12), Imported (12)"]
    assert all(0 < each["tokens"] <= 2_000 for each in questions)
    for each in questions:
        opened = run("open", each["citation"], "--project", project.root).stdout
        assert each["quote"][0].removeprefix("4: ") in opened


@proves("Z-25")
def test_an_empty_folder_is_told_so(project):
    told = run("init", "--project", project.root).stdout

    assert "There is too little here yet to ask about." in told


def at_terminal(root: Path, *typed: str) -> str:
    """What a terminal shows while somebody types these answers ahead."""
    master, slave = pty.openpty()
    command = [FIELDGUIDE, "init", "--no-questions", "--project", str(root)]
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

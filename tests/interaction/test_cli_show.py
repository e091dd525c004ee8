"""`fieldguide init` and `status`: a project's model and what is kept, from a terminal."""

import json

import pytest
import yaml

from tests.proves import proves
from tests.servers import run

MODEL = "project: {name: Shop}\nmodules:\n  auth: {description: Who you are, patterns: [Tokens are opaque]}\n"


@proves("U3-7")
def test_a_model_is_begun_once_and_never_written_over(project):
    project.write("main.go", "package main\n")

    model = project.root / ".context/project.yaml"

    begun = run("init", "--with", "modules", "--project", project.root)
    written = yaml.safe_load(model.read_text())
    model.write_text("mine: true\n")
    again = run("init", "--with", "modules", "--project", project.root)

    assert "created  .context/project.yaml\n" in begun.stdout
    assert (written["project"]["name"], written["tech"]["stack"]) == (project.root.name, ["go"])
    assert "created" not in again.stdout
    assert model.read_text() == "mine: true\n"


@proves("U3-7")
@pytest.mark.each_database
def test_the_project_a_module_sessions_and_counts_are_shown(project, database_flags):
    place = ("--project", project.root, *database_flags)
    project.write(".context/project.yaml", MODEL)
    project.write("src/a.py", "value = 1\n")
    run("findings", "add", "Tokens live an hour.", "--type", "rule", "--module", "auth", *place)
    run("call", "read_file", '{"path": "src/a.py"}', *place)

    shown = run("status", "--overview", *place).stdout
    module = run("status", "--module", "auth", *place).stdout
    sessions = run("status", "--sessions", "5", *place).stdout
    stats = run("status", "--stats", *place).stdout
    missing = run("status", "--module", "nope", *place, code=1)

    assert shown.startswith("# Shop\n")
    assert "Tokens live an hour." in shown
    assert "Tokens are opaque" in module
    assert "`src/a.py`: looked at 1 times" in sessions
    assert "findings: 1 (1 rule)\nsessions: 1" in stats
    assert "context items: 1 active, 0 archived" in stats
    assert missing.stderr == "fieldguide: Module not found: nope\n"


@proves("U3-7")
def test_the_status_tells_what_is_indexed(project, database_flags):
    place = ("--project", project.root, *database_flags)
    project.write("docs/a.md", "# A\n")
    project.write("src/a.py", "value = 1\n")
    run("findings", "add", "Tokens live an hour.", "--type", "rule", *place)
    run("index", *place)

    told = json.loads(run("status", "--json", *place).stdout)
    text = run("status", *place).stdout

    assert told["indexed"] == {"documents": 1, "architecture": 0, "code": 1, "findings": 1, "sessions": 0}
    assert told["findings"] == 1
    assert "indexed      1 file of code, 1 document, 0 decisions and rules, 1 finding\n" in text
    assert told["background"] == {"running": False, "pid": 0, "state": "", "progress": "", "error": ""}

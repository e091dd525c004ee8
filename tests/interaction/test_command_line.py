"""The command line as a person or a script uses it."""

import json
import os
import subprocess
import sys

import pytest

from tests.proves import proves
from tests.servers import FIELDGUIDE, environment, run

DEFAULTS = [
    "directive/agent_context.md",
    "directive/agent_operating_procedure.md",
    "directive/templates/impact_template.md",
    "directive/templates/spec_template.md",
    "directive/templates/tdr_template.md",
]


def test_help_names_every_command_and_each_explains_itself():
    text = run("--help").stdout

    assert run().stdout == text
    for command in ("serve", "call", "find", "findings", "doctor"):
        assert f"  {command} " in text
        assert f"usage: fieldguide {command}" in run(command, "--help").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("frobnicate",), "There is no command 'frobnicate'"),
        (("--bogus",), "unrecognized arguments: --bogus"),
        (("serve", "--project", "not-there"), "There is no folder"),
        (("serve", "--toolsets", "nope"), "There is no toolset 'nope'"),
        (("serve", "--http", "x"), "is not an address"),
        (("serve", "--http", "70000"), "is not an address"),
        (("serve", "--http", "0.0.0.0:80"), "is not a loopback address"),
        (("serve", "--user", " "), "must be a name"),
        (("serve", "--tool-names", "loud"), "invalid choice"),
        (("call", "directive/files.list", "{"), "The arguments must be a JSON object"),
        (("call", "directive/files.list", "[]"), "must be a JSON object"),
    ],
)
def test_a_wrong_command_line_is_answered_with_a_sentence_and_code_2(words, sentence):
    done = run(*words, code=2)

    assert sentence in done.stderr
    assert done.stdout == ""


def test_tools_are_listed_for_people_and_for_scripts(project):
    people = run("call", "--project", project.root).stdout
    scripts = json.loads(run("call", "--project", project.root, "--json").stdout)
    safe = json.loads(run("call", "--project", project.root, "--json", "--tool-names", "safe").stdout)

    assert "directive/file.get(path)" in people
    assert [tool["name"] for tool in scripts] == sorted(tool["name"] for tool in scripts)
    assert {tool["name"] for tool in safe} == {tool["name"].replace("/", "_").replace(".", "_") for tool in scripts}


def test_call_prints_what_an_agent_would_read(project):
    project.add_directive()

    done = run("call", "directive/file.get", '{"path": "agent_context.md"}', "--project", project.root)
    from_stdin = run("call", "directive_file_get", "-", "--project", project.root, stdin='{"path": "agent_context.md"}')
    whole = run("call", "directive/file.get", '{"path": "agent_context.md"}', "--project", project.root, "--json")

    assert json.loads(done.stdout) == {"path": "agent_context.md", "content": "# Context\n"}
    assert done.stderr == ""
    assert from_stdin.stdout == done.stdout
    assert json.loads(whole.stdout)["structuredContent"] == json.loads(done.stdout)


def test_call_writes_the_journal_when_it_is_asked_to(project):
    project.add_directive()

    done = run("call", "directive/files.list", "--project", project.root, "--journal")

    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["Tool called", "Tool completed"]


@proves("U4-9")
def test_directive_init_writes_the_defaults_and_never_over_anything(project):
    project.write("directive/agent_context.md", "ours")

    first = run("init", "directive", "--project", project.root)
    second = json.loads(run("init", "directive", "--project", project.root, "--json").stdout)

    assert "created  directive/agent_operating_procedure.md" in first.stdout
    assert "kept     directive/agent_context.md" in first.stdout
    assert (project.root / "directive/agent_context.md").read_text() == "ours"
    assert (second["created"], sorted(second["kept"])) == ([], DEFAULTS)


@proves("U4-9", "S4-23")
def test_directive_update_adds_what_is_missing_in_the_layout_that_is_used(project):
    project.write("directive/reference/agent_context.md", "ours")

    updated = json.loads(run("init", "directive", "--project", project.root, "--json").stdout)
    again = run("init", "directive", "--project", project.root)

    assert "directive/reference/templates/tdr_template.md" in updated["created"]
    assert updated["kept"] == ["directive/reference/agent_context.md"]
    assert "Nothing was missing." in again.stdout


@proves("U4-9")
@pytest.mark.parametrize("name", ["spec", "spec_template.md"])
def test_directive_bundle_prints_what_the_tool_gives(project, name):
    run("init", "directive", "--project", project.root)

    bundle = json.loads(run("init", "directive", "--bundle", name, "--project", project.root).stdout)
    tool = json.loads(run("call", "directive/spec.template", "--project", project.root).stdout)

    missing = run("init", "directive", "--bundle", "nothing.md", "--project", project.root, code=1)
    assert bundle == tool
    assert bundle["primer"].startswith("Do not write code")
    assert "Missing template: directive/templates/nothing.md." in missing.stderr


def test_the_doctor_looks_at_the_documents_too(project):
    nothing = run("doctor", "--project", project.root)
    project.write("docs/a.md", "# A\n")
    run("index", "--project", project.root)
    indexed = run("doctor", "--project", project.root)
    project.write("context.json", "{")
    broken = run("doctor", "--project", project.root, code=1)

    assert "documents: there is no collection" in nothing.stdout
    assert "documents: docs (1 indexed); model fieldguide-static" in indexed.stdout
    assert "WRONG  documents: context.json can't be read" in broken.stdout


def test_the_doctor_says_what_is_wrong_and_how_to_mend_it(project):
    healthy = run("doctor", "--project", project.root)
    project.write("directive/agent_context.md", "alone")
    ill = run("doctor", "--project", project.root, code=1)
    project.write("fieldguide.toml", "colour = 'green'")
    findings = json.loads(run("doctor", "--project", project.root, "--json", code=1).stdout)

    assert "fieldguide init directive" in healthy.stdout
    assert "WRONG  directive: agent_operating_procedure.md is missing" in ill.stdout
    assert "fieldguide init directive adds it" in ill.stdout
    assert [each["said"] for each in findings if each["about"] == "settings"] == [
        "fieldguide.toml has an unknown setting 'colour'; "
        "the settings are audit, database, http, metrics, profile, projects, read_only, tool_names, toolsets, user."
    ]


def test_a_flag_wins_over_the_environment_and_that_over_the_file(project):
    project.write("fieldguide.toml", 'tool_names = "safe"\nread_only = true\n')

    def names(*flags, **environment):
        return {
            tool["name"] for tool in json.loads(run(*common, *flags, with_test_toolsets=True, **environment).stdout)
        }

    common = ("call", "--json", "--project", project.root)
    from_file = names()
    from_environment = names(FIELDGUIDE_TOOL_NAMES="literal", FIELDGUIDE_TOOLSETS="directive,workbench")
    from_flags = names("--tool-names", "safe", FIELDGUIDE_TOOL_NAMES="literal", FIELDGUIDE_READ_ONLY="no")

    assert "directive_file_get" in from_file
    assert "write" not in from_file
    assert "directive/file.get" in from_environment
    assert "context-fail" not in from_environment
    assert {"directive_file_get", "write"} <= from_flags


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("not toml", "fieldguide.toml can't be read"),
        ("tool_names = 5\n", "tool names are"),
        ("toolsets = 5\n", "toolsets in fieldguide.toml must be a list of names"),
        ("read_only = 'perhaps'", "must be true or false"),
    ],
)
def test_a_broken_settings_file_is_told_in_a_sentence_and_stops_nothing(project, content, sentence):
    project.write("fieldguide.toml", content)

    listed = run("call", "--project", project.root)

    assert sentence in listed.stderr
    assert "read_file" in listed.stdout
    assert sentence in run("doctor", "--project", project.root, code=1).stdout


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("not toml", "can't be read"),
        ("colour = 5\n", "has an unknown setting 'colour'"),
        ("user = true\n", "must be a text"),
        ("[limits]\ncollections = 0\n", "The limit collections must be a whole number above 0"),
        ("[limits]\nnothing = 1\n", "There is no limit 'nothing'"),
        ('[documents.collections.x]\nsource = "y"\n', "`fieldguide documents add --global` names them"),
    ],
)
def test_a_broken_file_of_ones_own_is_an_error(project, tmp_path, content, sentence):
    (tmp_path / "fieldguide").mkdir()
    (tmp_path / "fieldguide" / "config.toml").write_text(content)

    done = run("call", "--project", project.root, code=2, XDG_CONFIG_HOME=str(tmp_path))

    assert sentence in done.stderr


def test_ones_own_file_wins_over_the_projects_and_loses_to_the_environment(project, tmp_path):
    (tmp_path / "fieldguide").mkdir()
    (tmp_path / "fieldguide" / "config.toml").write_text('tool_names = "literal"\ntoolsets = ["tasks", "directive"]\n')
    project.write("fieldguide.toml", 'tool_names = "safe"\ntoolsets = ["directive"]\n')

    def names(**environment):
        listed = run("call", "--json", "--project", project.root, XDG_CONFIG_HOME=str(tmp_path), **environment)
        return {tool["name"] for tool in json.loads(listed.stdout)}

    assert {"add_task", "directive/file.get"} <= names()
    assert "directive_file_get" in names(FIELDGUIDE_TOOL_NAMES="safe")


def test_the_doctor_looks_at_the_database(project):
    fresh = run("doctor", "--project", project.root).stdout
    run("call", "add_task", '{"user_id": "ann", "title": "x"}', "--project", project.root)
    well = run("doctor", "--project", project.root).stdout
    project.write_state("fieldguide.db", b"SQLite format 3\0" + b"garbage" * 5000)
    damaged = run("doctor", "--project", project.root, code=1).stdout
    away = run("doctor", "--project", project.root, "--database", "postgresql://127.0.0.1:1/x", code=1).stdout

    folder = project.state
    assert f"ok     database: SQLite in {folder}, and it is well" in fresh
    assert f"ok     database: SQLite in {folder}, and it is well" in well
    assert f"WRONG  database: SQLite in {folder}: " in damaged
    assert "restore your last backup" in damaged
    assert "WRONG  database: PostgreSQL: " in away


def test_an_empty_setting_is_no_setting(project):
    empty = {f"FIELDGUIDE_{name}": "" for name in ("TOOLSETS", "USER", "DATABASE", "TOOL_NAMES")}
    listed = json.loads(run("call", "--json", "--project", project.root, "--toolsets", "", **empty).stdout)

    assert {"directive/file.get", "add_task"} <= {tool["name"] for tool in listed}


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "fieldguide", "--version"], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("fieldguide ")


def test_a_person_at_a_terminal_is_told_what_waits_there(project):
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [FIELDGUIDE, "serve", "--project", str(project.root)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    os.close(theirs)
    os.write(ours, b"\x04")
    output, errors = process.communicate(timeout=60)
    os.close(ours)

    assert (process.returncode, output) == (0, b"")
    assert b"Fieldguide waits for an MCP client on this terminal" in errors

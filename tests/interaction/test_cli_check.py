"""`fieldguide check` as a person and as CI use it."""

import json
import os
import re

import pytest

from tests.cited import cited_lines
from tests.document_sources import command_in

LOGGING = """---
title: Logging
rules:
  - id: no-print
    message: Output goes through the logger.
    languages: [python]
    see: Loggers
    fix: Use logger.info.
    files: ["src/**"]
    except-files: ["**/cli/**"]
    forbid-call: ["print"]
  - id: no-console
    message: Output goes through the logger.
    severity: warning
    languages: [typescript]
    forbid-call: ["console.*"]
---
# Logging

## Loggers

One per module.
"""
WRONG = "---\nrules:\n  - id: x\n    message: X.\n    forbid-cal: [a]\n---\n# Wrong\n"
PROSE = "# Safety\n\n- Never use `eval`.\n"
SOURCE = "def f():\n    print('x')  # print()\n"


@pytest.fixture
def shop(project):
    """A project with a pattern, a file that breaks it and one that does not."""
    project.write("mcp/resources/patterns/logging.md", LOGGING)
    project.write("src/a.py", SOURCE)
    project.write("src/b.py", "value = 'print()'\n")
    return project


@pytest.fixture
def fieldguide(shop, capsys):
    return command_in(shop, capsys)


def test_each_finding_is_a_line_that_names_the_rule_and_where_it_is_asked_for(fieldguide):
    done = fieldguide("check", code=1)

    assert done.out == (
        "src/a.py:2: error logging/no-print: Output goes through the logger. (mcp/resources/patterns/logging.md:20)\n"
    )
    assert done.err == "1 error and 0 warnings in 1 of 2 files, by 2 rules.\n"


def test_only_the_files_that_a_rule_is_about_are_looked_at(fieldguide, shop):
    shop.write("scripts/tool.py", SOURCE)  # not below src/
    shop.write("src/cli/main.py", SOURCE)  # excepted
    shop.write("src/Main.java", "print();")  # no rule is for Java
    shop.write("src/notes.md", "print()")
    shop.write("src/empty.py", "")

    done = fieldguide("check", code=1)

    assert done.out.count("\n") == 1
    assert done.err == "1 error and 0 warnings in 1 of 5 files, by 2 rules.\n"


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("never", 0)])
def test_what_fails_is_a_choice(fieldguide, shop, fail_on, code):
    shop.write("web/a.ts", "console.log(1);\n")

    assert "1 error" in fieldguide("check", "--fail-on", "never").err
    (shop.root / "src/a.py").unlink()

    done = fieldguide("check", "--fail-on", fail_on, code=code)

    assert done.out.startswith("web/a.ts:1: warning logging/no-console: ")


def test_files_and_folders_can_be_named(fieldguide, shop):
    shop.write("src/deep/c.py", SOURCE)

    everything = fieldguide("check", shop.root, code=1).out
    folder = fieldguide("check", shop.root / "src/deep", code=1).out
    file = fieldguide("check", shop.root / "src/a.py", shop.root / "src/b.py", code=1).out

    assert [line.partition(":")[0] for line in everything.splitlines()] == ["src/a.py", "src/deep/c.py"]
    assert [line.partition(":")[0] for line in folder.splitlines()] == ["src/deep/c.py"]
    assert [line.partition(":")[0] for line in file.splitlines()] == ["src/a.py"]


def test_what_git_ignores_is_left_out_unless_it_is_named(fieldguide, shop):
    shop.write(".gitignore", "generated/\n")
    shop.write("src/generated/g.py", SOURCE)

    everything = fieldguide("check", code=1).out
    named = fieldguide("check", shop.root / "src/generated/g.py", code=1).out

    assert "generated" not in everything
    assert named.startswith("src/generated/g.py:2: error")


def test_scripts_get_json(fieldguide):
    told = json.loads(fieldguide("check", "--format", "json", code=1).out)

    assert told == {
        "files": 2,
        "rules": 2,
        "errors": 1,
        "warnings": 0,
        "findings": [
            {
                "path": "src/a.py",
                "line": 2,
                "column": 5,
                "endLine": 2,
                "severity": "error",
                "rule": "logging/no-print",
                "message": "Output goes through the logger.",
                "citation": cited_lines("src/a.py", SOURCE, 2, 2),
                "fix": "Use logger.info.",
                "document": "mcp/resources/patterns/logging.md",
                "documentLine": 20,
            }
        ],
        "notChecked": [],
    }


def test_code_hosts_get_sarif_with_rules_and_relative_addresses(fieldguide, shop):
    shop.write("src/ä b.py", SOURCE)
    shop.write("src/broken.py", "def f(:\n    print(1)\n")
    shop.write("src/binary.py", b"\0\1print(1)")

    log = json.loads(fieldguide("check", "--format", "sarif", code=1).out)

    [one] = log["runs"]
    results, rules = one["results"], one["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in results] == [each["ruleId"] for each in results]
    addresses = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
    assert {"src/a.py", "src/%C3%A4%20b.py"} <= set(addresses)
    assert not [address for address in addresses if address.startswith("/")]
    first = next(each for each in results if each["ruleId"] == "logging/no-print")
    assert first["message"]["text"] == "Output goes through the logger. Use logger.info."
    assert first["relatedLocations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "mcp/resources/patterns/logging.md", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 20},
    }
    [notice] = one["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"] == "Not a text file."


def test_one_pattern_can_be_chosen_and_an_unknown_one_is_told(fieldguide, shop):
    shop.write("mcp/resources/patterns/team/safety.md", PROSE)

    chosen = fieldguide("check", "--pattern", "logging", code=1)
    unknown = fieldguide("check", "--pattern", "nope", code=2)

    assert "by 2 rules." in chosen.err
    assert unknown.err == "fieldguide: There is no pattern 'nope'. The patterns are logging, team/safety.\n"


def test_rules_of_prose_count_unless_only_declared_ones_are_wanted(fieldguide, shop):
    shop.write("mcp/resources/patterns/team/safety.md", PROSE)
    (shop.root / "src/a.py").write_text("eval('1')\n")

    prose = fieldguide("check", "--fail-on", "warning", code=1)
    declared = fieldguide("check", "--only-declared")

    assert re.match(r"src/a\.py:1: \w+ team/safety/\S+: .*\(mcp/resources/patterns/team/safety\.md:3\)\n", prose.out)
    assert declared.out == ""


def test_patterns_may_lie_where_the_settings_say(project, capsys):
    project.write("fieldguide.toml", '[architecture]\npatterns = ["docs/patterns"]\n')
    project.write("docs/patterns/logging.md", LOGGING)
    project.write("src/a.py", SOURCE)

    done = command_in(project, capsys)("check", code=1)

    assert done.out.endswith("(docs/patterns/logging.md:20)\n")


def test_a_project_without_patterns_is_told_so_in_two_lines(project, capsys):
    done = command_in(project, capsys)("check", code=0)
    named = command_in(project, capsys)("check", "--pattern", "logging", code=2)

    assert done.out == ""
    assert len(done.err.splitlines()) == 2
    assert "this project has no pattern documents" in done.err
    assert "There are no patterns in mcp/resources/patterns" in named.err


def test_a_rule_that_cant_be_read_fails_the_check_and_the_others_still_hold(fieldguide, shop):
    shop.write("mcp/resources/patterns/wrong.md", WRONG)

    done = fieldguide("check", code=2)

    assert re.match(r"fieldguide: mcp/resources/patterns/wrong\.md:\d+: .*forbid-cal", done.err)
    assert "logging/no-print" in done.out


def test_a_path_outside_of_the_project_is_refused(fieldguide, shop, tmp_path):
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text(SOURCE)
    (shop.root / "src/leaving.py").symlink_to(elsewhere)

    outside = fieldguide("check", elsewhere, code=2)
    linked = fieldguide("check", shop.root / "src/leaving.py", code=2)
    missing = fieldguide("check", shop.root / "src/gone.py", code=2)

    assert outside.err == f"fieldguide: '{elsewhere}' is outside of the project {os.path.realpath(shop.root)}.\n"
    assert linked.err.startswith("fieldguide: src/leaving.py was not checked. ")
    assert linked.out == ""
    assert missing.err == f"fieldguide: There is no file or folder '{shop.root / 'src/gone.py'}'.\n"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("src/big.py", b"x = 1\n" * 200_000, "File too large."),
        ("src/binary.py", b"print(1)\0", "Not a text file."),
    ],
)
def test_what_cant_be_checked_is_told_and_fails_only_where_it_was_named(fieldguide, shop, name, content, reason):
    shop.write(name, content)
    (shop.root / "src/a.py").unlink()

    walked = fieldguide("check")
    named = fieldguide("check", shop.root / name, code=2)

    assert f"fieldguide: {name} was not checked. {reason}\n" in walked.err
    assert f"fieldguide: {name} was not checked. {reason}\n" in named.err


def test_the_language_can_be_given(fieldguide, shop):
    shop.write("src/wscript.txt", SOURCE)

    by_name = fieldguide("check", shop.root / "src/wscript.txt")
    given = fieldguide("check", shop.root / "src/wscript.txt", "--language", "py", code=1)
    folder = fieldguide("check", shop.root / "src", "--language", "py", code=1)
    unknown = fieldguide("check", "--language", "klingon", code=2)

    assert by_name.out == ""
    assert given.out.startswith("src/wscript.txt:2: error")
    assert "wscript" not in folder.out
    assert unknown.err == "fieldguide: There is no language 'klingon' here.\n"

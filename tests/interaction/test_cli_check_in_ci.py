"""`fieldguide check` in CI: changed lines, and what code hosts read."""

import json
import subprocess

import pytest

from tests.document_sources import command_in

PATTERN = """\
---
title: Prints
prose: false
rules:
  - id: no-print
    message: Nothing is printed, not even 100%.
    languages: [python]
    fix: Use the logger.
    forbid-call: [print]
  - id: no-eval
    message: Nothing is evaluated.
    severity: warning
    languages: [python]
    forbid-call: [eval]
---
# Prints
"""
OLD = "def f():\n    print(1)\n    print(1)\n    eval('2')\n"


@pytest.fixture
def old(project):
    """A project that broke its rules before it had them."""
    project.write("mcp/resources/patterns/prints.md", PATTERN)
    project.write("src/a.py", OLD)
    return project


@pytest.fixture
def check(old, capsys):
    run = command_in(old, capsys)
    return lambda *words, code=0: run("check", *words, code=code)


def git(project, *words):
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *words], cwd=project.root, check=True, capture_output=True)


@pytest.fixture
def committed(old):
    git(old, "init", "--quiet", "--initial-branch", "main")
    git(old, "add", ".")
    git(old, "commit", "--quiet", "-m", "Begin")
    return old


def lines(done):
    return [":".join(line.split(":")[:2]) for line in done.out.splitlines()]


def test_only_changed_lines_count_whether_they_are_staged_or_not_or_new(check, committed):
    committed.write("src/a.py", OLD + "    print(3)\n")
    committed.write("src/staged.py", "print(4)\n")
    git(committed, "add", "src/staged.py")
    committed.write("src/new é.py", "x = 1\nprint(5)\n")

    done = check("--changed", code=1)

    assert lines(done) == ["src/a.py:5", "src/new é.py:2", "src/staged.py:1"]


def test_a_branch_is_compared_with_where_it_parted(check, committed):
    git(committed, "checkout", "--quiet", "-b", "work")
    committed.write("src/a b.py", "print(6)\n")
    git(committed, "add", ".")
    git(committed, "commit", "--quiet", "-m", "Work")
    git(committed, "checkout", "--quiet", "main")
    committed.write("src/a.py", "print(7)\n")
    git(committed, "commit", "--quiet", "-am", "Meanwhile")
    git(committed, "checkout", "--quiet", "work")

    assert lines(check("--changed", "main", code=1)) == ["src/a b.py:1"]
    assert lines(check("--changed")) == []
    assert lines(check(committed.root / "mcp", "--changed", "main")) == []


def test_a_change_inside_a_violation_of_several_lines_counts(check, committed):
    committed.write("src/b.py", "print(\n    1,\n    2,\n)\n")
    git(committed, "add", ".")
    git(committed, "commit", "--quiet", "-m", "More")
    committed.write("src/b.py", "print(\n    1,\n    3,\n)\n")

    assert lines(check("--changed", code=1)) == ["src/b.py:1"]


def test_a_revision_that_is_none_and_a_folder_without_git_are_told(check, committed, project):
    assert "There is no commit 'src'." in check("--changed", "src", code=2).err

    subprocess.run(["rm", "-rf", ".git"], cwd=committed.root, check=True)

    assert "is not in a git repository" in check("--changed", code=2).err


def test_no_program_that_the_repository_names_is_run(check, committed, tmp_path):
    trace = tmp_path / "ran"
    committed.write(".gitattributes", "*.py filter=evil diff=evil\n")
    for key in (
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
    ):
        git(committed, "config", key, f"sh -c 'touch {trace}; cat'")
    git(committed, "config", "filter.evil.required", "true")
    git(committed, "config", "core.fsmonitor", f"touch {trace}")
    committed.write("src/a.py", OLD + "    print(3)\n")

    done = check("--changed", code=1)

    assert lines(done) == ["src/a.py:5"]
    assert not trace.exists()


def test_sarif_says_what_is_suppressed_and_by_what(check, old):
    old.write("src/b.py", "print(1)  # fieldguide: ignore[no-print] it is a script\nprint(2)\nprint(2)\n")

    log = json.loads(check("--format", "sarif", code=1).out)

    results = log["runs"][0]["results"]
    assert [each.get("suppressions", [{}])[0].get("kind") for each in results] == [
        None, None, None, None, None, "inSource",
    ]  # fmt: skip
    fingerprints = [each["partialFingerprints"]["ruleAndLine/v1"] for each in results]
    assert len(set(fingerprints)) == len(fingerprints)
    rule = log["runs"][0]["tool"]["driver"]["rules"][0]
    assert rule["help"]["markdown"].endswith("See [mcp/resources/patterns/prints.md, line 5]"
                                             "(mcp/resources/patterns/prints.md#L5).")  # fmt: skip


def test_fingerprints_stay_where_lines_move(check, old):
    def fingerprints():
        results = json.loads(check("--format", "sarif", code=1).out)["runs"][0]["results"]
        return [each["partialFingerprints"] for each in results]

    before = fingerprints()
    old.write("src/a.py", "# moved\n\n" + OLD)

    assert fingerprints() == before


def test_github_is_told_in_its_own_words(check, old):
    old.write("src/a,b.py", "print(1)\n")

    assert check(old.root / "src/a,b.py", "--format", "github", code=1).out == (
        "::error file=src/a%2Cb.py,line=1,endLine=1,col=1,title=prints/no-print::"
        "Nothing is printed, not even 100%25. Use the logger. (mcp/resources/patterns/prints.md:5)\n"
    )

"""`fieldguide trace`: the chain of one thing, or what a project lacks, for people and for CI."""

import json
import subprocess

import pytest

from tests.git_projects import GitProject
from tests.proves import proves
from tests.servers import run
from tests.tracing.shops import FILES, shop


@pytest.fixture
def repository(project) -> GitProject:
    return shop(project)


def trace(repository: GitProject, *words: str) -> subprocess.CompletedProcess[str]:
    return run("trace", *words, "--wait", "--project", repository.root, code=None)


@proves("Y-74", "Y-79")
def test_without_an_argument_everything_that_is_missing_is_printed(repository):
    done = trace(repository)
    told = json.loads(trace(repository, "--json").stdout)

    assert done.returncode == 0, done.stderr
    assert "3 of 4 requirements are named by a test." in done.stdout
    assert "docs/requirements.md:6 SHOP-4: no test names it" in done.stdout
    assert "tests/test_mail.py:8 SHOP-99: test_something_else claims it, and nothing defines it" in done.stdout
    assert "Mondays" not in done.stdout
    assert [(gap["kind"], gap["name"]) for gap in told["gaps"]] == [("untested", "SHOP-4"), ("unknown", "SHOP-99")]


@proves("Y-74")
def test_a_decision_that_nothing_follows_is_missing_something(repository):
    repository.write("docs/adr/0005-paint-it-green.md", "# 5. Paint it green\n\n## Status\n\nAccepted\n\nGreen.\n")

    done = trace(repository)

    assert "Decisions that nothing follows:\n  docs/adr/0005-paint-it-green.md:1 5. Paint it green" in done.stdout


@proves("Y-74")
def test_missing_ends_with_1_until_nothing_is(repository):
    before = trace(repository, "--missing").returncode
    repository.write("docs/requirements.md", FILES["docs/requirements.md"].rpartition("- **SHOP-4")[0])
    repository.write("tests/test_mail.py", FILES["tests/test_mail.py"].partition("\n\n@proves")[0])
    after = trace(repository, "--missing")

    assert before == 1
    assert after.returncode == 0, after.stdout


@proves("Y-74")
def test_one_thing_is_told_as_an_agent_would_be_told(repository):
    done = trace(repository, "SHOP-1", "--missing")
    as_json = json.loads(trace(repository, "SHOP-1", "--json").stdout)

    assert done.returncode == 0, done.stderr
    assert f"\nTests\n  {repository.root}/tests/test_prices.py:5  " in done.stdout
    assert as_json["of"]["name"] == "SHOP-1"
    assert trace(repository, "SHOP-4", "--missing").returncode == 1
    assert trace(repository, "SHOP-77").returncode == 1


def test_a_project_without_anything_to_trace_says_so(project):
    project.write("a.py", "x = 1\n")

    done = trace(project, "--missing")

    assert (done.returncode, done.stdout) == (
        0,
        "There is nothing to trace: no list of requirements, and no decision.\n",
    )

"""`fieldguide findings learn` as a person or a script uses it, on real repositories."""

import json
import os
from pathlib import Path

import pytest

from tests.proves import proves
from tests.servers import run

ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
RACE = """fix(auth): reject expired refresh tokens

The expiry was compared in local time while the token holds UTC, so tokens lived two hours longer in summer.
"""
REDIS = """Keep sessions in Redis, not in memory

Users were logged out at random because each server only knew its own sessions.
"""


def learn(root: Path, *words, **more):
    return run("findings", "learn", *words, "--project", root, **ALONE, **more)


def list_lessons(root, *words, **more):
    return run("findings", "review", *words, "--project", root, **ALONE, **more)


def known(root: Path) -> list[str]:
    """What the project's database holds, told by a run that adds nothing."""
    return [each["content"] for each in json.loads(learn(root, "--json").stdout)["findings"]]


def test_what_the_history_says_is_kept_once_and_counted(repository):
    repository.commit(REDIS, "src/web/sessions.py")
    repository.commit(RACE, "src/web/tokens.py", "tests/test_tokens.py")
    repository.commit("Bump version to 1.2.0", "pyproject.toml")

    first = learn(repository.root)
    again = learn(repository.root)
    repository.commit("Never retry payments automatically because the first try may have been taken", "src/pay/x.py")
    later = learn(repository.root)

    assert first.stdout == "Kept 2 new findings, 0 already known, from 3 commits.\n"
    assert again.stdout == "Kept 0 new findings, 2 already known, from 3 commits.\n"
    assert later.stdout == "Kept 1 new finding, 2 already known, from 4 commits.\n"


def test_each_finding_has_its_evidence(repository):
    commit = repository.commit(RACE, "src/web/tokens.py", "tests/test_tokens.py", author="Bob Builder")

    answer = json.loads(learn(repository.root, "--json").stdout)

    assert answer == {
        "commits": 1,
        "hasMore": False,
        "new": 1,
        "known": 0,
        "findings": [
            {
                "type": "issue",
                "content": "auth: reject expired refresh tokens. The expiry was compared in local time while the token "
                "holds UTC, so tokens lived two hours longer in summer.",
                "module": "auth",
                "extractedFrom": "git",
                "confidence": 0.85,
                "commit": commit,
                "author": "Bob Builder",
                "date": "2026-03-04T05:06:07Z",
                "files": ["src/web/tokens.py", "tests/test_tokens.py"],
                "why": "Fix … so tokens",
            }
        ],
    }


def test_a_review_lists_what_and_why_and_keeps_nothing(repository):
    commit = repository.commit(REDIS, "src/web/sessions.py")

    review = list_lessons(repository.root)
    as_json = json.loads(list_lessons(repository.root, "--json").stdout)

    assert review.stdout.splitlines() == [
        "decision in web: Keep sessions in Redis, not in memory. Users were logged out at random because each server "
        "only knew its own sessions.",
        f"    {commit[:10]}, 2026-03-04, Ann Author",
        "    confidence 0.65: because",
        "1 finding in 1 commit.",
    ]
    assert as_json.keys() == {"commits", "hasMore", "findings"}
    assert not repository.state.exists()


def test_confidence_decides_what_is_kept(repository):
    repository.commit("Fix the user page somehow", "src/web/x.py")

    assert list_lessons(repository.root).stdout == "0 findings in 1 commit.\n"
    assert "confidence 0.45: Fix" in list_lessons(repository.root, "--min-confidence", "0.4").stdout


@proves("Y-49")
def test_what_the_documents_say_is_not_learnt_again(repository):
    repository.write("AGENTS.md", "# Rules\n\n- Never retry payments automatically, ask the customer first.\n")
    repository.write("docs/adr/0001-x.md", "# Use SQLite for all tasks\n\n## Decision\n\nWe take SQLite.\n")
    repository.write("docs/cache.md", "# Cache\n\nKeep the cache in memory, because the disk of the servers is slow.\n")
    repository.commit_all("Write down what was agreed on")
    repository.commit("Never retry payments automatically, ask the customer first", "pay.py")
    repository.commit("Use SQLite for all tasks because it needs no server", "tasks.py")
    repository.commit("Keep the cache in memory, because the disk of the servers is slow", "cache.py")
    repository.commit("Close idle connections after a minute because the proxy drops them silently", "net.py")

    assert known(repository.root) == ["Close idle connections after a minute because the proxy drops them silently"]


@proves("Y-49")
def test_what_no_longer_holds_is_not_learnt_and_nothing_is_stale_afterwards(repository):
    repository.write("src/gone/a.py", "def taken(): ...\n")
    repository.commit_all("Keep a pool of readers because opening the database takes a second")
    repository.commit("Never call `drop_all()` in a request because other requests still read", "src/web/b.py")
    repository.commit("Read settings from `conf/web.toml` because the old place was not writable", "src/web/c.py")
    repository.write("src/old/sessions.py", "SESSIONS = {}\n" * 20)
    repository.commit_all("Limit sessions to one per user because browsers open several")
    repository.git("rm", "--quiet", "src/gone/a.py")
    repository.git("mv", "src/old/sessions.py", "src/web/sessions.py")
    repository.commit_all("Move files")

    (finding,) = json.loads(learn(repository.root, "--json").stdout)["findings"]

    assert finding["content"] == "Limit sessions to one per user because browsers open several"
    assert finding["files"] == ["src/web/sessions.py"]
    stale = run("stale", "--project", repository.root, **ALONE)
    assert (stale.returncode, stale.stdout) == (0, "")


@proves("Y-49")
def test_what_was_learnt_and_no_longer_holds_is_forgotten(repository):
    repository.write("src/pool/a.py", "def pooled(): ...\n")
    repository.commit_all("Keep a pool of readers because opening the database takes a second")
    repository.write("src/cache/b.py", "def cached(): ...\n")
    repository.commit_all("Cache the answers of the upstream because its limit is one a minute")
    learn(repository.root)
    repository.git("rm", "--quiet", "-r", "src/pool")
    repository.commit_all("Start again")

    learn(repository.root)

    listed = json.loads(run("findings", "list", "--project", repository.root, "--json", **ALONE).stdout)
    assert [each["content"][:5] for each in listed] == ["Cache"]


@proves("Y-49")
def test_commits_that_say_nearly_the_same_are_learnt_once(repository):
    repository.commit("Close idle connections after a minute because the proxy drops them silently", "net.py")
    repository.commit("Close idle connections after one minute because the proxy drops them silently", "net.py")

    assert len(known(repository.root)) == 1


def test_a_commit_that_was_taken_back_teaches_only_that(repository):
    choice = repository.commit("Switch from tabs to spaces because tabs look different everywhere", "x.py")
    revert = repository.commit(
        f'Revert "Switch from tabs to spaces"\n\nThis reverts commit {choice}.\n\nIt broke the Makefile, which needs '
        "tabs.",
        "x.py",
    )

    (finding,) = json.loads(learn(repository.root, "--json").stdout)["findings"]

    assert (finding["commit"], finding["confidence"]) == (revert, 0.9)
    assert finding["content"] == 'Revert "Switch from tabs to spaces". It broke the Makefile, which needs tabs.'


def test_a_revert_that_was_reverted_is_as_if_it_had_not_been(repository):
    choice = repository.commit("Switch from tabs to spaces because tabs look different everywhere", "x.py")
    revert = repository.commit(
        f'Revert "Switch"\n\nThis reverts commit {choice}.\n\nIt broke the Makefile of Bob.', "x.py"
    )
    repository.commit(f'Revert "Revert "Switch""\n\nThis reverts commit {revert}.', "x.py")

    assert [text.split()[0] for text in known(repository.root)] == ["Switch"]


def test_robots_and_commits_of_tests_teach_nothing(repository):
    repository.commit(RACE, "src/x.py", author="dependabot[bot]")
    repository.commit(
        "Never sleep in tests because that makes them slow and flaky", "tests/test_x.py", "tests/conftest.py"
    )
    nothing = known(repository.root)

    repository.commit(RACE, "src/x.py")

    assert nothing == []
    assert len(known(repository.root)) == 1


def test_a_long_history_is_looked_at_from_its_end(repository):
    for number, name in enumerate(("database", "mail server", "cache")):
        repository.commit(f"Move the {name} to port {number} because its old one was taken", "x.py")

    review = list_lessons(repository.root, "--limit", "2").stdout

    assert "port 2" in review
    assert "port 0" not in review
    assert review.endswith("2 findings in 2 commits. There are older ones: --limit looks further back.\n")
    assert list_lessons(repository.root, "--since", "HEAD~1").stdout.endswith("1 finding in 1 commit.\n")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--since", "--output=x"), 2, "expected one argument"),
        (("--since=--output=x",), 1, "is neither a commit"),
        (("--limit", "0"), 2, "--limit must be at least 1"),
        (("--min-confidence", "7"), 2, "--min-confidence must be between 0 and 1"),
        (("--min-confidence", "nan"), 2, "--min-confidence must be between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(repository, words, code, sentence):
    repository.commit(REDIS, "x.py")

    done = learn(repository.root, *words, code=code)

    assert sentence in done.stderr
    assert done.stdout == ""


def test_no_commits_and_no_repository(repository, tmp_path):
    (tmp_path / "bare").mkdir()

    assert learn(repository.root).stdout == "Kept 0 new findings, 0 already known, from 0 commits.\n"
    done = learn(tmp_path / "bare", code=1, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert "is not in a git repository" in done.stderr

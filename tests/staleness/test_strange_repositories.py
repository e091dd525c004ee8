"""Repositories of strangers: nothing is told that is not the project's own, and nothing that they configure is run."""

import json

import pytest

from fieldguide.text.citation import CHANGED, FRESH, GONE
from tests.git_projects import GitProject
from tests.hostile.live_values import github_token, private_key
from tests.hostile.test_git_places import borrow, link, name, share_commits
from tests.servers import run
from tests.staleness.cited_projects import citation, functions, judged, note, replaced, states

SECRET = "the private plan is to plant ferns"


@pytest.fixture
def private(tmp_path) -> GitProject:
    (tmp_path / "private").mkdir()
    repository = GitProject(tmp_path / "private")
    repository.write("src/a.py", f"# {SECRET}\n{functions('one')}")
    repository.commit_all("Plan it")
    repository.git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    return repository


@pytest.mark.parametrize("lead", [link, name])
def test_a_repository_that_a_project_points_to_is_not_asked(project, private, lead):
    project.write("src/a.py", "x = 1\n")
    project.write("docs/a.md", "# A\n\nsrc/a.py#L1 and src/a.py:2-4 and src/a.py#L1-L2@00000000\n")
    lead(project.root, private.root)

    done = run("stale", "--json", "--project", project.root, code=None)

    assert json.loads(done.stdout)["stale"] == []
    assert SECRET not in done.stdout


@pytest.mark.parametrize("lead", [borrow, share_commits])
def test_of_borrowed_commits_only_what_a_hash_proves_is_used(garden, private, lead):
    head = private.git("rev-parse", "HEAD")
    known = note(private, 2, 4, commit=head)
    unproved = known._replace(hash="", start=1, end=3)
    guessed = known._replace(hash="0" * 64, start=1, end=2)
    lead(garden.root, private.root)
    (garden.root / ".git/HEAD").write_text(f"{head}\n")

    told = judged(garden.root, known, unproved, guessed)

    assert told[0].state in (CHANGED, "moved")
    assert not any(SECRET in each.difference for each in told)
    assert [each.confidence for each in told[1:]] == [0.5, 0.5]


def test_a_secret_is_not_told_as_a_difference(garden):
    token = github_token()
    replaced(garden, "    two_total = value + 1\n", f'    two_total = "{token}"\n')
    cited = note(garden, 6, 8, commit=garden.commit_all("Leak it"))
    replaced(garden, token, github_token(seed=8))

    [found] = judged(garden.root, cited)

    assert found.state == CHANGED
    assert found.difference == '-two_total = "[secret removed]" +two_total = "[secret removed]"'


def test_of_a_private_key_in_the_code_no_line_is_told(garden):
    key = private_key().strip().split("\n")
    garden.write("src/a.py", "\n".join(["def key():", '    return """', *key, '"""', ""]))
    cited = note(garden, 1, 2 + len(key), commit=garden.commit_all("Leak it"))
    replaced(garden, key[3], key[3][::-1])

    [found] = judged(garden.root, cited)

    assert (found.state, found.difference) == (CHANGED, "")


def test_what_is_never_served_is_not_followed(garden):
    garden.write(".env", functions("one"))
    secret = note(garden, 1, 3, path=".env", commit=garden.commit_all("Leak it"))

    [found] = judged(garden.root, secret)

    assert (found.state, found.confidence, found.difference) == (GONE, 0.5, "")


PROGRAMS = (
    "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge",
    "filter.evil.process", "core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "pager.log",
    "pager.blame", "pager.grep", "gpg.program",
)  # fmt: skip
ODD = {
    "log.showSignature": "true", "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always",
    "diff.orderFile": "/nowhere", "diff.renames": "false", "diff.context": "9",
    "diff.interHunkContext": "9", "log.diffMerges": "combined", "grep.lineNumber": "true", "core.quotePath": "true",
}  # fmt: skip


def test_nothing_that_a_repository_configures_is_started_or_obeyed(garden, tmp_path):
    touched, program = tmp_path / "touched", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {touched}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    one = note(garden, 1, 3, commit=garden.git("rev-parse", "HEAD"))
    garden.write("docs/a.md", f"# A\n\n{citation(garden, 6, 8)} and src/a.py:11-13\n")
    garden.commit_all("Describe it")
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    garden.commit_all("Change it")
    replaced(garden, "def three", "# Above.\ndef three")
    for setting in PROGRAMS:
        garden.git("config", setting, str(program))
    for setting, value in ODD.items():
        garden.git("config", setting, value)
    garden.write(".git/info/attributes", "* diff=evil filter=evil\n")

    done = run("stale", "--json", "--project", garden.root, code=1)

    assert [each["state"] for each in json.loads(done.stdout)["stale"]] == ["changed", "moved"]
    assert states(garden.root, one) == [FRESH]
    assert not touched.exists()


@pytest.mark.parametrize("path", ["/etc/passwd", "../private/src/a.py", "src/../../x", ".git/config", "a\\b", "src"])
def test_a_note_of_what_is_no_file_of_the_project_tells_nothing(garden, path):
    strange = note(garden, 1, 3)._replace(path=path)

    [found] = judged(garden.root, strange)

    assert (found.state, found.path, found.difference, found.confidence) == (GONE, "", "", 0.5)

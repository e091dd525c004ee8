"""The history as it is kept: read once, brought up to date, right for whatever commit is checked out."""

import subprocess
from contextlib import closing

import pytest

from fieldguide.git.history import NO_GIT, History, HistoryKeeper
from fieldguide.git.log import HistoryCommit
from fieldguide.search.engine import SCHEMA
from fieldguide.storage.sqlite import SqliteDatabase
from tests.git_projects import GitProject


@pytest.fixture
def database(tmp_path):
    made = SqliteDatabase(lambda: str(tmp_path / "index.db"), [SCHEMA], lambda sentence: None, is_derived=True)
    with closing(made):
        yield made


def fresh(database, folder) -> History:
    """The history as a server tells it that was started just now."""
    return HistoryKeeper("", str(folder)).now(database, 30)


def subjects(history: History) -> list[str]:
    return [change.subject for change in history.changes]


def test_another_branch_has_its_own_history(repository, database):
    repository.commit("first", "a.py")
    repository.git("switch", "--quiet", "--create", "other")
    repository.commit("theirs", "a.py", "secret.py")
    keeper = HistoryKeeper("", str(repository.root))
    assert subjects(keeper.now(database, 30)) == ["theirs", "first"]

    repository.git("switch", "--quiet", "main")
    history = keeper.now(database, 30)

    assert subjects(history) == ["first"]
    assert history.together(["a.py"]) == {}
    repository.git("switch", "--quiet", "--detach", "other")
    assert subjects(keeper.now(database, 30)) == ["theirs", "first"]


def test_a_shallow_clone_does_not_take_its_oldest_commit_for_one_that_added_everything(repository, database, tmp_path):
    repository.commit("first", "a.py", "b.py")
    repository.commit("second", "a.py", "b.py")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", str(clone))

    served = HistoryKeeper("", str(clone))
    assert [change.files for change in served.now(database, 30).changes] == [()]

    subprocess.run(["git", "fetch", "--quiet", "--unshallow"], cwd=clone, check=True)
    assert [len(change.files) for change in served.now(database, 30).changes] == [2, 2]
    assert [len(change.files) for change in fresh(database, clone).changes] == [2, 2]


def test_a_linked_work_tree_tells_of_its_own_head(repository, database, tmp_path):
    repository.commit("first", "a.py")
    repository.git("worktree", "add", "--quiet", "-b", "linked", str(tmp_path / "linked"))
    keeper = HistoryKeeper("", str(tmp_path / "linked"))
    assert subjects(keeper.now(database, 30)) == ["first"]

    repository.commit("only in main", "a.py")
    assert subjects(keeper.now(database, 30)) == ["first"]

    (tmp_path / "linked" / "a.py").write_text("x\n")
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=b@c", "commit", "-qam", "linked"],
        cwd=tmp_path / "linked",
        check=True,
    )
    assert subjects(keeper.now(database, 30)) == ["linked", "first"]


@pytest.mark.parametrize("commits", [False, None])
def test_without_git_or_commits_there_is_no_history_and_it_says_so(tmp_path, database, commits):
    folder = tmp_path / "plain"
    folder.mkdir()
    if commits is False:
        GitProject(folder)

    history = fresh(database, folder)

    assert (list(history.changes), history.lack) == ([], NO_GIT)


def test_a_renamed_files_past_counts_for_its_present_name(repository, database):
    repository.write("old.py", "".join(f"line {number}\n" for number in range(50)))
    repository.commit("first", "partner.py")
    repository.git("mv", "old.py", "new.py")
    repository.commit_all("move")
    repository.git("rm", "--quiet", "partner.py")
    repository.commit_all("remove")

    history = fresh(database, repository.root)

    assert history.count_changes("new.py") == 2
    assert history.count_changes("old.py") == 0
    assert history.together(["new.py"]) == {}


def change(number: int, *files: str, author: str = "Ann") -> HistoryCommit:
    return HistoryCommit(f"{number:040}", number, author, f"subject {number}", files)


def test_what_changed_together_often_and_lately_comes_first():
    history = History(
        [
            change(4, "a.py", "often.py", author="Bob"),
            change(3, "a.py", "often.py"),
            change(2, "a.py", "once.py"),
            change(1, "a.py", "large.py", *(f"{number}.py" for number in range(10))),
            change(0, "b.py", "once.py"),
        ]
    )

    together = history.together(["a.py"])

    assert list(together)[:3] == ["often.py", "once.py", "0.py"]
    assert "b.py" not in together
    assert history.support("a.py", "often.py") == (2, 4)
    assert history.count_changes("once.py") == 2
    assert [each.subject for each in history.commits_of("a.py", 2)] == ["subject 4", "subject 3"]
    assert history.authors_of("a.py") == [("Ann", 3), ("Bob", 1)]


def test_a_commit_that_sweeps_over_the_project_binds_no_files():
    sweeping = change(1, "a.py", "swept.py", *(f"{number}.py" for number in range(20)))
    history = History([change(3, "a.py", "often.py"), change(2, "a.py", "often.py"), sweeping])

    assert list(history.together(["a.py"])) == ["often.py"]
    assert history.support("a.py", "swept.py") == (0, 2)
    assert history.support("a.py", "often.py") == (2, 2)

"""What a watch sees of folders and files, and what it leaves alone."""

import ctypes
import errno
import os
import shutil
import sys

import pytest

from fieldguide.files import watch as watching
from fieldguide.files.watch import InotifyWatch, PollingWatch, WatchedChanges, WatchedPlace, open_watch
from fieldguide.text.cancellation import Stop
from tests.processes import PATIENCE_SECONDS

kernel_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def stopped():
    stopped = Stop()
    yield stopped
    stopped.close()


@pytest.fixture
def watched(project, stopped, monkeypatch):
    """Opens a watch on some places of the project, of the kind that the test asks for; one that polls does so often."""
    monkeypatch.setattr(watching, "LOOK_MILLISECONDS", 100)
    monkeypatch.setattr(watching, "SETTLE_MILLISECONDS", 60)
    opened = []

    def watch(*places, kind=InotifyWatch):
        root = str(project.root)
        watch = kind([WatchedPlace(os.path.join(root, path), what, root) for path, what in places], stopped)
        opened.append(watch)
        return watch

    yield watch
    for each in opened:
        each.close()


def changed(watch, project):
    """The next change, with paths in the project."""
    seen = watch.wait(PATIENCE_SECONDS)
    assert seen is not None
    root = f"{project.root}{os.sep}"
    files, folders = (frozenset(path.removeprefix(root) for path in paths) for paths in seen[:2])
    return seen._replace(files=files, folders=folders)


@kernel_only
def test_files_that_come_change_and_go_are_told_by_their_paths(project, watched):
    project.write("docs/a.md", "one")
    watch = watched(("docs", "tree"))

    project.write("docs/a.md", "two")
    project.write("docs/b.md", "one")
    first = changed(watch, project)
    (project.root / "docs" / "a.md").unlink()
    second = changed(watch, project)

    assert first == WatchedChanges(frozenset({"docs/a.md", "docs/b.md"}))
    assert second == WatchedChanges(frozenset({"docs/a.md"}))


@kernel_only
def test_a_new_folder_is_told_as_a_whole_and_watched_from_then_on(project, watched):
    project.write("docs/a.md", "one")
    watch = watched(("docs", "tree"))

    project.write("docs/new/deep/b.md", "one")
    first = changed(watch, project)
    project.write("docs/new/deep/b.md", "two")
    second = changed(watch, project)

    assert "docs/new" in first.folders
    assert second.files == {"docs/new/deep/b.md"}


@kernel_only
def test_a_folder_that_moved_is_watched_under_its_new_name_only(project, watched):
    project.write("docs/old/deep/a.md", "one")
    watch = watched(("docs", "tree"))
    os.rename(project.root / "docs" / "old", project.root / "docs" / "new")
    moved = changed(watch, project)
    os.rename(project.root / "docs" / "new", project.root / "away")
    gone = changed(watch, project)

    project.write("away/deep/a.md", "two")
    project.write("docs/b.md", "one")
    last = changed(watch, project)

    assert moved.folders == {"docs/old", "docs/new"}
    assert gone.folders == {"docs/new"}
    assert last == WatchedChanges(frozenset({"docs/b.md"}))


@kernel_only
def test_only_the_entries_of_a_plain_folder_count(project, watched):
    project.write("src/deep/a.py", "one")
    watch = watched(("src", "folder"))

    project.write("src/deep/a.py", "two")
    project.write("src/b.py", "one")

    assert changed(watch, project) == WatchedChanges(frozenset({"src/b.py"}))


@kernel_only
@pytest.mark.parametrize("name", ["node_modules", ".git", "__pycache__", ".fieldguide"])
def test_folders_of_tools_are_not_watched_at_all(project, watched, name):
    project.write(f"docs/{name}/deep/a.md", "one")
    watch = watched(("docs", "tree"))

    project.write(f"docs/{name}/deep/a.md", "two")
    project.write(f"docs/{name}/deep/new/b.md", "two")
    project.write("docs/b.md", "one")

    assert changed(watch, project) == WatchedChanges(frozenset({"docs/b.md"}))
    assert not any(name in path for path in watch._by_path)


@pytest.mark.parametrize("kind", [pytest.param(InotifyWatch, marks=kernel_only), PollingWatch])
def test_what_is_replaced_comes_or_changes_as_a_single_file_asks_for_a_new_watch(project, watched, kind):
    project.write("mcp/resources/adr/1.md", "one")
    project.write("context.json", "{}")
    for places, change in (
        ([("mcp/resources/adr", "tree")], lambda: os.rename(project.root / "mcp", project.root / "old")),
        ([("mcp/resources/adr", "tree")], lambda: project.write("mcp/resources/adr/2.md", "one")),
        ([("mcp/resources/adr", "tree")], lambda: shutil.rmtree(project.root / "mcp" / "resources")),
        ([("context.json", "file")], lambda: project.write("context.json", '{"collections": {}}')),
        ([("context.json", "file")], lambda: (project.root / "context.json").unlink()),
        ([("docs", "presence")], lambda: project.write("docs/a.md", "one")),
    ):
        watch = watched(*places, kind=kind)
        change()
        assert changed(watch, project).is_elsewhere


@kernel_only
def test_neighbours_of_a_single_file_wake_nobody(project, watched):
    watch = watched(("context.json", "file"), ("docs", "presence"))

    project.write("other.json", "{}")
    project.write("src/a.py", "one")

    assert watch.wait(0.2) is None


@kernel_only
def test_more_than_the_kernel_can_keep_means_everything(project, watched):
    watch = watched(("", "tree"))

    watch._take_all_of(watching.HEAD.pack(-1, watching.OVERFLOW, 0, 0))
    seen = watch._settled()

    assert seen.is_everything
    assert seen.is_elsewhere


@kernel_only
def test_a_limit_of_the_system_is_told_with_the_way_out(project, watched, monkeypatch):
    project.write("docs/deep/a.md", "one")
    real = ctypes.CDLL(None, use_errno=True)

    class Library:
        """A kernel with room for one watch."""

        def __init__(self):
            self.watches = 0

        def inotify_init1(self, flags):
            return real.inotify_init1(flags)

        def inotify_add_watch(self, descriptor, path, mask):
            self.watches += 1
            if self.watches == 1:
                return real.inotify_add_watch(descriptor, path, mask)
            ctypes.set_errno(errno.ENOSPC)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *given, **more: Library())

    watch = watched(("docs", "tree"))

    assert "fs.inotify.max_user_watches" in watch.shortage


@kernel_only
def test_a_system_without_room_for_any_watch_is_looked_at(project, stopped, monkeypatch):
    class Library:
        """A kernel that gives nothing."""

        def inotify_init1(self, flags):
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *given, **more: Library())

    watch = open_watch([WatchedPlace(str(project.root), "tree")], stopped)

    assert "can't be watched" in watch.shortage
    assert watch.wait(0.0) is None


@pytest.mark.parametrize("kind", [pytest.param(InotifyWatch, marks=kernel_only), PollingWatch])
def test_the_word_to_stop_ends_a_wait_without_end(project, watched, stopped, kind):
    watch = watched(("", "tree"), kind=kind)
    stopped.set()

    assert watch.wait(None) is None


@pytest.mark.parametrize("kind", [pytest.param(InotifyWatch, marks=kernel_only), PollingWatch])
def test_a_watched_folder_may_lie_in_one_that_would_be_ignored_itself(project, watched, kind):
    project.write("node_modules/docs/a.md", "one")
    watch = watched(("node_modules/docs", "tree"), kind=kind)

    project.write("node_modules/docs/a.md", "two")

    assert "node_modules/docs/a.md" in changed(watch, project).files


@kernel_only
def test_a_sign_is_told_as_a_file_also_when_it_is_replaced_and_its_neighbours_are_not(project, watched):
    project.write("git/HEAD", "ref: main")
    project.write("git/other", "one")
    watch = watched(("git/HEAD", "sign"))

    project.write("git/other", "two")
    project.write("git/HEAD.lock", "ref: garden")
    os.replace(project.root / "git/HEAD.lock", project.root / "git/HEAD")

    assert changed(watch, project) == WatchedChanges(frozenset({"git/HEAD"}))
    assert watch.wait(0.0) is None


@kernel_only
def test_what_has_come_is_taken_without_waiting(project, watched):
    watch = watched(("", "folder"))
    assert watch.wait(0.0) is None

    project.write("a.md", "one")

    assert changed(watch, project).files == {"a.md"}


def test_where_changes_are_told_late_a_sign_means_everything(project, watched):
    project.write("git/HEAD", "ref: main")
    project.write("docs/a.md", "one")
    watch = watched(("docs", "tree"), ("git/HEAD", "sign"), kind=PollingWatch)

    project.write("git/HEAD", "ref: a branch with another name")

    assert changed(watch, project) == WatchedChanges(is_everything=True)


def test_what_was_seen_twice_is_joined():
    first, second = (
        WatchedChanges(frozenset("a"), is_everything=True),
        WatchedChanges(frozenset("b"), frozenset("c"), is_elsewhere=True),
    )

    joined = first.joined(second)

    assert joined == WatchedChanges(frozenset("ab"), frozenset("c"), is_everything=True, is_elsewhere=True)


def test_without_watchfiles_it_is_said_that_files_are_looked_at(monkeypatch, tmp_path):
    monkeypatch.setenv(watching.POLLING, "1")
    monkeypatch.setitem(sys.modules, "watchfiles", None)

    watch = open_watch([WatchedPlace(str(tmp_path), "tree")], Stop())

    assert "the package watchfiles is not installed" in watch.shortage
    assert watch.wait(0.01) is None

"""The confined folder against paths, links and files that try to leave it."""

import errno
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import replace_file
from fieldguide.text.errors import NotFound, PathEscape, Unreadable

LIMIT = 1000


@pytest.fixture
def root(tmp_path):
    inside = tmp_path / "inside"
    (inside / "a" / "b").mkdir(parents=True)
    (inside / "a" / "b" / "file").write_text("deep")
    (inside / "file").write_text("top")
    (tmp_path / "secret").write_text("secret")
    return inside


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("file", b"top"),
        ("a/b/file", b"deep"),
        ("./a//b/./file", b"deep"),
        ("a/../file", b"top"),
        ("a/b/../../file", b"top"),
    ],
)
def test_a_path_inside_is_read(root, path, content):
    assert ConfinedFolder(str(root)).read(path, limit_bytes=LIMIT) == content


@pytest.mark.parametrize("path", ["..", "../secret", "a/../../secret", "/etc/passwd", "a/b/../../../secret", "//etc"])
def test_a_path_that_leaves_is_refused(root, path):
    with pytest.raises(PathEscape):
        ConfinedFolder(str(root)).read(path, limit_bytes=LIMIT)


@pytest.mark.parametrize("path", ["", "nothing", "file/more", "a\0b", "x" * 5000, "a/nothing/../../file"])
def test_a_path_to_nothing_is_not_found(root, path):
    with pytest.raises(NotFound):
        ConfinedFolder(str(root)).read(path, limit_bytes=LIMIT)


@pytest.mark.parametrize("target", ["../secret", "../../inside/../secret", "/etc/passwd", "a/out"])
def test_a_link_that_leaves_is_refused(root, target):
    (root / "a" / "out").symlink_to("../../secret")
    (root / "link").symlink_to(target)

    with pytest.raises(PathEscape):
        ConfinedFolder(str(root)).read("link", limit_bytes=LIMIT)
    assert "link" not in set(ConfinedFolder(str(root)).files())


def test_links_that_stay_are_followed_whether_relative_or_absolute(root):
    (root / "relative").symlink_to("a/b/file")
    (root / "absolute").symlink_to(root / "a")
    (root / "a" / "up").symlink_to("../file")

    folder = ConfinedFolder(str(root))

    assert folder.read("relative", limit_bytes=LIMIT) == b"deep"
    assert folder.read("absolute/b/file", limit_bytes=LIMIT) == b"deep"
    assert folder.read("a/up", limit_bytes=LIMIT) == b"top"


def test_a_circle_of_links_ends(root):
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")

    with pytest.raises(PathEscape):
        ConfinedFolder(str(root)).read("one", limit_bytes=LIMIT)


def test_what_is_no_regular_file_is_unreadable_and_a_pipe_does_not_hang(root):
    os.mkfifo(root / "pipe")
    for path in ("pipe", "a", "a/b/.."):
        with pytest.raises(Unreadable):
            ConfinedFolder(str(root)).read(path, limit_bytes=LIMIT)


def test_a_file_over_the_limit_is_unreadable_and_one_at_it_is_not(root):
    (root / "at").write_bytes(b"x" * LIMIT)
    (root / "over").write_bytes(b"x" * (LIMIT + 1))

    assert len(ConfinedFolder(str(root)).read("at", limit_bytes=LIMIT)) == LIMIT
    with pytest.raises(Unreadable):
        ConfinedFolder(str(root)).read("over", limit_bytes=LIMIT)


def test_a_folder_inside_is_confined_to_itself(root):
    folder = ConfinedFolder(str(root)).folder("a")

    assert folder.read("b/file", limit_bytes=LIMIT) == b"deep"
    with pytest.raises(PathEscape):
        folder.read("../file", limit_bytes=LIMIT)
    assert set(folder.files()) == {"b/file"}
    assert not ConfinedFolder(str(root)).folder("missing").exists()


def test_no_descriptor_is_left_open(root):
    folder = ConfinedFolder(str(root)).folder("a")
    (root / "a" / "loop").symlink_to("loop")
    before = len(os.listdir("/proc/self/fd"))

    for _ in range(50):
        folder.exists()
        list(folder.files())
        for path in ("b/file", "../x", "nothing", "loop", "b"):
            try:
                folder.read(path, limit_bytes=LIMIT)
            except (NotFound, PathEscape, Unreadable):
                continue

    assert len(os.listdir("/proc/self/fd")) == before


PARTS = st.sampled_from(["..", ".", "", "a", "b", "file", "link-up", "link-out", "secret", "inside", "\\", " ", "é"])


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=8).map("/".join))
def test_no_made_up_path_ever_reads_the_secret(tmp_path_factory, path):
    base = tmp_path_factory.getbasetemp() / "confinement"
    if not base.exists():
        (base / "inside" / "a" / "b").mkdir(parents=True)
        (base / "inside" / "file").write_text("top")
        (base / "inside" / "a" / "link-up").symlink_to("..")
        (base / "inside" / "link-out").symlink_to("..")
        (base / "secret").write_text("secret")

    try:
        content = ConfinedFolder(str(base / "inside")).read(path, limit_bytes=LIMIT)
    except (NotFound, PathEscape, Unreadable):
        return
    assert content == b"top"


def test_what_the_system_will_not_open_is_told_as_unreadable(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("x")
    folder = ConfinedFolder(str(tmp_path))

    def fails(*_: object, **__: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "open", fails)
    with pytest.raises(Unreadable, match=r"File can't be read: a\.md"):
        folder.read("a.md", limit_bytes=10)


def test_a_file_is_replaced_whole_with_its_permissions_or_not_at_all(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o640)

    with pytest.raises(ZeroDivisionError), replace_file(str(path)) as file:
        file.write(bytes(1 // 0))
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["a.json"])
    with replace_file(str(path)) as file:
        file.write(b"new")

    assert (path.read_text(), path.stat().st_mode & 0o777, os.listdir(tmp_path)) == ("new", 0o640, ["a.json"])

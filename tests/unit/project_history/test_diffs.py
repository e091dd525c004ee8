"""What commits removed, read from git's diffs in large pieces."""

from fieldguide.git import diff
from fieldguide.git.diff import ReplacedText, list_commits_between, read_removing_diffs, read_step_between
from fieldguide.git.program import GitProgram


def is_source(path):
    return path.endswith(".py") and not path.startswith("vendor/") and not path.endswith("_test.py")


def read(repository, *, wants=is_source):
    git = GitProgram(str(repository.root))
    return list(read_removing_diffs(git, list_commits_between(git, "HEAD"), wants))


def write(repository, files):
    for name, text in files.items():
        path = repository.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def test_a_commit_is_read_with_the_lines_that_it_removed_and_what_replaced_them(repository):
    write(repository, {"a.py": b"one\n-- two\nthree\n", "b.py": b"last"})
    repository.commit_all("first")
    write(repository, {"a.py": b"one\n++ 2\n\n", "b.py": b"end"})
    changed = repository.commit_all("second")

    [found] = read(repository)

    assert (found.commit.id, found.commit.subject) == (changed, "second")
    assert found.hunks == [ReplacedText("a.py", b"-- two\nthree", b"++ 2\n"), ReplacedText("b.py", b"last", b"end")]


def test_commits_that_only_add_wanted_files_are_passed_over(repository):
    write(repository, {"a.py": b"one\n", "vendor/x.py": b"x\n", "notes.md": b"x\n"})
    repository.commit_all("first")
    write(repository, {"b.py": b"two\n", "vendor/x.py": b"y\n", "notes.md": b"y\n"})
    repository.commit_all("second")

    assert read(repository) == []


def test_git_makes_no_diffs_of_files_that_nobody_wants(repository, monkeypatch):
    unwanted = {"vendor/deep/x.py": b"x\n", "a_test.py": b"x\n", "notes.md": b"x\n", "src/notes.txt": b"x\n"}
    write(repository, {"src/a.py": b"one\n", "src/vendor.py": b"one\n", **unwanted})
    repository.commit_all("first")
    write(repository, {"src/a.py": b"two\n", "src/vendor.py": b"two\n", **dict.fromkeys(unwanted, b"y\n")})
    repository.commit_all("second")
    printed = []
    take = diff.CommitDiff.take

    def spy(self, section, wants):
        printed.append(section.partition(b"\n")[0])
        take(self, section, wants)

    monkeypatch.setattr(diff.CommitDiff, "take", spy)

    [found] = read(repository)

    assert [hunk.path for hunk in found.hunks] == ["src/a.py", "src/vendor.py"]
    assert printed == [b"a/src/a.py b/src/a.py", b"a/src/vendor.py b/src/vendor.py"]


def test_diffs_are_the_same_however_they_are_cut_while_they_are_read(repository, monkeypatch):
    for edition in range(6):
        lines = [f"line {number} of edition {edition}\n".encode() for number in range(40)]
        write(repository, {"a.py": b"".join(lines), "b.py": b"x" * 300 + b"\n" + lines[0], "c.md": lines[0]})
        repository.commit_all(f"edition {edition}")
    whole = read(repository)

    monkeypatch.setattr(diff, "READ_BYTES", 7)

    assert read(repository) == whole
    assert len(whole) == 5
    assert whole[0].hunks[0].removed.count(b"\n") == 39


def test_of_a_very_long_line_only_the_beginning_is_read(repository, monkeypatch):
    monkeypatch.setattr(diff, "LONGEST_DIFF_LINE", 20)
    write(repository, {"a.py": b"a" * 100 + b"\nshort\n"})
    repository.commit_all("first")
    write(repository, {"a.py": b"\n"})
    repository.commit_all("second")

    [found] = read(repository)

    assert found.hunks == [ReplacedText("a.py", b"a" * 19 + b"\nshort", b"")]


def test_a_commit_that_removes_too_much_is_not_looked_into(repository, monkeypatch):
    monkeypatch.setattr(diff, "MOST_COMMIT_BYTES", 500)
    write(repository, {"a.py": b"line\n" * 200, "b.py": b"one\n"})
    repository.commit_all("first")
    write(repository, {"a.py": b"", "b.py": b"two\n"})
    repository.commit_all("second")
    write(repository, {"b.py": b"three\n"})
    repository.commit_all("third")

    newest, large = read(repository)

    assert (large.is_large, large.hunks) == (True, [])
    assert newest.hunks == [ReplacedText("b.py", b"two", b"three")]


def test_files_are_followed_between_two_commits_also_under_another_name(repository):
    body = b"".join(f"line {number}\n".encode() for number in range(30))
    write(repository, {"kept.py": b"one\ntwo\n", "old.py": body, "gone.py": b"x\n", "same.py": b"x\n"})
    base = repository.commit_all("first")
    repository.git("mv", "old.py", "new.py")
    (repository.root / "gone.py").unlink()
    write(repository, {"kept.py": b"zero\none\ntwo\n", "new.py": body + b"more\n", "added.py": b"new\n"})
    head = repository.commit_all("second")
    git = GitProgram(str(repository.root))

    kept = read_step_between(git, base, head, ["kept.py"])
    moved = read_step_between(git, base, head, ["old.py", "gone.py", "same.py"])

    assert {path: step.path for path, step in kept.steps.items()} == {"kept.py": "kept.py"}
    assert kept.steps["kept.py"].hunks == ((0, 0, 1, 1),)
    assert {path: step.path for path, step in moved.steps.items()} == {"old.py": "new.py", "gone.py": ""}
    assert moved.steps["old.py"].hunks == ((30, 0, 31, 1),)
    assert kept.changed == moved.changed == {"kept.py", "new.py", "added.py"}

"""What became of files between two commits."""

from fieldguide.git.diff import read_step_between
from fieldguide.git.program import GitProgram


def write(repository, files):
    for name, text in files.items():
        path = repository.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


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

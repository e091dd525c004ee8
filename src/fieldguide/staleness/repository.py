"""The repository that a project lies in, asked only where its place is safe; what can't be asked is not known."""

import os
from collections.abc import Iterable, Sequence

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal, Unreadable
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.git_index import index_place
from fieldguide.project_text.git_place import LARGEST_POINTER_BYTES
from fieldguide.staleness.notes import HEX
from fieldguide.staleness.walking import FileStep, Touched, step_between, steps_of, touched_since

READ_SECONDS = 20.0
ID_DIGITS = (40, 64)
MOST_CHAIN = 100_000
MOST_HOLDERS = 300
MOST_KEYS = 500
READ = ("HEAD", "packed-refs", "refs", "objects", "objects/info", "objects/pack")  # what a link would lead elsewhere
GREP = ("grep", "-l", "-z", "-I", "-F", "--threads=1", "--no-color", "--no-recurse-submodules", "-f", "-")


class Repository:
    """What git knows of a project as of HEAD."""

    def __init__(self, git: GitProgram, head: str, project: ConfinedFolder) -> None:
        self.head = head
        self._git = git
        self._project = project

    def files(self, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """The bytes of some files, each as a commit has it; those that are not there or not to be told are left out."""
        from fieldguide.project_history.earlier_files import read_files  # mostly nothing of the history is read again

        allowed = [each for each in dict.fromkeys(names) if self._may_read(each[1])]
        try:
            found = read_files(self._git, [f"{commit}:./{path}" for commit, path in allowed])
        except (Unreadable, ValueError):
            return {}
        refuses = self._project.sensitive.refuses_content
        told = zip(allowed, found, strict=False)
        return {each: content for each, content in told if content and not refuses(each[1].split("/"), content)}

    def touched(self, base: str) -> list[Touched] | None:
        """What each commit since one touched; None where that one is none of HEAD's first parents."""
        try:
            found = touched_since(self._git, base, self.head)
        except Unreadable:
            return None
        return found if found and found[0].parent == base else None

    def steps(self, steps: Iterable[Touched], paths: Iterable[str]) -> dict[str, dict[str, FileStep]] | None:
        """What some commits did to some files."""
        try:
            return steps_of(self._git, steps, paths)
        except Unreadable:
            return None

    def step(self, base: str) -> dict[str, FileStep] | None:
        """What became of files from a commit that lies aside of HEAD's first parents."""
        try:
            return step_between(self._git, base, self.head)
        except Unreadable:
            return None

    def chain(self) -> list[str]:
        """HEAD and its first parents, the newest first."""
        try:
            said = self._git.ask("rev-list", "--first-parent", f"--max-count={MOST_CHAIN}", self.head)
        except Unreadable:
            return []
        return said.decode("ascii", "replace").split()

    def holders(self, keys: Iterable[str], endings: Iterable[str], *, untracked: bool) -> list[str]:
        """Files of the work tree with such endings that hold one of some lines; also those that git does not track."""
        asked = [*filter(None, dict.fromkeys(map(str.strip, keys)))][:MOST_KEYS]
        words = [*GREP, *(["--untracked"] if untracked else []), "--", *(f":(glob)**/*{each}" for each in endings)]
        try:
            said = self._git.ask(*words, said="".join(f"{key}\n" for key in asked).encode()) if asked else b""
        except Unreadable:  # nothing was found
            return []
        return [path.decode("utf-8", "replace") for path in said.split(b"\0")[:MOST_HOLDERS] if path]

    def _may_read(self, path: str) -> bool:
        names = path.split("/")
        is_plain = "\n" not in path and not path.startswith("/") and not {"", ".", ".."}.intersection(names)
        return is_plain and not self._project.sensitive.refuses(names)


def open_repository(project: ConfinedFolder) -> Repository | None:
    """The repository of a project; None without git, or where something in it leads elsewhere."""
    root = project.real_path()
    place = index_place(root)
    if place is None or any(os.path.islink(os.path.join(place.folder, name)) for name in READ):
        return None
    git = GitProgram(root, READ_SECONDS)
    head = _named_head(place.folder)
    if not head:
        try:
            head = git.ask("rev-parse", "--verify", "HEAD^{commit}").decode("ascii", "replace").strip()
        except Unreadable:
            return None
    return Repository(git, head, project)


def _named_head(folder: str) -> str:
    """The commit that is checked out, where git's own files say so at once; empty where git must be asked."""
    said = _said(folder, "HEAD")
    branch = said.removeprefix("ref: ")
    if branch != said:
        said = _said(folder, branch) if ".." not in branch.split("/") else ""
    return said if len(said) in ID_DIGITS and HEX.issuperset(said) else ""


def _said(folder: str, name: str) -> str:
    try:
        return ConfinedFolder(folder).read(name, limit_bytes=LARGEST_POINTER_BYTES).decode("ascii", "replace").strip()
    except Refusal:
        return ""

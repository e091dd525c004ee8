"""When a line of a document was written: lines that are cited without a hash are those of that commit."""

from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.git_place import keeps_own_history

READ_SECONDS = 10.0
MOST_BYTES = 16 << 20
BLAME = ("-c", "blame.ignoreRevsFile=", "blame", "-s", "--porcelain", "--no-textconv", "HEAD", "--")


class Dating:
    """The commits that wrote the lines of documents; none where the history is not the project's own."""

    def __init__(self, root: str) -> None:
        self._git = GitProgram(root, READ_SECONDS) if keeps_own_history(root) else None

    def written(self, document: str) -> dict[str, str]:
        """The lines of a document as HEAD has it, each with the commit that wrote it last; the first of equal ones."""
        if self._git is None or "\n" in document or "\0" in document:
            return {}
        try:
            said = self._git.ask(*BLAME, document)
        except Unreadable:
            return {}
        return _lines(said.decode("utf-8", "replace")) if len(said) <= MOST_BYTES else {}

    def head_before(self, moment: str) -> str:
        """The commit of HEAD's first parents that was there at a moment; empty where there was none."""
        if self._git is None:
            return ""
        try:
            return self._git.ask("rev-list", "-1", "--first-parent", f"--before={moment}", "HEAD").decode().strip()
        except (Unreadable, UnicodeDecodeError):
            return ""


def _lines(said: str) -> dict[str, str]:
    found: dict[str, str] = {}
    commit = ""
    for line in said.split("\n"):
        if line.startswith("\t"):
            found.setdefault(line[1:].removesuffix("\r"), commit)
        else:
            word = line.partition(" ")[0]
            commit = word if len(word) == 40 and word.isalnum() else commit
    return found

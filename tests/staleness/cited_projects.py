"""Projects whose code is cited, with a history in which it changes."""

from hashlib import sha256
from pathlib import Path

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.links.citations import CitationVerdict, LineCitation
from fieldguide.knowledge.links.tracking import track_citations
from tests.projects import Project


def functions(*names: str) -> str:
    """A file of functions of five lines each, blank lines included."""
    return "".join(f"def {name}(value):\n    {name}_total = value + 1\n    return {name}_total\n\n\n" for name in names)


def note(
    project: Project, start: int, end: int, *, path: str = "src/a.py", commit: str = "", digits: int = 64
) -> LineCitation:
    """A note of lines as they stand in a file now."""
    lines = (project.root / path).read_bytes().split(b"\n")[start - 1 : end]
    return LineCitation(f"{path}:{start}", path, start, end, sha256(b"\n".join(lines)).hexdigest()[:digits], commit)


def citation(project: Project, start: int, end: int, *, path: str = "src/a.py") -> str:
    """The citation of lines as they stand in a file now."""
    return f"{path}#L{start}-L{end}@{note(project, start, end, path=path, digits=8).hash}"


def judged(root: Path, *notes: LineCitation) -> list[CitationVerdict]:
    """What became of notes, with nothing kept from before."""
    return track_citations(ConfinedFolder(str(root)), notes, {}).judgements


def states(root: Path, *notes: LineCitation) -> list[str]:
    """The state of each note alone."""
    return [each.state for each in judged(root, *notes)]


def replaced(project: Project, old: str, new: str, path: str = "src/a.py") -> None:
    """Change a text in a file, which must be there."""
    before = (project.root / path).read_text(encoding="utf-8")
    assert old in before
    project.write(path, before.replace(old, new))

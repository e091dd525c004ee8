"""Whether a document is a record that was decided: numbered among its kin or lying with decisions, and in sections."""

import posixpath

from fieldguide import linear_regex as re
from fieldguide.decisions.names import is_dated
from fieldguide.document_formats.kinds import ASCIIDOC, MARKDOWN, MDX, RST, format_of
from fieldguide.source_code.roles import TESTS, role_of
from fieldguide.tracing.marks import RELATES, Mark
from fieldguide.tracing.reading.lines import LONGEST_LINE

FORMATS = (MARKDOWN, MDX, RST, ASCIIDOC)
FOLDERS = frozenset(("adr", "adrs", "decisions", "decision-records", "decision_records"))
NUMBERED = re.compile(r"(?i)^(?:([a-z]{1,10})[-_ .]?)?0*([0-9]{1,6})(?:[-_. ]|$)")
TOLD = re.compile(r"(?i)^(?:[a-z]{2,10}[-_ ][0-9]{2,6}|[0-9]{3,6})(?:[-_. ]|$)")
NO_RECORDS = re.compile(r"(?i)^_|template|^(?:readme|index|process|contributing|overview|toc)$|^adr-0*0-")
HEADING = re.compile(r"(?m)^(?:#{1,4}|={1,4})[ \t]+([^\n]{1,300})$|^([^\n]{3,200})\n[=~-]{3,200}[ \t]*$")
LEAST_HEADINGS = 2
RELATION = re.compile(r"^\s*[\"']?([A-Za-z][\w -]{1,40})[\"']?\s*:\s*(.*)$")
FRONT_LINES = 60


def number_of(path: str) -> tuple[str, int] | None:
    """The word and the number that a file's name begins with: `adr-034-x.md` is ("ADR", 34); a date is no number."""
    stem = posixpath.basename(path).rpartition(".")[0] or posixpath.basename(path)
    if stem.lower() in ("index", "readme"):
        stem = posixpath.basename(posixpath.dirname(path))
    found = NUMBERED.match(stem)
    if found is None or is_dated(stem):
        return None
    return (found.group(1) or "").upper(), int(found.group(2))


def is_record(path: str, text: str) -> bool:
    """Whether a document is a record."""
    if format_of(path) not in FORMATS or role_of(path) == TESTS or not _is_called_as_record(path):
        return False
    return sum(1 for _, _ in zip(HEADING.finditer(text), range(LEAST_HEADINGS), strict=False)) == LEAST_HEADINGS


def _is_called_as_record(path: str) -> bool:
    """Whether a file lies with decisions or is numbered, and is not one that tells about records."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    among = not FOLDERS.isdisjoint(folder.lower() for folder in folders)
    is_numbered = number_of(path) is not None
    if NO_RECORDS.search(stem):  # the index of a folder may be the record, if the folder has its number
        return stem.lower() in ("index", "readme") and is_numbered and among
    return among or (is_numbered and TOLD.match(stem) is not None)


def is_process(text: str) -> bool:
    """Whether a decision says of itself that it is about how people work."""
    fields = {key: value.strip("\"' []").lower() for _, key, value in front_matter(text)}
    return "process" in (fields.get("about"), fields.get("scope"), fields.get("type"), fields.get("category"))


def front_matter(text: str) -> list[tuple[int, str, str]]:
    """The lines of a front matter with their keys; what is listed below a key is said for it."""
    lines = [line[:LONGEST_LINE] for line in text.split("\n", FRONT_LINES)[:FRONT_LINES]]
    if lines[0].strip() != "---":
        return []
    end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
    found: list[tuple[int, str, str]] = []
    key = ""
    for number, line in enumerate(lines[1:end], 2):
        said = RELATION.match(line)
        if said is not None and not line[:1].isspace():
            key = said.group(1).strip().lower()
            found.append((number, key, said.group(2)))
        elif key:
            found.append((number, key, line))
    return found


def related(text: str, marks: list[Mark]) -> list[Mark]:
    """The marks of a document, those of its front matter with the key that relates them."""
    keys = {line: key for line, key, _ in front_matter(text)}
    if not keys:
        return marks
    return [
        mark._replace(role=RELATES, said=keys[mark.line]) if mark.line in keys and mark.family else mark
        for mark in marks
    ]

"""Reads which ids, paths and symbols a text defines, claims or names, and has the values of a trace.

A decorator, an attribute or a comment above a definition belongs to it.

An id at the head of a list item, a table row, a heading or an entry is defined there if words follow it. Only
`project_names.learn_families` decides which ids are requirements, by how many of a kind are defined in one place.
"""

import posixpath
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, count
from typing import NamedTuple

from fieldguide.files.kinds import (
    GENERATED,
    MARKED_UP,
    NOTEBOOK,
    TESTS,
    VENDORED,
    WORDLESS_SUFFIXES,
    find_format,
    find_role,
    is_plain_document,
    is_test,
    language_of,
)
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import UNKNOWN, is_dated
from fieldguide.knowledge.links.mentions import (
    ISSUE_FAMILY,
    LONG_NAME,
    IdKey,
    WrittenId,
    find_ids,
    find_ids_in_name,
    find_paths,
    find_symbols,
)
from fieldguide.text import regex as re
from fieldguide.text.citation import PATH, SYMBOL

DEFINES = "defines"
CLAIMS = "claims"
NAMES = "names"
RELATES = "relates"
DECISION_TEXT = "decision"
COMMIT_TEXT = "commit"


class TraceMark(NamedTuple):
    """A name in a line: the key of an id, the last part of a path, or a symbol.

    `said` adds to it: the test that the line belongs to, the key of the front matter, or the whole path.
    """

    name: str
    role: str
    line: int
    family: str = ""
    said: str = ""


class TraceReading(NamedTuple):
    """The marks of a text; a decision also has a kind, a title and a status."""

    marks: list[TraceMark]
    kind: str = ""
    title: str = ""
    status: str = ""


REQUIREMENT = "requirement"
DECISION = "decision"
CODE = "code"
TEST = "test"
DOCUMENT = "document"
COMMIT = "commit"
FINDING = "finding"
TASK = "task"
ISSUE = "issue"
STEPS = (REQUIREMENT, DECISION, DOCUMENT, CODE, TEST, COMMIT, FINDING, TASK)
CERTAIN = 1.0
EXPLICIT = "explicit"
IMPORT = "import"
CHANGE = "change"
MINED = "mined"
"""How a link is known: written down, by the import graph, by git, or inferred from what both share."""
HOW = (EXPLICIT, IMPORT, CHANGE, MINED)


class TraceNode(NamedTuple):
    """The subject of a trace: a place in a file, or a commit, finding or task."""

    kind: str
    name: str
    title: str = ""
    path: str = ""
    line: int = 0
    text: str = ""


class TraceLink(NamedTuple):
    """Something related to the subject, how that is known, and with which confidence.

    `path` is a file, a folder with a slash at its end, or `commit:<id>`; `name` is the test, the id or the title.
    """

    kind: str
    path: str
    line: int
    why: str
    how: str = EXPLICIT
    confidence: float = CERTAIN
    name: str = ""


class Trace(NamedTuple):
    """A subject, its links in the order of the steps, and what is missing."""

    node: TraceNode
    links: list[TraceLink]
    missing: list[str]


def sort_links(links: Iterable[TraceLink]) -> list[TraceLink]:
    """Sort links by step and certainty, with only the surest to each place; a file may have several tests or ids."""
    best: dict[tuple[str, str, str], TraceLink] = {}
    for link in links:
        key = (link.kind, link.path, link.name if link.kind in (TEST, REQUIREMENT) else "")
        known = best.get(key)
        if known is None or _surer(link) < _surer(known):
            best[key] = link
    named = {link.path for link in best.values() if link.kind == TEST and link.name}
    unique = [link for link in best.values() if link.kind != TEST or link.name or link.path not in named]
    return sorted(unique, key=lambda link: (STEPS.index(link.kind), *_surer(link)))


def _surer(link: TraceLink) -> tuple[int, float]:
    return HOW.index(link.how), -link.confidence


NAMED = re.compile(
    r"^(?:[a-z]+ +){0,5}?(?:def|func|fn|fun|function|class|void|sub|struct|interface|impl|Task|object)\s+"
    r"(?:\([^)]{0,80}\)\s*)?[\x60\"']?([A-Za-z_$][\w$]*(?: [\w ,.-]{1,80})?)"
)
TITLED = re.compile(
    r"^(?:it|test|describe|scenario|specify|context|suite|Scenario|Scenario Outline|Feature|Example|Rule)"
    r"(?:\.\w+)?\s*[(:]\s*[\"'\x60]?([^\"'\x60\n]{1,100})"
)
WORD = re.compile(r"^[\w$]+")
ABOVE = ("@", "#[", "[", "#", "//", "/*", "*", "--", ")", '"', "'", "%", ";")
MOST_LINES = 50_000
MOST_ABOVE = 300  # lines between what is said of a test and its head


class DefinitionHead(NamedTuple):
    """The beginning of a definition or a test."""

    line: int
    indent: int
    name: str
    is_titled: bool


class DefinitionHeads:
    """The heads of a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n", MOST_LINES)[:MOST_LINES]
        self._heads = [*filter(None, map(_head, count(1), self._lines))]
        self._at = [head.line for head in self._heads]
        self._above = _enclosing(self._heads)

    def all(self) -> list[DefinitionHead]:
        """Every head, from the top."""
        return self._heads

    def on(self, line: int) -> DefinitionHead | None:
        """The head that a line is."""
        place = bisect_right(self._at, line) - 1
        return self._heads[place] if place >= 0 and self._at[place] == line else None

    def of(self, line: int) -> tuple[DefinitionHead | None, bool]:
        """The head that a line belongs to, and whether it stands above it as decorators do."""
        following = self._below(line)
        if following is not None:
            return following, True
        place = bisect_right(self._at, line) - 1
        indent = _indent(self._lines[line - 1]) if line <= len(self._lines) else 0
        while place >= 0:
            head = self._heads[place]
            if head.line == line or head.indent < indent:
                return head, False
            place = self._above[place]
        return None, False

    def _below(self, line: int) -> DefinitionHead | None:
        """The head right below, where all that lies between is said of it."""
        place = bisect_right(self._at, line)
        if line > len(self._lines) or place == len(self._heads) or self._at[place] - line > MOST_ABOVE:
            return None
        head = self._heads[place]
        opener = self._opener(line, head.indent)
        between = self._lines[opener - 1 : head.line - 1] if opener else ()
        if between and all(each.strip() for each in between):
            return head
        return None

    def _opener(self, line: int, indent: int) -> int:
        """Where what is said above a head begins: a line of its own indentation that opens as such lines do."""
        for number in range(line, max(0, line - MOST_ABOVE), -1):
            each = self._lines[number - 1]
            if not each.strip():
                return 0
            if _indent(each) == indent:
                said = each.strip().startswith(ABOVE)
                if not said or each.strip()[:1] not in (")", "]"):
                    return number if said and number not in self._at else 0
            elif _indent(each) < indent:
                return 0
        return 0


def _enclosing(heads: Sequence[DefinitionHead]) -> list[int]:
    """For each head the place of the one around it, which is indented less; -1 for none."""
    found: list[int] = []
    around: list[int] = []
    for place, head in enumerate(heads):
        while around and heads[around[-1]].indent >= head.indent:
            around.pop()
        found.append(around[-1] if around else -1)
        around.append(place)
    return found


def _head(number: int, line: str) -> DefinitionHead | None:
    stripped = line.strip()
    if not stripped or stripped[0] in "#/*@":
        return None
    titled = TITLED.match(stripped)
    if titled:
        return DefinitionHead(number, _indent(line), titled.group(1).strip(), is_titled=True)
    found = NAMED.match(stripped)
    if found is None:
        return None
    name = found.group(1)
    word = WORD.match(name)
    return DefinitionHead(number, _indent(line), word.group() if word else name, is_titled=False)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


LONGEST_LINE = 2_000  # characters; what is longer is data


class TextLines:
    """Where the lines of a text begin; counted from 1."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return [0, *accumulate(lengths[:-1])]

    def number(self, place: int) -> int:
        """The line that a place is in."""
        return bisect_right(self._starts, place)

    def before(self, place: int) -> str:
        """What stands on the line before a place; of a very long line only the end."""
        start = self._starts[self.number(place) - 1]
        return self.text[max(start, place - LONGEST_LINE) : place]

    def after(self, place: int) -> str:
        """What stands on the line from a place on."""
        end = self.text.find("\n", place, place + LONGEST_LINE)
        return self.text[place : end if end >= 0 else place + LONGEST_LINE]


MOST_IDS = 4_000
HEAD = re.compile(
    r"\s*(?:>\s*)?(?:#{1,6}\s+|={1,5}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|[0-9]{1,4}[.)]\s+|\|\s*)?[\[(*_\x60]{0,4}\s*"
)
HEAD_MARK = re.compile(r"^\s*(?:>\s*)?(?:#{1,6}\s|={1,5}\s|[-*+]\s|[0-9]{1,4}[.)]\s|\|)")
ENTRY = re.compile(r"\s*(?:-\s+)?[\[({]{1,3}\s*[\"'\x60]|\s*[\"'\x60]")
KEYED = re.compile(r"(?i)(?:^|[\s,{(:<])[\"']?[a-z_]{0,12}id[\"']?\s*[:=]\s*[\"'\x60]?$")
WORDS_AFTER = re.compile(r"[\])*_\x60\"']{0,4}\s*(?:[:|.)\x60–—-]\s*|\s)[\s*_|\x60\"'\[(]*[^\s|*_]")
MORE_OF_ENTRY = re.compile(r"[\"'\x60]\s*(?:,\s*\S|:\s*\S|\)?\s*=>|:\s*$|,\s*$)")
ANOTHER = re.compile(r"[\"'\x60]\s*[,:]\s*[\"'\x60][A-Za-z][A-Za-z0-9]{0,9}[-_][0-9]")


def find_id_marks(path: str, text: str, *, is_document: bool) -> list[TraceMark]:
    """The ids of a text, each once for a line and a role."""
    lines = TextLines(text)
    tests = is_test(path) and not is_document
    heads: DefinitionHeads | None = None
    found: dict[tuple[str, str, int], TraceMark] = {}
    for each in find_ids(text):
        if len(found) >= MOST_IDS:
            break
        heads = heads or (DefinitionHeads(text) if tests else None)
        mark = _mark(each, lines, heads, is_document=is_document)
        found.setdefault((mark.name, mark.role, mark.line), mark)
    marks = [*found.values()]
    if tests and "_" in text:
        for head in DefinitionHeads(text).all():
            if not head.is_titled:
                marks += [_of(key, CLAIMS, head.line, head.name) for key in find_ids_in_name(head.name)]
    return marks


def _mark(each: WrittenId, lines: TextLines, heads: DefinitionHeads | None, *, is_document: bool) -> TraceMark:
    line = lines.number(each.start)
    head, is_above = heads.of(line) if heads else (None, False)
    name = head.name if head else ""
    if heads and (is_above or heads.on(line) or lines.before(each.start).lstrip().startswith(("@", "#["))):
        return _of(each.key, CLAIMS, line, name)
    if each.key.family != ISSUE_FAMILY and _defines(each, lines, is_document=is_document):
        return _of(each.key, DEFINES, line, name)
    return _of(each.key, NAMES, line, name)


def _of(key: IdKey, role: str, line: int, said: str) -> TraceMark:
    return TraceMark(key.name, role, line, key.family, said)


def _defines(each: WrittenId, lines: TextLines, *, is_document: bool) -> bool:
    before = lines.before(each.start)
    after = lines.after(each.end)
    if not is_document and lines.text[each.start].islower():
        return False  # the name of a thing in data, as `node-1`
    if KEYED.search(before):
        return True
    if ENTRY.fullmatch(before):  # the first of an entry that has more, and not of a list of ids
        opens = before.strip()[:1] in "([{-" or after.lstrip("\"'\x60 ").startswith(":")
        return opens and bool(MORE_OF_ENTRY.match(after)) and not ANOTHER.match(after)
    return is_document and _heads(before, after)


def _heads(before: str, after: str) -> bool:
    """Whether something stands at the head of an item, a row, a heading or a term, with words after it."""
    if not HEAD.fullmatch(before) or not WORDS_AFTER.match(after):
        return False
    return bool(HEAD_MARK.match(before)) or before.strip() in ("**", "__", "[", "[[") or after[:1] == ":"


MOST_MARKS = 400  # paths, and symbols, of one text


def find_path_marks(text: str, *, is_document: bool) -> list[TraceMark]:
    """The paths of a text under the last part of each; code is only asked for documents and decisions."""
    lines = TextLines(text)
    found = find_paths(text, is_document=is_document)
    return _take_distinct(TraceMark(each.name, PATH, lines.number(place), said=each.path) for each, place in found)


def find_symbol_marks(text: str) -> list[TraceMark]:
    """The symbols of a decision, and how often it names each."""
    lines = TextLines(text)
    times = Counter(LONG_NAME.findall(text))
    found = find_symbols(text)
    return _take_distinct(TraceMark(name, SYMBOL, lines.number(place), said=str(times[name])) for name, place in found)


def _take_distinct(marks: Iterable[TraceMark]) -> list[TraceMark]:
    found: dict[tuple[str, str], TraceMark] = {}
    for mark in marks:
        if len(found) >= MOST_MARKS:
            break
        found.setdefault((mark.name, mark.said), mark)
    return list(found.values())


FOLDERS = frozenset(("adr", "adrs", "decisions", "decision-records", "decision_records"))
NUMBERED = re.compile(r"(?i)^(?:([a-z]{1,10})[-_ .]?)?0*([0-9]{1,6})(?:[-_. ]|$)")
TOLD = re.compile(r"(?i)^(?:[a-z]{2,10}[-_ ][0-9]{2,6}|[0-9]{3,6})(?:[-_. ]|$)")
NO_RECORDS = re.compile(r"(?i)^_|template|^(?:readme|index|process|contributing|overview|toc)$|^adr-0*0-")
HEADING = re.compile(r"(?m)^(?:#{1,4}|={1,4})[ \t]+([^\n]{1,300})$|^([^\n]{3,200})\n[=~-]{3,200}[ \t]*$")
LEAST_HEADINGS = 2
RELATION = re.compile(r"^\s*[\"']?([A-Za-z][\w -]{1,40})[\"']?\s*:\s*(.*)$")
FRONT_LINES = 60


def read_name_number(path: str) -> tuple[str, int] | None:
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
    if find_format(path) not in MARKED_UP or find_role(path) == TESTS or not _is_called_as_record(path):
        return False
    return sum(1 for _, _ in zip(HEADING.finditer(text), range(LEAST_HEADINGS), strict=False)) == LEAST_HEADINGS


def _is_called_as_record(path: str) -> bool:
    """Whether a file lies with decisions or is numbered, and is not one that tells about records."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    among = not FOLDERS.isdisjoint(folder.lower() for folder in folders)
    is_numbered = read_name_number(path) is not None
    if NO_RECORDS.search(stem):  # the index of a folder may be the record, if the folder has its number
        return stem.lower() in ("index", "readme") and is_numbered and among
    return among or (is_numbered and TOLD.match(stem) is not None)


def is_process(text: str) -> bool:
    """Whether a decision says of itself that it is about how people work."""
    fields = {key: value.strip("\"' []").lower() for _, key, value in read_front_fields(text)}
    return "process" in (fields.get("about"), fields.get("scope"), fields.get("type"), fields.get("category"))


def read_front_fields(text: str) -> list[tuple[int, str, str]]:
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


def relate_marks(text: str, marks: list[TraceMark]) -> list[TraceMark]:
    """The marks of a document, those of its front matter with the key that relates them."""
    keys = {line: key for line, key, _ in read_front_fields(text)}
    if not keys:
        return marks
    related: list[TraceMark] = []
    for mark in marks:
        is_related = mark.line in keys and mark.family
        related.append(mark._replace(role=RELATES, said=keys[mark.line]) if is_related else mark)
    return related


LONGEST_TEXT = 1 << 20
LONGEST_TITLE = 200
NO_TEXT = frozenset(("css", "scss", "sass", "less", "csv", "tsv", "diff"))


def is_traced_text(path: str) -> bool:
    """Whether a file's name says that it may hold marks: documents, code, and data that people write."""
    if is_plain_document(path):
        return True
    if find_format(path) is not None or find_role(path) in (GENERATED, VENDORED):
        return False
    if path.lower().endswith(WORDLESS_SUFFIXES):
        return False
    language = language_of(path)
    return (language is not None and language not in NO_TEXT) or path.endswith(".feature")


def read_trace_text(path: str, text: str) -> TraceReading:
    """The marks of a file, and what it is where it is a decision."""
    if len(text) > LONGEST_TEXT or find_format(path) == NOTEBOOK:
        return TraceReading([])
    is_document = is_plain_document(path)
    marks = [*find_id_marks(path, text, is_document=is_document), *find_path_marks(text, is_document=is_document)]
    if not is_document:
        return TraceReading(marks)
    if not is_record(path, text):
        return TraceReading(relate_marks(text, marks))
    record = read_record(path, text)
    status = "" if record.status == UNKNOWN else record.status.partition(" ")[0]
    if is_process(text):
        status = "process"
    marks = [*relate_marks(text, marks), *find_symbol_marks(text)]
    return TraceReading(marks, DECISION_TEXT, record.title[:LONGEST_TITLE], status)


def read_trace_words(text: str, *, with_symbols: bool = True) -> list[TraceMark]:
    """The marks of text outside of files: a finding, a task, the message of a commit."""
    plain = text[:LONGEST_TEXT]
    marks = [*find_id_marks("", plain, is_document=False), *find_path_marks(plain, is_document=True)]
    if with_symbols:
        marks += find_symbol_marks(plain)
    return marks

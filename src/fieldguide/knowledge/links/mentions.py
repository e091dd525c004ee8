"""Finds the symbols, options, paths and ids that a text mentions, and the lines that describe the past on purpose."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide.files.kinds import NOTEBOOK, PDF, TEXT, USUAL_SUFFIXES
from fieldguide.prose.document import Heading, ReadDocument
from fieldguide.prose.readers import detect_format, read_document
from fieldguide.text import regex as re
from fieldguide.text.citation import OPTION, PATH, SYMBOL

COMMENT = re.compile(r"fieldguide:\s*ignore\[([\w/, -]{1,200})\]\s*([^\n]*)")
ENDS = ("-->", "*/", "*/}", "}")
RULE_NAMES = frozenset((
    "stale", "gone", "gone-symbol", "gone-option", "gone-path", "moved", "moved-symbol", "moved-option", "moved-path",
))  # fmt: skip
LONGEST_COMMENT_LINE = 2_000
LONGEST_REASON = 200
BEFORE = ' \t<!-#.*/{%"\\'


def find_allowed_lines(lines: Sequence[str]) -> dict[int, str]:
    """The reason for each line, counted from 1, on which names may be gone.

    A comment holds for its own line; alone on it, for the paragraph that follows. One without a reason does nothing.
    """
    found: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        if "fieldguide:" not in line:
            continue
        match = COMMENT.search(line[:LONGEST_COMMENT_LINE])
        if match is None:
            continue
        rules = [rule.strip().removeprefix("stale/") for rule in match.group(1).split(",")]
        reason = match.group(2).strip()
        for end in ENDS:
            reason = reason.removesuffix(end).rstrip()
        if not reason or RULE_NAMES.isdisjoint(rules):
            continue
        found[number] = reason[:LONGEST_REASON]
        if not line[: match.start()].strip(BEFORE):
            found.update(dict.fromkeys(_paragraph_after(lines, number), reason[:LONGEST_REASON]))
    return found


def _paragraph_after(lines: Sequence[str], number: int) -> range:
    start = number
    while start < len(lines) and not lines[start].strip():
        start += 1
    end = start
    while end < len(lines) and lines[end].strip():
        end += 1
    return range(start + 1, end + 1)


VERSION = re.compile(
    r"(?i)^\W*(?:[\w .-]{0,30}\s)?(?:v|version |release |rel-?)?\d+\.(?:\d+|x)(?:[.\w+-]*)\W*(?:$|[\s(\-–—:])"
)
DATE = re.compile(
    r"(?i)\b(?:19|20)\d\d[-./](?:0?[1-9]|1[0-2])(?:[-./]\d{1,2})?\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:\d{1,2},? )?(?:19|20)\d\d\b"
)
UNRELEASED = re.compile(r"(?i)^\W*(?:unreleased|next release|upcoming|in development)\b")
CHANGES = re.compile(
    r"(?i)(?:^|[-_.])(?:change-?_?logs?|changes|histor(?:y|ical)|news|releases?|release-?_?notes?|relnotes|what-?s-?_?new|whatsnew"
    r"|migrat(?:e|ion|ing)(?:[-_]guide)?|upgrad(?:e|ing)(?:[-_]guide)?|updating|porting|breaking(?:-?_?changes)?"
    r"|deprecat(?:ed|ions?)|removed|removals?|announce(?:ments?)?|proposals?|blog|archived?|attic|obsolete|old|legacy|versioned_docs)"
    r"(?:$|[-_.])"
)
OF_VERSION = re.compile(
    r"(?i)^(?:v|version[-_]?|release[-_]?|to[-_]?|from[-_]?)?\d+(?:[._]\d+)+(?:[._-]?\w{1,8})?$"
    r"|^(?:v|version[-_]?)\d+(?:\.x)?$|[-_]v\d+(?:[._]\d+)*$"
)
DATED_NAME = re.compile(r"^(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])?(?:[-_.]|$)")
SERIAL_NAME = re.compile(r"^(?:[A-Za-z]{1,8}[-_]?)?\d{3,}(?:[-_.]|$)")  # a proposal or a decision, one of a series
SUPERSEDED = re.compile(
    r"(?i)^[\s*_#>-]*status[*_\s:]+.*\b(?:superseded|deprecated|rejected|replaced|withdrawn|obsolete|abandoned)\b"
)
NOW, DOOMED, PAST = range(3)
"""How a line tells of what it names: as what is, as what is going to go, or as what was."""
DOOMS = re.compile(r"(?i)\bdeprecat(?:e|ed|es|ion)\b")
TELLS = re.compile(
    r"(?i)\b(?:removed|renamed|replaced (?:by|with)|superseded|formerly|previously|no longer"
    r"|any ?more|used to be|legacy|obsolete|dropped|was called|prior to|(?:before|until|since) (?:version )?v?\d"
    r"|versions? (?:before|below|lower|<)|historically|moved to|discontinued|in favou?r of"
    r"|old (?:name|version|way|api))\b"
)
TITLED = re.compile(
    r"(?i)\b(?:previous|old|older|former|before|earlier|legacy|past|removals?|removing|migrat\w+|upgrad\w+)\b"
)
OF_CHANGE = re.compile(
    r"^(\s*)\.\. (?:versionchanged|versionadded|versionremoved|deprecated|deprecated-removed|change)::"
)
NEAR = 3  # lines of a paragraph before and after one that tells of removal
MOST_STATUS_LINES = 40
SHARE_OF_VERSIONS = 0.5
LONGEST_LINE = 2_000


def classify_lines(path: str, document: ReadDocument) -> Sequence[int]:
    """For each line how it tells of what it names: what was may be gone on purpose."""
    count = len(document.lines)
    is_superseded = any(SUPERSEDED.search(line[:LONGEST_LINE]) for line in document.lines[:MOST_STATUS_LINES])
    if is_superseded or is_past_place(path) or _is_by_version(document.headings):
        return [PAST] * count
    found = [NOW] * (count + 1)
    lines = document.searched_lines
    for told, pattern in ((DOOMED, DOOMS), (PAST, TELLS)):
        for at, line in enumerate(lines):
            if found[at] < told and "fieldguide:" not in line and pattern.search(line[:LONGEST_LINE]):
                first, last = _paragraph(lines, at)
                found[first:last] = [told] * (last - first)
    for start, end in (*_past_sections(document, count), *_directives(lines)):
        found[start:end] = [PAST] * (end - start)
    return found


def _paragraph(lines: Sequence[str], at: int) -> tuple[int, int]:
    """The lines around one up to blank ones, so many at most."""
    first = last = at
    while first > max(at - NEAR, 0) and lines[first - 1].strip():
        first -= 1
    while last + 1 < min(at + NEAR + 1, len(lines)) and lines[last + 1].strip():
        last += 1
    return first, last + 1


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """What is indented below `.. versionchanged::` and its like."""
    at = 0
    count = len(lines)
    while at < count:
        match = OF_CHANGE.match(lines[at][:LONGEST_LINE])
        if match is None:
            at += 1
            continue
        start = at
        indent = len(match.group(1))
        at += 1
        while at < count and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
            at += 1
        yield start, at


def is_past_place(path: str) -> bool:
    """Whether a path says that what lies there is of one time: notes of a release, a dated post, an old version."""
    *folders, name = path.split("/")
    stem = posixpath.splitext(name)[0]
    if DATED_NAME.match(stem) or SERIAL_NAME.match(stem):
        return True
    return any(CHANGES.search(each) or OF_VERSION.search(each) for each in (*folders, stem))


def _is_by_version(headings: Sequence[Heading]) -> bool:
    """Whether the headings of one level are mostly versions or dates."""
    for level in (1, 2, 3):
        of_level = [each for each in headings if each.level == level]
        told = sum(_is_of_past(each.text) for each in of_level)
        if told > 1 and told >= SHARE_OF_VERSIONS * len(of_level):
            return True
    return False


def _is_of_past(title: str) -> bool:
    return bool(
        VERSION.match(title) or DATE.search(title) or UNRELEASED.match(title) or CHANGES.search(title.replace(" ", "-"))
    )


def _past_sections(document: ReadDocument, count: int) -> Iterator[tuple[int, int]]:
    """The lines of each section whose heading is a version, a date, or says that it tells of removals."""
    headings = document.headings
    open_until: list[tuple[int, int]] = []
    for place, heading in enumerate(headings):
        if not (
            _is_of_past(heading.text)
            or DOOMS.search(heading.text)
            or TELLS.search(heading.text)
            or TITLED.search(heading.text)
        ):
            continue
        end = next((each.line - 1 for each in headings[place + 1 : place + 200] if each.level <= heading.level), count)
        if not open_until or heading.line - 1 >= open_until[-1][1]:
            open_until.append((heading.line - 1, end))
    yield from open_until


SPAN = "span"
ROLE = "role"
LINK = "link"
HOSTED = "hosted"
BLOCK = "block"
PLAIN = "plain"
TITLE = "title"
"""How a name is written: as code in a sentence, with what it is, as where a link leads, here or on a host of
repositories, in an example, as a word, as a title."""
LONGEST_SPAN_LINE = 5_000
MOST_SPANS = 50_000
RST_ROLE = re.compile(r":([a-z][\w:+-]*):`([^`\n]{1,300})`")
TICKED = re.compile(r"`{1,2}([^`\n]{1,300}?)`{1,2}")
PLUSED = re.compile(r"(?:^|[\s(])\+([\w./-]{2,100})\+(?:[\s).,;:]|$)")
CODE_TAG = re.compile(r"<(?:code|tt|kbd|samp)(?:\s[^<>]{0,100})?>([^<>\n]{1,300})</")
LINKED = re.compile(
    r"\]\(<?([^()\s<>]{1,300})>?(?:\s+\"[^\"\n]{0,200}\")?\)|^\s*\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,300})>?"
)
INCLUDED = re.compile(
    r"(?:\.\.\s+(?:literalinclude|include|automodule|autofunction|autoclass|automethod)::|include::|link:)"
    r"\s*([^\s\[\]]{1,300})"
)
ROLES = frozenset(
    ("func", "function", "meth", "method", "class", "mod", "attr", "data", "exc", "obj", "setting", "option", "const",
     "envvar", "file", "command", "djadmin", "confval", "opt", "program", "type", "macro", "member", "signal",
     "attribute", "exception", "decorator", "property", "enum", "struct", "var",
     "reqmeta", "js", "c", "cpp", "py", "source", "src", "blob", "fixture", "hook", "event", "dir", "download")
)  # fmt: skip
DECLARES = re.compile(r"^\s*\.\. (?:[a-z]+:)?([a-z-]+)::\s+(?:(?:async|static|class|abstract|final) )*([^\s(]{2,200})")
ANCHOR = re.compile(r"<a (?:name|id)=\"([\w.-]{3,100})\"")
MARKED = re.compile(r"`[^`\n]*`|<[^<>\n]*>|\]\([^()\n]*\)|https?://\S+")
FENCES = ("```", "~~~")
FORMS = (
    ("<", CODE_TAG, SPAN),
    ("<", ANCHOR, SPAN),
    ("+", PLUSED, SPAN),
    ("]", LINKED, LINK),
    (":", INCLUDED, LINK),
)
"""Ways of marking code: a mark without which a line need not be searched, the pattern, and how the name is written."""


class DocumentSpan(NamedTuple):
    """A piece of a document that may name something, the line where it stands, and how it is written."""

    text: str
    line: int
    form: str
    role: str = ""


def find_spans(document: ReadDocument, form: str) -> Iterator[DocumentSpan]:
    """The spans of a document, in its order, so many at most; of formats without markup the lines themselves."""
    blocks = find_code_lines(document)
    is_plain = form in (TEXT, PDF)
    lines = document.searched_lines if form == NOTEBOOK else document.lines
    titled = {each.line: each.text.strip("`* ") for each in document.headings}
    found = 0
    for number, line in enumerate(lines, 1):
        text = line[:LONGEST_SPAN_LINE]
        if is_plain or blocks[number - 1]:
            spans: Iterable[DocumentSpan] = (DocumentSpan(text, number, PLAIN if is_plain else BLOCK),)
        else:
            spans = _of_prose(text, number, titled.get(number))
        for span in spans:
            yield span
            found += 1
        if found > MOST_SPANS:
            return


def _of_prose(text: str, number: int, title: str | None) -> Iterator[DocumentSpan]:
    """What a line marks as code, and the line itself where it may name something without a mark."""
    if title is not None:
        yield DocumentSpan(title, number, TITLE)
    if "`" in text:
        yield from _ticked(text, number)
    for mark, pattern, form in FORMS:
        if mark in text:
            for match in pattern.finditer(text):
                yield DocumentSpan(next(filter(None, match.groups())).strip(), number, form)
    if "::" in text:
        yield from _declared(text, number)
    if is_distinct(text):
        yield DocumentSpan(MARKED.sub(" ", text), number, PLAIN)


def find_code_lines(document: ReadDocument) -> Sequence[bool]:
    """For each line whether it is of a block of code: at the top, or fenced within a list."""
    found = [False] * len(document.lines)
    for block in document.blocks:
        if block.is_code:
            found[block.start : block.end] = [True] * (block.end - block.start)
    fence = ""
    for at, line in enumerate(document.lines):
        if found[at]:
            continue
        begin = line[:LONGEST_SPAN_LINE].lstrip()[:3]
        if fence:
            found[at] = True
            fence = "" if begin == fence else fence
        elif begin in FENCES and begin not in line.strip()[3:]:
            fence = begin
    return found


def _ticked(text: str, number: int) -> Iterator[DocumentSpan]:
    """What stands in back-ticks, with a role or alone; with `_` behind it, it is a link of reStructuredText."""
    if text.startswith(".. _"):
        return
    rest = text
    if ":`" in text:
        for match in RST_ROLE.finditer(text):
            parts = match.group(1).split(":")
            if parts[-1] and (parts[-1] in ROLES or parts[0] in ROLES):
                yield DocumentSpan(_target(match.group(2)), number, ROLE, parts[-1])
        rest = RST_ROLE.sub(" ", text)
    for match in TICKED.finditer(rest):
        if rest[match.end() : match.end() + 1] != "_":
            yield DocumentSpan(match.group(1).strip(), number, SPAN)


def _declared(text: str, number: int) -> Iterator[DocumentSpan]:
    """What a directive of reStructuredText describes, as `.. method:: name(arguments)`."""
    match = DECLARES.match(text)
    if match is not None and match.group(1) in ROLES:
        yield DocumentSpan(match.group(2).lstrip("~!."), number, ROLE, match.group(1))


def _target(text: str) -> str:
    """What a role names: :role:`shown <target>`, :role:`~pkg.name`."""
    inside = text.rpartition("<")[2].rstrip(">") if text.endswith(">") else text
    return inside.strip().lstrip("~!.")


OPTIONS = re.compile(r"(?:^|[\s\[(|,='\"/])(--[a-zA-Z][\w-]{1,60})")
FILE = re.compile(r"(?:\.{1,2}/|/)?[\w@.-]+(?:/[\w@.-]+)+/?")
NAMES = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,8}")
DISTINCT = re.compile(r"[A-Za-z0-9$]_+[A-Za-z0-9$]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
WHOLE_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,8}(?:\(\)?.{0,100})?")
DEFINED_HERE = re.compile(
    r"(?m)(?:^|\s)(?:def|class|function|fn|func|struct|interface|type|const|let|var|trait|enum|message|service|rpc"
    r"|object|record|protocol|union|module)\s+(?:\([^)\n]{0,80}\)\s*)?([A-Za-z_]\w*)"
)
GIVEN_HERE = re.compile(r"(?m)^\s*([A-Za-z_]\w*)\s*:?=")
WORDS = re.compile(r"[A-Za-z_]\w*")
ON_HOST = re.compile(
    r"^https?://[\w.-]+/[\w.-]+/[\w.-]+/(?:-/)?(?:blob|tree)/(?:main|master|HEAD|develop|trunk)/([\w@./-]{3,200})$"
)
SEPARATOR = re.compile(r"\.|::|#|->")
QUOTES = "\"'"
MOST_MENTIONS = 20_000
LONGEST_TEXT = 1 << 20


class NameMention(NamedTuple):
    """A name in a document. `is_plain`: the span names it and nothing else; `told`: as what is, goes or was.

    `allowed` is the reason that a comment gives for naming what is gone.
    """

    name: str
    kind: str
    line: int
    form: str
    is_plain: bool
    told: int = NOW
    allowed: str = ""

    @property
    def parts(self) -> list[str]:
        """The words that a dotted name is made of."""
        return [part for part in SEPARATOR.split(self.name) if part]


def find_mentions(path: str, text: str) -> list[NameMention]:
    """What a document names, so much at most; names that its own examples define are left out."""
    if is_past_place(path):
        return []
    text = text[:LONGEST_TEXT]
    document = read_document(path, text)
    form = detect_format(path, text)
    told = classify_lines(path, document)
    allowed = find_allowed_lines(document.lines)
    own = _own_names(_code_of(document))
    found: dict[NameMention, None] = {}
    for span in find_spans(document, form):
        for mention in _mentions(span):
            if mention.form == BLOCK and own.intersection(mention.parts):
                continue
            found[mention._replace(told=told[mention.line - 1], allowed=allowed.get(mention.line, ""))] = None
        if len(found) >= MOST_MENTIONS:
            break
    return list(found)


def _own_names(code: str) -> set[str]:
    """Names that examples define, and those that they give a value to and use again; a setting is only given one."""
    given = Counter(match.group(1) for match in GIVEN_HERE.finditer(code))
    held = Counter(word for word in WORDS.findall(code) if word in given)
    defined = {match.group(1) for match in DEFINED_HERE.finditer(code)}
    return defined | {name for name, count in held.items() if count > given[name]}


def _code_of(document: ReadDocument) -> str:
    """The lines of its blocks of code, and what is indented or defines something elsewhere."""
    begins = ("class ", "def ", "function ", " ", "\t")
    lines = zip(document.lines, find_code_lines(document), strict=True)
    return "\n".join(line[:200] for line, is_code in lines if is_code or line.startswith(begins))


def is_distinct(word: str) -> bool:
    """Whether a word is plainly a name of code: several words in one."""
    return DISTINCT.search(word) is not None


def _mentions(span: DocumentSpan) -> Iterator[NameMention]:
    if span.form in (SPAN, ROLE, TITLE) and span.text[:1] in QUOTES:
        span = span._replace(text=span.text.strip(QUOTES))
    if span.form == LINK:
        yield from _linked(span)
        return
    for match in OPTIONS.finditer(span.text):
        is_plain = span.form == ROLE or span.text.startswith("--")
        yield NameMention(match.group(1).rstrip("-_"), OPTION, span.line, span.form, is_plain)
    if span.form == PLAIN:
        yield from _spoken(span)
        return
    yield from _named_path(span) if span.form != BLOCK else _paths_in_example(span)
    if "://" not in span.text:
        yield from _named(span)


def _spoken(span: DocumentSpan) -> Iterator[NameMention]:
    """Words of a sentence that are plainly names of code, though nothing marks them."""
    for match in NAMES.finditer(span.text):
        if is_distinct(match.group()) and not match.group().startswith(("http", "www")):
            yield NameMention(match.group(), SYMBOL, span.line, PLAIN, is_plain=False)


def _linked(span: DocumentSpan) -> Iterator[NameMention]:
    target = span.text.partition("#")[0].partition("?")[0]
    hosted = ON_HOST.search(target)
    if hosted is not None:
        yield NameMention(hosted.group(1), PATH, span.line, HOSTED, is_plain=True)
    is_elsewhere = "://" in target or target.startswith(("mailto:", "data:", "//"))
    if target and not is_elsewhere and not set("{}<>*$%@:").intersection(target):
        yield NameMention(target, PATH, span.line, LINK, is_plain=True)


def _named_path(span: DocumentSpan) -> Iterator[NameMention]:
    if _is_path(span):
        yield NameMention(span.text, PATH, span.line, span.form, is_plain=True)


def _paths_in_example(span: DocumentSpan) -> Iterator[NameMention]:
    """Files that a command or a comment of an example is about."""
    for word in span.text.split() if "/" in span.text else ():
        path = word.strip("`\"'(),;")
        if FILE.fullmatch(path) and "." in path.rpartition("/")[2]:
            yield NameMention(path, PATH, span.line, BLOCK, is_plain=False)


def _named(span: DocumentSpan) -> Iterator[NameMention]:
    if _is_one_name(span):
        match = NAMES.match(span.text)
        if match:
            yield NameMention(match.group(), SYMBOL, span.line, span.form, is_plain=True)
    elif not (span.form == SPAN and _is_path(span)):
        for match in NAMES.finditer(span.text):
            if is_distinct(match.group()) or "." in match.group() or "::" in match.group():
                yield NameMention(match.group(), SYMBOL, span.line, span.form, is_plain=False)


def _is_one_name(span: DocumentSpan) -> bool:
    return span.form == ROLE or (span.form in (SPAN, TITLE) and WHOLE_NAME.fullmatch(span.text) is not None)


def _is_path(span: DocumentSpan) -> bool:
    return "/" in span.text and FILE.fullmatch(span.text) is not None


ID_SHAPE = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9]{0,9}[-_]){1,3}[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|[A-Z]{2,8} [0-9]{1,5}"
    r"|[A-Z]{2,8}[0-9]{3,6}|[Dd]ecision(?: record)? #?[0-9]{1,5}|#[0-9]{1,6}"
)
WHOLE_ID = re.compile(r"(?i)[a-z][a-z0-9]*(?:[-_. ][a-z0-9]+){0,3}[-_. ]?#?[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|#[0-9]{1,6}")
ID_NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}$")
ID_IN_NAME = re.compile(r"(?i)(?:^|_)([a-z]{1,8}[0-9]?)_([0-9]{1,6})(?:_|$)")
BEFORE_NO_ID = frozenset("_-./\\#&@+$%=?")
AFTER_NO_ID = frozenset("_-/\\@")
LONGEST_LOWER_PREFIX = 4  # of a prefix in small letters: what is longer is a word
ISSUE_FAMILY = "#"


class IdKey(NamedTuple):
    """An id: its one spelling, and what it shares with its kin."""

    name: str
    family: str


class WrittenId(NamedTuple):
    """An id where it is written in a text."""

    key: IdKey
    start: int
    end: int


def parse_key(text: str) -> IdKey | None:
    """Parse an id as somebody writes it: `adr 0034`, `REQ_3`, `#12`; None if it has no number."""
    stripped = text.strip()
    if not WHOLE_ID.fullmatch(stripped):
        return None
    return _key(stripped)


def find_ids(text: str) -> Iterator[WrittenId]:
    """Find the ids in a text, from left to right, except those within a path or a longer name."""
    for found in ID_SHAPE.finditer(text):
        start, end = found.span()
        key = _key(found.group())
        if key is not None and _stands_alone(text, start, end) and _is_likely(found.group(), key):
            yield WrittenId(key, start, end)


def find_ids_in_name(name: str) -> list[IdKey]:
    """The ids in the name of a test: `test_req_12_is_kept`."""
    found = ID_IN_NAME.finditer(name.removeprefix("Test"))
    return [IdKey(f"{each.group(1).upper()}-{int(each.group(2))}", each.group(1).upper()) for each in found]


def _key(text: str) -> IdKey | None:
    number = ID_NUMBER.search(text)
    if number is None:
        return None
    prefix = text[: number.start()].strip(" -_.#").upper().replace("_", "-").replace(" ", "-").replace(".", "-")
    first, dot, rest = number.group().partition(".")
    spelled = f"{int(first)}{dot}{rest}"
    family = prefix.removesuffix("-RECORD")
    if not family:
        return IdKey(f"#{spelled}", ISSUE_FAMILY)
    return IdKey(f"{family}-{spelled}", family)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start] if start else ""
    after = text[end : end + 1]
    if before == "@":  # a tag of a scenario, but no part of an address
        before = text[start - 2 : start - 1].strip() if start > 1 else ""
    if before.isalnum() or before in BEFORE_NO_ID or after.isalnum() or after in AFTER_NO_ID:
        return False
    return not (after == "." and text[end + 1 : end + 2].isalnum())


def _is_likely(text: str, key: IdKey) -> bool:
    """Capitals, or a prefix so short that it is no word."""
    letters = text[: len(text) - len(text.lstrip("#abcdefghijklmnopqrstuvwxyz"))]
    return key.family in (ISSUE_FAMILY, "DECISION") or not letters or len(key.family) <= LONGEST_LOWER_PREFIX


LONGEST_PATH = 300
LEAST_SYMBOL = 5
PATH_LIKE = re.compile(r"(?:\.\.?/)*[\w@+~-]*(?:\.[A-Za-z0-9_]|/)[\w./@+~-]*")
ENDED = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
RECORD_NAME = re.compile(r"^(?:[a-z]{1,10}-)?[0-9]{3,8}(?:[^0-9A-Za-z]|$)")
NAMES_DOCUMENT = re.compile(
    r"/(?:[a-z]{1,10}-)?[0-9]{3}|(?:" + "|".join(map(re.escape, USUAL_SUFFIXES)) + r")"
)  # far quicker than a look at all paths that code writes
CODE_MARKS = "``"
IN_REPOSITORY = re.compile(r"/(?:blob|tree|raw|src)/[^/\s]{1,100}/")
CODE_SPAN = re.compile(r"\x60([^\x60\n]{2,200})\x60")
FENCE = re.compile(r"(?m)^[ \t]{0,3}(?:\x60{3}|~{3})[^\n]*$")
LONG_NAME = re.compile(r"[A-Za-z_]\w{3,80}")
CODE_LIKE = re.compile(r"[A-Za-z_][\w.:]*(?:::|\.)?\w*(?:<[^>]{0,80}>)?(?:\([^)]{0,120}\))?[!;]?|[&*]?[A-Za-z_][\w.:]+")


class WrittenPath(NamedTuple):
    """A path as a text writes it, without what leads to its repository, and its last part."""

    path: str
    name: str


def find_paths(text: str, *, is_document: bool) -> Iterator[tuple[WrittenPath, int]]:
    """The paths that any text writes, and where; in what is no document, those of documents alone."""
    if not is_document and NAMES_DOCUMENT.search(text) is None:
        return
    for match in PATH_LIKE.finditer(text):
        written = match.group()
        hosted = IN_REPOSITORY.search(f"/{written}")
        if hosted is None and "//" in written:
            continue  # an address elsewhere
        path = (f"/{written}"[hosted.end() :] if hosted else written).rstrip(".")
        name = path.rstrip("/").rpartition("/")[2]
        is_folder = path.endswith("/")
        start, end = match.span()
        around = text[max(0, start - 1) : start] + text[end : end + 1]
        is_marked = is_document and is_folder and around == CODE_MARKS
        if len(path) <= LONGEST_PATH and _names_file(path, name, is_document=is_document, is_marked=is_marked):
            plain = posixpath.normpath(path.strip("/"))
            yield WrittenPath(f"{plain}/" if is_folder else plain, name), start


def _names_file(path: str, name: str, *, is_document: bool, is_marked: bool) -> bool:
    """A file with an ending, a folder that is more than a choice of two words, or the number of a record."""
    if (is_marked and len(name) > 1) or ("/" in path and RECORD_NAME.match(name)):
        return True
    if not is_document:
        return name.endswith(USUAL_SUFFIXES)
    is_folder = path.endswith("/") and path.count("/") > 1 and bool(name.strip("."))
    return is_folder or (len(name) > len("e.g") and bool(ENDED.search(name)))


def find_symbols(text: str) -> Iterator[tuple[str, int]]:
    """The symbols that a text writes as code, and those that its examples define, and where."""
    for name, place in (*_written_as_code(text), *_defined_in_examples(text)):
        if len(name) >= LEAST_SYMBOL and is_distinct(name):
            yield name, place


def _written_as_code(text: str) -> Iterator[tuple[str, int]]:
    for span in CODE_SPAN.finditer(text):
        said = span.group(1).strip()
        if "/" in said or not CODE_LIKE.fullmatch(said):
            continue
        for name in LONG_NAME.findall(said.partition("(")[0].partition("<")[0]):
            yield name, span.start()


def _defined_in_examples(text: str) -> Iterator[tuple[str, int]]:
    """What the fenced examples define; the text between them is not code."""
    fences = [each.span() for each in FENCE.finditer(text)]
    for (_, start), (end, _) in zip(fences[::2], fences[1::2], strict=False):
        for match in DEFINED_HERE.finditer(text[start:end]):
            yield match.group(1), start + match.start()

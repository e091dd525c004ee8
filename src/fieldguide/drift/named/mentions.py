"""What a document names: symbols, options and paths, cut out of its spans, each with how plainly it is named."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.readers import read_document, text_format
from fieldguide.drift.named.allowing import allowed_lines
from fieldguide.drift.named.past import NOW, is_past_place, told_lines
from fieldguide.drift.named.spans import BLOCK, HOSTED, LINK, PLAIN, ROLE, SPAN, TITLE, Span, code_lines, spans_in
from fieldguide.spine.answers.stale_places import OPTION, PATH, SYMBOL

OPTIONS = re.compile(r"(?:^|[\s\[(|,='\"/])(--[a-zA-Z][\w-]{1,60})")
FILE = re.compile(r"(?:\.{1,2}/|/)?[\w@.-]+(?:/[\w@.-]+)+/?")
NAMES = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,8}")
DISTINCT = re.compile(r"[A-Za-z0-9$]_+[A-Za-z0-9$]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
WHOLE_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,8}(?:\(\)?.{0,100})?")
DEFINED_HERE = re.compile(
    r"(?m)(?:^|\s)(?:def|class|function|fn|func|struct|interface|type|const|let|var)\s+([A-Za-z_]\w*)"
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


class Mention(NamedTuple):
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


def mentions_in(path: str, text: str) -> list[Mention]:
    """What a document names, so much at most; names that its own examples define are left out."""
    if is_past_place(path):
        return []
    text = text[:LONGEST_TEXT]
    document, form = read_document(path, text), text_format(path, text)
    told, allowed = told_lines(path, document), allowed_lines(document.lines)
    own = _own_names(_code_of(document))
    found: dict[Mention, None] = {}
    for span in spans_in(document, form):
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
    lines = zip(document.lines, code_lines(document), strict=True)
    return "\n".join(line[:200] for line, is_code in lines if is_code or line.startswith(begins))


def is_distinct(word: str) -> bool:
    """Whether a word is plainly a name of code: several words in one."""
    return DISTINCT.search(word) is not None


def _mentions(span: Span) -> Iterator[Mention]:
    if span.form in (SPAN, ROLE, TITLE) and span.text[:1] in QUOTES:
        span = span._replace(text=span.text.strip(QUOTES))
    if span.form == LINK:
        yield from _linked(span)
        return
    for match in OPTIONS.finditer(span.text):
        is_plain = span.form == ROLE or span.text.startswith("--")
        yield Mention(match.group(1).rstrip("-_"), OPTION, span.line, span.form, is_plain)
    if span.form == PLAIN:
        yield from _spoken(span)
        return
    yield from _named_path(span) if span.form != BLOCK else _paths_in_example(span)
    if "://" not in span.text:
        yield from _named(span)


def _spoken(span: Span) -> Iterator[Mention]:
    """Words of a sentence that are plainly names of code, though nothing marks them."""
    for match in NAMES.finditer(span.text):
        if is_distinct(match.group()) and not match.group().startswith(("http", "www")):
            yield Mention(match.group(), SYMBOL, span.line, PLAIN, is_plain=False)


def _linked(span: Span) -> Iterator[Mention]:
    target = span.text.partition("#")[0].partition("?")[0]
    hosted = ON_HOST.search(target)
    if hosted is not None:
        yield Mention(hosted.group(1), PATH, span.line, HOSTED, is_plain=True)
    is_elsewhere = "://" in target or target.startswith(("mailto:", "data:", "//"))
    if target and not is_elsewhere and not set("{}<>*$%@:").intersection(target):
        yield Mention(target, PATH, span.line, LINK, is_plain=True)


def _named_path(span: Span) -> Iterator[Mention]:
    if _is_path(span):
        yield Mention(span.text, PATH, span.line, span.form, is_plain=True)


def _paths_in_example(span: Span) -> Iterator[Mention]:
    """Files that a command or a comment of an example is about."""
    for word in span.text.split() if "/" in span.text else ():
        path = word.strip("`\"'(),;")
        if FILE.fullmatch(path) and "." in path.rpartition("/")[2]:
            yield Mention(path, PATH, span.line, BLOCK, is_plain=False)


def _named(span: Span) -> Iterator[Mention]:
    if _is_one_name(span):
        match = NAMES.match(span.text)
        if match:
            yield Mention(match.group(), SYMBOL, span.line, span.form, is_plain=True)
    elif not (span.form == SPAN and _is_path(span)):
        for match in NAMES.finditer(span.text):
            if is_distinct(match.group()) or "." in match.group() or "::" in match.group():
                yield Mention(match.group(), SYMBOL, span.line, span.form, is_plain=False)


def _is_one_name(span: Span) -> bool:
    return span.form == ROLE or (span.form in (SPAN, TITLE) and WHOLE_NAME.fullmatch(span.text) is not None)


def _is_path(span: Span) -> bool:
    return "/" in span.text and FILE.fullmatch(span.text) is not None

"""The paths that a text names, and the symbols that a decision names in code letters or defines in its examples."""

import posixpath
from collections import Counter
from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.tracing.marks import PATH, SYMBOL, Mark
from fieldguide.tracing.reading.lines import Lines

MOST_PATHS = 400
MOST_SYMBOLS = 400
LONGEST_PATH = 300
LEAST_SYMBOL = 5
PLACE = re.compile(r"(?:\.\.?/)*[\w@+~-]*(?:\.[A-Za-z0-9_]|/)[\w./@+~-]*")
ENDED = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
RECORD = re.compile(r"^(?:[a-z]{1,10}-)?[0-9]{3,8}(?:[^0-9A-Za-z]|$)")
SPANNED = "``"
DOCUMENTS = (".md", ".rst", ".adoc", ".mdx")
HOSTED = re.compile(r"/(?:blob|tree|raw|src)/[^/\s]{1,100}/")
SPAN = re.compile(r"\x60([^\x60\n]{2,200})\x60")
FENCE = re.compile(r"(?m)^[ \t]{0,3}(?:\x60{3}|~{3})[^\n]*$")
DEFINED = re.compile(
    r"(?:struct|type|interface|class|fn|func|def|trait|enum|message|service|rpc|object|record|protocol|union|module"
    r"|function)\s+(?:\([^)\n]{0,80}\)\s*)?([A-Za-z_]\w{3,80})"
)
NAME = re.compile(r"[A-Za-z_]\w{3,80}")
CODE_LIKE = re.compile(r"[A-Za-z_][\w.:]*(?:::|\.)?\w*(?:<[^>]{0,80}>)?(?:\([^)]{0,120}\))?[!;]?|[&*]?[A-Za-z_][\w.:]+")
TELLING = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|^[A-Z][a-z]+[A-Z0-9]")


def path_marks(text: str, *, is_document: bool) -> list[Mark]:
    """The paths of a text under the last part of each; code is only asked for documents and decisions."""
    found: dict[tuple[str, str], Mark] = {}
    lines = Lines(text)
    for match in PLACE.finditer(text):
        if len(found) >= MOST_PATHS:
            break
        mark = _path_mark(match.group(), lines, match.start(), is_document=is_document)
        if mark is not None:
            found.setdefault((mark.name, mark.said), mark)
    return list(found.values())


def _path_mark(written: str, lines: Lines, start: int, *, is_document: bool) -> Mark | None:
    hosted = HOSTED.search(f"/{written}")
    if hosted is None and "//" in written:
        return None  # an address elsewhere
    path = (f"/{written}"[hosted.end() :] if hosted else written).rstrip(".")
    name = path.rstrip("/").rpartition("/")[2]
    is_folder = path.endswith("/")
    is_marked = is_document and is_folder and _is_spanned(lines.text, start, start + len(written))
    if len(path) > LONGEST_PATH or not _is_path(path, name, is_document=is_document, is_marked=is_marked):
        return None
    plain = posixpath.normpath(path.strip("/"))
    return Mark(name, PATH, lines.number(start), said=f"{plain}/" if is_folder else plain)


def _is_spanned(text: str, start: int, end: int) -> bool:
    """Whether a part of a text stands alone in code letters."""
    return text[max(0, start - 1) : start] + text[end : end + 1] == SPANNED


def _is_path(path: str, name: str, *, is_document: bool, is_marked: bool) -> bool:
    """A file with an ending, a folder that is more than a choice of two words, or the number of a record."""
    if (is_marked and len(name) > 1) or ("/" in path and RECORD.match(name)):
        return True
    if not is_document:
        return name.endswith(DOCUMENTS)
    is_folder = path.endswith("/") and path.count("/") > 1 and bool(name.strip("."))
    return is_folder or (len(name) > len("e.g") and bool(ENDED.search(name)))


def symbol_marks(text: str) -> list[Mark]:
    """The symbols of a decision, and how often it names each: what it writes as code, and what its examples define."""
    found: dict[str, Mark] = {}
    lines = Lines(text)
    times = Counter(NAME.findall(text))
    for name, place in (*_spans(text), *_defined(text)):
        if len(found) >= MOST_SYMBOLS:
            break
        if len(name) >= LEAST_SYMBOL and TELLING.search(name):
            found.setdefault(name, Mark(name, SYMBOL, lines.number(place), said=str(times[name])))
    return list(found.values())


def _spans(text: str) -> Iterator[tuple[str, int]]:
    for span in SPAN.finditer(text):
        said = span.group(1).strip()
        if "/" in said or not CODE_LIKE.fullmatch(said):
            continue
        for name in NAME.findall(said.partition("(")[0].partition("<")[0]):
            yield name, span.start()


def _defined(text: str) -> Iterator[tuple[str, int]]:
    """What the fenced examples define; the text between them is not code."""
    fences = [each.span() for each in FENCE.finditer(text)]
    for (_, start), (end, _) in zip(fences[::2], fences[1::2], strict=False):
        for match in DEFINED.finditer(text[start:end]):
            yield match.group(1), start + match.start()

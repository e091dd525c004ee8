"""The ids of a text: where one is defined, where a test claims it, where it is only named.

Defined is what stands at the head of an item of a list, a row of a table, a heading or an entry, and has words after
it. That alone makes no requirement: `tracing.families` looks at how many of a kind are defined in one place.
"""

from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.source_code.test_files import is_test
from fieldguide.tracing.keys import ISSUE, Key, Written, keys_in, keys_in_name
from fieldguide.tracing.marks import CLAIMS, DEFINES, NAMES, Mark
from fieldguide.tracing.reading.heads import Heads
from fieldguide.tracing.reading.lines import Lines

MOST_IDS = 4_000
SCENARIOS = ".feature"
HEAD = re.compile(
    r"\s*(?:>\s*)?(?:#{1,6}\s+|={1,5}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|[0-9]{1,4}[.)]\s+|\|\s*)?[\[(*_\x60]{0,4}\s*"
)
HEAD_MARK = re.compile(r"^\s*(?:>\s*)?(?:#{1,6}\s|={1,5}\s|[-*+]\s|[0-9]{1,4}[.)]\s|\|)")
ENTRY = re.compile(r"\s*(?:-\s+)?[\[({]{1,3}\s*[\"'\x60]|\s*[\"'\x60]")
KEYED = re.compile(r"(?i)(?:^|[\s,{(:<])[\"']?[a-z_]{0,12}id[\"']?\s*[:=]\s*[\"'\x60]?$")
WORDS_AFTER = re.compile(r"[\])*_\x60\"']{0,4}\s*(?:[:|.)\x60–—-]\s*|\s)[\s*_|\x60\"'\[(]*[^\s|*_]")
MORE_OF_ENTRY = re.compile(r"[\"'\x60]\s*(?:,\s*\S|:\s*\S|\)?\s*=>|:\s*$|,\s*$)")
ANOTHER = re.compile(r"[\"'\x60]\s*[,:]\s*[\"'\x60][A-Za-z][A-Za-z0-9]{0,9}[-_][0-9]")


def is_traced_test(path: str) -> bool:
    """Whether what a file names is proved there: a test, or scenarios in words."""
    return is_test(path) or path.endswith(SCENARIOS)


def id_marks(path: str, text: str, *, is_document: bool) -> list[Mark]:
    """The ids of a text, each once for a line and a role."""
    lines = Lines(text)
    tests = is_traced_test(path) and not is_document
    heads: Heads | None = None
    found: dict[tuple[str, str, int], Mark] = {}
    for each in keys_in(text):
        if len(found) >= MOST_IDS:
            break
        heads = heads or (Heads(text) if tests else None)
        mark = _mark(each, lines, heads, is_document=is_document)
        found.setdefault((mark.name, mark.role, mark.line), mark)
    return [*found.values(), *(_in_names(text) if tests else ())]


def _mark(each: Written, lines: Lines, heads: Heads | None, *, is_document: bool) -> Mark:
    line = lines.number(each.start)
    head, is_above = heads.of(line) if heads else (None, False)
    name = head.name if head else ""
    if heads and (is_above or heads.on(line) or lines.before(each.start).lstrip().startswith(("@", "#["))):
        return _of(each.key, CLAIMS, line, name)
    if each.key.family != ISSUE and _defines(each, lines, is_document=is_document):
        return _of(each.key, DEFINES, line, name)
    return _of(each.key, NAMES, line, name)


def _of(key: Key, role: str, line: int, said: str) -> Mark:
    return Mark(key.name, role, line, key.family, said)


def _defines(each: Written, lines: Lines, *, is_document: bool) -> bool:
    before, after = lines.before(each.start), lines.after(each.end)
    if not is_document and lines.text[each.start].islower():
        return False  # the name of a thing in data, as `node-1`
    if KEYED.search(before):
        return True
    if ENTRY.fullmatch(before):
        return _begins_entry(before, after)
    return is_document and _heads(before, after)


def _begins_entry(before: str, after: str) -> bool:
    """Whether what stands in quotes is the first of an entry that has more, and not of a list of ids."""
    opens = before.strip()[:1] in "([{-" or after.lstrip("\"'\x60 ").startswith(":")
    return opens and bool(MORE_OF_ENTRY.match(after)) and not ANOTHER.match(after)


def _heads(before: str, after: str) -> bool:
    """Whether something stands at the head of an item, a row, a heading or a term, with words after it."""
    if not HEAD.fullmatch(before) or not WORDS_AFTER.match(after):
        return False
    return bool(HEAD_MARK.match(before)) or before.strip() in ("**", "__", "[", "[[") or after[:1] == ":"


def _in_names(text: str) -> Iterator[Mark]:
    """The ids in the names of tests."""
    if "_" not in text:
        return
    heads = Heads(text)
    for head in heads.all():
        for key in keys_in_name(head.name) if not head.is_titled else ():
            yield _of(key, CLAIMS, head.line, head.name)

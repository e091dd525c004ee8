"""What a text cites of the code: lines of a file, written as we, compilers and code hosts write them, and paths."""

import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.spine.answers.stale_places import LINES, PATH
from fieldguide.staleness.notes import LONGEST_LINES, is_hash

MOST_MENTIONS = 500
LONGEST_LINE = 2000
LONGEST_PATH = 300
FENCES = ("```", "~~~")
CITED = re.compile(
    r"([\w@./+-]*[\w@+-]\.\w{1,12}|[\w@./+-]*/[\w@.+-]*\w)"
    r"(?:#L(\d{1,7})(?:C\d{1,5})?(?:-L?(\d{1,7})(?:C\d{1,5})?)?|:(\d{1,7})(?:-(\d{1,7}))?)(?:@([0-9a-f]{8,64}))?"
)
PERMALINK = re.compile(r"/(?:blob|blame)/([0-9a-f]{40})/([^\s#?()<>`\"']{1,300})#L(\d{1,7})(?:-L?(\d{1,7}))?")
PINNED = ("blob/", "blame/")
QUOTED = re.compile(r"`([\w@.+-]+(?:/[\w@.+-]+)+)`")


class Mention(NamedTuple):
    """A place in a text and what it cites there; a path alone has no lines, and few citations have hash or commit."""

    line: int
    says: str
    kind: str
    path: str
    start: int = 0
    end: int = 0
    hash: str = ""
    commit: str = ""

    @property
    def is_pinned(self) -> bool:
        """Whether it is a link to the lines of one commit, which shows those lines whatever became of them."""
        return self.says.startswith(PINNED)


def mentions_in(text: str, *, paths: bool = False) -> list[Mention]:
    """The citations of a text, in its order; also the paths that it quotes, where they are asked for.

    In a fenced block only what carries a hash is a citation: the rest is output or an example.
    """
    found: list[Mention] = []
    for number, (line, is_fenced) in enumerate(_told_apart(text), 1):
        if len(line) <= LONGEST_LINE:
            of_line = [*_links(number, line), *_cited(number, line)] if _may_cite(line) else []
            of_line += _quoted(number, line) if paths else ()
            found += [each for each in of_line if not is_fenced or each.hash]
        if len(found) >= MOST_MENTIONS:
            break
    return found[:MOST_MENTIONS]


def _told_apart(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether each is in a fenced block."""
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in FENCES and (not fence or mark == fence):
            fence = "" if fence else mark
        yield line, bool(fence)


def _may_cite(line: str) -> bool:
    """Whether a line may hold a citation: hardly any does, and looking closer takes time."""
    return "#L" in line or (":" in line and any(part[:1].isdigit() for part in line.split(":")[1:]))


def _links(number: int, line: str) -> Iterator[Mention]:
    for found in PERMALINK.finditer(line):
        commit, path, start, end = found.groups()
        if (lines := _lines(start, end)) is not None:
            yield Mention(number, found.group().lstrip("/"), LINES, path, *lines, commit=commit)


def _cited(number: int, line: str) -> Iterator[Mention]:
    for found in CITED.finditer(line):
        path, start, end, first, last, hash_ = found.groups()
        lines = _lines(start or first, end or last)
        if lines is None or _is_part_of_address(line, found.start(), path) or (hash_ and not is_hash(hash_)):
            continue
        yield Mention(number, found.group(), LINES, path, *lines, hash=hash_ or "")


def _quoted(number: int, line: str) -> Iterator[Mention]:
    for found in QUOTED.finditer(line):
        if len(found.group(1)) <= LONGEST_PATH:
            yield Mention(number, found.group(1), PATH, found.group(1))


def _lines(start: str, end: str | None) -> tuple[int, int] | None:
    first, last = int(start), int(end or start)
    return (first, last) if 1 <= first <= last < first + LONGEST_LINES else None


def _is_part_of_address(line: str, at: int, path: str) -> bool:
    """Whether a path is the end of an address of the web, or no path of a project at all."""
    before = line[:at].rpartition(" ")[2]
    return "://" in before or "//" in path or path.startswith(("/", "@")) or len(path) > LONGEST_PATH


def placed(mention: Mention, document: str, is_there: Callable[[str], bool]) -> Mention | None:
    """A mention with its path as the project writes it: links are relative to their document, names mostly are not."""
    folder = posixpath.dirname(document)
    beside = posixpath.normpath(posixpath.join(folder, mention.path))
    plain = posixpath.normpath(mention.path)
    is_relative = mention.path.startswith(("./", "../"))
    path = beside if is_relative or (beside != plain and not is_there(plain) and is_there(beside)) else plain
    return None if path.startswith("..") else mention._replace(path=path)

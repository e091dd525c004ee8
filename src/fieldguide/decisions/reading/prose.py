"""The text of a passage as a person reads it: without comments, code and marks, cut into sentences with their lines."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.record import Passage

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
FENCE = re.compile(r"[\s>*+-]*(```+|~~~+|////+)")  # the last hides a comment of AsciiDoc
IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)")
LINK = re.compile(r"\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,100}\])")
ADDRESS = re.compile(r"<?https?://[^\s>)]+>?")
TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
MARKS = re.compile(r"\*{1,3}|`{1,3}|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
OPENING = re.compile(r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*|\|)")
END = re.compile(r"(?<=[.!?])[\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9`])|(?<=[;])\s+|(?<=\S)\s+[–—]\s+(?=\S)")
NO_END = re.compile(r"(?:(?:^|\W)\d{1,3}|\b(?:e\.g|i\.e|etc|vs|cf|approx|no))\.$", re.IGNORECASE)
WHOLE_PLACEHOLDER = re.compile(r"[{\[][^{}\[\]]{3,400}[}\]]\W{0,3}|(?i:TBD|TODO|to be (?:decided|determined))(?a:\b).*")
PLACEHOLDER = re.compile(r"(?:^|[^{\w]){[a-z][\w ,./'-]{0,200} [\w ,./'-]{0,200}}(?:[^}]|$)")
LONGEST_BLOCK, LONGEST_TEXT = 6000, 20_000


class Sentence(NamedTuple):
    """A sentence in plain words and the line that it begins on."""

    text: str
    line: int


def visible_lines(text: str) -> list[str]:
    """The lines of a text, those of fenced code and of comments empty."""
    found: list[str] = []
    fence = ""
    for line in COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text).split("\n"):
        mark = FENCE.match(line) if line else None
        found.append("" if fence or mark else line.rstrip())
        if mark and mark.group(1).startswith(fence):
            fence = "" if fence else mark.group(1)
    return found


def plain_text(text: str) -> str:
    """A text without marks: links and code as their words."""
    text = text[:LONGEST_TEXT]
    if not text:
        return ""
    bare = LINK.sub(r"\1", LINK.sub(r"\1", IMAGE.sub(" ", text))) if "[" in text else text
    bare = ADDRESS.sub(" ", bare) if "://" in bare else bare
    bare = TAG.sub(" ", bare) if "<" in bare else bare
    return " ".join(MARKS.sub("", bare).split())


def is_placeholder(text: str) -> bool:
    """Whether a text is what a template asks for, and nobody has written it yet."""
    return WHOLE_PLACEHOLDER.fullmatch(text) is not None or PLACEHOLDER.search(text) is not None


def sentences_of(passage: Passage) -> list[Sentence]:
    """The sentences of a passage, in order; code, comments and rows of tables say none."""
    return [sentence for block in _blocks(passage) for sentence in _sentences(block)]


def cut(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text and where each begins."""
    begin = 0
    for match in [*END.finditer(text), None]:
        end = match.start() if match else len(text)
        if match and NO_END.search(text[max(0, end - 8) : end]):
            continue
        if text[begin:end].strip():
            yield begin, text[begin:end].strip()
        begin = match.end() if match else end


def _blocks(passage: Passage) -> Iterator[list[Sentence]]:
    """Lines that belong together: a paragraph, an item of a list, or a heading."""
    block: list[Sentence] = []
    is_heading = False
    for number, line in enumerate(visible_lines(passage.text), start=passage.first_line):
        opening = OPENING.match(line) if line else None
        if block and (opening or is_heading or not line.strip()):
            yield block
            block = []
        is_heading = line.startswith("#")
        rest = line[opening.end() if opening else 0 :][:LONGEST_BLOCK]
        bare = "" if line.lstrip().startswith("|") else plain_text(rest)
        block += [Sentence(bare, number)] if bare else []
    yield block


def _sentences(block: list[Sentence]) -> Iterator[Sentence]:
    starts: list[int] = []
    joined = ""
    for line in block:
        starts.append(len(joined))
        joined += line.text + " "
        if len(joined) > LONGEST_BLOCK:
            break
    for begin, said in cut(joined):
        yield Sentence(said, block[bisect_right(starts, begin) - 1].line)

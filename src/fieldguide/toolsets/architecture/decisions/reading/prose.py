"""The sentences of a passage, without the marks of its format and with the line that each begins on."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.reading.record import Passage
from fieldguide.toolsets.architecture.decisions.reading.visible import visible_lines

IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)")
LINK = re.compile(r"\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,100}\])")
ADDRESS = re.compile(r"<?https?://[^\s>)]+>?")
TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
MARKS = re.compile(r"\*{1,3}|`{1,3}|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
OPENING = re.compile(r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*|\|)")
END = re.compile(r"(?<=[.!?])[\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9`])|(?<=[;])\s+|(?<=\S)\s+[–—]\s+(?=\S)")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$", re.IGNORECASE)
WHOLE_PLACEHOLDER = re.compile(r"[{\[][^{}\[\]]{3,400}[}\]]\W{0,3}")
PLACEHOLDER = re.compile(r"(?:^|[^{\w]){[a-z][\w ,./'-]{0,200} [\w ,./'-]{0,200}}(?:[^}]|$)")
LONGEST_BLOCK = 6000


class Sentence(NamedTuple):
    """A sentence in plain words and the line that it begins on."""

    text: str
    line: int


def plain_text(text: str) -> str:
    """A text without marks: links and code as their words."""
    bare = LINK.sub(r"\1", LINK.sub(r"\1", IMAGE.sub(" ", text))) if "[" in text else text
    bare = ADDRESS.sub(" ", bare) if "://" in bare else bare
    bare = TAG.sub(" ", bare) if "<" in bare else bare
    return " ".join(MARKS.sub("", bare).split())


def is_placeholder(text: str) -> bool:
    """Whether a text is what a template asks for, and nobody has written it yet."""
    return WHOLE_PLACEHOLDER.fullmatch(text) is not None or PLACEHOLDER.search(text) is not None


def sentences_of(passage: Passage) -> list[Sentence]:
    """The sentences of a passage, in order; code, comments and rows of tables say none."""
    return [sentence for block in _blocks(passage) for sentence in _split(block)]


def _blocks(passage: Passage) -> Iterator[list[tuple[int, str]]]:
    """Lines that belong together: a paragraph, or one item of a list."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(visible_lines(passage.text.splitlines()), start=passage.first_line):
        opening = OPENING.match(line)
        if opening or not line.strip():
            if block:
                yield block
            block = []
        if not line.strip() or line.lstrip().startswith("|"):
            continue
        bare = plain_text(line[opening.end() :] if opening else line)
        if bare:
            block.append((number, bare))
        if block and opening and "#" in opening.group():
            yield block
            block = []
    if block:
        yield block


def _split(block: list[tuple[int, str]]) -> Iterator[Sentence]:
    starts: list[int] = []
    joined = ""
    for _, text in block:
        starts.append(len(joined))
        joined += text + " "
        if len(joined) > LONGEST_BLOCK:
            break
    begin = 0
    for match in [*END.finditer(joined), None]:
        end = match.start() if match else len(joined)
        if match and ABBREVIATION.search(joined[max(0, end - 8) : end]):
            continue
        said = joined[begin:end].strip()
        if said:
            yield Sentence(said, block[bisect_right(starts, begin) - 1][0])
        begin = match.end() if match else end

"""Reads the sentences and the code of a pattern document, with the labels that say good or bad.

A block of code is labelled by a word behind its language (`python bad`), by a line right above it (`Bad:`, `### Good`),
or by comments in it (`# bad`), which divide it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import canonical_language
from fieldguide.prose.markdown import MarkdownBlock, read_blocks
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines
from fieldguide.toolsets.architecture.rules.source_code import SourceCode, detect_language

Verdict = Literal["good", "bad"]

BAD_MARKS = "❌✗✘🚫⛔👎"
GOOD_MARKS = "✅✓✔👍"
LEADING_LABEL = re.compile(
    r"^[\W_]*(?:(?P<turned>not )|[a-z]+ )?(?:(?P<bad>bad|wrong|incorrect)"
    r"|(?:good|right|correct|better|best|preferred|recommended))(?: [\w ]{1,20})?[\W_]*$"
    r"|^[\W_]*(?:(?P<never>don['’]?t|do not|avoid|never|no)|do|yes|prefer)(?: do)?(?: this)?[\W_]*$",
    re.IGNORECASE,
)
FIRST_PART = re.compile(r"^[\W_]*[^:,.(;–—-]*")
SECTION = re.compile(r"(?P<bad>pitfall|anti-?pattern|don['’]?ts\b|forbidden)|practice|\bdos\b", re.IGNORECASE)


def read_verdict(text: str) -> Verdict | None:
    """`bad` or `good`; None for a text that is no label."""
    first = FIRST_PART.match(text.strip()[:200])
    label = None
    if first and "`" not in first.group():
        label = LEADING_LABEL.match(first.group())
    if label is None:
        return read_mark(text)
    is_bad = bool(label.group("bad") or label.group("never"))
    return "bad" if is_bad != bool(label.group("turned")) else "good"


def read_mark(text: str) -> Verdict | None:
    """The verdict of the sign at the beginning of a line."""
    sign = text.strip()[:1] or " "
    if sign in BAD_MARKS:
        return "bad"
    return "good" if sign in GOOD_MARKS else None


def read_section_verdict(heading: str) -> Verdict | None:
    """Whether a section is one of pitfalls, which are bad, or one of practices."""
    match = SECTION.search(heading)
    if match is None:
        return None
    return "bad" if match.group("bad") else "good"


SENTENCE = re.compile(r"(?:`[^`]*`|[^`.!?]|\b(?:e\.g|i\.e|etc|vs)\.|[.!?]+[^\s`.!?)])+(?:[.!?]+[\"')\]]*)?")
MOST_STATEMENTS = 5_000
LONGEST_STATEMENT = 400


class ProseStatement(NamedTuple):
    """A sentence, its code spans between backquotes; `topic` is the line of the heading or item that it belongs to."""

    text: str
    line: int
    topic: int
    verdict: Verdict | None
    """The verdict of the heading or label above it: `Don't` and `Pitfalls` are bad."""
    is_listed: bool
    """Whether it only names one of several bad things."""


class LabelledFence(NamedTuple):
    """A block of code of the document, with the verdict of its label."""

    code: str
    info: str
    line: int
    topic: int
    verdict: Verdict | None


class ProseText:
    """The sentences and the blocks of code of a document, in their order; its front matter is left out."""

    def __init__(self, text: str, front_matter_lines: int) -> None:
        self.statements: list[ProseStatement] = []
        self.fences: list[LabelledFence] = []
        self._heading = 1
        self._labels: dict[int, Verdict | None] = {}
        self._sections: dict[int, Verdict | None] = {}
        self._said: dict[bool, Verdict | None] = {}
        lines = split_lines(text.removeprefix("\ufeff"))
        body = "\n" * min(front_matter_lines, len(lines)) + "".join(lines[front_matter_lines:])
        readers = {"CodeBlock": self._read_fence, "Heading": self._read_heading}
        for block in read_blocks(body.replace("\r\n", "\n").replace("\r", "\n")):
            readers.get(block.kind, self._read_text)(block)

    def _read_fence(self, block: MarkdownBlock) -> None:
        verdict = self._said.pop(bool(block.item), None) or _nearest(self._labels)
        self.fences.append(LabelledFence(block.text, block.info, block.line, block.item or self._heading, verdict))

    def _read_heading(self, block: MarkdownBlock) -> None:
        label = read_verdict(block.text)
        for kept in (self._labels, self._sections):
            for level in [each for each in kept if each >= block.level]:
                del kept[level]
        if label is None:
            self._heading = block.line
            self._add(block, _nearest(self._sections), is_listed=_nearest(self._sections) == "bad")
        self._labels[block.level] = label
        self._sections[block.level] = label or read_section_verdict(block.text)
        self._said = {}

    def _read_text(self, block: MarkdownBlock) -> None:
        over = self._said.get(False) or _nearest(self._labels) if block.item else None
        label = read_mark(block.text) or over
        self._add(block, label or _nearest(self._sections), is_listed=label == "bad")
        self._said[bool(block.item)] = read_verdict(self.statements[-1].text) if self.statements else None

    def _add(self, block: MarkdownBlock, verdict: Verdict | None, *, is_listed: bool) -> None:
        if len(self.statements) < MOST_STATEMENTS:
            topic = block.item or self._heading
            self.statements += [ProseStatement(*each, topic, verdict, is_listed) for each in _sentences(block)]


def _nearest(said: dict[int, Verdict | None]) -> Verdict | None:
    """The verdict of the nearest heading above that has one."""
    return next((said[level] for level in sorted(said, reverse=True) if said[level]), None)


def _sentences(block: MarkdownBlock) -> Iterator[tuple[str, int]]:
    offsets = [0, *accumulate(len(piece) for piece, _ in block.pieces)]
    for sentence in SENTENCE.finditer(block.text):
        text = " ".join(sentence.group().split())[:LONGEST_STATEMENT]
        if text:
            yield text, block.pieces[max(0, bisect_right(offsets, sentence.start()) - 1)][1]


BEFORE = re.compile(r"^[ \t]*(?:#|//|/\*+|--)[ \t]*([^\n]*)$|^(Yes|No):[ \t]")
YES_OR_NO = re.compile(r"^(?:Yes|No): ?")
BEHIND = re.compile(r"\S[ \t]*(?:#|//)[ \t]*([^\w\s].*)$")
LONGEST_EXAMPLE = 8_000
MOST_EXAMPLES = 600


class ProseExample(NamedTuple):
    """A piece of code that the document judges, and the line where it begins."""

    source: SourceCode
    is_good: bool
    line: int
    topic: int


def read_prose_examples(fences: Sequence[LabelledFence]) -> list[ProseExample]:
    """The examples that are labelled as good or as bad, in the order of the document."""
    found: list[ProseExample] = []
    for fence in fences:
        if len(found) >= MOST_EXAMPLES or len(fence.code) > LONGEST_EXAMPLE:
            continue
        words = fence.info.replace(",", " ").split()
        language = canonical_language(words[0].strip("{}.")) if words else None
        language = language or detect_language(fence.code)
        stated = read_verdict(" ".join(words[1:])) or fence.verdict
        for start, code, verdict in _split_by_verdict(fence.code, stated):
            if verdict and language in GRAMMARS:
                found.append(
                    ProseExample(SourceCode(code, language), verdict == "good", fence.line + start, fence.topic)
                )
    return found


def _split_by_verdict(code: str, stated: Verdict | None) -> Iterator[tuple[int, str, Verdict | None]]:
    """The parts that comments divide a block into, each with its line: `# Bad` before one, `// ✗` behind one."""
    start = 0
    verdict = stated
    lines = code.split("\n")
    for number, line in enumerate(lines):
        before = BEFORE.match(line)
        behind = BEHIND.search(line)
        said = read_verdict(before.group(1) or before.group(2) or "") if before else None
        if said:
            yield start, "\n".join(lines[start:number]), verdict
            start = number if before and before.group(2) else number + 1
            verdict = said
            lines[number] = YES_OR_NO.sub("     ", line)
        elif behind and read_mark(behind.group(1)):
            yield start, "\n".join(lines[start : number + 1]), read_mark(behind.group(1))
            start = number + 1
            verdict = stated
    yield start, "\n".join(lines[start:]), verdict

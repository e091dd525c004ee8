"""A commit message taken apart: its subject without decoration, its sentences, and the lines meant for machines."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re

CONVENTIONAL = re.compile(r"(?P<kind>[A-Za-z]+)(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+")
KINDS = frozenset(
    {"bugfix", "build", "chore", "ci", "deps", "docs", "feat", "feature", "fix", "hotfix", "perf", "refactor"}
    | {"release", "revert", "security", "style", "test", "tests", "wip"}
)
DECORATION = re.compile(r"(?::[a-z0-9_+-]+:|\[[^\]]{1,40}\]:?|[A-Z][A-Z0-9]+-\d+:?|[^\w\s\"'`(<#$@&*/.~\[-]+)\s*")
REFERENCE = re.compile(r"\s*\([^()]{0,80}[#!]\d+\)$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
BULLET = re.compile(r"^\s*(?:[-*+•o]|\d{1,2}[.)])\s+")
HEADING = re.compile(r"^\s*(?:#{1,6}\s|[=~-]{3,}\s*$)")
EMPHASIS = re.compile(r"(?<!\w)\*\*([^*_]{1,200})\*\*(?!\w)|(?<!\w)__([^*_]{1,200})__(?!\w)")
BREAKING = re.compile(r"^BREAKING[ -]CHANGES?:\s*", re.MULTILINE)
PEOPLE = re.compile(r"^\s*[A-Za-z][\w -]{0,30}-(?:by|on):", re.IGNORECASE)
MOST_SUBJECT_CHARACTERS = 300
MOST_SENTENCE_CHARACTERS = 600
LONGEST_ABBREVIATION = 12  # characters, with what stands before it
MACHINE = re.compile(
    r"^\s*(?:cc|change-id|link|url|git-svn-id|differential revision|pr-url|part-of|upstream-commit-id|upstream-id"
    r"|origin|message-id|relnote|test plan|tested|v\d+|\[\s*\d+\.\d+\]|diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- )"
    r"\s*[:#\[]?|^\s*\(cherry[ -]picked from|^\s*this reverts commit|^\s*\[\d+\]:?\s|^\s*https?://\S+\s*$",
    re.IGNORECASE,
)
TICKET = re.compile(
    r"^\s*(?:bug(?:zilla)?|issue|ticket|refs?|references|see(?: also)?|closes?|closed|fix(?:es|ed)?|resolves?|related)"
    r"\b(?:[ -]?(?:to|bug|issue))?\s*:?\s*(?:[#!]?\d+|[A-Z]+-\d+|https?://|[\w.-]+/[\w.-]+#\d+|[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
FIXED_COMMIT = re.compile(r"^\s*fixes:\s*(?:commit\s+)?([0-9a-f]{7,40})\b", re.IGNORECASE | re.MULTILINE)
REVERTED = re.compile(r"^\s*this reverts commit ([0-9a-f]{7,64})", re.IGNORECASE | re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(`\[]?[A-Z0-9])")
DANGLING = re.compile(
    r"(?:,|\b(?:a|an|and|as|by|for|from|in|is|of|on|or|that|the|to|when|which|with))\s*$", re.IGNORECASE
)
ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|incl|no|fig|sec|St|Dr|Mr|Mrs)|\b[A-Z])\.$")


class Message(NamedTuple):
    """What a commit message says, in the words of its author."""

    subject: str
    kind: str = ""
    scope: str = ""
    is_breaking: bool = False
    breaking: str = ""
    sentences: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    names_fixed_commit: bool = False


def parse_message(text: str) -> Message:
    """Take a commit message apart."""
    first, body = _subject_and_body(text.strip())
    undecorated = _undecorated(first)
    found = CONVENTIONAL.match(undecorated)
    is_conventional = found is not None and found["kind"].lower() in KINDS
    named = found if is_conventional else None
    breaking = BREAKING.split(body, maxsplit=1)
    return Message(
        subject=_undecorated(undecorated[named.end() :]) if named else undecorated,
        kind=named["kind"].lower() if named else "",
        scope=(named["scope"] or "").strip() if named else "",
        is_breaking=bool(named and named["breaking"]) or len(breaking) > 1,
        breaking=" ".join(next(iter(_units(breaking[1])), "").split()) if len(breaking) > 1 else "",
        sentences=tuple(sentences_of(breaking[0])),
        reverts=tuple(REVERTED.findall(body)),
        names_fixed_commit=FIXED_COMMIT.search(body) is not None,
    )


def sentences_of(body: str) -> Iterator[str]:
    """The sentences of a text, each in one line; without code, quotes, headings and lines for machines."""
    for unit in _units(body):
        for sentence in _whole_sentences(SENTENCE_END.split(unit)):
            if len(sentence) <= MOST_SENTENCE_CHARACTERS:
                yield sentence.strip()


def _whole_sentences(pieces: list[str]) -> Iterator[str]:
    """Sentences that were parted behind an abbreviation are joined again."""
    parts: list[str] = []
    for piece in pieces:
        parts.append(piece)
        if not ABBREVIATED.search(piece[-LONGEST_ABBREVIATION:]):
            yield " ".join(parts)
            parts = []
    if parts:
        yield " ".join(parts)


def _subject_and_body(text: str) -> tuple[str, str]:
    """The first line and what follows; or the first sentence, where a long one was broken into lines."""
    first, _, rest = text.partition("\n")
    if not (rest[:1].islower() or DANGLING.search(first)):
        return first, rest
    paragraph, _, body = text.partition("\n\n")
    subject, *others = SENTENCE_END.split(" ".join(paragraph.split()), maxsplit=1)
    return subject, "\n\n".join([*others, body])


def _undecorated(line: str) -> str:
    """A subject without tickets, emoji and pull request numbers."""
    rest = " ".join(line[:MOST_SUBJECT_CHARACTERS].split())
    while (found := DECORATION.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :]
    return REFERENCE.sub("", rest).rstrip(" .")


def _units(body: str) -> Iterator[str]:
    """The paragraphs and list items of a body, each in one line; without code, quotes and lines for machines."""
    for paragraph in re.split(r"\n\s*\n", _without_fences(body)):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if not all(map(_is_indented, lines)):
            yield from map(_plain, _parted(lines))


def _parted(lines: list[str]) -> Iterator[list[str]]:
    """The lines of a paragraph, parted before each item and where a line is left out."""
    unit: list[str] = []
    for line in lines:
        is_break = _is_for_machines(line) or HEADING.match(line) or line.lstrip().startswith((">", "|"))
        if unit and (is_break or BULLET.match(line)):
            yield unit
            unit = []
        if not is_break:
            unit.append(BULLET.sub("", line).strip())
    if unit:
        yield unit


def _is_indented(line: str) -> bool:
    """Whether a line is one of code by its indentation, and no item."""
    return line.startswith(("  ", "\t")) and not BULLET.match(line)


def _without_fences(body: str) -> str:
    kept: list[str] = []
    is_inside = False
    for line in body.split("\n"):
        if FENCE.match(line):
            is_inside = not is_inside
            kept.append("")
        elif not is_inside:
            kept.append(line.rstrip())
    return "\n".join(kept)


def _is_for_machines(line: str) -> bool:
    return any(each.match(line) for each in (PEOPLE, MACHINE, TICKET))


def _plain(lines: list[str]) -> str:
    return EMPHASIS.sub(lambda found: found[1] or found[2], " ".join(" ".join(lines).split()))

"""The labelled snippets: code, the pattern document it is held against, and which rule each line breaks.

A file `PART/DOCUMENT/LANGUAGE.txt` (or `LANGUAGE-later.txt`) holds several snippets. A line
`=== name | path=… | missing=rule, rule` begins one; `«rule, rule»` at the end of a line is its label, and no part of
the code; `?rule` may be found there, or not. README.md tells the rest.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fieldguide.toolsets.architecture import starters

FOLDER = Path(__file__).parent
DECLARED, PROSE = "declared", "prose"
LANGUAGES = ("python", "typescript", "go", "java")
LABEL = re.compile(r"\s*«([^»]*)»$")
HEADING = re.compile(r"(#{1,6})\s+\S")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\S")
FENCE = re.compile(r"\s*(```|~~~)")

Mark = tuple[str | int, int | None]
"""What is broken (a rule's id, or the line of the document that states it) and where; None: somewhere in the file."""


class Snippet(NamedTuple):
    """A piece of code with its labels."""

    part: str
    document: str
    language: str
    name: str
    path: str | None
    code: str
    expected: frozenset[Mark]
    allowed: frozenset[Mark]

    @property
    def title(self) -> str:
        return f"{self.part}/{self.document}/{self.language}: {self.name}"


def read_snippets() -> list[Snippet]:
    """All of them, in the order of their files."""
    files = sorted(path for part in (DECLARED, PROSE) for path in (FOLDER / part).glob("*/*.txt"))
    return [snippet for path in files for snippet in _read_file(path)]


def document_text(part: str, name: str) -> str:
    """The text of a document: it lies beside its snippets, or it is a starter."""
    beside = FOLDER / part / name / "document.md"
    return beside.read_text(encoding="utf-8") if beside.exists() else starters.read(name)


@cache
def statements(part: str, name: str) -> tuple[int, ...]:
    """For each line of a document the line where what it says begins.

    That is the heading of a ### section, which is one rule with all its examples, else the item or the paragraph.
    """
    found: list[int] = []
    start, level, is_text, is_code = 1, 0, False, False
    for number, line in enumerate(document_text(part, name).splitlines(), start=1):
        heading = None if is_code else HEADING.match(line)
        if heading:
            start, level = number, len(heading[1])
        elif level < 3 and not is_code and (ITEM.match(line) or (line.strip() and not is_text)):
            start = number
        is_code = is_code != bool(FENCE.match(line))
        is_text = bool(line.strip()) and not heading
        found.append(start)
    return tuple(found)


def _read_file(path: Path) -> Iterator[Snippet]:
    part, document, language = path.parent.parent.name, path.parent.name, path.stem.partition("-")[0]
    for block in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        header, _, body = block.partition("\n")
        name, *options = (each.strip() for each in header.split("|"))
        given = dict(option.split("=", 1) for option in options)
        expected: set[Mark] = {(rule, None) for rule in _split(given.get("missing", ""))}
        allowed: set[Mark] = set()
        lines = body.rstrip("\n").split("\n")
        for number, line in enumerate(lines, start=1):
            label = LABEL.search(line)
            if label:
                lines[number - 1] = line[: label.start()]
                for said in _split(label[1]):
                    (allowed if said.startswith("?") else expected).add((_meant(part, document, said), number))
        code = "\n".join(lines) + "\n"
        yield Snippet(part, document, language, name, given.get("path"), code, frozenset(expected), frozenset(allowed))


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _meant(part: str, document: str, said: str) -> str | int:
    """A label of prose quotes the document: it means the statement that has these words, and no other may have them."""
    said = said.removeprefix("?")
    if part == DECLARED:
        return said
    lines = document_text(part, document).splitlines()
    places = [number for number, line in enumerate(lines) if said in line]
    if len(places) != 1:
        raise SystemExit(f"{part}/{document}: {said!r} stands in {len(places)} lines of the document, not in one.")
    return statements(part, document)[places[0]]

"""The labelled snippets: code, the pattern document it is held against, and which rule each line breaks.

A file `declared/DOCUMENT/LANGUAGE.txt` (or `LANGUAGE-later.txt`) holds several snippets. A line
`=== name | path=… | missing=rule, rule` begins one; `«rule, rule»` at the end of a line is its label, and no part of
the code; `?rule` may be found there, or not. README.md tells the rest.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fieldguide.toolsets.architecture.rules import new_pattern

FOLDER = Path(__file__).parent / "declared"
LANGUAGES = ("python", "typescript", "go", "java")
LABEL = re.compile(r"\s*«([^»]*)»$")

Mark = tuple[str, int | None]
"""The id of the rule that is broken, and where; None: somewhere in the file."""


class Snippet(NamedTuple):
    """A piece of code with its labels."""

    document: str
    language: str
    name: str
    path: str | None
    code: str
    expected: frozenset[Mark]
    allowed: frozenset[Mark]

    @property
    def title(self) -> str:
        return f"{self.document}/{self.language}: {self.name}"


def read_snippets() -> list[Snippet]:
    """All of them, in the order of their files."""
    return [snippet for path in sorted(FOLDER.glob("*/*.txt")) for snippet in _read_file(path)]


def document_text(name: str) -> str:
    """The text of a document: it lies beside its snippets, or it is a starter."""
    beside = FOLDER / name / "document.md"
    return beside.read_text(encoding="utf-8") if beside.exists() else new_pattern.read_starter(name)


def _read_file(path: Path) -> Iterator[Snippet]:
    document, language = path.parent.name, path.stem.partition("-")[0]
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
                    (allowed if said.startswith("?") else expected).add((said.removeprefix("?"), number))
        code = "\n".join(lines) + "\n"
        yield Snippet(document, language, name, given.get("path"), code, frozenset(expected), frozenset(allowed))


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]

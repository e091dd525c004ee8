"""The real parsers that our readers are judged by, and why an outline may differ from theirs.

A reference gives the outline of a text: level, text, and the line on which the heading begins. The texts of headings
are compared where the parser keeps them as written; where it does not, level and line are.
"""

import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

from fieldguide.prose.document import ReadDocument
from fieldguide.prose.html import UNREAD
from fieldguide.prose.notebook import read_cells

Outline = list[tuple[int, str, int]]
LXML_LAST_LINE = 65_535
MANUAL_LEVELS = {"SH": 1, "SS": 2, "Sh": 1, "Ss": 2}


class NoReference(Exception):
    """A file that the real parser refuses to read."""


class Reference(NamedTuple):
    """What a real parser makes of one file, and the CPU seconds it took."""

    outline: Outline
    seconds: float


class Docutils:
    """docutils, without Sphinx: its directives and roles are unknown, their content is not looked at."""

    has_texts = True

    def __init__(self) -> None:
        from docutils.frontend import get_default_settings
        from docutils.parsers.rst import Parser

        self._parser = Parser()
        self._settings: Any = get_default_settings(Parser)
        self._settings.report_level = self._settings.halt_level = 5
        self._settings.file_insertion_enabled = False
        self._settings.warning_stream = False

    def read(self, path: Path, text: str) -> Reference:
        """The sections of a document; docutils names the line of the underline."""
        from docutils import nodes
        from docutils.utils import new_document

        started = time.process_time()
        document = new_document(str(path), self._settings)
        self._parser.parse(text, document)
        seconds = time.process_time() - started
        lines = text.splitlines()
        found: Outline = []
        for section in document.findall(nodes.section):
            title: Any = section.next_node(nodes.title)
            level = sum(isinstance(each, nodes.section) for each in _upwards(section))
            line = title.line - 1
            is_overlined = line > 1 and lines[line - 2].rstrip() == lines[line].rstrip()
            found.append((level, title.rawsource, line - 1 if is_overlined else line))
        return Reference(found, seconds)

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the outlines differ."""
        if text.startswith("\ufeff"):
            return "docutils keeps the byte order mark as a letter of the first title"
        return "docutils refuses a title of a level that does not follow" if set(theirs) < set(ours) else None


class Lxml:
    """libxml2's reader of HTML."""

    has_texts = True

    def read(self, path: Path, text: str) -> Reference:
        """The headings of a page, without those in elements that nobody reads."""
        from lxml import etree, html

        started = time.process_time()
        try:
            page = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
        except etree.ParserError:  # nothing in it
            return Reference([], 0.0)
        seconds = time.process_time() - started
        found: Outline = []
        for heading in page.iter("h1", "h2", "h3", "h4", "h5", "h6"):
            said = " ".join("".join(_read_texts(heading)).split())
            if said and not any(each.tag in UNREAD for each in heading.iterancestors()):
                found.append((int(heading.tag[1]), said, heading.sourceline))
        return Reference(found, seconds)

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the outlines differ."""
        if [each[:2] for each in ours] != [each[:2] for each in theirs]:
            return None
        lines = text.splitlines()
        for our, their in zip(ours, theirs, strict=True):
            is_long_tag = our[2] < their[2] and ">" not in lines[our[2] - 1].lower().rpartition(f"<h{our[0]}")[2]
            if our[2] != their[2] and not is_long_tag and their[2] < LXML_LAST_LINE:
                return None
        return "lxml names the line on which a tag ends, and none after 65,535"


class Mandoc:
    """mandoc's syntax tree."""

    has_texts = False

    def read(self, path: Path, text: str) -> Reference:
        """The sections of a manual page."""
        started = time.perf_counter()
        done = subprocess.run(
            [which("mandoc") or "", "-T", "tree"], input=text.encode(), capture_output=True, check=False
        )
        seconds = time.perf_counter() - started
        found: Outline = []
        for line in done.stdout.decode(errors="replace").splitlines():
            words = line.split()
            if len(words) > 2 and words[0] in MANUAL_LEVELS and words[1] == "(block)":
                found.append((MANUAL_LEVELS[words[0]], "", int(words[2].lstrip("*").partition(":")[0])))
        return Reference(found, seconds)

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the outlines differ."""
        if any(line.startswith((".if", ".ie", ".el", "'if")) for line in text.splitlines()):
            return "sections in conditions that the formatter decides"
        return None


class Nbformat:
    """nbformat, which gives cells without places: the texts of all cells are compared, and each heading's line."""

    has_texts = True

    def read(self, path: Path, text: str) -> Reference:
        """Our own outline where cells and lines are right; an empty one where they are not."""
        import nbformat

        from fieldguide.prose.notebook import read_notebook
        from fieldguide.prose.readers import read_document

        started = time.process_time()
        try:
            cells = [each.source for each in nbformat.reads(text, 4).cells]
        except nbformat.reader.NotJSONError:
            return Reference(_outline(read_document(path.name, text)), 0.0)  # read as plain text, as it is none
        seconds = time.process_time() - started
        read = read_notebook(text)
        are_same = cells == ["".join(said for said, _ in source) for _, source in read_cells(text)]
        return Reference(_outline(read) if are_same and _are_in_place(read) else [], seconds)

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the cells differ."""
        return None


class InNode:
    """A parser of JavaScript, for all files in one process of node."""

    has_texts = False

    def __init__(self, script: str, folder: Path, paths: Iterable[Path]) -> None:
        command = [which("node") or "", str(Path(__file__).parent / script)]
        named = "\n".join(str(path.resolve()) for path in paths)
        done = subprocess.run(command, input=named.encode(), capture_output=True, cwd=folder, check=True)
        self._read = {each["path"]: each for each in map(json.loads, done.stdout.splitlines())}

    def read(self, path: Path, text: str) -> Reference:
        """The sections of a document."""
        found = self._read[str(path.resolve())]
        if "error" in found:
            raise NoReference(found["error"])
        return Reference([(level, "", line) for level, _, line in found["outline"]], found["seconds"])


class Asciidoctor(InNode):
    """Asciidoctor.js."""

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the outlines differ."""
        lines = text.splitlines()
        if any(line.startswith(":doctype: manpage") for line in lines):
            return "Asciidoctor takes the first section of a manual page into its header"
        if any(line.startswith(("ifdef::", "ifndef::", "ifeval::")) for line in lines):
            is_late = [each[0] for each in ours] == [each[0] for each in theirs]
            late = "Asciidoctor counts a line too many after a condition"
            return late if is_late else "a section in a condition that Asciidoctor decides"
        return None


class Remark(InNode):
    """remark with its plugin for MDX."""

    def reason(self, text: str, ours: Outline, theirs: Outline) -> str | None:
        """Why the outlines differ."""
        return None


def _outline(read: ReadDocument) -> Outline:
    return [(heading.level, heading.text, heading.line) for heading in read.headings]


def _are_in_place(read: ReadDocument) -> bool:
    """Whether each heading stands on its line of the file."""
    return all(
        heading.text.split()[0].strip('"\\') in read.lines[heading.line - 1]
        for heading in read.headings
        if heading.text.isascii() and heading.text
    )


def _read_texts(element: Any) -> Iterator[str]:
    """The texts below an element, without those of elements that nobody reads."""
    waiting: list[Any] = [element]
    pieces: Sequence[Any]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
            continue
        if isinstance(each.tag, str) and each.tag not in (*UNREAD, "script", "style"):
            pieces = [each.text or "", *(piece for child in each for piece in (child, child.tail or ""))]
            waiting += reversed(pieces)


def _upwards(node: Any) -> Iterator[Any]:
    while node is not None:
        yield node
        node = node.parent

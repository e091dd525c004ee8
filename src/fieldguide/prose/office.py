"""Extracts the text of PDF and Word files; runs in a child process with limits.

A `.docx` is a zip of XML, which the standard library reads. A PDF is read by pypdf.
"""

from base64 import b64decode
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import Element, ParseError, iterparse
from zipfile import BadZipFile, ZipFile

from fieldguide.prose.document import ExtractedText

MOST_BYTES = 256 << 20
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
TITLE_STYLES = ("title",)
HEADING_STYLE = "heading"


def extract_docx_text(content_base64: str) -> str | None:
    """The text of a Word document; None when there is none that can be read."""
    try:
        with ZipFile(BytesIO(b64decode(content_base64))) as archive:
            return _write_docx_text(_read(archive, "word/document.xml"), _style_names(archive))
    except (BadZipFile, KeyError, ParseError, ValueError, OSError, RuntimeError, NotImplementedError):
        return None


def _read(archive: ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(name)
    return content


def _parsed(content: bytes) -> Iterator[tuple[str, "Element[Any]"]]:
    """Each element as it begins and ends. A document type could define entities; a Word document has none."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("a document type")
    yield from iterparse(BytesIO(content), ("start", "end"))  # noqa: S314  refused above, and it runs in a child


def _style_names(archive: ZipFile) -> dict[str, str]:
    """What each style is called, in small letters, by its ID: IDs are translated, names are not."""
    if "word/styles.xml" not in archive.namelist():
        return {}
    names: dict[str, str] = {}
    for event, style in _parsed(_read(archive, "word/styles.xml")):
        if style.tag == f"{WORD}style" and event == "end":
            name = style.find(f"{WORD}name")
            names[style.get(f"{WORD}styleId", "")] = "" if name is None else name.get(f"{WORD}val", "").lower()
            style.clear()
    return names


def _write_docx_text(content: bytes, styles: dict[str, str]) -> str:
    text = ExtractedText()
    rows: list[list[str]] = []
    depth = 0  # of tables: one in a cell is part of it
    for event, element in _parsed(content):
        if element.tag == f"{WORD}tbl":
            depth += 1 if event == "start" else -1
            if not depth:
                text.add_text("\n".join(" | ".join(filter(None, cells)) for cells in rows))
                rows.clear()
        elif element.tag == f"{WORD}tr" and event == "start":
            rows.append([])
        elif element.tag == f"{WORD}p" and event == "end":
            if depth and rows:
                rows[-1].append(_said(element).replace("\n", " "))
            else:
                _add_paragraph(text, element, styles)
            element.clear()
    return str(text)


def _add_paragraph(text: ExtractedText, paragraph: "Element[Any]", styles: dict[str, str]) -> None:
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    identity = "" if style is None else style.get(f"{WORD}val", "")
    name = styles.get(identity, identity.lower())
    level = name.removeprefix(HEADING_STYLE).strip()
    if name in TITLE_STYLES:
        text.add_heading(1, _said(paragraph))
    elif name.startswith(HEADING_STYLE) and level.isdecimal():
        text.add_heading(int(level[:1]), _said(paragraph))
    else:
        text.add_text(_said(paragraph))


def _said(paragraph: "Element[Any]") -> str:
    """The words of a paragraph."""
    pieces: list[str] = []
    for element in paragraph.iter():
        if element.tag == f"{WORD}t":
            pieces.append(element.text or "")
        elif element.tag == f"{WORD}tab":
            pieces.append("\t")
        elif element.tag in (f"{WORD}br", f"{WORD}cr"):
            pieces.append("\n")
    return "".join(pieces)


NEEDED = "pypdf"
MOST_PAGES = 2_000
DEEPEST_BOOKMARK = 4
PAGE_LEVEL_BELOW_BOOKMARKS = 6


def can_read_pdf() -> bool:
    """Whether the extra is installed."""
    return find_spec(NEEDED) is not None


def extract_pdf_text(content_base64: str) -> str | None:
    """The text of a PDF; None when there is none that can be read."""
    import pypdf  # pyright: ignore[reportMissingImports]
    from pypdf.errors import PyPdfError  # pyright: ignore[reportMissingImports]

    try:
        return _write_pdf_text(pypdf.PdfReader(BytesIO(b64decode(content_base64))))  # pyright: ignore[reportUnknownMemberType]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError):
        return None


def _write_pdf_text(reader: Any) -> str | None:
    if reader.is_encrypted and not reader.decrypt(""):
        return None
    text = ExtractedText()
    title = getattr(reader.metadata, "title", None)
    if isinstance(title, str):
        text.add_heading(1, title)
    bookmarks = _bookmarks(reader)
    for number, page in enumerate(reader.pages[:MOST_PAGES]):
        for level, said in bookmarks.get(number, ()):
            text.add_heading(level + 1, said)
        text.add_heading(PAGE_LEVEL_BELOW_BOOKMARKS if bookmarks else 2, f"Page {number + 1}")
        text.add_text(page.extract_text())
        if text.is_full:
            break
    return str(text)


def _bookmarks(reader: Any) -> dict[int, list[tuple[int, str]]]:
    """The bookmarks of each page, counted from 0, with their levels."""
    found: dict[int, list[tuple[int, str]]] = {}
    waiting: list[tuple[int, Any]] = [(1, each) for each in reversed(reader.outline)]
    while waiting:
        level, each = waiting.pop()
        if isinstance(each, list):
            waiting += [(min(level + 1, DEEPEST_BOOKMARK), inner) for inner in reversed(each)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            continue
        page = reader.get_destination_page_number(each)
        if isinstance(page, int) and page >= 0:
            found.setdefault(page, []).append((level, str(each.title)))
    return found

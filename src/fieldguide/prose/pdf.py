"""Extracts the text of PDF files by pypdf; runs in a child process with limits."""

from base64 import b64decode
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from fieldguide.prose.document import ExtractedText

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

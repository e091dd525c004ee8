"""The text of a document's file: its own, or what a parser takes out of a PDF or a Word document."""

from fieldguide.document_formats.encoding import as_utf8
from fieldguide.document_formats.kinds import DOCX, PDF, format_of, is_extracted
from fieldguide.document_formats.lines import readable_text

EXTRACTED = {
    b"%PDF-": "fieldguide.document_formats.pdf:pdf_text",
    b"PK\x03\x04": "fieldguide.document_formats.docx:docx_text",
}


def text_content(name: str, content: bytes) -> bytes | None:
    """The text of a file, in UTF-8: of a PDF or a Word document, what a parser in a limited child makes of it."""
    reader = next((reader for beginning, reader in EXTRACTED.items() if content.startswith(beginning)), None)
    if reader is None or format_of(name) not in (PDF, DOCX):
        return as_utf8(content)
    from base64 import b64encode

    from fieldguide.document_formats.pdf import can_read_pdf
    from fieldguide.source_code.parser_process import in_child

    if format_of(name) == PDF and not can_read_pdf():
        return None
    text: str | None = in_child(reader, b64encode(content).decode())
    return None if text is None else text.encode()


def cited_text(path: str, content: bytes) -> str:
    """The text whose lines a citation of this file counts; empty where it can't be taken out of it."""
    return readable_text((text_content(path, content) or b"") if is_extracted(path) else content)

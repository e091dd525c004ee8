"""Markdown, for whoever searches; `fieldguide.document_formats` reads it, as every other format."""

from fieldguide.document_formats.document import Block, Heading
from fieldguide.document_formats.document import ReadDocument as Markdown
from fieldguide.document_formats.markdown import (
    BYTE_ORDER_MARK,
    front_matter_lines,
    read_markdown,
    without_attributes,
)

__all__ = [
    "BYTE_ORDER_MARK",
    "Block",
    "Heading",
    "Markdown",
    "front_matter_lines",
    "read_markdown",
    "without_attributes",
]

"""Lines of a text, for whoever searches; `fieldguide.document_formats.lines` has them."""

from fieldguide.document_formats.lines import count_lines, readable_text, split_lines, without_end

__all__ = ["count_lines", "readable_text", "split_lines", "without_end"]

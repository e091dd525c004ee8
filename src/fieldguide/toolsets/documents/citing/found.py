"""What is given of a document that was found: all of it, the lines that were cited, or a section as far as it fits."""

from typing import Any, NamedTuple

from fieldguide.document_formats.lines import split_lines
from fieldguide.search.indexes.store import StoredDocument, StoredSource
from fieldguide.spine.answers.citations import Citation
from fieldguide.spine.answers.line_ranges import Cite, lines_from, reading_on, still_cited
from fieldguide.toolsets.documents.sections import Section


class Found(NamedTuple):
    """A document that was asked for, with its collection, its text, and the lines that are meant, if only some are."""

    source: StoredSource
    stored: StoredDocument
    text: str
    citation: Citation | None = None

    def chunk(self) -> str | None:
        """The lines that are meant, as one text."""
        if self.citation is None:
            return None
        return "".join(split_lines(self.text)[self.citation.start_line - 1 : self.citation.end_line]) or None

    def content(self, cite: Cite, most: int) -> dict[str, Any]:
        """The whole text; of a citation its lines with their numbers, as many as fit."""
        lines = split_lines(self.text)
        if self.citation is None:
            return {"content": self.text, "citation": cite(1, max(len(lines), 1))}
        shown = lines_from(lines, self.citation.start_line, self.citation.end_line, most)
        until = min(self.citation.end_line, len(lines))
        place = {"citation": cite(shown.start_line, shown.end_line), **still_cited(self.citation, cite)}
        numbers = {**shown.told(), **shown.numbered(most // 4), **place}
        return {"content": shown.text, **numbers, **reading_on(cite, shown, until=until, most=most)}


def section_content(section: Section, cite: Cite, most: int) -> dict[str, Any]:
    """The lines of a section, as many as fit, with their citation."""
    shown = lines_from(split_lines(section.content), 1, len(section.content) + 1, most)
    shown = shown._replace(start_line=section.start_line)
    is_whole = len(shown.text) == len(section.content)
    end = section.end_line if is_whole else shown.end_line
    return {
        "content": shown.text,
        "startLine": section.start_line,
        "endLine": end,
        "citation": cite(section.start_line, end),
        **({} if is_whole else reading_on(cite, shown, until=section.end_line, most=most)),
    }

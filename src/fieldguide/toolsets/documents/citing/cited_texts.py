"""The texts of documents as they are cited: their files, what the index keeps of them, or what was fetched."""

from collections.abc import Callable
from functools import cache

from fieldguide.document_formats.encoding import decoded
from fieldguide.document_formats.lines import split_lines
from fieldguide.search.engine import SearchEngine
from fieldguide.search.kept_text import kept_text
from fieldguide.search.port import Hit, Source
from fieldguide.secret_values import MARK, without_secret_values
from fieldguide.spine.answers.line_ranges import Cite
from fieldguide.toolsets.documents.citing.found import Found
from fieldguide.toolsets.documents.citing.places import DocumentPlaces

Original = Callable[[str, str], bytes | None]


class CitedTexts:
    """The documents of one call by what they say; each text is cut into lines once."""

    def __init__(self, engine: SearchEngine, kind: str, places: DocumentPlaces, original: Original) -> None:
        self._engine = engine
        self._kind = kind
        self._places = places
        self._original = original
        self._lines: dict[tuple[str, str], list[str]] = {}

    def cited(self, hit: Hit) -> str:
        """The citation of a hit."""
        passage = hit.passage
        lines = (passage.start_line, passage.end_line)
        return self._places.cited(hit.source, hit.document, lines, passage.text, kept=lambda: self._kept(hit))

    def citing(self, found: Found) -> Cite:
        """Gives the citations of a document's lines; the same lines are looked at once."""
        lines = split_lines(found.text)

        @cache
        def cite(start_line: int, end_line: int) -> str:
            place = (found.source.name, found.stored.name, (start_line, end_line))
            return self._places.cited(*place, kept=lambda: lines)

        return cite

    def written(self, collection: str, document: str, text: str) -> str:
        """The text as it is in its file, where secrets were taken out of what the index holds of it."""
        content = self._original(collection, document) if MARK in text else None
        written = text if content is None else decoded(content)
        return written if without_secret_values(written) == text else text

    def _kept(self, hit: Hit) -> list[str]:
        place = (hit.source, hit.document)
        if place not in self._lines:
            text = kept_text(self._engine, Source(self._kind, hit.source), hit.document) or ""
            self._lines[place] = split_lines(self.written(*place, text))
        return self._lines[place]

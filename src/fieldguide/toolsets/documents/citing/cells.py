"""Which cells of a notebook a hit stands in."""

from fieldguide.document_formats.kinds import NOTEBOOK, format_of
from fieldguide.search.engine import SearchEngine
from fieldguide.search.kept_text import kept_text
from fieldguide.search.port import Hit, Source


class Cells:
    """The cells of notebooks by their lines; each notebook is looked at once, for one call."""

    def __init__(self, engine: SearchEngine, kind: str) -> None:
        self._engine = engine
        self._kind = kind
        self._lines: dict[tuple[str, str], list[tuple[int, int, int]]] = {}

    def of(self, hit: Hit) -> dict[str, list[int]]:
        """The first and the last cell that a hit stands in; other formats have lines alone."""
        if format_of(hit.document) != NOTEBOOK:
            return {}
        place = (hit.source, hit.document)
        if place not in self._lines:
            self._lines[place] = self._read(*place)
        start, end = hit.passage.start_line, hit.passage.end_line
        found = [number for number, first, last in self._lines[place] if first <= end and last >= start]
        return {"cells": [found[0], found[-1]]} if found else {}

    def _read(self, collection: str, document: str) -> list[tuple[int, int, int]]:
        from fieldguide.document_formats.notebook import cell_lines

        return cell_lines(kept_text(self._engine, Source(self._kind, collection), document) or "")

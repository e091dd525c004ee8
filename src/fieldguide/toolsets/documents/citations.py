"""Resolves and cites places in documents: sections, lines, and cells of notebooks.

What is cited so is accepted wherever a document's ID is: `docs/guide.md#L3-L9` means those lines of `guide.md` in the
collection of `docs/`, and `handbook:guide.md#L3-L9` those in a collection that lies elsewhere, or was fetched.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from heapq import nlargest
from itertools import pairwise
from typing import Any, NamedTuple

from fieldguide.files.cited import Kept, open_cited_files, slice_lines
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import NOTEBOOK, find_format
from fieldguide.search.engine import SearchEngine, load_indexed_text
from fieldguide.search.indexes.document_store import StoredDocument, StoredSource
from fieldguide.search.types import SearchHit, SearchSource
from fieldguide.text import regex as re
from fieldguide.text.citation import Citation, format_citation, hash_text, read_citation
from fieldguide.text.lines import decode_document, split_lines, strip_line_end
from fieldguide.text.secrets import MARK, mask_secret_values
from fieldguide.text.windows import Cite, describe_change, describe_rest, select_lines
from fieldguide.toolsets.documents.collections import (
    BUNDLES,
    DocumentCollection,
    is_below,
    is_remote,
    resolve_local_path,
)


class NotebookCells:
    """The cells of notebooks by their lines; each notebook is looked at once, for one call."""

    def __init__(self, engine: SearchEngine, kind: str) -> None:
        self._engine = engine
        self._kind = kind
        self._lines: dict[tuple[str, str], list[tuple[int, int, int]]] = {}

    def of(self, hit: SearchHit) -> dict[str, list[int]]:
        """The first and the last cell that a hit stands in; other formats have lines alone."""
        if find_format(hit.document) != NOTEBOOK:
            return {}
        place = (hit.source, hit.document)
        if place not in self._lines:
            self._lines[place] = self._read(*place)
        start = hit.passage.start_line
        end = hit.passage.end_line
        found = [number for number, first, last in self._lines[place] if first <= end and last >= start]
        return {"cells": [found[0], found[-1]]} if found else {}

    def _read(self, collection: str, document: str) -> list[tuple[int, int, int]]:
        from fieldguide.prose.notebook import list_cell_lines

        return list_cell_lines(load_indexed_text(self._engine, SearchSource(self._kind, collection), document) or "")


ALIAS_MARK = ":"


class MeantDocument(NamedTuple):
    """A document's ID that a caller may mean, and the lines of it, if only some are."""

    document: str
    citation: Citation | None = None


class DocumentPlaces:
    """The places of the documents of a project's collections."""

    def __init__(self, project: ConfinedFolder | None, collections: Mapping[str, DocumentCollection]) -> None:
        self._project = project
        self._files = open_cited_files(project) if project is not None else None
        self._collections = {each.id: each for each in reversed([*collections.values()])}
        self._folders: dict[str, str | None] = {}

    def cited(
        self, collection: str, document: str, lines: tuple[int, int], text: str | None = None, *, kept: Kept
    ) -> str:
        """The citation of some lines of a document, by the ID of its collection.

        `text` is what was seen of them, where it is what they say, and `kept` gives what the whole document says.
        """
        path = self.path(collection, document)
        start_line = lines[0]
        end_line = max(lines)
        if self._files is not None and self._folder(collection) is not None:
            return self._files.cited(path, start_line, end_line, text, kept)
        seen = slice_lines(kept(), start_line, end_line)
        return format_citation(path, start_line, end_line, hash_text(text or "" if seen is None else seen))

    def cited_unseen(self, collection: str, document: str, end_line: int) -> str:
        """The citation of a document's first lines, which nobody has read: with a hash where its file has them."""
        place = Citation(self.path(collection, document), 1, end_line)
        now = None if self._files is None else self._files.cited_again(place)
        return str(place) if now is None else now

    def path(self, collection: str, document: str) -> str:
        """A document's path in the project; of one that lies elsewhere, its ID with its collection's name before it."""
        folder = self._folder(collection)
        path = document if not folder else f"{folder}/{document}"
        if folder is not None and self._is_there(path):
            return path
        known = self._collections.get(collection)
        return f"{known.alias if known else collection}{ALIAS_MARK}{document}"

    def _is_there(self, path: str) -> bool:
        if self._project is None or self._files is None:
            return False
        return self._files.status(path) is not None or self._project.status(path) is not None

    def meant(self, collection: str, given: str) -> Iterator[MeantDocument]:
        """What a text may mean in a collection, first its very name; then without what a citation has before it."""
        yield from (MeantDocument(each) for each in self._inner(collection, given))
        if (citation := read_citation(given)) is not None:
            yield from (MeantDocument(each, citation) for each in self._inner(collection, citation.path))

    def _inner(self, collection: str, path: str) -> Iterator[str]:
        yield path
        folder = self._folder(collection)
        plain = path.removeprefix("./")
        if folder is not None and plain.startswith(f"{folder}/"):
            yield plain[len(folder) + 1 :]
        known = self._collections.get(collection)
        for name in (known.alias, known.id) if known else ():
            if path.startswith(f"{name}{ALIAS_MARK}"):
                yield path[len(name) + len(ALIAS_MARK) :]

    def _folder(self, collection: str) -> str | None:
        """The folder of a collection in the project ("" is the project's own); None when it lies elsewhere."""
        if collection not in self._folders:
            self._folders[collection] = self._located(self._collections.get(collection))
        return self._folders[collection]

    def _located(self, collection: DocumentCollection | None) -> str | None:
        if collection is None or self._project is None or is_remote(collection.source):
            return None
        path = os.path.realpath(resolve_local_path(collection.source, collection.base))
        folder = os.path.dirname(path) if path.endswith(".json") else path
        root = self._project.real_path()
        if path.endswith(BUNDLES) or not is_below(folder, root):
            return None
        return os.path.relpath(folder, root).replace(os.sep, "/").removeprefix(".")


Outline = Sequence[tuple[int, str, int]]
PATH_MARK = " > "
MOST_SUGGESTED = 3
SHORTLIST = 50
ALIKE = 0.5
LONGEST_HEADING = 300  # characters, as the path of every section below a heading has it
OWN_ANCHOR = re.compile(r"\{#([^}\s]+)[^}]*\}\s*")
NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


class DocumentSection(NamedTuple):
    """A section: its heading, and its lines counted from 1, the last one included."""

    heading: str
    level: int
    content: str
    start_line: int
    end_line: int


def find_section(text: str, outline: Outline, wanted: str, *, include_subsections: bool) -> DocumentSection | None:
    """The first section whose heading holds the wanted text, in any case; None when none does.

    Where a heading repeats, `Install > Linux` means the `Linux` that stands below an `Install`, and `#linux-1` the
    second of that name, as in a link.
    """
    number = _find(outline, wanted)
    if number is None:
        return None
    level, heading, line = outline[number]
    lines = split_lines(text)
    deepest = level if include_subsections else 6
    following = (at for depth, _, at in outline[number + 1 :] if depth <= deepest)
    end = max(next(following, len(lines) + 1) - 1, line)  # two headings may share a line, as in a page of one line
    return DocumentSection(heading, level, strip_line_end("".join(lines[line - 1 : end])), line, end)


def list_heading_paths(outline: Outline) -> list[str]:
    """The path of headings that leads to each section."""
    paths: list[str] = []
    above: dict[int, str] = {}
    for level, text, _ in outline:
        above = {depth: each for depth, each in above.items() if depth < level} | {level: text[:LONGEST_HEADING]}
        paths.append(PATH_MARK.join(above.values()))
    return paths


def _find(outline: Outline, wanted: str) -> int | None:
    folded = wanted.casefold()
    for number, (_, text, _) in enumerate(outline):
        if folded in text.casefold():
            return number
    return number_anchors(outline).get(folded[1:]) if wanted.startswith("#") else _find_below(outline, wanted)


def number_anchors(outline: Outline) -> dict[str, int]:
    """The number of each section by the anchor that links use: its own `{#name}`, or its words joined by hyphens."""
    found: dict[str, int] = {}
    times: dict[str, int] = {}
    for number, (_, text, _) in enumerate(outline):
        own = OWN_ANCHOR.fullmatch(text[max(text.rfind("{#"), 0) :])
        slug = own.group(1).casefold() if own else NOT_IN_ANCHOR.sub("", text.casefold()).strip().replace(" ", "-")
        name = slug
        while name in found:
            times[slug] = times.get(slug, 0) + 1
            name = f"{slug}-{times[slug]}"
        found[name] = number
    return found


def _find_below(outline: Outline, wanted: str) -> int | None:
    parts = [part.strip().casefold() for part in wanted.split(PATH_MARK.strip())]
    if len(parts) < 2 or not all(parts):
        return None
    above: dict[int, str] = {}
    for number, (level, text, _) in enumerate(outline):
        above = {depth: each for depth, each in above.items() if depth < level}
        if parts[-1] in text.casefold() and _are_in_order(parts[:-1], list(above.values())):
            return number
        above[level] = text.casefold()
    return None


def _are_in_order(parts: Sequence[str], headings: Sequence[str]) -> bool:
    remaining = iter(headings)
    return all(any(part in heading for heading in remaining) for part in parts)


def find_alike_names(wanted: str, names: Sequence[str]) -> list[str]:
    """The names that look most like the wanted one; those that hold it first."""
    folded = wanted.casefold()
    holding = [name for name in names if folded and folded in name.casefold()]
    lowered = {name.casefold(): name for name in names}
    pairs = set(pairwise(folded))  # comparing whole took most of a second for 2,500 paths, so few are compared so
    likely = nlargest(SHORTLIST, lowered, key=lambda name: len(pairs.intersection(pairwise(name))))
    close = [lowered[each] for each in get_close_matches(folded, likely, n=MOST_SUGGESTED, cutoff=ALIKE)]
    return list(dict.fromkeys([*holding[:MOST_SUGGESTED], *close]))[:MOST_SUGGESTED]


class RequestedDocument(NamedTuple):
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
        cites = self.citation
        shown = select_lines(lines, cites.start_line, cites.end_line, most, cites.start_column)
        until = min(self.citation.end_line, len(lines))
        place = {"citation": cite(shown.start_line, shown.end_line), **describe_change(self.citation, cite)}
        numbers = {**shown.told(), **shown.numbered(most // 4), **place}
        return {"content": shown.text, **numbers, **describe_rest(cite, shown, until=until, most=most)}


def cut_section(section: DocumentSection, cite: Cite, most: int) -> dict[str, Any]:
    """The lines of a section, as many as fit, with their citation."""
    shown = select_lines(split_lines(section.content), 1, len(section.content) + 1, most)
    shown = shown._replace(start_line=section.start_line)
    is_whole = len(shown.text) == len(section.content)
    end = section.end_line if is_whole else shown.end_line
    return {
        "content": shown.text,
        "startLine": section.start_line,
        "endLine": end,
        "citation": cite(section.start_line, end),
        **({} if is_whole else describe_rest(cite, shown, until=section.end_line, most=most)),
    }


Original = Callable[[str, str], bytes | None]


class CitedTexts:
    """The documents of one call by what they say; each text is cut into lines once."""

    def __init__(self, engine: SearchEngine, kind: str, places: DocumentPlaces, original: Original) -> None:
        self._engine = engine
        self._kind = kind
        self._places = places
        self._original = original
        self._lines: dict[tuple[str, str], list[str]] = {}

    def cited(self, hit: SearchHit) -> str:
        """The citation of a hit."""
        passage = hit.passage
        lines = (passage.start_line, passage.end_line)
        return self._places.cited(hit.source, hit.document, lines, passage.text, kept=lambda: self._kept(hit))

    def citing(self, found: RequestedDocument) -> Cite:
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
        written = text if content is None else decode_document(content)
        return written if mask_secret_values(written) == text else text

    def _kept(self, hit: SearchHit) -> list[str]:
        place = (hit.source, hit.document)
        if place not in self._lines:
            text = load_indexed_text(self._engine, SearchSource(self._kind, hit.source), hit.document) or ""
            self._lines[place] = split_lines(self.written(*place, text))
        return self._lines[place]

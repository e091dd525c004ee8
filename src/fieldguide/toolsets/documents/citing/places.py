"""Where documents lie: a path of the project where they are files of it, else the name of their collection before it.

What is cited so is accepted wherever a document's ID is: `docs/guide.md#L3-L9` means those lines of `guide.md` in the
collection of `docs/`, and `handbook:guide.md#L3-L9` those in a collection that lies elsewhere, or was fetched.
"""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.spine.answers.citations import Citation, cited, hash_of_text, read_citation
from fieldguide.spine.answers.cited_files import Kept, cited_files, lines_of
from fieldguide.toolsets.documents.collections import Collection, is_below, local_path
from fieldguide.toolsets.documents.locations import BUNDLES, is_remote

MARK = ":"


class Meant(NamedTuple):
    """A document's ID that a caller may mean, and the lines of it, if only some are."""

    document: str
    citation: Citation | None = None


class DocumentPlaces:
    """The places of the documents of a project's collections."""

    def __init__(self, project: ConfinedFolder | None, collections: Mapping[str, Collection]) -> None:
        self._project = project
        self._files = cited_files(project) if project is not None else None
        self._collections = {each.id: each for each in reversed([*collections.values()])}
        self._folders: dict[str, str | None] = {}

    def cited(
        self, collection: str, document: str, lines: tuple[int, int], text: str | None = None, *, kept: Kept
    ) -> str:
        """The citation of some lines of a document, by the ID of its collection.

        `text` is what was seen of them, where it is what they say, and `kept` gives what the whole document says.
        """
        path = self.path(collection, document)
        start_line, end_line = lines[0], max(lines)
        if self._files is not None and self._folder(collection) is not None:
            return self._files.cited(path, start_line, end_line, text, kept)
        seen = lines_of(kept(), start_line, end_line)
        return cited(path, start_line, end_line, hash_of_text(text or "" if seen is None else seen))

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
        return f"{known.alias if known else collection}{MARK}{document}"

    def _is_there(self, path: str) -> bool:
        if self._project is None or self._files is None:
            return False
        return self._files.status(path) is not None or self._project.status(path) is not None

    def meant(self, collection: str, given: str) -> Iterator[Meant]:
        """What a text may mean in a collection, first its very name; then without what a citation has before it."""
        yield from (Meant(each) for each in self._inner(collection, given))
        if (citation := read_citation(given)) is not None:
            yield from (Meant(each, citation) for each in self._inner(collection, citation.path))

    def _inner(self, collection: str, path: str) -> Iterator[str]:
        yield path
        folder = self._folder(collection)
        plain = path.removeprefix("./")
        if folder is not None and plain.startswith(f"{folder}/"):
            yield plain[len(folder) + 1 :]
        known = self._collections.get(collection)
        for name in (known.alias, known.id) if known else ():
            if path.startswith(f"{name}{MARK}"):
                yield path[len(name) + len(MARK) :]

    def _folder(self, collection: str) -> str | None:
        """The folder of a collection in the project ("" is the project's own); None when it lies elsewhere."""
        if collection not in self._folders:
            self._folders[collection] = self._located(self._collections.get(collection))
        return self._folders[collection]

    def _located(self, collection: Collection | None) -> str | None:
        if collection is None or self._project is None or is_remote(collection.source):
            return None
        path = os.path.realpath(local_path(collection.source, collection.base))
        folder = os.path.dirname(path) if path.endswith(".json") else path
        root = self._project.real_path()
        if path.endswith(BUNDLES) or not is_below(folder, root):
            return None
        return os.path.relpath(folder, root).replace(os.sep, "/").removeprefix(".")

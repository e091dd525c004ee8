"""Reads source files for the index, each in one request to a parser process: chunks, vectors, imports and symbols.

A text is parsed once for all of them. If the process had to be ended, each is tried alone, so that a hostile file costs
no more than what it breaks.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from fieldguide.code.imports.graph import ListedFiles, keep_imports, read_file_imports
from fieldguide.code.imports.languages import parse_imports
from fieldguide.code.imports.syntax import Import, take_import
from fieldguide.code.parsing import share_trees
from fieldguide.code.symbols.facts import PackedFacts
from fieldguide.code.symbols.index import keep_symbols
from fieldguide.code.symbols.readers.walk import is_read, parse_packed, take_packed
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import GENERATED, classify_text_file, is_generated, language_of
from fieldguide.files.parser_process import run_in_child, works_ahead
from fieldguide.search.backlog import SourceFile
from fieldguide.search.chunking import MOST_CHUNKS
from fieldguide.search.embedding import Embedder
from fieldguide.search.models.static import is_shipped_model, prepare_chunks, take_prepared
from fieldguide.search.ranking import MARK_LEVEL
from fieldguide.search.types import Chunk, NewDocument
from fieldguide.storage.database import Transaction
from fieldguide.text.errors import ToolFailed
from fieldguide.text.windows import split_lines, strip_line_end
from fieldguide.toolsets.context.code_chunking import chunk_code, parse_pieces
from fieldguide.toolsets.context.text_chunking import TextChoice, chunk_text

MORE_SECONDS = 2.0  # for the start of the model, and because there are several things to read
YES = "yes"
GIVEN_UP = "givenUp"
MOST_NAMED = 20


def explain_given_up(names: Sequence[str]) -> str:
    """Why some files are not indexed as their language, in words for a person."""
    listed = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    why = "a parser failed, or took too long or too much memory"
    return f"{why}, so what it could not read is indexed as plain text: {listed}"


class CodeFacts(NamedTuple):
    """What a file imports, and its packed symbols; None for a language whose symbols are not read."""

    imports: Sequence[Import]
    symbols: PackedFacts | None


def make_code_document(entry: SourceFile, content: bytes, digest: str, choice: TextChoice | None = None) -> NewDocument:
    """A source file as the index takes it, for somebody who waits: nothing else is read of it."""
    text = content.decode("utf-8", errors="replace")
    as_text = classify_text_file(entry.name)
    if as_text is not None and as_text.form:
        chunks = chunk_text(text, as_text.form, MOST_CHUNKS)
    else:
        chunks = chunk_code(text, language_of(entry.name))
    marks = choice.marks(entry.name) if choice else ()
    if is_generated(text):
        marks = ((MARK_LEVEL, GENERATED, 1),)
    return NewDocument(entry.name, entry.name, text, digest, entry.stamp, marks, chunks)


class CodeReader:
    """Reads the source files of a project in one pass over them, and keeps what they import and define.

    `paths` are all files of the project. `kept` are the files whose facts were kept, and `given_up` those that a parser
    process had to be ended for.
    """

    def __init__(
        self,
        project: ConfinedFolder,
        namespace: str,
        paths: Sequence[str],
        *,
        embedder: Embedder,
        choice: TextChoice,
    ) -> None:
        self.paths = paths
        self.kept: set[str] = set()
        self.given_up: list[str] = []
        self._project = project
        self._namespace = namespace
        self._choice = choice
        self._is_shipped_model = is_shipped_model(embedder)

    @cached_property
    def _files(self) -> ListedFiles:
        return ListedFiles(self._project, self.paths)

    def make(self, entry: SourceFile, content: bytes, digest: str) -> NewDocument:
        """A source file as the index takes it, with what is derived from its text; any thread may ask."""
        text = content.decode("utf-8", errors="replace")
        try:
            told = self._ask(entry.name, text)
        except ToolFailed:  # one of the readers has a bug, the others may do
            told = None
        if told is None:
            self.given_up.append(entry.name)
            return make_code_document(entry, content, digest, self._choice)
        lines = split_lines(text)
        chunks = [
            Chunk(strip_line_end("".join(lines[start - 1 : end])), tuple(names), start, end)
            for start, end, names in told["chunks"]
        ]
        marks = ((MARK_LEVEL, GENERATED, 1),) if told["is_generated"] else self._choice.marks(entry.name)
        imports = [take_import(row) for row in told["imports"]]
        symbols = take_packed(told["symbols"]) if is_read(language_of(entry.name)) else None
        return NewDocument(
            entry.name,
            entry.name,
            text,
            digest,
            entry.stamp,
            marks,
            chunks,
            prepared=take_prepared(told, len(chunks)),
            facts=CodeFacts(imports, symbols),
        )

    def keep(self, transaction: Transaction, documents: Sequence[NewDocument]) -> None:
        """Keep what was read of some files beside their chunks."""
        read: list[tuple[str, str, Sequence[Import]]] = []
        for new in documents:
            if not isinstance(new.facts, CodeFacts):
                continue
            read.append((new.name, new.hash, new.facts.imports))
            if new.facts.symbols is not None:
                keep_symbols(transaction, self._namespace, new.name, new.hash, new.facts.symbols)
        if read:
            keep_imports(transaction, self._namespace, read, self._files)
            self.kept.update(path for path, _, _ in read)

    def _ask(self, path: str, text: str) -> dict[str, Any] | None:
        wanted = YES if self._is_shipped_model and works_ahead() else None
        told: dict[str, Any] | None = run_in_child(
            f"{__name__}:parse_file", path, text, wanted, more_seconds=MORE_SECONDS, is_tried_once=True
        )
        return told


def parse_file(path: str, text: str, has_vectors: str | None) -> dict[str, Any]:
    """Everything about a file as plain data. For a parser process."""
    language = language_of(path)
    as_text = classify_text_file(path)
    with share_trees():
        if as_text is not None and as_text.form:
            chunks = chunk_text(text, as_text.form, MOST_CHUNKS)
        else:
            chunks = chunk_code(text, language, parse_pieces)
        imports = read_file_imports(path, text, parse_imports)
        symbols = parse_packed(text, language) if language else None
    return {
        "chunks": [[chunk.start_line, chunk.end_line, chunk.headings] for chunk in chunks],
        "is_generated": is_generated(text),
        "imports": imports,
        "symbols": symbols,
        **prepare_chunks(path, chunks, has_vectors=bool(has_vectors)),
    }

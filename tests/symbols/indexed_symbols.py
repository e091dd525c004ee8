"""A small project whose code is in an index, brought up to its symbols, and asked."""

from collections.abc import Mapping

from fieldguide.code.imports.graph import update_import_graph as bring_up_imports
from fieldguide.code.symbols.facts import FileUses, SymbolFacts, unpack_shape, unpack_uses
from fieldguide.code.symbols.index import update_symbols
from fieldguide.code.symbols.lookup import Symbol, Symbols, SymbolUse
from fieldguide.code.symbols.readers.walk import read_packed
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.search.backlog import SourceFile
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import SearchSource
from fieldguide.toolsets.context.file_documents import make_code_document
from tests.projects import Project

NAMESPACE = "here|"


def read_facts(text: str, language: str) -> SymbolFacts:
    """The facts of a text, with its references in the order of their places."""
    packed = read_packed(text, language)
    definitions, imports = unpack_shape(packed.shape)
    by_name = unpack_uses(packed.uses)
    uses = [each for name in by_name for each in FileUses(by_name).named(name)]
    return SymbolFacts(tuple(definitions), tuple(sorted(uses, key=lambda each: (each.line, each.column))), imports)


class SymbolProject:
    """Files that are written, indexed, and asked about."""

    def __init__(self, engine: SearchEngine, project: Project, files: Mapping[str, str]) -> None:
        self.engine, self.project = engine, project
        self.files: dict[str, str] = {}
        self.folder = ConfinedFolder(str(project.root))
        self.symbols = Symbols(engine.database, NAMESPACE, self.folder)
        for path, text in files.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        self.project.write(path, text)
        self.files[path] = text
        entry = SourceFile(path, "", lambda: None)
        self.engine.put(SearchSource("code", "code"), [make_code_document(entry, text.encode(), f"hash of {text}")])

    def remove(self, path: str) -> None:
        (self.project.root / path).unlink()
        del self.files[path]
        self.engine.finish(SearchSource("code", "code"), {}, gone=[path])

    def bring_up(self, *only: str) -> int:
        paths = sorted(self.files)
        bring_up_imports(self.engine, NAMESPACE, self.folder, paths, only or None)
        return update_symbols(self.engine, NAMESPACE, paths, only or None)

    def symbol(self, name: str, path: str | None = None) -> Symbol:
        (found,) = self.symbols.definitions(name, path)
        return found

    def references(self, name: str, path: str | None = None) -> list[SymbolUse]:
        return self.symbols.references(self.symbol(name, path))

    def certain(self, name: str, path: str | None = None) -> list[tuple[str, int, str]]:
        """The certain uses of a symbol: path, line and role."""
        return [(each.path, each.line, each.role) for each in self.references(name, path) if each.is_certain]

"""Resolves the imports of a file to files of the project, by the rules of its language."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from fieldguide.code.imports.c_go_rust import GoResolver, IncludeResolver, RustResolver
from fieldguide.code.imports.java_kotlin_csharp import CSharpResolver, JvmResolver
from fieldguide.code.imports.javascript import JavaScriptResolver
from fieldguide.code.imports.project_files import ConfinedFiles, ImportableFiles
from fieldguide.code.imports.python_php_ruby import PhpResolver, PythonResolver, RubyResolver
from fieldguide.code.imports.syntax import Import


class Resolution(NamedTuple):
    """Where the imports of a file lead, each once, in the order of first import."""

    internal: list[str]
    """Paths of files of the project; never the file itself."""
    external: list[str]
    """What is written for everything else: standard library, packages, and files that are not there."""


class ImportResolver(Protocol):
    """The imports of one file, asked one by one."""

    def find(self, each: Import) -> list[str]:
        """The files that an import leads to; none when it leads outside."""
        ...


RESOLVERS: dict[str, Callable[[str, ImportableFiles], ImportResolver]] = {
    "c": IncludeResolver,
    "cpp": IncludeResolver,
    "csharp": CSharpResolver,
    "cuda": IncludeResolver,
    "go": GoResolver,
    "java": JvmResolver,
    "javascript": JavaScriptResolver,
    "kotlin": JvmResolver,
    "objective-c": IncludeResolver,
    "php": PhpResolver,
    "python": PythonResolver,
    "ruby": RubyResolver,
    "rust": RustResolver,
    "svelte": JavaScriptResolver,
    "tsx": JavaScriptResolver,
    "typescript": JavaScriptResolver,
    "vue": JavaScriptResolver,
}


def resolve_imports(path: str, imports: Iterable[Import], language: str, files: ImportableFiles) -> Resolution:
    """The imports of the file at a normal path relative to the project's root, resolved."""
    internal: dict[str, None] = {}
    external: dict[str, None] = {}
    for each, found in resolve_each(path, imports, language, files):
        internal.update(dict.fromkeys(found))
        if not found:
            external[each.text] = None
    internal.pop(path, None)
    return Resolution(list(internal), list(external))


def resolve_each(
    path: str, imports: Iterable[Import], language: str, files: ImportableFiles
) -> Iterator[tuple[Import, list[str]]]:
    """Each import with the files that it leads to; none for a language that is not known here."""
    if language not in RESOLVERS:
        return
    resolver = RESOLVERS[language](path, _OneLook(files))
    for each in imports:
        yield each, resolver.find(each)


class _OneLook:
    """The project as one file's imports see it: no file is looked for twice, and the listing is asked for once.

    Where folders can be listed, a file is looked for only if its name is there. So thousands of imports that lead
    nowhere cost one look at each folder that exists, and not one at each place where a file might be.
    """

    def __init__(self, files: ImportableFiles) -> None:
        self.listing = cache(files.listing)
        self.remembered = getattr(files, "remembered", {})
        self._look = cache(files.exists)
        self._read = cache(files.read)
        self._names_in = files.names_in if isinstance(files, ConfinedFiles) and files.lists_folders else None
        self._folders: dict[str, frozenset[str]] = {}
        self._stems: dict[str, frozenset[str]] = {}

    def exists(self, path: str) -> bool:
        """Whether a regular file is there and may be read."""
        return self._may_be_there(path) and self._look(path)

    def read(self, path: str) -> bytes | None:
        """Its bytes; None when it is missing, refused or too large."""
        return self._read(path) if self._may_be_there(path) else None

    def may_lead(self, place: str) -> bool:
        """Whether a folder has any name that begins as the last of a place does, up to the first dot.

        Where it has none, no ending need be tried on the place, and no file below it.
        """
        if self._names_in is None:
            return True
        folder, _, name = place.rpartition("/")
        stems = self._stems.get(folder)
        if stems is None:
            names = self._names(folder, self._names_in)
            stems = self._stems[folder] = frozenset(each.partition(".")[0] for each in names) if names else NO_NAMES
        return name.partition(".")[0].casefold() in stems

    def _may_be_there(self, path: str) -> bool:
        """Whether a folder that is there has the name, whatever its case, as some file systems compare them."""
        if self._names_in is None:
            return True
        folder, _, name = path.rpartition("/")
        names = self._folders.get(folder)
        if names is None:
            names = self._names(folder, self._names_in)
        return name in names or name.casefold() in names

    def _names(self, folder: str, names_in: "Callable[[str], Sequence[str]]") -> frozenset[str]:
        """The names in a folder; none, without a look, where one of the folders above it lacks the next."""
        missing: list[str] = []
        while folder not in self._folders and folder:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        names = self._folders.get(folder)
        if names is None:
            names = self._folders[folder] = _compared(names_in(folder))
        for below in reversed(missing):
            name = below.rpartition("/")[2]
            is_there = name in ("", ".", "..") or name.casefold() in names
            names = self._folders[below] = _compared(names_in(below)) if is_there else NO_NAMES
        return names


NO_NAMES: frozenset[str] = frozenset()


def _compared(names: Sequence[str]) -> frozenset[str]:
    return frozenset(map(str.casefold, names))

"""Which files of the project the imports of a file lead to, and which lead outside."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple, Protocol

from fieldguide.source_code.imports.c_includes import IncludeResolver
from fieldguide.source_code.imports.csharp import CSharpResolver
from fieldguide.source_code.imports.go import GoResolver
from fieldguide.source_code.imports.javascript import JavaScriptResolver
from fieldguide.source_code.imports.jvm import JvmResolver
from fieldguide.source_code.imports.php import PhpResolver
from fieldguide.source_code.imports.project import ProjectFiles
from fieldguide.source_code.imports.python import PythonResolver
from fieldguide.source_code.imports.ruby import RubyResolver
from fieldguide.source_code.imports.rust import RustResolver
from fieldguide.source_code.imports.written import Import


class Resolution(NamedTuple):
    """Where the imports of a file lead, each once, in the order of first import."""

    internal: list[str]
    """Paths of files of the project; never the file itself."""
    external: list[str]
    """What is written for everything else: standard library, packages, and files that are not there."""


class Resolver(Protocol):
    """The imports of one file, asked one by one."""

    def find(self, each: Import) -> list[str]:
        """The files that an import leads to; none when it leads outside."""
        ...


RESOLVERS: dict[str, Callable[[str, ProjectFiles], Resolver]] = {
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


def resolve_imports(path: str, imports: Iterable[Import], language: str, files: ProjectFiles) -> Resolution:
    """The imports of the file at a normal path relative to the project's root, resolved."""
    internal: dict[str, None] = {}
    external: dict[str, None] = {}
    for each, found in lead_of(path, imports, language, files):
        internal.update(dict.fromkeys(found))
        if not found:
            external[each.text] = None
    internal.pop(path, None)
    return Resolution(list(internal), list(external))


def lead_of(
    path: str, imports: Iterable[Import], language: str, files: ProjectFiles
) -> Iterator[tuple[Import, list[str]]]:
    """Each import with the files that it leads to; none for a language that is not known here."""
    if language not in RESOLVERS:
        return
    resolver = RESOLVERS[language](path, _OneLook(files))
    for each in imports:
        yield each, resolver.find(each)


class _OneLook:
    """The project as one file's imports see it: no file is looked for twice, and the listing is asked for once."""

    def __init__(self, files: ProjectFiles) -> None:
        self.read = files.read
        self.exists = cache(files.exists)
        self.listing = cache(files.listing)
        self.remembered = getattr(files, "remembered", {})

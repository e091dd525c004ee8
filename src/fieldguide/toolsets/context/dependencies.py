"""What a file imports, with the files of the project that it leads to; what was parsed and listed is kept."""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.toolsets.context.files import FileList

if TYPE_CHECKING:
    from fieldguide.source_code.imports import ConfinedFiles, ImportReader

LARGEST_BYTES = 1 << 20
MOST_DEPENDENCIES = 50
NO_DEPENDENCIES: Mapping[str, Any] = {"dependencies": []}


class Dependencies:
    """Finds the imports of files; the parser is imported by the first call that asks for them."""

    def __init__(self, project: ConfinedFolder, files: FileList) -> None:
        self._project = project
        self._files = files
        self._lock = threading.Lock()
        self._made: tuple[ImportReader, ConfinedFiles] | None = None

    def of(self, path: str, text: str, language: str | None) -> Mapping[str, Any]:
        """The project's files that a file imports, each with its content, and what lies outside of the project."""
        if language is None:
            return NO_DEPENDENCIES
        from fieldguide.source_code.imports import SyntaxProblem, resolve_imports

        reader, files = self._ready()
        try:
            imports = reader.read(text, language)
        except SyntaxProblem as error:
            details = f"Syntax error at line {error.line}"
            raise Refusal("Failed to parse imports", path=path, details=details) from error
        resolution = resolve_imports(path, imports, language, files)
        listed = [self._dependency(each) for each in resolution.internal[:MOST_DEPENDENCIES]]
        return {"dependencies": listed, **({"external": list(resolution.external)} if resolution.external else {})}

    def _ready(self) -> "tuple[ImportReader, ConfinedFiles]":
        with self._lock:
            if self._made is None:
                from fieldguide.source_code.imports import ConfinedFiles, ImportReader

                self._made = ImportReader(), ConfinedFiles(self._project, self._files.paths)
            return self._made

    def _dependency(self, path: str) -> Mapping[str, Any]:
        item = {"path": path, "type": "import", "level": 1}
        try:
            return {**item, "content": self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8")}
        except (Refusal, UnicodeDecodeError):
            return item

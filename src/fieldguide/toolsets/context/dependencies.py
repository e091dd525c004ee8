"""What a file imports, with the files of the project that it leads to; what was parsed and listed is kept.

Each is given with its content while the whole answer fits its budget, and by its outline beyond that.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.lines import count_lines, without_end
from fieldguide.errors import Refusal
from fieldguide.source_code.languages import language_of
from fieldguide.spine.answers.citations import cited, hash_of_text
from fieldguide.spine.answers.tokens import count_tokens, fits
from fieldguide.toolsets.context.tree.files import FileList

if TYPE_CHECKING:
    from fieldguide.source_code.imports import ConfinedFiles, ImportReader
    from fieldguide.source_code.outlines import Declared

LARGEST_BYTES = 1 << 20
MOST_DEPENDENCIES = 50
MOST_KEPT = 500
OUTLINE_TOKENS = 300  # kept free for each dependency that comes after one with its content
NO_DEPENDENCIES: Mapping[str, Any] = {"dependencies": []}


class Dependencies:
    """Finds the imports of files; the parser is imported by the first call that asks for them."""

    def __init__(self, project: ConfinedFolder, files: FileList) -> None:
        self._project = project
        self._files = files
        self._lock = threading.Lock()
        self._made: tuple[ImportReader, ConfinedFiles] | None = None
        self._outlines: dict[tuple[str, int], list[Declared]] = {}

    def of(self, path: str, text: str, language: str | None, most: int) -> Mapping[str, Any]:
        """The project's files that a file imports, in so many tokens, and what lies outside of the project."""
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
        external = {"external": list(resolution.external)} if resolution.external else {}
        left = most - count_tokens(_written(external))
        return {**self._listed(resolution.internal[:MOST_DEPENDENCIES], left), **external}

    def _ready(self) -> "tuple[ImportReader, ConfinedFiles]":
        with self._lock:
            if self._made is None:
                from fieldguide.source_code.imports import ConfinedFiles, ImportReader

                self._made = ImportReader(), ConfinedFiles(self._project, self._files.paths)
            return self._made

    def _listed(self, paths: Sequence[str], left: int) -> dict[str, Any]:
        """Every dependency: with its content where that leaves room for the others, else with its outline."""
        items: list[Mapping[str, Any]] = []
        outlined = 0
        for number, path in enumerate(paths):
            others = len(paths) - number - 1
            item: Mapping[str, Any] = {"path": path, "type": "import", "level": 1}
            text = self._text(path)
            if text is not None:
                item = {**item, "citation": _cited(path, text)}
                whole = {**item, "content": text}
                is_given = fits(_written(whole), left - others * OUTLINE_TOKENS)
                item = whole if is_given else {**item, **self._outlined(path, text, left // (others + 1))}
                outlined += not is_given
            left -= count_tokens(_written(item))
            items.append(item)
        return {"dependencies": items, **_said(outlined, len(paths))}

    def _text(self, path: str) -> str | None:
        try:
            return self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8")
        except (Refusal, UnicodeDecodeError):
            return None

    def _outlined(self, path: str, text: str, most: int) -> dict[str, Any]:
        """What a file declares; where that does not fit, what it declares at its top, and of that the first."""
        declared = self._outline(path, text)
        top = [each for each in declared if not each.signature.startswith(" ")]
        for entries in (declared, top):
            told = {"outline": [_line(each) for each in entries]}
            if fits(_written(told), most):
                return told
        kept: list[str] = []
        for each in top:
            most -= count_tokens(_written([_line(each)]))
            if most < 0:
                break
            kept.append(_line(each))
        return {"outline": kept, "outlineOmitted": len(declared) - len(kept)}

    def _outline(self, path: str, text: str) -> "list[Declared]":
        from fieldguide.source_code.outlines import outline_of

        key = (path, hash(text))
        if key not in self._outlines:
            if len(self._outlines) >= MOST_KEPT:
                self._outlines.clear()
            self._outlines[key] = outline_of(text, language_of(path))
        return self._outlines[key]


def _cited(path: str, text: str) -> str:
    """The citation of a whole file, which is UTF-8."""
    return cited(path, 1, max(count_lines(text), 1), hash_of_text(without_end(text)))


def _line(declared: "Declared") -> str:
    return f"L{declared.line}-L{declared.end_line}: {declared.signature}"


def _said(outlined: int, of: int) -> dict[str, Any]:
    if not outlined:
        return {}
    note = f"{outlined} of {of} dependencies do not fit with their content: they have their `outline` instead."
    return {"dependenciesNote": f"{note} Read one by its path, or some of its lines as `path#L30-L39`."}


def _written(value: Any) -> str:
    """A part of the answer as it is written there, with what it is indented by."""
    return "    ".join(json.dumps(value, ensure_ascii=False, indent=2).splitlines(keepends=True))

"""The imports of a source text in any language that is known here, parsed once for each content."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any

from fieldguide.source_code.imports import c_includes, csharp, go, javascript, jvm, php, python, ruby, rust
from fieldguide.source_code.imports.syntax import Grammar, find_imports
from fieldguide.source_code.imports.written import Import
from fieldguide.source_code.parser_process import in_child
from fieldguide.source_code.syntax_problem import SyntaxProblem

KEPT_FILES = 2_000


def _parsed_by(grammar: Grammar) -> Callable[[str], list[Import]]:
    return partial(find_imports, grammar=grammar)


def _read_javascript(text: str) -> list[Import]:
    """JavaScript, which is often annotated with types (Flow): then TypeScript's grammar knows better."""
    try:
        return find_imports(text, javascript.grammar("javascript"))
    except SyntaxProblem:
        try:
            return find_imports(text, javascript.grammar("tsx"))
        except SyntaxProblem:
            pass
        raise


READERS: dict[str, Callable[[str], list[Import]]] = {
    "c": c_includes.read_includes,
    "cpp": c_includes.read_includes,
    "csharp": _parsed_by(csharp.GRAMMAR),
    "cuda": c_includes.read_includes,
    "go": _parsed_by(go.GRAMMAR),
    "java": _parsed_by(jvm.JAVA),
    "javascript": _read_javascript,
    "kotlin": _parsed_by(jvm.KOTLIN),
    "objective-c": c_includes.read_includes,
    "php": _parsed_by(php.GRAMMAR),
    "python": _parsed_by(python.GRAMMAR),
    "ruby": _parsed_by(ruby.GRAMMAR),
    "rust": _parsed_by(rust.GRAMMAR),
    "svelte": _parsed_by(javascript.grammar("typescript", prepare=javascript.scripts_only)),
    "tsx": _parsed_by(javascript.grammar("tsx")),
    "typescript": _parsed_by(javascript.grammar("typescript")),
    "vue": _parsed_by(javascript.grammar("typescript", prepare=javascript.scripts_only)),
}


def read_imports(text: str, language: str) -> list[Import]:
    """What a source text imports, in its order; nothing for a language that is not known here."""
    if language not in READERS or not text.strip():
        return []
    told = in_child(f"{__name__}:told_imports", text, language)
    if told is None or isinstance(told, int):
        raise SyntaxProblem(told or 1)
    return [Import(text, line, is_relative, word, tuple(names), scope)
            for text, line, is_relative, word, names, scope in told]  # fmt: skip


def parse_imports(text: str, language: str) -> list[Import]:
    """The same, in this process: for a parser process, which has the text already."""
    read = READERS.get(language)
    return read(text) if read else []


def told_imports(text: str, language: str) -> list[Any] | int:
    """The same as plain data; a syntax problem is its line."""
    try:
        return [[*each] for each in parse_imports(text, language)]
    except SyntaxProblem as problem:
        return problem.line


class ImportReader:
    """Reads imports and remembers them by content (S3-40), the most recently used ones."""

    def __init__(self, kept_files: int = KEPT_FILES) -> None:
        self._kept_files = kept_files
        self._lock = Lock()
        self._known: OrderedDict[bytes, tuple[Import, ...] | int] = OrderedDict()

    def read(self, text: str, language: str) -> list[Import]:
        """The imports of a text as `read_imports` finds them; a syntax problem is remembered too."""
        key = blake2b(
            text.encode("utf-8", errors="surrogatepass"), digest_size=16, person=language.encode()[:16]
        ).digest()
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        if known is None:
            known = self._remember(key, _outcome(text, language))
        if isinstance(known, int):
            raise SyntaxProblem(known)
        return list(known)

    def _remember(self, key: bytes, outcome: tuple[Import, ...] | int) -> tuple[Import, ...] | int:
        with self._lock:
            self._known[key] = outcome
            while len(self._known) > self._kept_files:
                self._known.popitem(last=False)
        return outcome


def _outcome(text: str, language: str) -> tuple[Import, ...] | int:
    try:
        return tuple(read_imports(text, language))
    except SyntaxProblem as problem:
        return problem.line

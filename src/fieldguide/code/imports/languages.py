"""Reads the imports of a text in any supported language, and resolves them to files of the project."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from fieldguide.code.imports import c_go_rust, java_kotlin_csharp, javascript, python_php_ruby
from fieldguide.code.imports.project_files import ConfinedFiles, ImportableFiles
from fieldguide.code.imports.syntax import Grammar, Import, find_imports, take_import
from fieldguide.code.parsing import SyntaxProblem
from fieldguide.files.parser_process import run_in_child
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Kept = TypeVar("Kept")


class ImportResolver(Protocol):
    """The imports of one file, asked one by one."""

    def find(self, each: Import) -> list[str]:
        """The files that an import leads to; none when it leads outside."""
        ...


class ImportLanguage(NamedTuple):
    """How the imports of one language are read, and what finds where they lead."""

    resolver: Callable[[str, ImportableFiles], ImportResolver]
    grammars: tuple[Grammar, ...] = ()
    """Those after the first are for texts that it can't parse; none where imports are lines of a preprocessor."""


INCLUDES = ImportLanguage(c_go_rust.IncludeResolver)
JAVASCRIPT = javascript.make_grammar("javascript")
TYPESCRIPT = javascript.make_grammar("typescript")
TSX = javascript.make_grammar("tsx")
COMPONENT = javascript.make_grammar("typescript", prepare=javascript.blank_markup)
LANGUAGES = {
    "c": INCLUDES,
    "cpp": INCLUDES,
    "csharp": ImportLanguage(java_kotlin_csharp.CSharpResolver, (java_kotlin_csharp.CSHARP_GRAMMAR,)),
    "cuda": INCLUDES,
    "go": ImportLanguage(c_go_rust.GoResolver, (c_go_rust.GO_GRAMMAR,)),
    "java": ImportLanguage(java_kotlin_csharp.JvmResolver, (java_kotlin_csharp.JAVA,)),
    "javascript": ImportLanguage(javascript.JavaScriptResolver, (JAVASCRIPT, TSX)),  # it may have types (Flow)
    "kotlin": ImportLanguage(java_kotlin_csharp.JvmResolver, (java_kotlin_csharp.KOTLIN,)),
    "objective-c": INCLUDES,
    "php": ImportLanguage(python_php_ruby.PhpResolver, (python_php_ruby.PHP_GRAMMAR,)),
    "python": ImportLanguage(python_php_ruby.PythonResolver, (python_php_ruby.PYTHON_GRAMMAR,)),
    "ruby": ImportLanguage(python_php_ruby.RubyResolver, (python_php_ruby.RUBY_GRAMMAR,)),
    "rust": ImportLanguage(c_go_rust.RustResolver, (c_go_rust.RUST_GRAMMAR,)),
    "svelte": ImportLanguage(javascript.JavaScriptResolver, (COMPONENT,)),
    "tsx": ImportLanguage(javascript.JavaScriptResolver, (TSX,)),
    "typescript": ImportLanguage(javascript.JavaScriptResolver, (TYPESCRIPT,)),
    "vue": ImportLanguage(javascript.JavaScriptResolver, (COMPONENT,)),
}


def read_imports(text: str, language: str) -> list[Import]:
    """What a source text imports, in its order; nothing for a language that is not known here."""
    if language not in LANGUAGES or not text.strip():
        return []
    told = run_in_child(f"{__name__}:parse_imports_as_data", text, language)
    if told is None or isinstance(told, int):
        raise SyntaxProblem(told or 1)
    return [take_import(row) for row in told]


def parse_imports(text: str, language: str) -> list[Import]:
    """The same, in this process: for a parser process, which has the text already."""
    if language not in LANGUAGES or not text.strip():
        return []
    grammars = LANGUAGES[language].grammars
    if not grammars:
        return c_go_rust.read_includes(text)
    try:
        return find_imports(text, grammars[0])
    except SyntaxProblem:
        for other in grammars[1:]:
            with suppress(SyntaxProblem):
                return find_imports(text, other)
        raise


def parse_imports_as_data(text: str, language: str) -> list[Any] | int:
    """The same as plain data; a syntax problem is its line."""
    try:
        return [[*each] for each in parse_imports(text, language)]
    except SyntaxProblem as problem:
        return problem.line


class RecentItems(Generic[Kept]):
    """The things that were asked for last, by a key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Any, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any, make: Callable[[], Kept]) -> Kept:
        """What is kept, or else is made now."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made

    def forget(self, key: Any) -> None:
        """Keep it no longer."""
        with self._lock:
            self._kept.pop(key, None)


KEPT_FILES = 2_000


class ImportReader:
    """Reads imports and remembers them by content (S3-40), the most recently used ones."""

    def __init__(self, kept_files: int = KEPT_FILES) -> None:
        self._known: RecentItems[tuple[Import, ...] | int] = RecentItems(kept_files)

    def read(self, text: str, language: str) -> list[Import]:
        """The imports of a text as `read_imports` finds them; a syntax problem is remembered too."""
        content = text.encode("utf-8", errors="surrogatepass")
        key = blake2b(content, digest_size=16, person=language.encode()[:16]).digest()
        known = self._known.get(key, lambda: _outcome(text, language))
        if isinstance(known, int):
            raise SyntaxProblem(known)
        return list(known)


def _outcome(text: str, language: str) -> tuple[Import, ...] | int:
    try:
        return tuple(read_imports(text, language))
    except SyntaxProblem as problem:
        return problem.line


LONGEST_IMPORT = 300
LAST_NAME = re.compile(r"(\w+)(?:\s+as\s+(\w+))?\s*;?\s*$")
PYTHON_NAME = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")
SCRIPT_NAME = re.compile(r"\b(?:type\s+)?([\w$]+)(?:\s+as\s+|\s*:\s*)?([\w$]+)?")
SCRIPT_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from\b)")
SCRIPT_WHOLE = re.compile(r"\*\s*as\s+([\w$]+)")
BRACES = re.compile(r"\{([^{}]*)\}")
REQUIRED = re.compile(
    r"""^([\w$]+|\{[^{}]*\})\s*(?::[^=]*)?=\s*(?:await\s+)?(?:require|import)\(\s*["'`]([^"'`]+)["'`]"""
)


class ImportedName(NamedTuple):
    """An import: every name that it may be known by, as written first, and its line."""

    names: tuple[str, ...]
    line: int


def read_imported(text: str, language: str | None, root: "SgNode | None") -> list[ImportedName]:
    """Everything that is imported, also from a text that does not parse as a whole."""
    return [ImportedName(_names(each), each.line) for each in _imports(text, language, root)]


def read_aliases(text: str, language: str | None, root: "SgNode | None") -> Mapping[str, tuple[str, ...]]:
    """The names that a text knows imported things by, and what they are called where they come from."""
    aliases: dict[str, tuple[str, ...]] = {}
    grammar = find_import_grammar(language)
    if grammar is None or root is None:
        return aliases
    for statement in root.find_all(any=cast(Any, grammar.rules)):
        written = statement.text()
        if len(written) <= LONGEST_IMPORT * 10:
            aliases.update(_renamed(statement, written, language or ""))
    return aliases


def find_import_grammar(language: str | None) -> Grammar | None:
    """How a language writes imports; None where that is not known, or not told by a tree."""
    known = LANGUAGES.get(language or "", INCLUDES)
    return known.grammars[0] if known.grammars else None


def _imports(text: str, language: str | None, root: "SgNode | None") -> list[Import]:
    grammar = find_import_grammar(language)
    if grammar is None or root is None:
        try:
            return parse_imports(text, language) if language in ("c", "cpp") else []
        except SyntaxProblem:
            return []
    statements = root.find_all(any=cast(Any, grammar.rules))
    return [each for node in statements for each in grammar.read(node) if len(each.text) <= LONGEST_IMPORT]


def _names(each: Import) -> tuple[str, ...]:
    joint = "" if each.text.endswith(".") else "."
    names = each.names if each.keyword == "from" else ()
    return (each.text, *(f"{each.text}{joint}{name}" for name in names))


def _renamed(statement: "SgNode", written: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if language == "python":
        return _renamed_in_python(" ".join(written.split()))
    if language in ("javascript", "typescript", "tsx"):
        return _renamed_in_script(statement, " ".join(written.split()))
    if language == "go":
        return _renamed_in_go(statement)
    return _renamed_by_last_name(written)


def _renamed_in_python(written: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    before, _, names = written.partition("import ")
    module = before.removeprefix("from ").strip()
    for match in PYTHON_NAME.finditer(names):
        name = match.group(1)
        alias = match.group(2)
        if module:
            yield alias or name, (f"{module}.{name}",)
        elif alias:
            yield alias, (name,)


def _renamed_in_script(statement: "SgNode", written: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if statement.kind() == "call_expression":
        yield from _required(statement)
        return
    source = statement.field("source")
    module = source.text().strip("'\"").removeprefix("node:") if source else ""
    if not module or statement.kind() != "import_statement":
        return
    for whole in (SCRIPT_DEFAULT.search(written), SCRIPT_WHOLE.search(written)):
        if whole:
            yield whole.group(1), (module,)
    yield from _picked(BRACES.search(written), module)


def _required(call: "SgNode") -> Iterator[tuple[str, tuple[str, ...]]]:
    """`const { exec: run } = require("child_process")`, from the declaration around the call."""
    above = call.parent()
    above = above.parent() if above and above.kind() == "await_expression" else above
    match = REQUIRED.match(" ".join(above.text().split())) if above and above.kind() == "variable_declarator" else None
    if match is None:
        return
    module = match.group(2).removeprefix("node:")
    if match.group(1)[0] == "{":
        yield from _picked(BRACES.match(match.group(1)), module)
    else:
        yield match.group(1), (module,)


def _picked(braces: re.Match[str] | None, module: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for each in braces.group(1).split(",") if braces else ():
        match = SCRIPT_NAME.match(each.strip())
        if match:
            yield match.group(2) or match.group(1), (f"{module}.{match.group(1)}",)


def _renamed_in_go(statement: "SgNode") -> Iterator[tuple[str, tuple[str, ...]]]:
    for spec in statement.find_all(kind="import_spec"):
        path = spec.field("path")
        name = spec.field("name")
        module = path.text().strip('"`') if path else ""
        last = module.rpartition("/")[2]
        if module:
            yield name.text() if name else last, tuple(dict.fromkeys((last, module)))


def _renamed_by_last_name(written: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`import a.b.C as D`, `use a::b::c;`: known by the last name; a static import also by its class."""
    match = LAST_NAME.search(written)
    path = re.sub(r"^\s*(?:pub\s+)?(?:import|use|using)\s+(?:static\s+)?", "", written[: match.end(1)]) if match else ""
    if match is None or not re.fullmatch(r"[\w.:\\\s]+", path):
        return
    dotted = re.sub(r"\s+", "", path).replace("::", ".").replace("\\", ".").strip(".")
    yield match.group(2) or match.group(1), tuple(dict.fromkeys((dotted, ".".join(dotted.split(".")[-2:]))))


class Resolution(NamedTuple):
    """Where the imports of a file lead, each once, in the order of first import."""

    internal: list[str]
    """Paths of files of the project; never the file itself."""
    external: list[str]
    """What is written for everything else: standard library, packages, and files that are not there."""


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
    if language not in LANGUAGES:
        return
    resolver = LANGUAGES[language].resolver(path, _OneLook(files))
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

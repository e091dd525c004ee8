"""Makes documents for the index out of a project's files: chooses text files and cuts them, and reads source files.

A source file is read in one request to a parser process: chunks, vectors, imports and symbols, from one tree. If the
process had to be ended, each is tried alone, so that a hostile file costs no more than what it breaks.

A text is read line by line: some lines are the head of a block, at a level. It is divided at the heads of its
outermost level; what is still too long at those of the next, a few levels deep, and then between any lines. Small
neighbours are joined. Nothing is parsed, so broken and hostile files cost no more than others.

A kind that makes up a large part of a project is its code: stylesheets of a CSS framework, scripts of a shell tool.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple

from fieldguide.code.imports.graph import ListedFiles, keep_imports, read_file_imports
from fieldguide.code.imports.languages import parse_imports
from fieldguide.code.imports.syntax import Import, take_import
from fieldguide.code.parsing import share_trees
from fieldguide.code.symbols.facts import PackedFacts
from fieldguide.code.symbols.index import keep_symbols
from fieldguide.code.symbols.readers.walk import is_read, parse_packed, take_packed
from fieldguide.files import kinds
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import (
    GENERATED,
    IMPLEMENTATION,
    MARKUP,
    SHELL,
    SQL,
    STYLE,
    TEMPLATE,
    VENDORED,
    classify_text_file,
    find_role,
    find_text_kind,
    is_code,
    is_generated,
    is_indexed_text,
    is_original,
    language_of,
    most_bytes,
    most_chunks,
)
from fieldguide.files.parser_process import run_in_child, works_ahead
from fieldguide.search.backlog import KeptAnswers, SourceFile, is_shipped_model, prepare_chunks, take_prepared
from fieldguide.search.chunking import AIM, LONGEST_LINE, MOST, MOST_CHUNKS
from fieldguide.search.embedding import Embedder
from fieldguide.search.ranking import MARK_LEVEL
from fieldguide.search.types import Chunk, NewDocument
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal, ToolFailed
from fieldguide.text.windows import decode_readable, split_lines, strip_line_end
from fieldguide.toolsets.context.code_chunking import CodePiece, chunk_code, parse_pieces, trim_blank_lines

DEEPEST = 6
LEAST = 200  # characters: less above a first block is no piece of its own
LOOKED_AT = 300  # characters of a line
LONGEST_NAME = 80
LOOKED_AHEAD = 12  # lines of a YAML document that may say what it is
COMMENTS = ("#", "//", "--", "/*", "<!--", "*", ";", "{#", "{{/*")
OPENED = frozenset(("jobs", "services", "scripts"))  # what is in these is asked for one by one

WORD = re.compile(r"\w")
KEY = re.compile(r"""\s*(?:-\s+)?["']?([\w.$/@ -]{1,80}?)["']?\s*:(?:\s|$|\{|\[|")""")
ITEM = re.compile(r"""\s*-\s+(?:\{?\s*["']?(?:name|id|uses|key|title|job)["']?\s*:\s*)?["']?([\w.$/@ -]{1,60})""")
YAML_NAME = re.compile(r"""\s*(?:kind|name)\s*:\s*["']?([\w.-]{1,60})""")
SECTION = re.compile(r"\s*\[\[?\s*([^\]]{1,80}?)\s*\]\]?\s*(?:[#;].*)?$")
BRACED = re.compile(r"\s*([\w.~^/*$\" -]{1,80}?)\s*[({]\s*$")
ENTRY = re.compile(r"""\s*(?:msgid\s+|"|)([^=:"]{1,80}?)["\s]*(?:[=:]|$)""")
TAG = re.compile(r"\s*<([A-Za-z][\w:.-]{0,60})")
NAMING = re.compile(r"""\b(?:id|name|x:Name|fx:id|key|th:fragment)\s*=\s*["']([\w:.-]{1,60})["']""")
BLOCK = re.compile(
    r"""\s*(?:\{\{?[%{]?-?\s*#?>?|@|<%[-=]?|<#)\s*"""
    r"""(?:block|macro|define|section|yield|include|template|partial|component|extends|content_for|call)\b"""
    r"""[\s("':]*([\w./-]{0,60})"""
)
STATEMENT = re.compile(
    r"(?i)\s*(?:create|alter|drop|insert|update|delete|select|with|grant|comment|set|begin|do|merge|truncate|copy)\b"
)
STATEMENT_NAME = re.compile(
    r"(?i)\s*(?:create|alter|drop|comment\s+on|insert|delete|update|truncate)\s+(?:or\s+replace\s+)?"
    r"(?:temp(?:orary)?\s+|unique\s+|materialized\s+|into\s+|from\s+)*"
    r"(?:table|view|index|function|procedure|trigger|type|schema|sequence|policy|extension|database)?\s*"
    r"(?:concurrently\s+)?(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?[\"`\[]?([\w.]{1,80})"
)
CALL = re.compile(r"([A-Za-z_]\w{0,60})\s*\(\s*([\w.${}-]{0,60})")
TARGET = re.compile(r"@?([\w./%$(){}-]{1,80})[^:=\n]{0,200}:(?:[^=]|$)|define\s+(\w+)")
STAGE = re.compile(r"(?i)FROM\s+(?:--\S+\s+)?(\S{1,120})(?:\s+AS\s+([\w.-]{1,60}))?")
INSTRUCTION = re.compile(r"[A-Z]{2,12}\s")


class BlockHead(NamedTuple):
    """A line, counted from 0, that opens a block: at which level, and what the block is called."""

    line: int
    level: int
    name: str


def chunk_text(text: str, form: str, most: int) -> list[Chunk]:
    """The first chunks of a text file in its order, at most so many."""
    lines = split_lines(text)
    heads = [each._replace(name=each.name.strip()[:LONGEST_NAME]) for each in HEADS[form](lines)]
    chunks: list[Chunk] = []
    for piece in TextDivision(lines, heads).pieces():
        start, end = trim_blank_lines(piece.start, piece.end, lines)
        content = strip_line_end("".join(lines[start:end]))
        if not WORD.search(content):
            continue
        for at in range(0, len(content), LONGEST_LINE):
            chunks.append(Chunk(content[at : at + LONGEST_LINE], piece.names, start + 1, end))
            if len(chunks) == most:
                return chunks
    return chunks


class TextDivision:
    """Divides lines at heads, outermost first; each line is looked at once for every level, of which there are few."""

    def __init__(self, lines: Sequence[str], heads: Sequence[BlockHead]) -> None:
        self._lines = lines
        self._heads = [head._replace(line=_with_comments(lines, head.line)) for head in heads]
        self._sizes = [0, *accumulate(map(len, lines))]

    def pieces(self) -> list[CodePiece]:
        """All lines, each in one piece."""
        return [*self._divided(CodePiece(0, len(self._lines), ()), self._heads, 0)]

    def _divided(self, whole: CodePiece, heads: Sequence[BlockHead], depth: int) -> Iterator[CodePiece]:
        if depth == DEEPEST or not heads:
            yield from self._cut(whole)
            return
        waiting: CodePiece | None = None
        for piece, inner in self._blocks(whole, heads):
            is_long = self._size(piece) > MOST or (piece.names[-1:] and piece.names[-1] in OPENED)
            if waiting is not None and (is_long or self._sizes[piece.end] - self._sizes[waiting.start] > AIM):
                yield waiting
                waiting = None
            if is_long:
                yield from self._divided(piece, inner, depth + 1)
            else:
                waiting = piece if waiting is None else CodePiece(waiting.start, piece.end, whole.names)
        if waiting is not None:
            yield waiting

    def _blocks(self, whole: CodePiece, heads: Sequence[BlockHead]) -> Iterator[tuple[CodePiece, Sequence[BlockHead]]]:
        """The blocks of the outermost level within some lines, each with the heads within it."""
        level = min(head.level for head in heads)
        outer = [place for place, head in enumerate(heads) if head.level == level]
        starts = [max(heads[place].line, whole.start) for place in outer]
        if self._sizes[starts[0]] - self._sizes[whole.start] < LEAST:
            starts[0] = whole.start  # a line or two above the first block belong to it
        if starts[0] > whole.start:
            yield CodePiece(whole.start, starts[0], whole.names), heads[: outer[0]]
        places = zip(outer, [*outer[1:], len(heads)], starts, [*starts[1:], whole.end], strict=True)
        for place, next_place, start, end in places:
            name = heads[place].name
            if end > start:
                yield (
                    CodePiece(start, end, (*whole.names, name) if name else whole.names),
                    heads[place + 1 : next_place],
                )

    def _cut(self, piece: CodePiece) -> Iterator[CodePiece]:
        start = piece.start
        if self._size(piece) > MOST:
            for number in range(piece.start, piece.end):
                if number > start and self._sizes[number + 1] - self._sizes[start] > AIM:
                    yield CodePiece(start, number, piece.names)
                    start = number
        yield CodePiece(start, piece.end, piece.names)

    def _size(self, piece: CodePiece) -> int:
        return self._sizes[piece.end] - self._sizes[piece.start]


def _with_comments(lines: Sequence[str], line: int) -> int:
    """Where a block begins with the few lines of comment above its head."""
    first = line
    while first > 0 and line - first < LOOKED_AHEAD and lines[first - 1].lstrip().startswith(COMMENTS):
        first -= 1
    return first


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tree_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    """Keys and list items of YAML and JSON by their indentation; the documents of a YAML stream are above them."""
    for number, line in enumerate(lines):
        if line.startswith("---"):
            names = [*filter(None, map(YAML_NAME.match, lines[number : number + LOOKED_AHEAD]))]
            yield BlockHead(number, -1, " ".join(each.group(1) for each in names[:2]))
        elif found := KEY.match(line[:LOOKED_AT]) or ITEM.match(line[:LOOKED_AT]):
            yield BlockHead(number, _indent(line), found.group(1))


def _entry_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    """Entries of translations and properties; what belongs to an entry is indented, or goes on in quotes."""
    for number, line in enumerate(lines):
        if line[:1].isspace() or (line.startswith(("#", '"', "msgstr", "msgid_plural", "!")) and "=" not in line):
            continue
        if found := ENTRY.match(line[:LOOKED_AT]):
            yield BlockHead(number, 0, found.group(1))


def _tag_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    """Elements by their indentation, and the blocks that a template names."""
    for number, line in enumerate(lines):
        start = line[:LOOKED_AT]
        if found := BLOCK.match(start):
            yield BlockHead(number, _indent(line), found.group(1))
        elif found := TAG.match(start):
            named = NAMING.search(start)
            yield BlockHead(number, _indent(line), named.group(1) if named else found.group(1))


def _rule_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    """Rules by how many braces are open around them."""
    depth = 0
    is_open = True  # whether a new rule may begin: not within a list of selectors
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare and is_open and not bare.startswith(("}", *COMMENTS[3:6])) and (depth == 0 or "{" in bare):
            yield BlockHead(number, depth, bare.partition("{")[0])
        depth = max(depth + line.count("{") - line.count("}"), 0)
        is_open = not bare.endswith(",")


def _statement_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    """Statements of SQL, of which each begins after the semicolon of the one before, and commands of CMake."""
    is_open = True
    quotes = 0
    for number, line in enumerate(lines):
        start = line[:LOOKED_AT]
        if is_open and not quotes % 2 and STATEMENT.match(start):
            named = STATEMENT_NAME.match(start)
            yield BlockHead(number, 0, named.group(1) if named else "")
        elif found := CALL.match(start):
            yield BlockHead(number, 0, found.group(2) or found.group(1))
        if bare := line.strip():
            quotes += line.count("$$")
            is_open = bare.endswith(";") or (is_open and bare.startswith("--"))


def _target_heads(lines: Sequence[str]) -> Iterator[BlockHead]:
    for number, line in enumerate(lines):
        is_head = not line[:1].isspace() and not line.startswith(("#", ".PHONY"))
        if is_head and (found := TARGET.match(line[:LOOKED_AT])):
            yield BlockHead(number, 0, found.group(1) or found.group(2))


def _find_heads(patterns: Sequence[tuple[re.Pattern[str], int, bool]], lines: Sequence[str]) -> Iterator[BlockHead]:
    """Lines that match one of some patterns, each with its level and whether that grows with the indentation."""
    for number, line in enumerate(lines):
        for pattern, level, is_indented in patterns:
            found = pattern.match(line[:LOOKED_AT])
            if found:
                names = [name for name in found.groups() if name]
                yield BlockHead(number, level + is_indented * _indent(line), names[-1] if names else "")
                break


HEADS: dict[str, Callable[[Sequence[str]], Iterator[BlockHead]]] = {
    kinds.TREE: _tree_heads,
    kinds.SECTIONS: partial(_find_heads, ((SECTION, 0, False), (BRACED, 1, True))),
    kinds.ENTRIES: _entry_heads,
    kinds.TAGS: _tag_heads,
    kinds.RULES: _rule_heads,
    kinds.STATEMENTS: _statement_heads,
    kinds.TARGETS: _target_heads,
    kinds.STAGES: partial(_find_heads, ((STAGE, 0, False), (INSTRUCTION, 1, False))),
}


MOST_CHUNKS_OF_KIND = 2_000
LEAST_CHUNKS_OF_FILE = 2
MOST_VENDORED = 1_000  # files of code: with more of them, none is indexed
MAY_BE_CODE = frozenset((SHELL, SQL, STYLE, TEMPLATE, MARKUP))
AT_HOME_SHARE = 0.5  # of the files of code and of a kind together
FEWEST_AT_HOME = 5

Marks = tuple[tuple[int, str, int], ...]


class TextChoice(NamedTuple):
    """The files of text that are indexed, how many chunks each may have, and which kinds are the project's code.

    Where a project has very many vendored files of code, none of them is indexed: so many are `left_out`.
    """

    most: Mapping[str, int]
    at_home: frozenset[str]
    left_out: int = 0

    def takes_code(self, path: str) -> bool:
        """Whether a file is code that is indexed."""
        return is_code(path) and not (self.left_out and find_role(path) == VENDORED)

    def marks(self, path: str) -> Marks:
        """What a file is beside the code; nothing where it lies among tests or examples, or is the code here."""
        kind = find_text_kind(path)
        is_beside = kind and kind not in self.at_home and find_role(path) == IMPLEMENTATION
        return ((MARK_LEVEL, kind, 1),) if is_beside else ()

    def document(self, entry: SourceFile, content: bytes, digest: str) -> NewDocument:
        """A file of text as the index takes it: no more of it than its chunks reach."""
        text = decode_readable(content)
        found = classify_text_file(entry.name)
        most = self.most.get(entry.name, most_chunks(entry.name))
        chunks = chunk_text(text, found.form if found else "", most)
        if len(chunks) == most:
            text = "".join(split_lines(text)[: chunks[-1].end_line])
        return NewDocument(entry.name, entry.name, text, digest, entry.stamp, self.marks(entry.name), chunks)


def choose_text(paths: Iterable[str]) -> TextChoice:
    """Of each kind the files nearest to the project's folder, originals before translations, within its bounds."""
    by_kind: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    vendored = 0
    for path in paths:
        role = find_role(path)
        if is_indexed_text(path):
            by_kind.setdefault(find_text_kind(path), []).append(path)
        if role == IMPLEMENTATION and (is_code(path) or is_indexed_text(path)):
            counts[find_text_kind(path)] += 1
        elif role == VENDORED and is_code(path):
            vendored += 1
    most: dict[str, int] = {}
    for files in by_kind.values():
        most.update(_within_bounds(files))
    return TextChoice(most, find_own_kinds(counts), vendored if vendored > MOST_VENDORED else 0)


def find_own_kinds(counts: Mapping[str, int]) -> frozenset[str]:
    """The kinds that are the project's code, by how many files of each there are; "" counts those of code."""
    code = counts.get("", 0)
    return frozenset(
        kind
        for kind, count in counts.items()
        if kind in MAY_BE_CODE and count >= max(FEWEST_AT_HOME, AT_HOME_SHARE * (code + count))
    )


def read_text(project: ConfinedFolder, path: str) -> bytes | None:
    """The content of a file of text; None for one that is too large, that a program wrote, or is not to be read."""
    try:
        content = project.read(path, limit_bytes=most_bytes(path))
    except Refusal:
        return None
    return None if is_generated(decode_readable(content)) else content


def _within_bounds(files: Sequence[str]) -> dict[str, int]:
    """So many files of one kind, each with how many chunks, that all of them together stay within the bounds."""
    ordered = sorted(files, key=lambda path: (not is_original(path), path.count("/"), path))
    chosen = ordered[: MOST_CHUNKS_OF_KIND // LEAST_CHUNKS_OF_FILE]
    share = MOST_CHUNKS_OF_KIND // len(chosen)
    return {path: min(most_chunks(path), max(share, LEAST_CHUNKS_OF_FILE)) for path in chosen}


MORE_SECONDS = 2.0  # for the start of the model, and because there are several things to read
YES = "yes"
PARSE_FILE = f"{__name__}:parse_file"
LEFT_OUT = "leftOut"


class CodeFacts(NamedTuple):
    """What a file imports, and its packed symbols; None for a language whose symbols are not read."""

    imports: Sequence[Import]
    symbols: PackedFacts | None


def make_code_document(entry: SourceFile, content: bytes, digest: str, choice: TextChoice | None = None) -> NewDocument:
    """A source file as the index takes it, for somebody who waits: nothing else is read of it."""
    text = content.decode("utf-8", errors="replace")
    chunks = _chunk_file(entry.name, text)
    marks = choice.marks(entry.name) if choice else ()
    if is_generated(text):
        marks = ((MARK_LEVEL, GENERATED, 1),)
    return NewDocument(entry.name, entry.name, text, digest, entry.stamp, marks, chunks)


def _chunk_file(
    path: str, text: str, read_pieces: Callable[[str, str | None], list[CodePiece]] | None = None
) -> list[Chunk]:
    as_text = classify_text_file(path)
    if as_text is not None and as_text.form:
        return chunk_text(text, as_text.form, MOST_CHUNKS)
    return chunk_code(text, language_of(path), read_pieces)


class CodeReader:
    """Reads the source files of a project in one pass over them, and keeps what they import and define.

    `paths` are all files of the project. `kept` are the files whose facts were kept.
    """

    def __init__(
        self,
        project: ConfinedFolder,
        namespace: str,
        paths: Sequence[str],
        *,
        embedder: Embedder,
        choice: TextChoice,
        answers: KeptAnswers | None = None,
    ) -> None:
        self.paths = paths
        self._answers = answers
        self.kept: set[str] = set()
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
            return make_code_document(entry, content, digest, self._choice)._replace(is_given_up=True)
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
        if self._answers is not None:
            self._answers.keep(transaction)

    def _ask(self, path: str, text: str) -> dict[str, Any] | None:
        """Everything about a file; None if a process had to be ended for it."""
        wanted = YES if self._is_shipped_model and works_ahead() else None
        ask = run_in_child if self._answers is None else self._answers.ask
        told: dict[str, Any] | None = ask(PARSE_FILE, path, text, wanted, more_seconds=MORE_SECONDS, is_tried_once=True)
        return told


def parse_file(path: str, text: str, has_vectors: str | None) -> dict[str, Any]:
    """Everything about a file as plain data. For a parser process."""
    language = language_of(path)
    with share_trees():
        chunks = _chunk_file(path, text, parse_pieces)
        imports = read_file_imports(path, text, parse_imports)
        symbols = parse_packed(text, language) if language else None
    return {
        "chunks": [[chunk.start_line, chunk.end_line, chunk.headings] for chunk in chunks],
        "is_generated": is_generated(text),
        "imports": imports,
        "symbols": symbols,
        **prepare_chunks(path, chunks, has_vectors=bool(has_vectors)),
    }

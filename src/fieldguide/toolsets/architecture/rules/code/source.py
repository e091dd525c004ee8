"""Source code, parsed once: what every check asks of it, each thing found when it is first asked for."""

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines, without_end
from fieldguide.source_code.damage import broken_node, broken_share
from fieldguide.source_code.names.called import CalledName, read_calls
from fieldguide.source_code.names.defined import Definition, Enclosures, read_definitions
from fieldguide.source_code.names.imported import ImportedName, read_aliases, read_imported
from fieldguide.source_code.names.syntax_kinds import SyntaxKinds, all_syntax_kinds
from fieldguide.source_code.parsing import parsed
from fieldguide.source_code.quiet_text import Span, blanked, only, quiet_spans, scanned_spans
from fieldguide.toolsets.architecture.rules.pattern import Part

if TYPE_CHECKING:
    from ast_grep_py import SgNode

PATH_COMMENT = re.compile(r"\A\s*(?:#|//|/\*+|--)\s*(?:file(?:name)?:\s*)?([\w./\\-]+\.\w{1,5})\b")
MOST_OPENING = 2_000
OTHER_GRAMMARS = {"javascript": ("tsx",), "typescript": ("tsx",)}
WEAK_GRAMMARS = frozenset(("kotlin", "swift", "scala", "ruby", "dart", "haskell", "elixir", "shell", "lua", "zig"))
LONG_LINE = 4_000  # a place in a line is found by counting from its start: 25 µs in a line of 50,000 characters
MOST_NODES_IN_LONG_LINES = 800
MOST_BROKEN_SHARE = 0.2  # above it, an error of a weak grammar is believed


class Position(NamedTuple):
    """A place in the text, counted from 1."""

    line: int
    column: int


class SourceCode:
    """One text in one language, and what its tree says; without a tree only its text can be asked."""

    def __init__(self, text: str, language: str | None, path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.language = language
        self.grammar = language
        self.root = parsed(text, language)
        self._shown: dict[tuple[Part, ...], list[str]] = {}
        self._settle_grammar()

    def _settle_grammar(self) -> None:
        """Types in JavaScript and tags in TypeScript are common; a grammar that takes them is tried then."""
        if self.root is None or self.broken_line is None or not self._may_have_tags_or_types():
            return
        for other in OTHER_GRAMMARS.get(self.language or "", ()):
            root = parsed(self.text, other)
            if root is not None and broken_node(root) is None:
                self.root, self.grammar = root, other
                del self.broken_line

    def _may_have_tags_or_types(self) -> bool:
        """A second parse of 50,000 characters takes 15 ms; TypeScript needs it only for tags."""
        return self.language != "typescript" or "</" in self.text or "/>" in self.text

    @cached_property
    def broken_line(self) -> int | None:
        """The first line that the parser could not make sense of."""
        node = broken_node(self.root) if self.root else None
        if node is None or self.root is None:
            return None
        if self.language in WEAK_GRAMMARS and broken_share(self.root) < MOST_BROKEN_SHARE:
            return None
        return node.range().start.line + 1

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it; such code breaks nothing that is forbidden, in whatever language."""
        return not self.text.strip()

    @cached_property
    def kinds(self) -> SyntaxKinds | None:
        """How the grammar calls things."""
        return all_syntax_kinds().get(self.grammar or "")

    @cached_property
    def nodes(self) -> "dict[str, list[SgNode]]":
        """Every node that a rule may speak of, by its kind, in the order of the text."""
        found: dict[str, list[SgNode]] = {}
        if self.root and self.kinds:
            nodes = self.root.find_all(any=cast(Any, self.kinds.rules))
            for node in nodes[:MOST_NODES_IN_LONG_LINES] if self.has_long_lines else nodes:
                found.setdefault(node.kind(), []).append(node)
        return found

    @cached_property
    def has_long_lines(self) -> bool:
        """Whether a line is so long that only its beginning can be checked in time, as in code made by a minifier."""
        return max(map(len, self.lines), default=0) > LONG_LINE

    @cached_property
    def imports(self) -> list[ImportedName]:
        """What is imported."""
        return read_imported(self.text, self.grammar, self.root)

    @cached_property
    def calls(self) -> list[CalledName]:
        """What is called, in the order of the text."""
        aliases = read_aliases(self.text, self.grammar, self.root)
        return read_calls(self.nodes, self.kinds, aliases) if self.kinds else []

    @cached_property
    def definitions(self) -> list[Definition]:
        """What is defined, in the order of the text."""
        return read_definitions(self.nodes, self.kinds, self.grammar) if self.kinds else []

    @cached_property
    def enclosures(self) -> Enclosures:
        """What lies in what."""
        return Enclosures(self.definitions)

    @cached_property
    def _quiet(self) -> tuple[list[Span], list[Span]]:
        """The comments, and the insides of the strings."""
        if self.kinds is None:
            return scanned_spans(self.text, self.language)
        return quiet_spans(self.text, self.nodes, self.kinds)

    def lines_of(self, parts: tuple[Part, ...]) -> list[str]:
        """The lines of the text with all but some parts of it blanked, so that positions stay."""
        known = self._shown.get(parts)
        if known is None:
            known = self._shown[parts] = self._lines_of(parts)
        return known

    def _lines_of(self, parts: tuple[Part, ...]) -> list[str]:
        if len(set(parts)) == 3:
            return self.lines
        comments, strings = self._quiet
        quiet = [span for part, spans in (("comments", comments), ("strings", strings)) for span in spans
                 if (part in parts) != ("code" in parts)]  # fmt: skip
        shown = blanked(self.text, quiet) if "code" in parts else only(self.text, quiet)
        return [without_end(line) for line in split_lines(shown)]

    @cached_property
    def known_path(self) -> str | None:
        """Where the file lies: as was told, or as its first comment says."""
        said = PATH_COMMENT.findall(self.text[:MOST_OPENING])
        return self.path or (str(said[0]) if said else None)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return [without_end(line) for line in split_lines(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) for line in split_lines(self.text))]

    def position(self, index: int) -> Position:
        """The line and column of a place in the text."""
        line = bisect_right(self._starts, index) - 1
        return Position(line + 1, index - self._starts[line] + 1)

    def start_of_line(self, line: int) -> int:
        """Where a line begins, counted from 1; a line beyond the end begins at the end."""
        return self._starts[min(line, len(self._starts)) - 1]

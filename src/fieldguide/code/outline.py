"""Reads the outline of a source file: its declarations with lines and signatures.

Like every look at foreign text by a grammar this is done in a parser process. A language without a grammar is told by
the lines that begin at the margin.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, parse_tree
from fieldguide.files.parser_process import run_in_child
from fieldguide.text import regex as re

MOST_ENTRIES = 400
LONGEST_SIGNATURE = 200
MOST_VISITED = 20_000
BLANKS = re.compile(r"\s+")
MARGIN = re.compile(r"[A-Za-z_.#$@<\[]")
COMMENTS = ("//", "#!", "# ", "/*", "*", "--", "<!--")
DECLARED = re.compile(
    r"(?:(?:generator_|abstract_|local_|async_)?function_(?:definition|declaration|item|signature|signature_item)"
    r"|(?:abstract_)?class(?:_definition|_declaration|_specifier)?"
    r"|(?:singleton_)?method(?:_definition|_declaration|_signature|_spec|_elem)?"
    r"|abstract_method_signature|constructor_declaration|constructor_signature|init_declaration"
    r"|interface_declaration|protocol_declaration|trait(?:_item|_declaration|_definition)"
    r"|struct(?:_item|_declaration|_specifier|_definition)|enum(?:_item|_declaration|_specifier|_definition)"
    r"|impl_item|mod_item|module|macro_definition|union_item|record_declaration|delegate_declaration"
    r"|object(?:_declaration|_definition)|type_alias(?:_declaration)?|type_item|type_spec|type_definition"
    r"|namespace(?:_declaration|_definition)|file_scoped_namespace_declaration|internal_module"
    r"|contract_declaration|library_declaration|extension_declaration|mixin_declaration"
    r"|const_item|static_item|property_declaration|lexical_declaration|modifier_definition|event_definition)"
)
FUNCTIONS = re.compile(r".*(?:function|method|constructor|init_declaration|signature|macro).*")
WRAPPING = ("decorated_definition", "export_statement")
BODIES = ("body", "block")


class OutlineItem(NamedTuple):
    """Something that a file declares: its lines, counted from 1, and its signature on one line."""

    line: int
    end_line: int
    signature: str


def read_outline(text: str, language: str | None) -> list[OutlineItem]:
    """What a file declares, in its order; the first few hundred."""
    has_tree = language in GRAMMARS and len(text) <= MOST_PARSED
    told = run_in_child(f"{__name__}:parse_outline", text, language) if has_tree else None
    return [OutlineItem(*each) for each in told] if told else list(_at_margin(text))


class EnclosingItem(NamedTuple):
    """What encloses some lines: its lines, counted from 1, and its name with those around it."""

    line: int
    end_line: int
    name: str


def find_enclosing(text: str, language: str | None, lines: tuple[int, int]) -> EnclosingItem | None:
    """The smallest thing that a file declares which holds these lines; comments above it may be among them."""
    if language not in GRAMMARS or len(text) > MOST_PARSED:
        return None
    told = run_in_child(f"{__name__}:parse_enclosing", text, language, *map(str, lines))
    return EnclosingItem(*told) if told else None


def parse_enclosing(text: str, language: str | None, start: str, end: str) -> list[Any]:
    """That, as plain data. For a parser process."""
    first, last = _trimmed(text.split("\n"), int(start) - 1, int(end) - 1)
    found: Any = None
    within: Any = parse_tree(text, language)
    names: list[str] = []
    while within is not None:
        within = _inside(within, first, last)
        kind = "" if within is None else str(within.kind())
        is_wrapper = kind in WRAPPING
        if within is not None and (is_wrapper or DECLARED.fullmatch(kind)):
            found = within
            inner: Any = _declared_child(within)
            names += [] if is_wrapper and _holds(inner, first, last) else _name(inner if is_wrapper else within, text)
    return [] if found is None else [found.range().start.line + 1, found.range().end.line + 1, ".".join(names)]


def _name(node: Any, text: str) -> list[str]:
    named = node.field("name")
    return [str(named.text())[:LONGEST_SIGNATURE]] if named is not None else [_signature(node, text, 0)]


def _inside(node: Any, first: int, last: int) -> Any:
    """The child of a node that holds these lines."""
    return next((child for child in node.children() if child.is_named() and _holds(child, first, last)), None)


def _declared_child(node: Any) -> Any:
    """What a node that wraps something wraps."""
    return next((each for each in node.children() if DECLARED.fullmatch(str(each.kind()))), node)


def _holds(node: Any, first: int, last: int) -> bool:
    span = node.range()
    return bool(span.start.line <= first and span.end.line >= last)


def _trimmed(lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Some lines, counted from 0, without comments before them and blank ones at either end."""
    last = min(last, len(lines) - 1)
    while first < last and (not lines[first].strip() or lines[first].lstrip().startswith(COMMENTS)):
        first += 1
    while last > first and not lines[last].strip():
        last -= 1
    return first, last


def parse_outline(text: str, language: str | None) -> list[Any]:
    """The outline as plain data; none without a tree. For a parser process."""
    root = parse_tree(text, language)
    return [] if root is None else [[*each] for each in _declared(root, text)]


def _declared(root: Any, text: str) -> Iterator[OutlineItem]:
    """The declarations below a node, but not those inside of functions; the tree is walked without recursion."""
    pending: list[tuple[Any, int]] = [(child, 0) for child in reversed(root.children())]
    found = visited = last = 0
    while pending and found < MOST_ENTRIES and visited < MOST_VISITED:
        node, depth = pending.pop()
        visited += 1
        kind = str(node.kind())
        span = node.range()
        line = span.start.line + 1
        is_declared = DECLARED.fullmatch(kind) is not None
        if is_declared and line != last:
            yield OutlineItem(line, span.end.line + 1, _signature(node, text, depth))
            found = found + 1
            last = line
        if not (is_declared and _is_closed(kind)):
            pending += [(child, depth + is_declared) for child in reversed(_named(node))]


def _named(node: Any) -> list[Any]:
    return [child for child in node.children() if child.is_named()]


def _is_closed(kind: str) -> bool:
    """Whether what a declaration declares in it is nobody else's."""
    return kind == "lexical_declaration" or FUNCTIONS.fullmatch(kind) is not None


def _signature(node: Any, text: str, depth: int) -> str:
    """A declaration up to its body, on one line, indented by what it stands in."""
    start = node.range().start.index
    end = node.range().end.index
    for name in BODIES:
        if (body := node.field(name)) is not None:
            end = body.range().start.index
            break
    else:
        end = next((c.range().start.index for c in node.children() if str(c.kind()).endswith(BODIES)), end)
    head = BLANKS.sub(" ", text[start : min(end, start + 4 * LONGEST_SIGNATURE)]).strip().rstrip("{:=").rstrip()
    return f"{'  ' * min(depth, 8)}{head[:LONGEST_SIGNATURE]}"


def _at_margin(text: str) -> Iterator[OutlineItem]:
    """The lines that begin at the margin with a word and are no comments."""
    found = 0
    for number, line in enumerate(text.split("\n"), 1):
        if MARGIN.match(line) and not line.startswith(COMMENTS):
            yield OutlineItem(number, number, line.strip()[:LONGEST_SIGNATURE])
            found += 1
            if found >= MOST_ENTRIES:
                return

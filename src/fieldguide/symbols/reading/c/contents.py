"""C: what macros and lists of values use, and the comments before definitions."""

from typing import Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import MACRO, PARAMETER, READ, UNKNOWN, WRITE
from fieldguide.symbols.reading.c.types import told_type
from fieldguide.symbols.reading.walk import Walk, kind_of

MOST_MACRO_TOKENS = 2_000
MOST_COMMENTS = 20
MOST_LISTS = 4
TOKEN = re.compile(r"""//.*|/\*|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|->|[A-Za-z_]\w*|[^\s\w]""")


def visit_macro(walk: Walk, node: Any, within: int, role: str) -> None:
    """`#define NAME …`: the names in it are used where it is."""
    name, value, given = node.field("name"), node.field("value"), node.field("parameters")
    if name is None:
        return
    place = walk.define(name, MACRO, -1, whole=node, body=value, doc=doc_above(node))
    for each in given.named_children() if given is not None else ():
        walk.define(each, PARAMETER, place)
    if value is None:
        return
    start = value.range().start
    _macro_names(walk, walk.text[start.index : value.range().end.index], start.line + 1, start.column, place)


def _macro_names(walk: Walk, text: str, line: int, column: int, place: int) -> None:
    count = 0
    for offset, part in enumerate(text.split("\n")):
        before = ""
        for match in TOKEN.finditer(part):
            count += 1
            if count > MOST_MACRO_TOKENS:
                return
            token = match.group()
            if token[0].isalpha() or token[0] == "_":
                at = match.start() + (column if not offset else 0)
                walk.refer_at(token, line + offset, at, place, READ, UNKNOWN if before in (".", "->") else "")
            before = token


def visit_initializers(walk: Walk, node: Any, within: int, role: str) -> None:
    """`{ .a = 1 }`: the fields of what is declared."""
    told = ""
    for each in node.named_children():
        designator = each.field("designator") if each.kind() == "initializer_pair" else None
        name = next(iter(designator.named_children()), None) if designator is not None else None
        if name is not None and name.kind() == "field_identifier":
            told = told or _initialized(walk, node)
            walk.refer(name, within, WRITE, told)
            walk.go(each.field("value"), within)
        else:
            walk.go(each, within)


def _initialized(walk: Walk, node: Any) -> str:
    """The type of what a list of values is given to."""
    for _ in range(MOST_LISTS):
        node = node.parent()
        kind = kind_of(node)
        if kind in ("declaration", "compound_literal_expression"):
            return told_type(walk, node.field("type")) or UNKNOWN
        if kind not in ("initializer_list", "init_declarator"):
            break
    return UNKNOWN


def doc_above(node: Any) -> str:
    """The comment right before a definition."""
    lines: list[str] = []
    before = node.prev()
    line = node.range().start.line
    for _ in range(MOST_COMMENTS):
        if before is None or before.kind() != "comment" or before.range().end.line < line - 1:
            break
        lines.append(str(before.text()).strip("/*! \n"))
        line = before.range().start.line
        before = before.prev()
    told = " ".join(each.strip(" *\t") for text in reversed(lines) for each in text.split("\n"))
    return told.strip()

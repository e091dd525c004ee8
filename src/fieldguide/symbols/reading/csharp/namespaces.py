"""C#: the namespaces of a file, and those that it uses."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import EVERYTHING, IMPORTED, Imported
from fieldguide.symbols.reading.java.imports import PACKAGE, STATIC

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

USING = "using"


def visit_using(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`using A.B;`, `using static A.B.Foo;`, `using Foo = A.B.Bar;`."""
    line, alias = node.range().start.line + 1, node.field("name")
    texts = [str(each.text()) for each in node.named_children() if alias is None or each.range() != alias.range()]
    text = "".join(texts[-1].split()).removeprefix("global::") if texts else ""
    if not text:
        return
    if alias is not None:
        walk.define(alias, IMPORTED, -1, told=walk.imports(Imported(text.partition("<")[0], line, keyword=USING)))
        return
    is_static = any(each.kind() == STATIC for each in node.children())
    walk.imports(Imported(text, line, EVERYTHING, keyword=STATIC if is_static else USING))


def visit_namespace(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A namespace: what is in it is named beside what others have in it."""
    name = node.field("name")
    outer = [each.text for each in walk.imported if each.keyword == PACKAGE]
    if name is not None:
        is_inner = node.parent() is not None and node.parent().kind() == "declaration_list"
        text = f"{outer[-1]}.{name.text()}" if outer and is_inner else str(name.text())
        walk.imports(Imported(text, node.range().start.line + 1, keyword=PACKAGE))
    for each in node.named_children():
        if name is None or each.range() != name.range():
            walk.go(each, within)

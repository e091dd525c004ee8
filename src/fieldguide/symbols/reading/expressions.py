"""A node of a syntax tree as an expression: read from its end to its first name, one step after the other."""

from typing import Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import UNKNOWN
from fieldguide.symbols.reading.language import Language

MOST_STEPS = 48
LONGEST_EXPRESSION = 200
PLAIN = re.compile(r"[\w.]{1,80}")


def expression_of(node: Any, language: Language) -> str:
    """A node as an expression: a path, or `?` where it is too complex."""
    tail = ""
    for _ in range(MOST_STEPS):
        if node is None or len(tail) > LONGEST_EXPRESSION:
            return UNKNOWN
        kind = str(node.kind())
        first = _first(node, kind, language)
        if first is not None:
            return first + tail
        node, step = _step(node, kind, language)
        if step == UNKNOWN:
            return UNKNOWN + tail
        tail = step + tail
    return UNKNOWN


def _first(node: Any, kind: str, language: Language) -> str | None:
    """What an expression begins with, where a node is that."""
    if kind in language.words or kind in language.literals:
        return language.words.get(kind) or language.literals[kind]
    if kind in language.names:
        text = str(node.text())
        return language.words.get(text, text)
    if kind in language.invocations:
        whole, part = language.invocations[kind]
        name = node.field(part)
        return None if name is None or node.field(whole) is not None else f"{name.text()}()"
    return None


def _step(node: Any, kind: str, language: Language) -> tuple[Any, str]:
    """The node before the last step of an expression, and that step; `?` where it is none of these."""
    if kind in language.members:
        return _member_step(node, *language.members[kind], language)
    if kind in language.invocations:
        whole, part = language.invocations[kind]
        name = node.field(part)
        return node.field(whole), UNKNOWN if name is None else f".{name.text()}()"
    if kind in language.calls:
        return node.field(language.calls[kind]), f"({_given(node, language)})"
    if kind in language.elements:
        return node.field(language.elements[kind]), "[]"
    if kind in language.wrappers:
        return _inner(node, language.wrappers[kind]), ""
    if kind in language.endings:
        inner, ending = language.endings[kind]
        return _inner(node, inner), ending
    if kind in language.unfolded:
        return language.unfolded[kind](node)
    return None, UNKNOWN


def _member_step(node: Any, whole: str, part: str, language: Language) -> tuple[Any, str]:
    """The step of `a.b`, by the fields of its parts."""
    name = node.field(part)
    if name is None:
        return node.field(whole), UNKNOWN
    is_object = name.kind() in language.words  # Java's `Outer.this`
    return node.field(whole), "()" if is_object else f".{name.text()}"


def _inner(node: Any, field: str) -> Any:
    return node.field(field) if field else next(iter(node.named_children()), None)


def _given(node: Any, language: Language) -> str:
    """What a call is given that may say what it gives, as a plain path."""
    argument = language.given(node) if language.given else None
    told = "" if argument is None else str(argument.text())
    return told if PLAIN.fullmatch(told) else ""

"""Reads symbols of Ruby: modules, classes, methods, constants, attributes and routes."""

from collections.abc import Callable
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.readers.nodes import find_part, kind_of, list_comments_above, select
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Parts, Takes, TypeTable, describe_plain
from fieldguide.code.symbols.readers.walk import SyntaxWalk

OWNERS = frozenset((facts.CLASS, facts.MODULE))
NAME = "name[scope_resolution]/name|name"
MOST_COMMENTS = 20


def find_owner(walk: SyntaxWalk, node: Any, within: int) -> int:
    """The class or module that a method belongs to: of its objects, or of the class itself."""
    return walk.around(within, OWNERS)


def choose_kind(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a function: a method anywhere in a class or a module."""
    return facts.METHOD if walk.around(within, OWNERS) >= 0 else facts.FUNCTION


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a = b`: a local, a constant, or a field of the object."""
    left = node.field("left")
    right = node.field("right")
    kind = kind_of(left)
    given = walk.describe_value(right)
    owner = walk.around(within, OWNERS)
    if kind == "identifier":
        walk.bind(left, facts.LOCAL, within, within=within, told=given)
    elif kind == "constant":
        walk.define(left, facts.CONSTANT, within, whole=node, body=right, doc=read_doc(node), told=given)
    elif kind in ("instance_variable", "class_variable"):
        walk.bind(left, facts.FIELD, owner, within=within, whole=node, told=given, scope=within)
    elif kind == "left_assignment_list":
        for each in left.named_children():
            if each.kind() == "identifier":
                walk.bind(each, facts.LOCAL, within, within=within)
            else:
                walk.go(each, within, facts.WRITE)
    else:
        walk.go(left, within, facts.WRITE)
    walk.go(right, within)


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call, with or without a receiver; some define something."""
    before = node.field("receiver")
    name = node.field("method")
    walk.go(before, within)
    if name is not None and name.kind() in ("identifier", "constant"):
        receiver = walk.expression(before) if before is not None else ""
        walk.refer(name, within, facts.WRITE if role == facts.WRITE else facts.CALL, receiver)
        define = DEFINED_BY_CALL.get(str(name.text())) if before is None else None
        if define is not None:
            define(walk, node, list(select(node, "arguments/*")), within)
    walk.read(node, "arguments block", within)


def _define_attributes(walk: SyntaxWalk, node: Any, given: list[Any], within: int) -> None:
    """`attr_accessor :a, :b`: definitions without their colons."""
    owner = walk.around(within, OWNERS)
    for each in given if owner >= 0 else ():
        place = walk.define(each, facts.FIELD, owner, whole=node) if each.kind() == "simple_symbol" else owner
        if place != owner:
            made = walk.definitions[place]
            walk.definitions[place] = made._replace(name=made.name[1:], column=made.column + 1)


def _mix_in(walk: SyntaxWalk, node: Any, given: list[Any], within: int) -> None:
    """`include A, B`: the class has these bases too."""
    owner = walk.around(within, OWNERS)
    if owner >= 0:
        definition = walk.definitions[owner]
        told = [walk.expression(each) for each in given]
        walk.definitions[owner] = definition._replace(bases=(*definition.bases, *told))


def _define_route(walk: SyntaxWalk, node: Any, given: list[Any], within: int) -> None:
    """`get "/path", to: …`."""
    if given and given[0].kind() == "string" and any(each.kind() == "pair" for each in given):
        content = find_part(given[0], "0")
        walk.define(content, facts.ROUTE, within, whole=node)


DEFINED_BY_CALL: dict[str, Callable[[SyntaxWalk, Any, list[Any], int], None]] = {
    **dict.fromkeys(("attr_accessor", "attr_reader", "attr_writer"), _define_attributes),
    **dict.fromkeys(("include", "extend", "prepend"), _mix_in),
    **dict.fromkeys(("get", "post", "put", "patch", "delete"), _define_route),
    "alias_method": lambda walk, node, given, within: _define_attributes(walk, node, given[:1], within),  # the new name
}
"""What a call without a receiver defines, by the method's name: the walk, the call, its arguments, what is around."""


def read_doc(node: Any) -> str:
    """The comment right before a definition."""
    before = node.prev()
    above = node.parent()
    if before is None and kind_of(above) == "body_statement":
        before = above.prev()  # the grammar puts the first comment of a body before it
    lines = list_comments_above(node, MOST_COMMENTS, first=before)
    return " ".join(each.lstrip("# ") for each in lines).strip()


CLASS_PARTS = "^name[scope_resolution]/scope[constant] ^superclass/0:inherit body"  # `A::B` names B, and uses A
CLASS = Declares(facts.CLASS, CLASS_PARTS, name=NAME, bases="superclass/0")
METHOD = Declares(choose_kind, "parameters body", parent=find_owner)
PARAMETER = Declares(facts.PARAMETER, "value", visible="closure")
PARAMETERS = Declares(
    facts.PARAMETER,
    "#optional_parameter,keyword_parameter,splat_parameter,hash_splat_parameter,block_parameter",
    each="#identifier", name=".", visible="closure",
)  # fmt: skip
BLOCK = Parts("parameters body")
LANGUAGE = LanguageTable(
    "ruby",
    visits={
        "assignment": visit_assignment,
        "block": BLOCK,
        "block_parameter": PARAMETER,
        "block_parameters": PARAMETERS,
        "call": visit_call,
        "class": CLASS,
        "do_block": BLOCK,
        "hash_splat_parameter": PARAMETER,
        "keyword_parameter": PARAMETER,
        "method": METHOD,
        "method_parameters": PARAMETERS,
        "module": Declares(facts.MODULE, CLASS_PARTS, name=NAME),
        "operator_assignment": visit_assignment,
        "optional_parameter": PARAMETER,
        "scope_resolution": Takes("scope", "name", role_before=facts.TYPE),
        "singleton_method": METHOD,
        "splat_parameter": PARAMETER,
    },
    names=frozenset(("identifier", "constant", "instance_variable", "class_variable")),
    members={"scope_resolution": ("scope", "name")},
    invocations={"call": ("receiver", "method")},
    elements={"element_reference": "object"},
    wrappers={"parenthesized_statements": ""},
    types=TypeTable(other=describe_plain),
    read_doc=read_doc,
    closures=frozenset(("block", "do_block")),
    words={"self": "self"},
    skipped=frozenset(
        ("comment", "hash_key_symbol", "nil", "self", "simple_symbol", "string_content", "true", "false")
    ),
)

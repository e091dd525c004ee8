"""Rules about one place of a definition: `Optional` as a parameter, `@Autowired` on fields."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck
from fieldguide.toolsets.architecture.rules.structures import Node, by_language, kinds

OWNERS = r"(?:method|function|constructor|class|struct|instance|entity|dto|bean)s?['’]?s? "
AS_PLACE = re.compile(
    rf"^\s*(?:(?:as|for|in|on|inside|within)\s+(?:an?\s+|the\s+|any\s+|your\s+)*(?:{OWNERS})*)?(?:"
    r"(?P<parameter>(?:parameter|argument)s?(?:\s+types?)?)|(?P<result>return\s+(?:type|value)s?)"
    r"|(?P<field>(?:field|member|attribute|propert(?:y|ie))s?(?:\s+types?)?|structs?(?:\s+fields?)?)"
    r"|(?P<constructor>constructors?)|(?P<method>methods?|functions?)|(?P<class>class(?:es)?|types?))\b",
    re.IGNORECASE,
)
ALSO = re.compile(r"\s*(?:,\s*(?:or|and|nor)?|or|and|nor|/)\s+(?=\w)", re.IGNORECASE)
TYPE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:<.*>|\[.*\])?")
TYPE_WORDS = frozenset(("bool", "boolean", "any", "object", "dict", "list", "dynamic", "unknown", "float", "double"))
ANNOTATION = re.compile(r"^@([A-Za-z_]\w*(?:\.\w+)*)(?:\(.*\))?")
FUNCTION_TYPE = r"\bfunc\s*\(|=>|\bCallable\b|\bFunction<"  # what it takes is not what is stored
FUNCTIONS = ("function_declaration", "method_declaration")
SCRIPT_FUNCTIONS = kinds("function_declaration", "method_definition", "arrow_function", "method_signature")
ANNOTATED_KINDS = {
    "field": "field_declaration",
    "method": "method_declaration",
    "class": "class_declaration",
    "constructor": "constructor_declaration",
    "parameter": "formal_parameter",
}


class Places(NamedTuple):
    """The places that words begin with, and what stands behind them."""

    names: tuple[str, ...]
    rest: str


def places_named(words: str) -> Places:
    """The places at the beginning of words: `for fields or parameters`."""
    found: list[str] = []
    rest = words
    while place := AS_PLACE.match(rest):
        found.append(place.lastgroup or "")
        rest = rest[place.end() :]
        further = ALSO.match(rest)
        if further is None or AS_PLACE.match(rest[further.end() :]) is None:
            break
        rest = rest[further.end() :]
    return Places(tuple(found), rest)


def named_in_place(name: str, place: str) -> SyntaxCheck | None:
    """A type in a place (`parameter`, `field`, `result`), or an annotation on one; None for what is neither."""
    annotation = ANNOTATION.fullmatch(name)
    if annotation:
        return _annotated(annotation.group(1), place)
    short = name.rpartition(".")[2]
    if not TYPE.fullmatch(name) or not (short[:1].isupper() or short in TYPE_WORDS):
        return None
    plain = re.sub(r"[<\[].*$", "", name)
    typed = {"parameter": _parameters, "field": _fields, "result": _results}.get(place)
    return typed(rf"(?:^|\W){re.escape(plain)}\b") if typed else None


def _of_type(named: str) -> Node:
    return {"has": {"field": "type", "regex": named, "not": {"regex": FUNCTION_TYPE}}}


def _parameters(named: str) -> SyntaxCheck:
    of_type = _of_type(named)
    inside: Node = {"any": [{"kind": kind} for kind in (*FUNCTIONS, "func_literal")]}
    return by_language(
        {
            "java": {"kind": "formal_parameter", **of_type},
            "python": {**kinds("typed_parameter", "typed_default_parameter"), **of_type},
            "go": {
                "kind": "parameter_declaration",
                **of_type,
                "inside": {**inside, "field": "parameters", "stopBy": "end"},
            },
        },
        scripts={**kinds("required_parameter", "optional_parameter"), **of_type},
    )


def _fields(named: str) -> SyntaxCheck:
    of_type = _of_type(named)
    return by_language(
        {
            "java": {"kind": "field_declaration", **of_type},
            "go": {"kind": "field_declaration", **of_type},
            "python": {
                "kind": "assignment",
                **of_type,
                "inside": {"kind": "class_definition", "stopBy": {"kind": "function_definition"}},
            },
        },
        scripts={**kinds("public_field_definition", "property_signature"), **of_type},
    )


def _results(named: str) -> SyntaxCheck:
    return by_language(
        {
            "java": {"kind": "method_declaration", "has": {"field": "type", "regex": named}},
            "go": {**kinds(*FUNCTIONS), "has": {"field": "result", "regex": named}},
            "python": {"kind": "function_definition", "has": {"field": "return_type", "regex": named}},
        },
        scripts={**SCRIPT_FUNCTIONS, "has": {"field": "return_type", "regex": named}},
    )


def _annotated(name: str, place: str) -> SyntaxCheck | None:
    """An annotation on a kind of definition."""
    kind = ANNOTATED_KINDS.get(place)
    if kind is None:
        return None
    marked = rf"@(?:\w+\.)*{re.escape(name.rpartition('.')[2])}\b"
    found: dict[str, Node] = {"java": {"kind": kind, "has": {"kind": "modifiers", "regex": marked}}}
    if place == "field":
        decorated: Node = {"kind": "public_field_definition", "has": {"kind": "decorator", "regex": f"^{marked}"}}
        found |= {"typescript": decorated, "tsx": decorated}
        found["kotlin"] = {"kind": "property_declaration", "has": {"kind": "modifiers", "regex": marked}}
    if place in ("method", "class"):
        definition = "function_definition" if place == "method" else "class_definition"
        found["python"] = {
            "kind": "decorated_definition",
            "all": [{"has": {"kind": definition}}, {"has": {"kind": "decorator", "regex": f"^{marked}"}}],
        }
    return by_language(found)

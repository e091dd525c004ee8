"""What can still be told of the parts that a parser gave up on: calls and headers of definitions, by their looks."""

from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.code.called import CalledName, callee_name
from fieldguide.toolsets.architecture.rules.code.defined import Definition

if TYPE_CHECKING:
    from ast_grep_py import SgNode

CALLEE = re.compile(r"(?<![\w$.@>:])([A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)*)[ \t]*\(")
CREATING = re.compile(r"\bnew[ \t]+$")
REACH = 40  # characters before a name, in which `new` or the word that defines it stands
HEADER = re.compile(r"\b(class|interface|struct|def|function|func|fun|fn)[ \t]+([A-Za-z_]\w*)")
DEFINING = re.compile(r"\b(?:class|interface|struct|def|function|func|fun|fn|void|async)[ \t]+$")
KEYWORDS = frozenset(
    (
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "and",
        "or",
        "not",
        "in",
        "elif",
        "with",
        "except",
        "func",
        "function",
        "super",
        "def",
        "class",
        "lambda",
        "assert",
        "await",
        "yield",
        "match",
        "print_function",
        "synchronized",
        "when",
        "using",
        "typeof",
        "del",
    )
)
KINDS = {"class": "class", "interface": "interface", "struct": "class"}
MOST_CALLS = 2_000
MOST_BROKEN = 300


def broken_spans(root: "SgNode") -> list[tuple[int, int]]:
    """The parts of a text that the parser gave up on, none inside another."""
    found: list[tuple[int, int]] = []
    for node in root.find_all(kind="ERROR")[:MOST_BROKEN]:
        place = node.range()
        if not found or place.start.index >= found[-1][1]:
            found.append((place.start.index, place.end.index))
    return found


def salvaged_calls(masked: str, spans: list[tuple[int, int]], known: list[CalledName]) -> list[CalledName]:
    """What looks like a call in the broken parts of a text whose comments and strings are blanked."""
    starts = {call.start for call in known}
    found: list[CalledName] = []
    for span_start, span_end in spans:
        broken = masked[span_start:span_end]
        for match in CALLEE.finditer(broken):
            before = broken[max(0, match.start() - REACH) : match.start()]
            created = CREATING.search(before)
            start = span_start + match.start() - (len(created.group()) if created else 0)
            name = match.group(1)
            if name in KEYWORDS or start in starts or (DEFINING.search(before) and not created):
                continue
            names = (f"new {name}",) if created else (callee_name(name),)
            found.append(CalledName(names, start, span_start + match.end()))
    return found[:MOST_CALLS]


def salvaged_definitions(masked: str, spans: list[tuple[int, int]], known: list[Definition]) -> list[Definition]:
    """What looks like the header of a class or function there; it reaches as far as the broken part."""
    names = {each.name_start for each in known}
    return [
        Definition(
            KINDS.get(match.group(1), "function"), match.group(2), start + match.start(), end, start + match.start(2)
        )
        for start, end in spans
        for match in HEADER.finditer(masked[start:end])
        if start + match.start(2) not in names
    ][:MOST_CALLS]

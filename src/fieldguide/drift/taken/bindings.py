"""What a line of code binds: a name that it defines, gives a value to, or holds in quotes; in any language alike."""

from fieldguide import linear_regex as re
from fieldguide.drift.taken.removal import BOUND, DEFINED, QUOTED

LONGEST_LINE = 1_000
_NAME = r"[A-Za-z_$][\w$]*"
DEFINES = re.compile(
    r"(?:^|[\s;({])(?:def|class|function\*?|fn|func|fun|struct|enum|trait|interface|type|module|mod|macro_rules!|union"
    r"|#\s*define|protocol|record|object|namespace|package|defmodule|defp|defmacro|sub|typedef|const|static|val)"
    rf"\s+(?:\([^()]{{0,200}}\)\s*)?(?:self\.|[A-Za-z_$][\w$]*\.)*({_NAME})"
)
CALLABLE = re.compile(rf"^(?:\s{{0,8}})(?:[A-Za-z_][\w<>\[\],.:&*?]*\s+[*&]*){{1,6}}({_NAME})\s*(?:<[^<>]{{0,80}}>)?\(")
METHOD = re.compile(rf"^\s{{1,8}}(?:async |static |get |set |#)*({_NAME})\s*\([^()]{{0,200}}\)\s*(?::[^=]{{1,80}})?\{{")
BINDS = re.compile(
    r"""^\s*(?:[-+*]\s+)?(?:(?:export|public|private|protected|pub|final|let|var|default|declare|readonly|self\.|this\.)\s*)*"""
    r"""["']?([A-Za-z_$][\w$.-]*)["']?\s*(?:\?|!)?\s*(?:[:=?]|\|=|\+=|=>)"""
)
KEYWORD = re.compile(r"^\s+[A-Za-z_]\w*=[^=\s].*[,)]\s*$")  # an argument of a call that goes over several lines
PARAMETER = re.compile(rf"[(,]\s*(?:\*{{0,2}})({_NAME})\s*(?:=|:|,|\))")
QUOTES = re.compile(r"""["'`](?:-\w, *)?(-{0,2}[\w$][\w$.-]*)(?:[=:]?["'`]|[ =][<\[])""")
HELP = re.compile(r"""^\s*["'`]?\s*(?:-\w,?\s+)?--([a-z][\w-]+)(?:[ =][<\[\w]\S*)?\s{2,}\S""")  # of a help text

LOCAL = re.compile(r"^\s+(?:(?:const|let|var|val)\s+(?:mut\s+)?[a-z_$][\w$]*\s*(?::[^=]{1,80})?=[^=]|[\w, ]+:=)")


def bound_in(line: str) -> dict[str, int]:
    """The names that a line holds in such a way, each with how; what it merely uses is not told."""
    line = line[:LONGEST_LINE]
    found = {quoted.group(1).lstrip("-"): QUOTED for quoted in QUOTES.finditer(line)}
    if "--" in line and (row := HELP.match(line)) is not None:
        found[row.group(1)] = QUOTED
    if not LOCAL.match(line):  # nobody else can name a variable of a function
        found.update(_named_in(line))
    return found


def _named_in(line: str) -> dict[str, int]:
    """The names that a line defines or gives a value to."""
    found: dict[str, int] = {}
    binding = BINDS.match(line)
    if binding is not None and not KEYWORD.match(line):
        found[binding.group(1)] = BOUND
        found[binding.group(1).rpartition(".")[2]] = BOUND
    definitions = [match.group(1) for match in DEFINES.finditer(line)] or _callables(line)
    if definitions:
        found.update({parameter.group(1): BOUND for parameter in PARAMETER.finditer(line)})
    found.update(dict.fromkeys(definitions, DEFINED))
    return found


def _callables(line: str) -> list[str]:
    """A function or method of a language that has no word for one."""
    matches = (pattern.match(line) for pattern in (CALLABLE, METHOD))
    return [match.group(1) for match in matches if match is not None and not _is_statement(line)][:1]


def _is_statement(line: str) -> bool:
    """Whether a line that looks like a function of C calls one instead."""
    first = line.split(None, 1)[0] if line.strip() else ""
    return first in (
        "return",
        "await",
        "yield",
        "throw",
        "raise",
        "else",
        "case",
        "new",
        "delete",
        "assert",
        "if",
        "in",
    )

"""Defines pattern documents, their rules and checks, and reads documents and checks code in a parser process.

Documents and code are untrusted texts, and parsing them can take any time. So `parser_process` does the work in a child
process, and the values defined here travel to and from it as plain data.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from fieldguide.files.parser_process import run_in_child

SIBLINGS = {
    "tsx": ("tsx", "typescript"),
    "typescript": ("typescript", "tsx"),
    "javascript": ("javascript", "typescript"),
}


def is_for_language(languages: Iterable[str], language: str | None) -> bool:
    """Whether something for these languages, or for all, holds for one."""
    wanted = tuple(languages)
    return not wanted or any(each in wanted for each in SIBLINGS.get(language or "", (language,)))


Severity = Literal["error", "warning"]
Origin = Literal["front-matter", "prose"]
Part = Literal["code", "comments", "strings"]
Globs = tuple[str, ...]
SyntaxRule = Mapping[str, Any]
"""An ast-grep rule object: `rule`, and perhaps `constraints` and `utils`."""


class ImportCheck(NamedTuple):
    """Imports that must not occur, or of which one must."""

    globs: Globs
    is_required: bool = False


class CallCheck(NamedTuple):
    """Calls that must not occur, or of which one must; `new X` is how a constructor is called."""

    globs: Globs
    is_required: bool = False


class DefinitionSelection(NamedTuple):
    """Which definitions a naming rule is about; an empty part selects all."""

    names: Globs = ()
    extends: Globs = ()
    decorators: Globs = ()


class NamingCheck(NamedTuple):
    """How the names of some kinds of definitions must look, or what they must not be."""

    kinds: tuple[str, ...]
    matches: Globs = ()
    style: str | None = None
    forbidden: Globs = ()
    where: DefinitionSelection = DefinitionSelection()


class TextCheck(NamedTuple):
    """A regular expression, for RE2, in some parts of the text."""

    expression: str
    parts: tuple[Part, ...] = ("code",)
    is_required: bool = False


class MentionCheck(NamedTuple):
    """Names that must not occur in code, in whatever way; a text that defines such a name is about itself."""

    names: tuple[str, ...]


class TokenCheck(NamedTuple):
    """Keywords and operators that must not occur; a property of the same name is another thing."""

    tokens: tuple[str, ...]
    parent: str = ""
    """What the kind of the node around has in its name."""


class SyntaxCheck(NamedTuple):
    """What ast-grep finds; a rule may be written differently for each language, `*` holds for all others."""

    by_language: Mapping[str, SyntaxRule]
    is_required: bool = False

    def rule_for(self, language: str | None) -> SyntaxRule | None:
        """The rule to ask for in a language; None when there is none."""
        return self.by_language.get(language or "") or self.by_language.get("*")


class EveryCheck(NamedTuple):
    """Several ways to break one rule: what any of them finds is a finding."""

    checks: "tuple[Check, ...]"


Check = ImportCheck | CallCheck | NamingCheck | TextCheck | MentionCheck | TokenCheck | SyntaxCheck | EveryCheck


class DefinitionScope(NamedTuple):
    """Definitions that a finding may lie in, by the globs of their names."""

    classes: Globs = ()
    functions: Globs = ()


class RuleCondition(NamedTuple):
    """What the code must have for a rule to hold at all; every part that is given."""

    classes: Globs = ()
    functions: Globs = ()
    imports: Globs = ()
    calls: Globs = ()
    syntax: SyntaxCheck | None = None


class PatternRule(NamedTuple):
    """A rule that a machine can check, and where the document says so."""

    id: str
    message: str
    check: Check
    document_line: int
    severity: Severity = "error"
    languages: tuple[str, ...] = ()
    fix: str | None = None
    files: Globs = ()
    except_files: Globs = ()
    inside: DefinitionScope | None = None
    outside: DefinitionScope | None = None
    when: RuleCondition | None = None
    origin: Origin = "front-matter"
    spares_javascript: bool = False
    """Whether a rule for TypeScript is for nothing else, because its document has others for JavaScript."""


class PatternAdvice(NamedTuple):
    """A rule of the document that no machine can check."""

    text: str
    document_line: int


class PatternProblem(NamedTuple):
    """A rule of the front matter that could not be understood; the others still hold."""

    message: str
    document_line: int


class PatternDocument(NamedTuple):
    """A pattern document, read."""

    name: str
    title: str
    rules: tuple[PatternRule, ...] = ()
    advice: tuple[PatternAdvice, ...] = ()
    problems: tuple[PatternProblem, ...] = ()


class Breach(NamedTuple):
    """A place where code breaks a rule; lines and columns are counted from 1."""

    rule: str
    description: str
    severity: Severity
    line: int
    document_line: int
    fix: str | None = None
    column: int = 1
    end_line: int | None = None


class CheckReport(NamedTuple):
    """What a check found; `checked` is the number of rules that were applied to this code."""

    findings: tuple[Breach, ...]
    suggestions: tuple[str, ...]
    language: str | None
    checked: int
    not_checked: tuple[str, ...] = ()
    """What was not checked and why, in short sentences."""


KIND = "is"
PARTS = "of"
TUPLE = "tuple"
TABLE = "table"


def to_plain(value: Any) -> Any:
    """A value of a pattern or a report as JSON data, with the name of its type."""
    given: Any = value
    if isinstance(value, tuple):
        return {KIND: type(given).__name__, PARTS: [to_plain(each) for each in given]}
    if isinstance(value, Mapping):
        return {KIND: TABLE, PARTS: [[key, to_plain(each)] for key, each in given.items()]}
    if isinstance(value, list):
        return [to_plain(each) for each in given]
    return given


def from_plain(value: Any) -> Any:
    """The value of its JSON data."""
    given: Any = value
    if isinstance(value, list):
        return [from_plain(each) for each in given]
    if not isinstance(value, dict):
        return given
    kind = given[KIND]
    parts = given[PARTS]
    if kind == TABLE:
        return {key: from_plain(each) for key, each in parts}
    made = [from_plain(each) for each in parts]
    return tuple(made) if kind == TUPLE else globals()[kind](*made)


CHILD = "fieldguide.toolsets.architecture.rules.parser_process"
SYNTAX_RULE = "ast-grep"
SECONDS_PER_SYNTAX_RULE = 0.2  # five times what one without `languages` took, tried in eleven of them
MOST_MORE_SECONDS = 6.0


def read_pattern(name: str, text: str, *, tries_examples: bool = True) -> PatternDocument:
    """Read a pattern document; any text is one, and its problems tell what is wrong with it.

    A declared rule that finds nothing in its own bad examples is left out, unless they are not to be tried.
    """
    more = min(text.count(SYNTAX_RULE) * SECONDS_PER_SYNTAX_RULE, MOST_MORE_SECONDS)
    tried = "tried" if tries_examples else None
    answer = run_in_child(f"{CHILD}:told_pattern", _legible(name), _legible(text), tried, more_seconds=more)
    if answer is None:
        problem = PatternProblem("Reading it took so long that it was given up: it is too far from a document.", 1)
        return PatternDocument(name, name, problems=(problem,))
    read: PatternDocument = from_plain(answer)
    return read._replace(name=name)


def check_code(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> CheckReport:
    """Check any text against a pattern."""
    written = json.dumps(to_plain(pattern))
    answer = run_in_child(f"{CHILD}:told_report", written, _legible(code), language, path)
    if answer is None:
        said = "Checking it took so long that it was given up: it is too far from code."
        return CheckReport((Breach("parseable", said, "warning", line=1, document_line=1),), (), None, 0, (said,))
    report: CheckReport = from_plain(answer)
    return report


def detect_language(code: str) -> str | None:
    """The language that a text looks like; None when that is unclear."""
    answer: list[str | None] | None = run_in_child(f"{CHILD}:told_language", code)
    return answer[0] if answer else None


def _legible(text: str) -> str:
    """A text without lone surrogates, which are no characters."""
    return text.encode("utf-8", errors="replace").decode("utf-8")

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


class SyntaxCheck(NamedTuple):
    """What ast-grep finds, in the languages that it takes the rule for."""

    rule: SyntaxRule
    languages: tuple[str, ...]
    is_required: bool = False


Check = ImportCheck | CallCheck | NamingCheck | TextCheck | SyntaxCheck


class DefinitionScope(NamedTuple):
    """Definitions that a finding may lie in, by the globs of their names."""

    classes: Globs = ()
    functions: Globs = ()


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
    origin: Origin = "front-matter"


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


def read_pattern(name: str, text: str) -> PatternDocument:
    """Read a pattern document; any text is one, and its problems tell what is wrong with it."""
    answer = run_in_child(f"{CHILD}:told_pattern", _legible(name), _legible(text))
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


class ExamplesResult(NamedTuple):
    """How many labelled examples a document has, and those that its rules judge otherwise, by their lines."""

    examples: int
    failures: tuple[tuple[int, str], ...]


def try_examples(pattern: PatternDocument, text: str) -> ExamplesResult:
    """Check the examples of a document against its rules: a bad one breaks a rule, a good one none."""
    answer = run_in_child(f"{CHILD}:told_examples", json.dumps(to_plain(pattern)), _legible(text))
    if answer is None:
        return ExamplesResult(0, ((1, "Reading its examples took so long that it was given up."),))
    examples, failures = answer
    return ExamplesResult(examples, tuple((line, message) for line, message in failures))


def _legible(text: str) -> str:
    """A text without lone surrogates, which are no characters."""
    return text.encode("utf-8", errors="replace").decode("utf-8")

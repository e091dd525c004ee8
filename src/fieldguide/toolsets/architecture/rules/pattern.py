"""Defines a pattern document: its rules, the kinds of checks, and the report of a check."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

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
    """A regular expression, for Rust's engine, in some parts of the text."""

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

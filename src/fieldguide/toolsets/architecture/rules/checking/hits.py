"""What each kind of check finds in a text."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.checking.globs import go_import_matcher, import_matcher, name_matcher
from fieldguide.toolsets.architecture.rules.checking.naming import breaks_naming
from fieldguide.toolsets.architecture.rules.checking.regular_expressions import line_search
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    NamingCheck,
    SyntaxCheck,
    SyntaxRule,
    TextCheck,
    TokenCheck,
)

if TYPE_CHECKING:
    from ast_grep_py import SgNode

LONGEST_SUBJECT = 60


class Hit(NamedTuple):
    """A place that a check speaks of, and what stands there."""

    start: int
    end: int
    subject: str


class InvalidSyntaxRule(ValueError):
    """A rule that ast-grep does not take."""


def find_hits(check: Check, code: SourceCode) -> Iterator[Hit]:
    """Every place that a check is about; for a required thing those where it is there."""
    return FINDERS[type(check)](check, code)


def can_check(check: Check, code: SourceCode) -> bool:
    """Whether a check can say anything about a text: most need a tree, and a rule for its language."""
    match check:
        case TextCheck() | MentionCheck():
            return True
        case ImportCheck():
            return code.root is not None or code.language in ("c", "cpp")
        case SyntaxCheck():
            return code.root is not None and check.rule_for(code.grammar) is not None
        case TokenCheck():
            return code.root is not None
        case EveryCheck():
            return any(can_check(each, code) for each in check.checks)
        case _:
            return code.root is not None and code.kinds is not None


def search_syntax(root: "SgNode", rule: SyntaxRule) -> "list[SgNode]":
    """What ast-grep finds; raises InvalidSyntaxRule for a rule that it does not take."""
    try:
        return root.find_all(cast(Any, dict(rule)))
    except Exception as error:  # ast-grep raises plain Exceptions, besides several others
        said = [line.strip() for line in str(error).split("Stack backtrace")[0].splitlines() if line.strip()]
        causes = [line.partition(": ")[2].rstrip(".") for line in said if line[:1].isdigit()]
        raise InvalidSyntaxRule(": ".join(causes[-2:] or said[-1:])[:200] or "it is not a rule") from error


def _imports(check: ImportCheck, code: SourceCode) -> Iterator[Hit]:
    fits = (go_import_matcher if code.grammar == "go" else import_matcher)(check.globs)
    for each in code.imports:
        found = next(filter(fits, each.names), None)
        if found:
            start = code.start_of_line(each.line)
            yield Hit(start, start, found)


def _calls(check: CallCheck, code: SourceCode) -> Iterator[Hit]:
    fits = name_matcher(check.globs)
    for call in code.calls:
        if any(map(fits, call.names)):
            yield Hit(call.start, call.end, call.names[0][-LONGEST_SUBJECT:])


def _names(check: NamingCheck, code: SourceCode) -> Iterator[Hit]:
    for each in code.definitions:
        if breaks_naming(check, each):
            yield Hit(each.name_start, each.name_start, each.name)


def _texts(check: TextCheck, code: SourceCode) -> Iterator[Hit]:
    search = line_search(check.expression)
    for line in search.lines_with(code.lines_of(check.parts)):
        start = code.start_of_line(line)
        text = code.lines[line - 1]
        indent = len(text) - len(text.lstrip())
        yield Hit(start + indent, start + len(text), text.strip()[:LONGEST_SUBJECT])


def _mentions(check: MentionCheck, code: SourceCode) -> Iterator[Hit]:
    defined = {each.name for each in code.definitions}
    names = [name for name in check.names if name not in defined]
    if not names:
        return
    written = "|".join(r"\s*(?:\.|::|->)\s*".join(map(re.escape, name.split("."))) for name in names)
    before = r"(?<![\w$.])" if any("." in name for name in names) else r"(?<![\w$])"
    mention = re.compile(rf"{before}(?:{written})(?![\w$])")
    for number, line in enumerate(code.lines_of(("code",)), start=1):
        found = mention.search(line)
        if found:
            start = code.start_of_line(number)
            yield Hit(start + found.start(), start + found.end(), found.group()[:LONGEST_SUBJECT])


def _tokens(check: TokenCheck, code: SourceCode) -> Iterator[Hit]:
    written = "|".join(map(re.escape, check.tokens))
    for node in code.root.find_all(regex=f"^(?:{written})$") if code.root else ():
        parent = node.parent()
        if not node.is_named() and node.is_leaf() and parent and check.parent in parent.kind():
            place = node.range()
            yield Hit(place.start.index, place.end.index, node.text())


def _syntax(check: SyntaxCheck, code: SourceCode) -> Iterator[Hit]:
    rule = check.rule_for(code.grammar)
    if rule is None or code.root is None:
        return
    for node in search_syntax(code.root, rule):
        place = node.range()
        first = code.text[place.start.index : place.end.index].split("\n", 1)[0].strip()
        yield Hit(place.start.index, place.end.index, first[:LONGEST_SUBJECT])


def _every(check: EveryCheck, code: SourceCode) -> Iterator[Hit]:
    return (hit for each in check.checks for hit in find_hits(each, code))


FINDERS: Mapping[type[Check], Callable[[Any, SourceCode], Iterator[Hit]]] = {
    ImportCheck: _imports,
    CallCheck: _calls,
    NamingCheck: _names,
    TextCheck: _texts,
    MentionCheck: _mentions,
    TokenCheck: _tokens,
    SyntaxCheck: _syntax,
    EveryCheck: _every,
}

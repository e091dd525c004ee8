"""What each kind of check finds in a text."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.defined import CALLABLES, Definition
from fieldguide.toolsets.architecture.rules.globs import go_import_matcher, import_matcher, name_matcher
from fieldguide.toolsets.architecture.rules.likeness import shape_of
from fieldguide.toolsets.architecture.rules.naming import breaks_naming, is_selected
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    LikenessCheck,
    MentionCheck,
    NamingCheck,
    Selection,
    ShapeCheck,
    SizeCheck,
    SyntaxCheck,
    SyntaxRule,
    TextCheck,
)
from fieldguide.toolsets.architecture.rules.regular_expressions import line_search
from fieldguide.toolsets.architecture.rules.source import SourceCode

if TYPE_CHECKING:
    from ast_grep_py import SgNode

LONGEST_SUBJECT = 60
CONSTRUCTORS = frozenset(("constructor", "__init__", "__construct", "initialize"))
TAG = re.compile(r"<(?:[A-Za-z][\w.]*[\s/>]|>)")


class Hit(NamedTuple):
    """A place that a check speaks of, and what stands there."""

    start: int
    end: int
    subject: str


class InvalidSyntaxRule(ValueError):
    """A rule that ast-grep does not take."""


def find_hits(check: Check, code: SourceCode) -> Iterator[Hit]:
    """Every place that a check is about; for a required thing those where it is there."""
    match check:
        case ImportCheck():
            return _imports(check, code)
        case CallCheck():
            return _calls(check, code)
        case NamingCheck():
            return _names(check, code)
        case TextCheck():
            return _texts(check, code)
        case MentionCheck():
            return _mentions(check, code)
        case ShapeCheck():
            return _shapes(check, code)
        case SizeCheck():
            return _sizes(check, code)
        case LikenessCheck():
            return _alike(check, code)
        case SyntaxCheck():
            return _syntax(check, code)
        case EveryCheck():
            return (hit for each in check.checks for hit in find_hits(each, code))


def can_check(check: Check, code: SourceCode) -> bool:
    """Whether a check can say anything about a text: most need a tree, and a rule for its language."""
    match check:
        case TextCheck() | MentionCheck():
            return True
        case ImportCheck():
            return code.root is not None or code.language in ("c", "cpp")
        case LikenessCheck():
            return code.root is not None and code.grammar == check.language
        case SyntaxCheck():
            return code.root is not None and check.rule_for(code.grammar) is not None
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
        names = each.names[:1] if check.is_exact else each.names
        found = next((name for name in names if (name in check.globs if check.is_exact else fits(name))), None)
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
        if breaks_naming(check, each) and not (check.spares_components and _is_component(each, code)):
            yield Hit(each.name_start, each.name_start, each.name)


def _is_component(each: Definition, code: SourceCode) -> bool:
    """Whether a definition is a function of React that is written like a class, as tags must be."""
    is_script = code.grammar in ("tsx", "javascript") and each.kind in ("function", "constant", "variable")
    return is_script and each.name[:1].isupper() and TAG.search(code.text[each.start : each.end]) is not None


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


def _shapes(check: ShapeCheck, code: SourceCode) -> Iterator[Hit]:
    for each in code.definitions:
        if each.kind != "class" or each.name in check.extends:
            continue
        if not is_selected(Selection(names=check.classes), each):
            continue
        if check.extends and any(map(name_matcher(check.classes), each.extends)):  # what it extends is asked instead
            continue
        if not is_selected(Selection(extends=check.extends, decorators=check.decorators), each):
            yield Hit(each.name_start, each.name_start, each.name)


def _sizes(check: SizeCheck, code: SourceCode) -> Iterator[Hit]:
    parameters = [each.start for each in code.definitions if each.kind == "parameter"]
    for each in code.definitions:
        is_constructor = each.kind in CALLABLES and each.name in CONSTRUCTORS
        if ("constructor" if is_constructor else each.kind) not in check.kinds:
            continue
        lines = code.position(max(each.start, each.end - 1)).line - code.position(each.start).line + 1
        inner = [
            start for start in parameters[bisect_left(parameters, each.start) : bisect_left(parameters, each.end)]
            if next(code.enclosures.around(start), each).start == each.start
        ] if check.most_parameters is not None else []  # fmt: skip
        too_long = check.most_lines is not None and lines > check.most_lines
        if too_long or (check.most_parameters is not None and len(inner) > check.most_parameters):
            yield Hit(each.name_start, each.name_start, each.name)


def _alike(check: LikenessCheck, code: SourceCode) -> Iterator[Hit]:
    for node in code.root.find_all(kind=check.kind) if code.root else ():
        if shape_of(node) == check.shape:
            place = node.range()
            yield Hit(place.start.index, place.end.index, node.text().split("\n", 1)[0][:LONGEST_SUBJECT])


def _syntax(check: SyntaxCheck, code: SourceCode) -> Iterator[Hit]:
    rule = check.rule_for(code.grammar)
    if rule is None or code.root is None:
        return
    for node in search_syntax(code.root, rule):
        place = node.range()
        first = code.text[place.start.index : place.end.index].split("\n", 1)[0].strip()
        yield Hit(place.start.index, place.end.index, first[:LONGEST_SUBJECT])

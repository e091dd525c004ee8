"""Finds the places in code that a check is about: by glob, name style, regular expression or ast-grep rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.names import DefinedName
from fieldguide.text import regex as re
from fieldguide.text.globs import compile_globs
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    DefinitionSelection,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    NamingCheck,
    SyntaxCheck,
    SyntaxRule,
    TextCheck,
    TokenCheck,
)
from fieldguide.toolsets.architecture.rules.source_code import SourceCode

if TYPE_CHECKING:
    from ast_grep_py import SgNode

PLAIN = re.compile(r"[^*?\[\]{}!]+")
SLASH = "\x1f"  # keeps a path from being matched name by name
MOST_NAMES = 1_000  # a text calls the same things again and again; a glob with holes takes 7 µs
CLIMBS = re.compile(r"(?:\.\./)+")
ONE_CLIMB = re.compile(r"\.\./\w")
WHOLE = ("/**", "/*", ".*")
ANYWHERE = ("**/", "*/", "*.")
OPENING_DOTS = re.compile(r"\.+(?=\w)")
SOURCE_ROOTS = re.compile(r"(?:@|~|#|src|app)/|\.{1,2}/")


@lru_cache(maxsize=2_000)
def make_name_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether some glob fits a whole name, such as a callee: `*.execute`, `new Date`."""
    return _matcher([_dotted(glob) for glob in globs])


@lru_cache(maxsize=2_000)
def make_import_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether some glob fits an import or one of the packages around it: `django.db` fits `django.db.models` too."""
    written = _wide_matcher(globs)
    rooted = _wide_matcher([glob for glob in globs if "*" in glob])  # a plain name such as `requests` is a package
    climbing = _wide_matcher([glob for glob in globs if ONE_CLIMB.match(glob)])

    def matches(name: str) -> bool:
        if any(map(written, _enclosing(_dotted(name).removeprefix("node:")))):
            return True
        if name.startswith("../") and any(map(climbing, _enclosing(CLIMBS.sub("../", name, count=1)))):
            return True
        bare = _from_root(name)
        return bare != name and any(map(rooted, _enclosing(bare)))

    return matches


@lru_cache(maxsize=2_000)
def make_go_import_matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """The same for Go, whose own library has packages beside each other: `log` does not fit `log/slog`."""
    below = make_import_matcher(tuple(glob for glob in globs if glob.endswith("*")))
    alone = make_import_matcher(tuple(glob for glob in globs if not glob.endswith("*")))

    def matches(name: str) -> bool:
        first, _, rest = name.partition("/")
        return below(name) or (alone(name) and not (rest and alone(first)))

    return matches


def _wide_matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    return _matcher([wider for glob in globs for wider in _wider(_dotted(glob))])


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    plain = frozenset(glob for glob in globs if PLAIN.fullmatch(glob))
    others = [glob.replace("/", SLASH) for glob in globs if glob not in plain]
    fits = lru_cache(MOST_NAMES)(compile_globs(others)) if others else None
    return lambda name: name in plain or (fits is not None and fits(name.replace("/", SLASH)))


def _dotted(name: str) -> str:
    return name.replace("::", ".").replace("->", ".").replace("\\", ".")


def _wider(glob: str) -> Iterator[str]:
    """The glob, also without a `/*` or `.*` at its end and a `**/` or `*.` at its beginning."""
    inner = next((glob.removesuffix(end) for end in WHOLE if glob.endswith(end) and glob != end), glob)
    for each in dict.fromkeys((glob, inner)):
        yield each
        for start in ANYWHERE:
            if each.startswith(start) and len(each) > len(start):
                yield each.removeprefix(start)
                break


def _from_root(name: str) -> str:
    """An import as it would be written from the root of the sources: `@/domain/x` or `..domain.x` without its start."""
    bare = name
    while root := SOURCE_ROOTS.match(bare):
        bare = bare[root.end() :]
    if bare.startswith("."):
        bare = OPENING_DOTS.sub("", bare, count=1)
    return _dotted(bare)


def _enclosing(name: str) -> Iterator[str]:
    yield name
    for place in range(len(name) - 1, 0, -1):
        if name[place] in "./" and name[place - 1] not in "./":
            yield name[:place]


STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*"),
    "camelCase": re.compile(r"[a-z][a-zA-Z0-9]*"),
    "PascalCase": re.compile(r"[A-Z][a-zA-Z0-9]*"),
    "UPPER_CASE": re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)*"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*"),
}
KINDS = ("class", "interface", "function", "method", "variable", "constant", "parameter")
UNNAMED = frozenset(("constructor", "_", "__", "init"))
DUNDER = re.compile(r"__\w+__")


def breaks_naming(check: NamingCheck, each: DefinedName) -> bool:
    """Whether a naming rule applies to a definition and forbids its name."""
    if each.kind not in check.kinds or each.name in UNNAMED or DUNDER.fullmatch(each.name):
        return False
    if not is_selected(check.where, each):
        return False
    if check.forbidden and make_name_matcher(check.forbidden)(each.name):
        return True
    if check.matches and not make_name_matcher(check.matches)(each.name):
        return True
    plain = each.name.strip("_$@?!")  # underscores around a name don't count
    return bool(plain) and check.style is not None and not STYLES[check.style].fullmatch(plain)


def is_selected(where: DefinitionSelection, each: DefinedName) -> bool:
    """Whether a definition has the name, the base and the decorator that a rule asks for."""
    if where.names and not make_name_matcher(where.names)(each.name):
        return False
    if where.extends and not any(map(make_name_matcher(where.extends), _short_and_long(each.extends))):
        return False
    return not where.decorators or any(map(make_name_matcher(where.decorators), _short_and_long(each.decorators)))


def _short_and_long(names: tuple[str, ...]) -> list[str]:
    return [*names, *(name.rpartition(".")[2] for name in names if "." in name)]


LONGEST_EXPRESSION = 2_000
SIZE_LIMIT = 1_000_000
MOST_LINES_JOINED = 3  # a statement that is broken over lines seldom takes more, and each line is searched this often


class InvalidExpression(ValueError):
    """An expression that the engine refuses, such as one with look-around or back-references."""


class LineSearch:
    """Searches an expression in each line, and across a few lines if it has white space."""

    def __init__(self, expression: str) -> None:
        import jsonschema_rs

        if not expression or len(expression) > LONGEST_EXPRESSION:
            raise InvalidExpression(f"a regular expression has 1 to {LONGEST_EXPRESSION} characters")
        options = jsonschema_rs.RegexOptions(size_limit=SIZE_LIMIT)
        self._spans_lines = "\\s" in expression or "\\n" in expression
        schema = {"items": {"not": {"pattern": expression}}}
        try:
            self._validator: Any = jsonschema_rs.validator_for(schema, pattern_options=options)
        except ValueError as error:
            raise InvalidExpression(f"`{expression}` is no regular expression that Rust's engine takes") from error

    def lines_with(self, lines: Sequence[str]) -> list[int]:
        """The numbers, from 1, of the lines in which a match begins."""
        found = self._indexes(lines)
        if self._spans_lines and len(lines) > 1:
            left = ["" if number in found else line for number, line in enumerate(lines)]
            joined = ["\n".join(left[number : number + MOST_LINES_JOINED]) for number in range(len(left))]
            below = ["\n".join(left[number + 1 : number + MOST_LINES_JOINED]) for number in range(len(left))]
            found |= self._indexes(joined) - self._indexes(below)
        return sorted(number + 1 for number in found)

    def _indexes(self, texts: Sequence[str]) -> set[int]:
        return {int(error.instance_path[0]) for error in self._validator.iter_errors(list(texts))}


@lru_cache(maxsize=500)
def compile_line_search(expression: str) -> LineSearch:
    """The search for an expression, compiled once; raises InvalidExpression."""
    return LineSearch(expression)


LONGEST_SUBJECT = 60


class CheckHit(NamedTuple):
    """A place that a check is about, and the code there."""

    start: int
    end: int
    subject: str


class InvalidSyntaxRule(ValueError):
    """A rule that ast-grep refuses."""


def find_hits(check: Check, code: SourceCode) -> Iterator[CheckHit]:
    """Every place that a check is about; for a required thing the places that have it."""
    return FINDERS[type(check)](check, code)


def can_check(check: Check, code: SourceCode) -> bool:
    """Whether a check applies to a text: most need a tree, and a rule for its language."""
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
    """The nodes that ast-grep finds; raises InvalidSyntaxRule for a rule that it refuses."""
    try:
        return root.find_all(cast(Any, dict(rule)))
    except Exception as error:  # ast-grep raises plain Exceptions, besides several others
        message = str(error).split("Stack backtrace")[0]
        lines = [line.strip() for line in message.splitlines() if line.strip()]
        causes = [line.partition(": ")[2].rstrip(".") for line in lines if line[:1].isdigit()]
        raise InvalidSyntaxRule(": ".join(causes[-2:] or lines[-1:])[:200] or "it is not a rule") from error


def _imports(check: ImportCheck, code: SourceCode) -> Iterator[CheckHit]:
    make_matcher = make_go_import_matcher if code.grammar == "go" else make_import_matcher
    fits = make_matcher(check.globs)
    for each in code.imports:
        found = next(filter(fits, each.names), None)
        if found:
            start = code.start_of_line(each.line)
            yield CheckHit(start, start, found)


def _calls(check: CallCheck, code: SourceCode) -> Iterator[CheckHit]:
    fits = make_name_matcher(check.globs)
    for call in code.calls:
        if any(map(fits, call.names)):
            yield CheckHit(call.start, call.end, call.names[0][-LONGEST_SUBJECT:])


def _names(check: NamingCheck, code: SourceCode) -> Iterator[CheckHit]:
    for each in code.definitions:
        if breaks_naming(check, each):
            yield CheckHit(each.name_start, each.name_start, each.name)


def _texts(check: TextCheck, code: SourceCode) -> Iterator[CheckHit]:
    search = compile_line_search(check.expression)
    for line in search.lines_with(code.lines_of(check.parts)):
        start = code.start_of_line(line)
        text = code.lines[line - 1]
        indent = len(text) - len(text.lstrip())
        yield CheckHit(start + indent, start + len(text), text.strip()[:LONGEST_SUBJECT])


def _mentions(check: MentionCheck, code: SourceCode) -> Iterator[CheckHit]:
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
            yield CheckHit(start + found.start(), start + found.end(), found.group()[:LONGEST_SUBJECT])


def _tokens(check: TokenCheck, code: SourceCode) -> Iterator[CheckHit]:
    written = "|".join(map(re.escape, check.tokens))
    nodes = code.root.find_all(regex=f"^(?:{written})$") if code.root else []
    for node in nodes:
        parent = node.parent()
        if not node.is_named() and node.is_leaf() and parent and check.parent in parent.kind():
            place = node.range()
            yield CheckHit(place.start.index, place.end.index, node.text())


def _syntax(check: SyntaxCheck, code: SourceCode) -> Iterator[CheckHit]:
    rule = check.rule_for(code.grammar)
    if rule is None or code.root is None:
        return
    for node in search_syntax(code.root, rule):
        place = node.range()
        first = code.text[place.start.index : place.end.index].split("\n", 1)[0].strip()
        yield CheckHit(place.start.index, place.end.index, first[:LONGEST_SUBJECT])


def _every(check: EveryCheck, code: SourceCode) -> Iterator[CheckHit]:
    for each in check.checks:
        yield from find_hits(each, code)


FINDERS: Mapping[type[Check], Callable[[Any, SourceCode], Iterator[CheckHit]]] = {
    ImportCheck: _imports,
    CallCheck: _calls,
    NamingCheck: _names,
    TextCheck: _texts,
    MentionCheck: _mentions,
    TokenCheck: _tokens,
    SyntaxCheck: _syntax,
    EveryCheck: _every,
}

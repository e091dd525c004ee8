"""Checks code against a pattern: finds the places of each check, selects the rules that apply, and suggests fixes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.names import CALLABLES, CONTAINERS, DefinedName
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import canonical_language, language_of
from fieldguide.text import regex as re
from fieldguide.text.globs import compile_globs
from fieldguide.text.windows import cut_text
from fieldguide.toolsets.architecture.rules.pattern import (
    Breach,
    CallCheck,
    Check,
    CheckReport,
    DefinitionScope,
    DefinitionSelection,
    ImportCheck,
    NamingCheck,
    PatternDocument,
    PatternRule,
    SyntaxCheck,
    TextCheck,
    is_for_language,
)
from fieldguide.toolsets.architecture.rules.source_code import (
    SourceCode,
    detect_language,
    prepare_snippet,
    unwrap_snippet,
)

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
ANCHORED = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")  # may mean the beginning or the end of a text, not of a line
MOST_LINES_JOINED = 3  # a statement that is broken over lines seldom takes more, and each line is searched this often


class InvalidExpression(ValueError):
    """An expression that the engine refuses, such as one with look-around or back-references."""


class LineSearch:
    """Searches an expression in each line, and across a few lines if it has white space."""

    def __init__(self, expression: str) -> None:
        if not expression or len(expression) > LONGEST_EXPRESSION:
            raise InvalidExpression(f"a regular expression has 1 to {LONGEST_EXPRESSION} characters")
        self._spans_lines = "\\s" in expression or "\\n" in expression
        try:
            self._has_match = re.compile_foreign(expression)
            self._has_match_in_lines = None if ANCHORED.search(expression) else re.compile_foreign(f"(?m){expression}")
        except ValueError as error:
            raise InvalidExpression(f"`{expression}` is no regular expression that RE2 takes") from error

    def lines_with(self, lines: Sequence[str]) -> list[int]:
        """The numbers, from 1, of the lines in which a match begins."""
        if self._has_match_in_lines is not None and not self._has_match_in_lines("\n".join(lines)):
            return []  # most texts: one search instead of one for each line
        found = self._indexes(lines)
        if self._spans_lines and len(lines) > 1:
            left = ["" if number in found else line for number, line in enumerate(lines)]
            joined = ["\n".join(left[number : number + MOST_LINES_JOINED]) for number in range(len(left))]
            below = ["\n".join(left[number + 1 : number + MOST_LINES_JOINED]) for number in range(len(left))]
            found |= self._indexes(joined) - self._indexes(below)
        return sorted(number + 1 for number in found)

    def _indexes(self, texts: Sequence[str]) -> set[int]:
        return {number for number, text in enumerate(texts) if self._has_match(text)}


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
        case TextCheck():
            return "code" in check.parts or code.kinds is not None
        case ImportCheck():
            return code.root is not None or code.language in ("c", "cpp")
        case SyntaxCheck():
            return code.root is not None and code.grammar in check.languages
        case _:
            return code.root is not None and code.kinds is not None


def search_syntax(root: "SgNode", rule: Mapping[str, Any]) -> "list[SgNode]":
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


def _syntax(check: SyntaxCheck, code: SourceCode) -> Iterator[CheckHit]:
    if code.root is None or code.grammar not in check.languages:
        return
    for node in search_syntax(code.root, check.rule):
        place = node.range()
        first = code.text[place.start.index : place.end.index].split("\n", 1)[0].strip()
        yield CheckHit(place.start.index, place.end.index, first[:LONGEST_SUBJECT])


FINDERS: Mapping[type[Check], Callable[[Any, SourceCode], Iterator[CheckHit]]] = {
    ImportCheck: _imports,
    CallCheck: _calls,
    NamingCheck: _names,
    TextCheck: _texts,
    SyntaxCheck: _syntax,
}


class DefinitionRegion(NamedTuple):
    """A definition that a rule requires something of: where its name is, and the spans of all its parts."""

    anchor: int
    name: str
    spans: tuple[tuple[int, int], ...]

    def holds(self, index: int) -> bool:
        """Whether an index is in one of the parts."""
        return any(start <= index < end for start, end in self.spans)


def is_inside(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether an index is in a class and in a function with such names, as far as the scope names either."""
    around = list(code.enclosures.around(index))
    if place.classes and not any(_class_fits(place, each) for each in around):
        return False
    return not place.functions or any(_function_fits(place, each) for each in around)


def is_inside_any(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether an index is in a class or in a function with such a name."""
    return any(_class_fits(place, each) or _function_fits(place, each) for each in code.enclosures.around(index))


def find_regions(place: DefinitionScope, code: SourceCode) -> list[DefinitionRegion]:
    """The functions with such names, or else the classes; methods written outside of their class belong to it."""
    functions: list[DefinitionRegion] = []
    classes: dict[str, DefinitionRegion] = {}
    for each in code.definitions:
        span = (each.start, each.end)
        if place.functions:
            if _function_fits(place, each) and (not place.classes or is_inside(place, each.name_start, code)):
                functions.append(DefinitionRegion(each.name_start, each.name, (span,)))
        elif _class_fits(place, each):
            name = each.owner or each.name
            known = classes.get(name) or DefinitionRegion(each.name_start, name, ())
            classes[name] = known._replace(spans=(*known.spans, span))
    return functions or list(classes.values())


def _class_fits(place: DefinitionScope, each: DefinedName) -> bool:
    if not place.classes or (each.kind not in CONTAINERS and not each.owner):
        return False
    return make_name_matcher(place.classes)(each.owner or each.name)


def _function_fits(place: DefinitionScope, each: DefinedName) -> bool:
    return bool(place.functions) and each.kind in CALLABLES and make_name_matcher(place.functions)(each.name)


NO_RULE = "The document has no rule that a machine can check."
NO_LANGUAGE = "The language could not be told: only rules about plain text were checked. Name it in `language`."
TOO_DEEP = "The code is nested too deeply, or too far from code, to be parsed: only its plain text was checked."
LONG_LINES = "A line is so long that only what comes first was checked. Is the code minified?"

MOST_PROBLEMS = 20
MOST_NAMED = 5
MOST_SAID = 300


def select_rules(pattern: PatternDocument, source: SourceCode) -> tuple[list[PatternRule], list[str]]:
    """The rules to apply, and sentences about the rules and the code that are left out."""
    by_obstacle: dict[str, list[PatternRule]] = {}
    for rule in pattern.rules:
        by_obstacle.setdefault(_find_obstacle(rule, source), []).append(rule)
    applied = by_obstacle.pop("", [])
    sentences = [_sentence(obstacle, rules, source) for obstacle, rules in by_obstacle.items()]
    if not pattern.rules:
        sentences.append(NO_RULE)
    if source.has_long_lines:
        sentences.append(LONG_LINES)
    if source.broken_line is not None:
        sentences.append(f"The code does not parse as {source.language} from line {source.broken_line} on.")
    sentences += [
        f"{each.message[:MOST_SAID]} (line {each.document_line})" for each in pattern.problems[:MOST_PROBLEMS]
    ]
    if len(pattern.problems) > MOST_PROBLEMS:
        sentences.append(f"{len(pattern.problems) - MOST_PROBLEMS} more parts of the document can't be read as rules.")
    return applied, list(dict.fromkeys(sentences))


def _find_obstacle(rule: PatternRule, source: SourceCode) -> str:
    """The reason why a rule can't be applied, if any; every rule applies to empty code of no language."""
    language = source.language
    if source.is_blank and language is None:
        return ""
    if language is None and not can_check(rule.check, source):
        return "unknown language"
    if not is_for_language(rule.languages, language):
        return "other language"
    path = source.known_path
    if path is not None:
        if rule.files and not compile_globs(rule.files)(path):
            return "other file"
        if rule.except_files and compile_globs(rule.except_files)(path):
            return "other file"
    if not (source.is_blank or can_check(rule.check, source)):
        return "no tree"
    return ""


def _sentence(obstacle: str, rules: list[PatternRule], source: SourceCode) -> str:
    if source.language is None:
        return NO_LANGUAGE
    if obstacle == "no tree" and source.language in GRAMMARS and source.root is None:
        return TOO_DEEP
    count = "1 rule was" if len(rules) == 1 else f"{len(rules)} rules were"
    languages = ", ".join(sorted({each for rule in rules for each in rule.languages}))
    names = ", ".join(f"`{rule.id}`" for rule in rules[:MOST_NAMED])
    if len(rules) > MOST_NAMED:
        names += ", …"
    reasons = {
        "other language": f"for {languages}, not for {source.language}",
        "other file": f"for other files than {source.known_path}",
        "no tree": f"nothing that can be looked for in {source.language} ({names})",
    }
    return f"{count} not checked: {reasons[obstacle]}."


MOST_FINDINGS = 200
MOST_HITS = 1_000
PARSEABLE = "parseable"
MOST_ADVICE = 5
MOST_SUGGESTED_PROBLEMS = 10
MOST_LINES = 5
LONGEST_ADVICE = 159
NOTHING_CHECKED = "No rule of this pattern was checked: nothing here says that the code follows it."


def make_suggestions(
    pattern: PatternDocument, found: Sequence[tuple[Breach, str]], checked: int, remarks: Sequence[str]
) -> tuple[str, ...]:
    """Fixes by line first, then what kept the check from saying more, then the advice of the document."""
    suggestions: list[str] = []
    if not checked:
        suggestions.append(NOTHING_CHECKED)
    suggestions += _suggest_fixes(found[:MOST_FINDINGS])
    suggestions += remarks
    if len(found) > MOST_FINDINGS:
        suggestions.append(f"{len(found) - MOST_FINDINGS} more findings are not listed.")
    suggestions += _problems(pattern)
    for advice in pattern.advice[:MOST_ADVICE]:
        text = cut_text(advice.text, LONGEST_ADVICE)
        suggestions.append(f"The document also says (line {advice.document_line}): {text}")
    return tuple(dict.fromkeys(suggestions))


def _suggest_fixes(found: Sequence[tuple[Breach, str]]) -> Iterator[str]:
    """One line for each broken rule, with all its places."""
    by_rule: dict[str, list[tuple[Breach, str]]] = {}
    for finding, subject in found:
        if finding.rule != PARSEABLE:
            by_rule.setdefault(finding.rule, []).append((finding, subject))
    for places in by_rule.values():
        first, subject = places[0]
        lines = ", ".join(str(each.line) for each, _ in places[:MOST_LINES])
        more = f" and {len(places) - MOST_LINES} more" if len(places) > MOST_LINES else ""
        at = f" at `{subject}`" if subject else ""
        fix = " ".join((first.fix or first.description).split())
        if not fix.endswith((".", "!", "?")):
            fix += "."
        plural = "s" if len(places) > 1 else ""
        yield f"Line{plural} {lines}{more}: {fix} ({first.rule}{at}; pattern, line {first.document_line})"


def _problems(pattern: PatternDocument) -> Iterator[str]:
    for problem in pattern.problems[:MOST_SUGGESTED_PROBLEMS]:
        yield f"The pattern itself has a problem in line {problem.document_line}: {problem.message}"
    if len(pattern.problems) > MOST_SUGGESTED_PROBLEMS:
        yield f"The pattern has {len(pattern.problems) - MOST_SUGGESTED_PROBLEMS} more problems."


Found = list[tuple[Breach, str]]
"""Breaches, each with the code at its place."""


def make_report(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> CheckReport:
    """Check any text against a pattern."""
    snippet = unwrap_snippet(code.encode("utf-8", errors="replace").decode("utf-8"))
    stated = [name for name in (language, snippet.language) if name and name.strip()]
    detected = _detect_language(snippet.text, stated, path)
    source = SourceCode(prepare_snippet(snippet.text, detected), detected, path)
    rules, not_checked = select_rules(pattern, source)
    found: Found = [(each, "") for each in find_unparsed(source)]
    remarks: list[str] = []
    if stated and not canonical_language(stated[0]):
        taken = f"it was read as {detected}" if detected else "only rules about plain text were checked"
        remarks.append(f"The language {stated[0][:40]!r} is not known here; {taken}.")
    refused: list[str] = []
    for rule in rules:
        try:
            broken = find_breaches(rule, source)
        except InvalidSyntaxRule as error:
            refused.append(f"Rule `{rule.id}` can't be run on {source.language}: {error}.")
            continue
        found += broken
        if broken and rule.files and source.known_path is None:
            where = f"{', '.join(rule.files)} (line {rule.document_line})"
            remarks.append(
                f"Rule `{rule.id}` holds only in {where}. Put the path in a first comment to have that told apart."
            )
    ordered = sorted(dict(found).items(), key=lambda each: (each[0].line, each[0].rule))
    checked = len(rules) - len(refused)
    suggestions = make_suggestions(pattern, ordered, checked, remarks)
    findings = tuple(each for each, _ in ordered[:MOST_FINDINGS])
    return CheckReport(findings, suggestions, source.language, checked, (*not_checked, *refused))


def _detect_language(text: str, stated: Sequence[str], path: str | None) -> str | None:
    """The first known language of those stated, else that of the path, else the one that the text looks like."""
    for name in stated:
        known = canonical_language(name)
        if known:
            return known
    return (language_of(path) if path else None) or detect_language(text)


def find_unparsed(source: SourceCode) -> Iterator[Breach]:
    """A warning if the code does not parse."""
    if source.is_blank:
        return
    if source.root is None and source.language in GRAMMARS:
        yield Breach(PARSEABLE, TOO_DEEP, "warning", line=1, document_line=1)
    elif source.broken_line is not None:
        said = f"The code does not parse as {source.language} from line {source.broken_line} on; the rest was checked."
        yield Breach(PARSEABLE, said, "warning", line=source.broken_line, document_line=1)


def find_breaches(rule: PatternRule, source: SourceCode) -> Found:
    """The places where a text breaks a rule, at most one per line."""
    is_required = getattr(rule.check, "is_required", False)
    hits = _find_missing(rule, source) if is_required else _find_forbidden(rule, source)
    by_line: dict[int, tuple[Breach, str]] = {}
    for hit in islice(hits, MOST_HITS):
        at = source.position(hit.start)
        end = source.position(max(hit.start, hit.end - 1))
        breach = Breach(
            rule.id, rule.message, rule.severity, at.line, rule.document_line, rule.fix, at.column, end.line
        )
        by_line.setdefault(at.line, (breach, hit.subject))
    return list(by_line.values())


def _find_forbidden(rule: PatternRule, source: SourceCode) -> Iterator[CheckHit]:
    inside = rule.inside
    if inside and isinstance(rule.check, ImportCheck):  # it is for the whole file, wherever the definition is
        if not find_regions(inside, source):
            return
        inside = None
    for hit in find_hits(rule.check, source):
        if inside and not is_inside(inside, hit.start, source):
            continue
        if rule.outside and is_inside_any(rule.outside, hit.start, source):
            continue
        yield hit


def _find_missing(rule: PatternRule, source: SourceCode) -> Iterator[CheckHit]:
    """The definitions that lack what the rule requires of them; the first line if it requires it of the whole text."""
    hits = find_hits(rule.check, source)
    if rule.outside is not None:
        outside = rule.outside
        hits = (hit for hit in hits if not is_inside_any(outside, hit.start, source))
    there = [hit.start for hit in hits]
    if rule.inside is None:
        if not there:
            yield CheckHit(0, 0, "")
        return
    for region in find_regions(rule.inside, source):
        if not any(map(region.holds, there)):
            yield CheckHit(region.anchor, region.anchor, region.name)

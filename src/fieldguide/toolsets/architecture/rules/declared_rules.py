"""Reads the rules that a pattern document declares in its front matter."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.code.parsing import parse_tree
from fieldguide.files.kinds import canonical_language
from fieldguide.prose.document import Heading
from fieldguide.prose.markdown import BYTE_ORDER_MARK, count_front_matter_lines, strip_attributes
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, YamlValue, read_yaml
from fieldguide.text.windows import split_lines
from fieldguide.toolsets.architecture.rules.checking import (
    KINDS,
    STYLES,
    InvalidExpression,
    InvalidSyntaxRule,
    compile_line_search,
    search_syntax,
)
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    DefinitionScope,
    DefinitionSelection,
    ImportCheck,
    NamingCheck,
    Part,
    PatternProblem,
    PatternRule,
    Severity,
    SyntaxCheck,
    TextCheck,
)

MOST_CHARACTERS = 1 << 16


Entries = Mapping[str, YamlValue]


class FrontMatter(NamedTuple):
    """The entries at the top of a document, what is wrong with them, and how many lines they take."""

    entries: Entries
    problems: tuple[PatternProblem, ...] = ()
    lines: int = 0


def read_front_matter(text: str) -> FrontMatter:
    """The front matter between two lines of dashes; a document without one has no entries."""
    lines = split_lines(text)
    end = count_front_matter_lines(lines)
    if not end or not lines[0].removeprefix(BYTE_ORDER_MARK).startswith("-"):  # rules are written in YAML only
        return FrontMatter({})
    try:
        root, repeated = read_yaml("".join(lines[1 : end - 1]), first_line=2, most_characters=MOST_CHARACTERS)
    except MalformedText as error:
        return FrontMatter({}, (PatternProblem(f"The front matter can't be read: {error.reason}.", error.line),), end)
    if root.entries is None:
        found = PatternProblem("The front matter is not a mapping, so it was not read.", 2)
        return FrontMatter({}, (found,) if root.is_given else (), end)
    twice = (PatternProblem(f"`{name}` is written twice; only the last one counts.", line) for name, line in repeated)
    return FrontMatter(root.entries, tuple(twice), end)


NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
MARKUP = re.compile(r"[`*_\[\]]|\([^)\s]{0,300}\)")


class HeadingOutline(NamedTuple):
    """The headings in their order, and the number of lines."""

    headings: Sequence[Heading]
    lines: int

    def line_of(self, place: object) -> int | None:
        """The line of a heading, or that line itself; None when the document has no such place."""
        if isinstance(place, int):
            return place if 1 <= place <= max(1, self.lines) else None
        wanted = str(place).strip().lstrip("#").strip()
        for simplify in (_plain, make_anchor):
            for heading in self.headings:
                if simplify(heading.text) == simplify(wanted):
                    return heading.line
        return None

    def section_lines(self, line: int) -> range | None:
        """The lines of the section whose heading stands on a line: up to the next heading as high as it."""
        for number, heading in enumerate(self.headings):
            if heading.line == line:
                below = (each.line for each in self.headings[number + 1 :] if each.level <= heading.level)
                return range(line, next(below, self.lines + 1))
        return None


def make_anchor(heading: str) -> str:
    """The anchor that a heading has on most sites: `Keep SQL in one place` is `keep-sql-in-one-place`."""
    return NOT_IN_ANCHOR.sub("", _plain(heading)).strip().replace(" ", "-")


def _plain(heading: str) -> str:
    return " ".join(MARKUP.sub("", strip_attributes(heading)).casefold().split())


PARTS: dict[str, tuple[Part, ...]] = {
    "code": ("code",),
    "comments": ("comments",),
    "strings": ("strings",),
    "all": ("code", "comments", "strings"),
}
OTHER_STYLES = {
    "snake": "snake_case", "camel": "camelCase", "camelcase": "camelCase", "pascal": "PascalCase",
    "pascalcase": "PascalCase", "upper": "UPPER_CASE", "upper_case": "UPPER_CASE", "kebab": "kebab-case",
    "screaming_snake_case": "UPPER_CASE", "upper_snake_case": "UPPER_CASE",
}  # fmt: skip
OTHER_KINDS = {"struct": "class", "type": "class", "record": "class", "trait": "interface", "protocol": "interface",
               "field": "variable", "const": "constant", "argument": "parameter"}  # fmt: skip
NAMING_ENTRIES = frozenset(("kind", "matches", "style", "forbid", "where"))
NEVER_IN_CALLS = "{};\"'"
NEVER_IN_IMPORTS = f"{NEVER_IN_CALLS} "
WHERE_ENTRIES = frozenset(("name", "extends", "implements", "decorator", "annotation"))


MAIN_LANGUAGES = ("python", "typescript", "tsx", "javascript", "go", "java", "csharp", "kotlin", "rust", "ruby", "php")
MOST_SYNTAX_PARTS = 2_000
DEEPEST_SYNTAX = 40
REQUIRING = frozenset(("require-import", "require-call", "require-text", "require-ast-grep"))


class Malformed(ValueError):
    """A declared rule that can't be understood; the message says why."""


def read_check(given: Entries, languages: Sequence[str]) -> Check:
    """The one check of a rule; raises Malformed, or what an expression or a syntax rule is refused with."""
    found = [key for key in given if key in CHECKS]
    if len(found) != 1:
        known = ", ".join(CHECKS)
        said = f"it has {len(found)} checks ({', '.join(found)})" if found else "it has no check"
        raise Malformed(f"{said}; a rule has exactly one of {known}")
    if "in" in given and not found[0].endswith("text"):
        raise Malformed("`in` belongs to `forbid-text` and `require-text`")
    return CHECKS[found[0]](given, found[0], languages)


def strings(value: YamlValue, key: str) -> tuple[str, ...]:
    """A text or a list of texts that must not be empty."""
    given = value.items if value.items is not None else (value,)
    if not given or not all(each.is_scalar and each.is_given for each in given):
        raise Malformed(f"`{key}` is not a text or a list of texts")
    found = tuple(str(each.scalar).strip() for each in given)
    if not all(found):
        raise Malformed(f"`{key}` has an empty text")
    return found


def texts(value: YamlValue | None) -> tuple[str, ...]:
    """A text or a list of texts, none when it is not given."""
    return strings(value, "files") if value is not None and value.is_given else ()


def _imports(given: Entries, key: str, languages: Sequence[str]) -> Check:
    globs = strings(given[key], key)
    _refuse_impossible_names(globs, key, NEVER_IN_IMPORTS)
    return ImportCheck(globs, key in REQUIRING)


def _calls(given: Entries, key: str, languages: Sequence[str]) -> Check:
    globs = tuple(" ".join(each.removesuffix("()").split()) for each in strings(given[key], key))
    _refuse_impossible_names(globs, key, NEVER_IN_CALLS)
    return CallCheck(globs, key in REQUIRING)


def _refuse_impossible_names(names: Sequence[str], key: str, impossible: str) -> None:
    """Refuse a name that no code can have: the rule would pass everything."""
    for name in names:
        if any(each in impossible for each in name) or name.count("(") != name.count(")"):
            raise Malformed(f"`{key}` can match nothing: `{name[:60]}` is no name")


def _texts(given: Entries, key: str, languages: Sequence[str]) -> Check:
    where = str(given["in"].scalar) if "in" in given else "code"
    if where not in PARTS:
        raise Malformed(f"`in` is none of {', '.join(PARTS)}")
    written = strings(given[key], key)
    expression = written[0] if len(written) == 1 else "|".join(f"(?:{each})" for each in written)
    compile_line_search(expression)
    return TextCheck(expression, PARTS[where], key in REQUIRING)


def _syntax(given: Entries, key: str, languages: Sequence[str]) -> Check:
    """A rule object or a pattern of ast-grep, for the languages in which it takes it."""
    rule = _make_syntax_rule(given[key].plain())
    _refuse_enormous(rule)
    taken: list[str] = []
    refusal: InvalidSyntaxRule | None = None
    for language in _list_grammars(languages):
        root = parse_tree(" ", language)
        try:
            if root is not None:
                search_syntax(root, rule)
                taken.append(language)
        except InvalidSyntaxRule as error:
            refusal = refusal or error
            if language in languages:
                raise InvalidSyntaxRule(f"ast-grep does not take it for {language}: {error}") from error
    if not taken:
        raise InvalidSyntaxRule(f"ast-grep does not take it: {refusal or 'there is no parser for it'}")
    return SyntaxCheck(rule, tuple(taken), key in REQUIRING)


def _list_grammars(languages: Sequence[str]) -> list[str]:
    """The languages, with those whose code is often pasted under their name; the main ones if there are none."""
    scripts = ("tsx", "javascript") if {"typescript", "javascript"}.intersection(languages) else ()
    return [*dict.fromkeys((*languages, *scripts))] or [*MAIN_LANGUAGES]


def _make_syntax_rule(written: object) -> dict[str, Any]:
    if isinstance(written, str):
        return {"rule": {"pattern": written}}
    if not isinstance(written, Mapping) or not written:
        raise InvalidSyntaxRule("an ast-grep rule is a pattern or a mapping with `rule`")
    given = cast("Mapping[str, Any]", written)
    rule = given.get("rule", given)
    unknown = sorted(set(given) - {"rule", "constraints", "utils"}) if "rule" in given else []
    if unknown:
        raise InvalidSyntaxRule(f"`{unknown[0]}` is no part of a rule: only rule, constraints, utils are")
    parts = dict(given) if "rule" in given else {}
    return {**parts, "rule": {"pattern": rule} if isinstance(rule, str) else dict(rule)}


def _refuse_enormous(rule: object) -> None:
    """Refuse a rule of too many parts, shared ones counted each time, as the engine would meet them."""
    left = MOST_SYNTAX_PARTS
    waiting: list[tuple[object, int]] = [(rule, 0)]
    while waiting:
        part, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > DEEPEST_SYNTAX:
            raise InvalidSyntaxRule("the rule is too large or nested too deeply")
        if isinstance(part, Mapping):
            part = list(cast("Mapping[str, object]", part).values())
        if isinstance(part, list):
            waiting += [(item, depth + 1) for item in cast("list[object]", part)]


def _naming(given: Entries, key: str, languages: Sequence[str]) -> Check:
    entries = _entries(given[key], key, NAMING_ENTRIES)
    if "kind" not in entries:
        raise Malformed("`naming` needs a `kind`")
    kinds = tuple(OTHER_KINDS.get(each, each) for each in strings(entries["kind"], "kind"))
    if not set(kinds) <= set(KINDS):
        raise Malformed(f"`kind` is none of {', '.join(KINDS)}")
    matches = strings(entries["matches"], "matches") if "matches" in entries else ()
    forbidden = strings(entries["forbid"], "forbid") if "forbid" in entries else ()
    style = _style(entries["style"]) if "style" in entries else None
    if not matches and not forbidden and style is None:
        raise Malformed("`naming` needs `matches`, `style` or `forbid`")
    return NamingCheck(kinds, matches, style, forbidden, _selection(entries.get("where")))


def _entries(value: YamlValue, key: str, known: frozenset[str]) -> dict[str, YamlValue]:
    if value.entries is None:
        raise Malformed(f"`{key}` is not a mapping")
    unknown = sorted(set(value.entries) - known)
    if unknown:
        raise Malformed(f"`{key}` has an unknown entry `{unknown[0]}`")
    return value.entries


def _style(value: YamlValue) -> str:
    said = str(value.scalar)
    style = said if said in STYLES else OTHER_STYLES.get(said.lower())
    if style is None:
        raise Malformed(f"`style` is none of {', '.join(STYLES)}")
    return style


def _selection(value: YamlValue | None) -> DefinitionSelection:
    if value is None:
        return DefinitionSelection()
    entries = _entries(value, "where", WHERE_ENTRIES)

    def globs(*keys: str) -> tuple[str, ...]:
        return tuple(glob.lstrip("@") for glob in _globs(entries, keys))

    return DefinitionSelection(globs("name"), globs("extends", "implements"), globs("decorator", "annotation"))


CHECKS: dict[str, Callable[[Entries, str, Sequence[str]], Check]] = {
    "forbid-import": _imports,
    "require-import": _imports,
    "forbid-call": _calls,
    "require-call": _calls,
    "naming": _naming,
    "forbid-text": _texts,
    "require-text": _texts,
    "ast-grep": _syntax,
    "require-ast-grep": _syntax,
}
KEYS = frozenset((
    "id", "message", "severity", "languages", "language", "see", "fix", "files", "except-files", "inside", "outside",
    "in", *CHECKS,
))  # fmt: skip
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
MOST_RULES = 500
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}
CLASS_KEYS = ("class", "interface", "struct", "type")
FUNCTION_KEYS = ("function", "method")


class DeclaredRules(NamedTuple):
    """The rules that could be read, and a problem for each that could not."""

    rules: tuple[PatternRule, ...] = ()
    problems: tuple[PatternProblem, ...] = ()


def read_declared_rules(entries: Entries, outline: HeadingOutline) -> DeclaredRules:
    """The rules of a front matter."""
    given = entries.get("rules")
    problems: list[PatternProblem] = []
    languages = _languages(entries.get("languages") or entries.get("language"), problems)
    if given is None or not given.is_given:
        return DeclaredRules(problems=tuple(problems))
    if given.items is None:
        return DeclaredRules(problems=(*problems, PatternProblem("`rules` is not a list.", given.line)))
    rules: dict[str, PatternRule] = {}
    for item in given.items[:MOST_RULES]:
        try:
            rule = _rule(item, languages, outline, problems)
            _refuse_known_name(rule.id, rules)
            rules[rule.id] = rule
        except (Malformed, InvalidExpression, InvalidSyntaxRule) as error:
            name = item.entries.get("id") if item.entries else None
            called = f"`{str(name.scalar)[:60]}`" if name else "without an `id`"
            problems.append(PatternProblem(f"Rule {called} was left out: {error}.", item.line))
    return DeclaredRules(tuple(rules.values()), tuple(problems))


def document_languages(entries: Entries) -> tuple[str, ...]:
    """The languages that a whole document is about; none for all."""
    return _languages(entries.get("languages") or entries.get("language"), [])


def _refuse_known_name(name: str, rules: Mapping[str, PatternRule]) -> None:
    if name in rules:
        raise Malformed(f"`{name}` is the name of another rule")


def _rule(
    item: YamlValue, default: tuple[str, ...], outline: HeadingOutline, problems: list[PatternProblem]
) -> PatternRule:
    if item.entries is None:
        raise Malformed("it is not a mapping")
    given = {key.replace("_", "-"): value for key, value in item.entries.items()}
    identifier = _text(given, "id") or ""
    if not IDENTIFIER.fullmatch(identifier):
        raise Malformed("it needs an `id` of letters, digits and dashes")
    problems += [
        PatternProblem(f"Rule `{identifier}` has an unknown entry `{key}`.", given[key].line)
        for key in sorted(set(given) - KEYS)
    ]
    languages = _own_languages(given, default, problems)
    return PatternRule(
        identifier,
        _text(given, "message") or f"The code breaks the rule `{identifier}`.",
        read_check(given, languages),
        _line(identifier, given, outline, problems) or item.line,
        severity=_severity(given),
        languages=languages,
        fix=_text(given, "fix"),
        files=texts(given.get("files")),
        except_files=texts(given.get("except-files")),
        inside=_place(given, "inside"),
        outside=_place(given, "outside"),
    )


def _own_languages(given: Entries, default: tuple[str, ...], problems: list[PatternProblem]) -> tuple[str, ...]:
    stated = given.get("languages") or given.get("language")
    languages = _languages(stated, problems) if stated else default
    if stated and not languages:
        raise Malformed("none of its languages is known")
    return languages


def _line(identifier: str, given: Entries, outline: HeadingOutline, problems: list[PatternProblem]) -> int | None:
    """The line that a rule points to."""
    see = given.get("see")
    if see is None:
        return None
    line = outline.line_of(see.scalar)
    if line is None:
        problems.append(PatternProblem(f"Rule `{identifier}`: there is no `{see.scalar}` to see.", see.line))
    return line


def _text(given: Entries, key: str) -> str | None:
    value = given.get(key)
    if value is None or not value.is_given:
        return None
    if not value.is_scalar:
        raise Malformed(f"`{key}` is not a text")
    return " ".join(str(value.scalar).split())


def _severity(given: Entries) -> Severity:
    said = (_text(given, "severity") or "error").lower()
    if said not in SEVERITIES:
        raise Malformed("`severity` is neither error nor warning")
    return SEVERITIES[said]


def _languages(value: YamlValue | None, problems: list[PatternProblem]) -> tuple[str, ...]:
    if value is None or not value.is_given:
        return ()
    found: list[str] = []
    for item in value.items if value.items is not None else (value,):
        known = canonical_language(str(item.scalar))
        if known:
            found.append(known)
        else:
            problems.append(PatternProblem(f"The language `{str(item.scalar)[:40]}` is not known.", item.line))
    return tuple(dict.fromkeys(found))


def _place(given: Entries, key: str) -> DefinitionScope | None:
    if key not in given:
        return None
    entries = _read_rule_entries(given[key], key, (*CLASS_KEYS, *FUNCTION_KEYS))
    return DefinitionScope(tuple(_globs(entries, CLASS_KEYS)), tuple(_globs(entries, FUNCTION_KEYS)))


def _read_rule_entries(value: YamlValue, key: str, known: Sequence[str]) -> dict[str, YamlValue]:
    if not value.entries:
        raise Malformed(f'`{key}` is not a mapping such as `class: "*Repository"`')
    entries = {name.replace("_", "-"): each for name, each in value.entries.items()}
    unknown = sorted(set(entries) - set(known))
    if unknown:
        raise Malformed(f"`{key}` has an unknown entry `{unknown[0]}`; known are {', '.join(known)}")
    return entries


def _globs(entries: Entries, keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        if key in entries:
            yield from strings(entries[key], key)

"""The rules that a document declares in its front matter; one that is malformed is a problem, the others still hold."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.languages import canonical_language
from fieldguide.toolsets.architecture.rules.checking.hits import InvalidSyntaxRule
from fieldguide.toolsets.architecture.rules.checking.regular_expressions import InvalidExpression
from fieldguide.toolsets.architecture.rules.declared.checks import CHECKS, Malformed, read_check, strings, texts
from fieldguide.toolsets.architecture.rules.declared.front_matter import Value
from fieldguide.toolsets.architecture.rules.declared.sections import Outline
from fieldguide.toolsets.architecture.rules.declared.syntax_rules import read_syntax_check
from fieldguide.toolsets.architecture.rules.pattern import Condition, Place, Problem, Rule, Severity

KEYS = frozenset((
    "id", "message", "severity", "languages", "language", "see", "fix", "files", "except-files", "inside", "outside",
    "when", "in", "examples", "good", "bad", "valid", "invalid", *CHECKS,
))  # fmt: skip
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
MOST_RULES = 500
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}
CLASS_KEYS = ("class", "interface", "struct", "type")
FUNCTION_KEYS = ("function", "method")


class Declared(NamedTuple):
    """The rules that could be read, and a problem for each that could not."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_declared_rules(entries: Mapping[str, Value], outline: Outline) -> Declared:
    """The rules of a front matter."""
    given = entries.get("rules")
    problems: list[Problem] = []
    languages = _languages(entries.get("languages") or entries.get("language"), problems)
    if given is None or not given.is_given:
        return Declared(problems=tuple(problems))
    if given.items is None:
        return Declared(problems=(*problems, Problem("`rules` is not a list.", given.line)))
    rules: dict[str, Rule] = {}
    for item in given.items[:MOST_RULES]:
        try:
            rule = _rule(item, languages, outline, problems)
            rules[_unused(rule.id, rules)] = rule
        except (Malformed, InvalidExpression, InvalidSyntaxRule) as error:
            problems.append(Problem(f"Rule {_called(item)} was left out: {error}.", item.line))
    return Declared(tuple(rules.values()), tuple(problems))


def document_languages(entries: Mapping[str, Value]) -> tuple[str, ...]:
    """The languages that a whole document is about; none for all."""
    return _languages(entries.get("languages") or entries.get("language"), [])


def _unused(identifier: str, rules: Mapping[str, Rule]) -> str:
    if identifier in rules:
        raise Malformed(f"`{identifier}` is the name of another rule")
    return identifier


def _called(item: Value) -> str:
    name = item.entries.get("id") if item.entries else None
    return f"`{str(name.scalar)[:60]}`" if name else "without an `id`"


def _rule(item: Value, default: tuple[str, ...], outline: Outline, problems: list[Problem]) -> Rule:
    given = {key.replace("_", "-"): value for key, value in _mapping(item).items()}
    identifier = _text(given, "id") or ""
    if not IDENTIFIER.fullmatch(identifier):
        raise Malformed("it needs an `id` of letters, digits and dashes")
    problems += [
        Problem(f"Rule `{identifier}` has an unknown entry `{key}`.", given[key].line)
        for key in sorted(set(given) - KEYS)
    ]
    languages = _own_languages(given, default, problems)
    return Rule(
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
        when=_condition(given, languages),
    )


def _own_languages(given: Mapping[str, Value], default: tuple[str, ...], problems: list[Problem]) -> tuple[str, ...]:
    stated = given.get("languages") or given.get("language")
    languages = _languages(stated, problems) if stated else default
    if stated and not languages:
        raise Malformed("none of its languages is known")
    return languages


def _mapping(item: Value) -> Mapping[str, Value]:
    if item.entries is None:
        raise Malformed("it is not a mapping")
    return item.entries


def _line(identifier: str, given: Mapping[str, Value], outline: Outline, problems: list[Problem]) -> int | None:
    """The line that a rule points to."""
    see = given.get("see")
    if see is None:
        return None
    line = outline.line_of(see.scalar)
    if line is None:
        problems.append(Problem(f"Rule `{identifier}`: there is no `{see.scalar}` to see.", see.line))
    return line


def _text(given: Mapping[str, Value], key: str) -> str | None:
    value = given.get(key)
    if value is None or not value.is_given:
        return None
    if not value.is_scalar:
        raise Malformed(f"`{key}` is not a text")
    return " ".join(str(value.scalar).split())


def _severity(given: Mapping[str, Value]) -> Severity:
    said = (_text(given, "severity") or "error").lower()
    if said not in SEVERITIES:
        raise Malformed("`severity` is neither error nor warning")
    return SEVERITIES[said]


def _languages(value: Value | None, problems: list[Problem]) -> tuple[str, ...]:
    if value is None or not value.is_given:
        return ()
    found: list[str] = []
    for item in value.items if value.items is not None else (value,):
        known = canonical_language(str(item.scalar))
        if known:
            found.append(known)
        else:
            problems.append(Problem(f"The language `{str(item.scalar)[:40]}` is not known.", item.line))
    return tuple(dict.fromkeys(found))


def _place(given: Mapping[str, Value], key: str) -> Place | None:
    if key not in given:
        return None
    entries = _entries(given[key], key, (*CLASS_KEYS, *FUNCTION_KEYS))
    return Place(tuple(_globs(entries, CLASS_KEYS)), tuple(_globs(entries, FUNCTION_KEYS)))


def _condition(given: Mapping[str, Value], languages: Sequence[str]) -> Condition | None:
    if "when" not in given:
        return None
    known = (*CLASS_KEYS, *FUNCTION_KEYS, "import", "call", "ast-grep")
    entries = _entries(given["when"], "when", known)
    syntax = entries.get("ast-grep")
    return Condition(
        classes=tuple(_globs(entries, CLASS_KEYS)),
        functions=tuple(_globs(entries, FUNCTION_KEYS)),
        imports=tuple(_globs(entries, ("import",))),
        calls=tuple(_globs(entries, ("call",))),
        syntax=read_syntax_check(syntax.plain(), languages, is_required=False) if syntax else None,
    )


def _entries(value: Value, key: str, known: Sequence[str]) -> dict[str, Value]:
    if not value.entries:
        raise Malformed(f'`{key}` is not a mapping such as `class: "*Repository"`')
    entries = {name.replace("_", "-"): each for name, each in value.entries.items()}
    unknown = sorted(set(entries) - set(known))
    if unknown:
        raise Malformed(f"`{key}` has an unknown entry `{unknown[0]}`; known are {', '.join(known)}")
    return entries


def _globs(entries: Mapping[str, Value], keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        if key in entries:
            yield from strings(entries[key], key)

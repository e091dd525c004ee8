"""ast-grep rules as a document writes them, made ready for each language and tried before anybody relies on them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.source_code.parsing import parsed
from fieldguide.toolsets.architecture.rules.checking.hits import InvalidSyntaxRule, search_syntax
from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck, SyntaxRule

MAIN_LANGUAGES = ("python", "typescript", "tsx", "javascript", "go", "java", "csharp", "kotlin", "rust", "ruby", "php")
PARTS = ("rule", "constraints", "utils")
MOST_PARTS = 2_000
DEEPEST = 40
META_VARIABLE = re.compile(r"\${1,3}[A-Z_][A-Z0-9_]*|\${3}")
FIELD = re.compile(r"(?:@\w+|private|public|protected|static|final|readonly|internal)\b.*;", re.DOTALL)
TAG = {"php": "<?php "}
CONTEXTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "python": (
        (r"except\b", "try:\n    pass\n{}", "except_clause"),
        (r"finally\b", "try:\n    pass\n{}", "finally_clause"),
        (r"@", "{}\ndef f(): pass", "decorator"),
    ),
    "java": (
        (r"catch\b", "try {{ }} {}", "catch_clause"),
        (r".*;\s*$", "class X {{ {} }}", "field_declaration"),
        (r".*\}\s*$", "class X {{ {} }}", "method_declaration"),
        (r"@", "{} class X {{ }}", "marker_annotation"),
    ),
    "typescript": (
        (r"catch\b", "try {{ }} {}", "catch_clause"),
        (r".*;\s*$", "class X {{ {} }}", "public_field_definition"),
        (r".*\}\s*$", "class X {{ {} }}", "method_definition"),
        (r"@", "{} class X {{ }}", "decorator"),
    ),
    "javascript": (
        (r"catch\b", "try {{ }} {}", "catch_clause"),
        (r".*\}\s*$", "class X {{ {} }}", "method_definition"),
    ),
    "csharp": ((r"catch\b", "class X {{ void M() {{ try {{ }} {} }} }}", "catch_clause"),),
}
CONTEXTS["tsx"] = CONTEXTS["typescript"]


def read_syntax_check(written: object, languages: Sequence[str], *, is_required: bool) -> SyntaxCheck:
    """A check of a rule object or a pattern; raises InvalidSyntaxRule when no language takes it."""
    rule = _rule_object(written)
    _refuse_enormous(rule)
    by_language: dict[str, SyntaxRule] = {}
    refusal: InvalidSyntaxRule | None = None
    for language in _grammars(languages) if languages else MAIN_LANGUAGES:
        try:
            by_language[language] = _tried(rule, language)
        except InvalidSyntaxRule as error:
            refusal = refusal or error
            if language in languages:
                raise InvalidSyntaxRule(f"ast-grep does not take it for {language}: {error}") from error
    if not by_language:
        raise InvalidSyntaxRule(f"ast-grep does not take it: {refusal}")
    return SyntaxCheck(by_language, is_required)


def _grammars(languages: Sequence[str]) -> Iterator[str]:
    """The languages, and those whose code is often pasted under their name; what these refuse is no fault."""
    yield from languages
    if "typescript" in languages or "javascript" in languages:
        yield from (each for each in ("tsx", "javascript") if each not in languages)


def _rule_object(written: object) -> dict[str, Any]:
    if isinstance(written, str):
        return {"rule": {"pattern": written}}
    if not isinstance(written, Mapping) or not written:
        raise InvalidSyntaxRule("an ast-grep rule is a pattern or a mapping with `rule`")
    given = cast("Mapping[str, Any]", written)
    if "rule" not in given:
        return {"rule": dict(given)}
    unknown = sorted(set(given) - set(PARTS))
    if unknown:
        raise InvalidSyntaxRule(f"`{unknown[0]}` is no part of a rule: only {', '.join(PARTS)} are")
    if isinstance(given["rule"], str):
        return {**given, "rule": {"pattern": given["rule"]}}
    return dict(given)


def _refuse_enormous(rule: object) -> None:
    """Count every part, shared ones each time: that is how often the engine would meet them."""
    left = MOST_PARTS
    waiting: list[tuple[object, int]] = [(rule, 0)]
    while waiting:
        part, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > DEEPEST:
            raise InvalidSyntaxRule("the rule is too large or nested too deeply")
        if isinstance(part, Mapping):
            waiting += [(each, depth + 1) for each in cast("Mapping[str, object]", part).values()]
        elif isinstance(part, list):
            waiting += [(each, depth + 1) for each in cast("list[object]", part)]


def _tried(rule: dict[str, Any], language: str) -> SyntaxRule:
    """The rule as one language takes it: a pattern that is no whole statement gets something around it."""
    root = parsed(" ", language)
    if root is None:
        raise InvalidSyntaxRule("there is no parser for it")
    inner: Any = rule["rule"]
    pattern: Any = cast("Mapping[str, Any]", inner).get("pattern") if isinstance(inner, Mapping) else None
    if isinstance(pattern, str) and (FIELD.fullmatch(pattern.strip()) or not _stands_alone(pattern, language)):
        if not _is_balanced(pattern):
            raise InvalidSyntaxRule(f"the brackets of `{pattern[:60]}` are not closed")
        rule = _in_context(rule, pattern.strip(), language)
    try:
        search_syntax(root, rule)
    except InvalidSyntaxRule:
        placed = _in_context(rule, pattern.strip(), language) if isinstance(pattern, str) else rule
        if placed is rule:
            raise
        search_syntax(root, placed)
        return placed
    return rule


def _in_context(rule: dict[str, Any], pattern: str, language: str) -> dict[str, Any]:
    for expression, context, selector in CONTEXTS.get(language, ()):
        if re.match(expression, pattern, re.DOTALL):
            around = {"context": context.format(pattern), "selector": selector}
            return {**rule, "rule": {**rule["rule"], "pattern": around}}
    return rule


def _is_balanced(pattern: str) -> bool:
    return all(pattern.count(opening) == pattern.count(closing) for opening, closing in ("()", "[]", "{}"))


def _stands_alone(pattern: str, language: str) -> bool:
    """Whether a pattern is code by itself: one thing, and not an error from its beginning on."""
    root = parsed(TAG.get(language, "") + META_VARIABLE.sub("xx", pattern), language)
    children = [each for each in root.children() if each.is_named()] if root else []
    kinds = [each.kind() for each in children if each.kind() != "php_tag"]
    return bool(kinds) and "ERROR" not in kinds[:1] and (len(kinds) == 1 or "ERROR" not in kinds)

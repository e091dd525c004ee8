"""Describes in words how a rule is checked."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from fieldguide.text.windows import cut_text
from fieldguide.toolsets.architecture.rules import declared_rules
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    DefinitionScope,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    NamingCheck,
    PatternRule,
    RuleCondition,
    SyntaxCheck,
    TextCheck,
)
from fieldguide.toolsets.architecture.rules.syntax_patterns import find_written_pattern

LONGEST = 300


def describe_rule(rule: PatternRule) -> str:
    """How a rule is checked, as one sentence without its full stop."""
    return ", ".join([_named(rule) or _check(_for_its_languages(rule)), *_where(rule)])


def _named(rule: PatternRule) -> str | None:
    """A structure by its name, with what it is."""
    if not isinstance(rule.check, SyntaxCheck):
        return None
    for name in declared_rules.list_structures():
        structure = declared_rules.read_structure(name)
        if structure.check == rule.check:
            return f"no `{name}` ({structure.finds.rstrip('.')})"
    return None


def _for_its_languages(rule: PatternRule) -> Any:
    """The check of a rule, without what is only there for other languages."""
    if not isinstance(rule.check, SyntaxCheck):
        return rule.check
    own = {key: each for key, each in rule.check.by_language.items() if key in rule.languages}
    return rule.check._replace(by_language=own or rule.check.by_language)


def _check(check: Any) -> str:
    for kind, say in WORDED.items():
        if isinstance(check, kind):
            return str(say(check))
    return type(check).__name__


def _imports(check: ImportCheck) -> str:
    named = _either(check.globs)
    if check.is_required:
        return f"an import of {named} is required"
    return f"no import of {named} or of what lies below"


def _calls(check: CallCheck) -> str:
    named = _either(check.globs)
    return f"a call of {named} is required" if check.is_required else f"no call of {named}"


def _naming(check: NamingCheck) -> str:
    kinds = " and ".join(f"{kind} names" for kind in check.kinds)
    words = [f"{kinds} are"]
    if check.style:
        words.append(f"in {check.style}")
    if check.matches:
        words.append(f"like {_either(check.matches)}")
    if check.forbidden:
        words.append(f"not like {_either(check.forbidden)}")
    selection = zip(("named", "extending", "decorated with"), check.where, strict=True)
    where = [f"{word} {_either(globs)}" for word, globs in selection if globs]
    if where:
        words.append(f"(those {' and '.join(where)})")
    return " ".join(words)


def _text(check: TextCheck) -> str:
    parts = "the text" if len(set(check.parts)) == 3 else " and ".join(check.parts)
    said = f"the expression {_short(check.expression)}"
    return f"{said} is required in {parts}" if check.is_required else f"no match of {said} in {parts}"


def _mentions(check: MentionCheck) -> str:
    return f"no mention of {_either(check.names)} in code"


def _syntax(check: SyntaxCheck) -> str:
    ways = dict.fromkeys(_syntax_rule(rule.get("rule"), language) for language, rule in check.by_language.items())
    said = " or ".join(list(ways)[:2])
    return f"a match of {said} is required" if check.is_required else f"no match of {said}"


def _syntax_rule(rule: Any, language: str) -> str:
    """What ast-grep is asked for: a pattern as it was written, anything else as its rule."""
    given = cast("dict[str, Any]", rule) if isinstance(rule, dict) else {}
    ways: Any = given["any"] if [*given] == ["any"] else [given]
    patterns = {
        find_written_pattern(cast("dict[str, Any]", way).get("pattern"), language)
        for way in ways
        if isinstance(way, dict) and [*cast("dict[str, Any]", way)] == ["pattern"]
    }
    if len(patterns) == 1 and (pattern := patterns.pop()) is not None:
        return f"the ast-grep pattern {_short(pattern.strip())}"
    return f"the ast-grep rule {_short(json.dumps(rule, ensure_ascii=False))}"


def _every(check: EveryCheck) -> str:
    return "; ".join(map(_check, check.checks))


WORDED: dict[type, Any] = {
    ImportCheck: _imports,
    CallCheck: _calls,
    NamingCheck: _naming,
    TextCheck: _text,
    MentionCheck: _mentions,
    SyntaxCheck: _syntax,
    EveryCheck: _every,
}


def _where(rule: PatternRule) -> Iterator[str]:
    if rule.languages:
        yield f"in {' and '.join(rule.languages)}"
    if rule.files:
        yield f"in files {_either(rule.files)}"
    if rule.except_files:
        yield f"but not in {_either(rule.except_files)}"
    if rule.inside:
        yield f"inside of {_place(rule.inside)}"
    if rule.outside:
        yield f"outside of {_place(rule.outside)}"
    if rule.when:
        yield f"where the file has {_place(rule.when)}"


def _place(place: DefinitionScope | RuleCondition) -> str:
    named = [("a class", place.classes), ("a function", place.functions)]
    if isinstance(place, RuleCondition):
        named += [("an import of", place.imports), ("a call of", place.calls)]
    said = [f"{word} {_either(globs)}" for word, globs in named if globs]
    if isinstance(place, RuleCondition) and place.syntax:
        said.append(_syntax(place.syntax).removeprefix("no match of "))
    return " and ".join(said)


def _either(globs: Iterable[str]) -> str:
    return " or ".join(f"`{glob}`" for glob in globs)


def _short(text: str) -> str:
    return f"`{cut_text(' '.join(text.split()), LONGEST)}`"

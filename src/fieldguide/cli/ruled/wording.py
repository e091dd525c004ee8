"""A rule in words: what it looks for, and where."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from fieldguide.toolsets.architecture.rules import Rule, structures
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Condition,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    NamingCheck,
    Place,
    SyntaxCheck,
    TextCheck,
)

LONGEST = 300


def in_words(rule: Rule) -> str:
    """How a rule is checked, as one sentence without its full stop."""
    return ", ".join([_named(rule) or _check(_for_its_languages(rule)), *_where(rule)])


def _named(rule: Rule) -> str | None:
    """A structure by its name, with what it is."""
    for name in structures.names() if isinstance(rule.check, SyntaxCheck) else ():
        structure = structures.read_structure(name)
        if structure.check == rule.check:
            return f"no `{name}` ({structure.finds.rstrip('.')})"
    return None


def _for_its_languages(rule: Rule) -> Any:
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
    return f"an import of {named} is required" if check.is_required else f"no import of {named} or of what lies below"


def _calls(check: CallCheck) -> str:
    named = _either(check.globs)
    return f"a call of {named} is required" if check.is_required else f"no call of {named}"


def _naming(check: NamingCheck) -> str:
    kinds = " and ".join(f"{kind} names" for kind in check.kinds)
    asked = [
        f"in {check.style}" if check.style else "",
        f"like {_either(check.matches)}" if check.matches else "",
        f"not like {_either(check.forbidden)}" if check.forbidden else "",
    ]
    where = [
        f"{word} {_either(globs)}"
        for word, globs in (
            ("named", check.where.names),
            ("extending", check.where.extends),
            ("decorated with", check.where.decorators),
        )
        if globs
    ]
    return " ".join(filter(None, [f"{kinds} are", *asked, f"(those {' and '.join(where)})" if where else ""]))


def _text(check: TextCheck) -> str:
    parts = "the text" if len(set(check.parts)) == 3 else " and ".join(check.parts)
    said = f"the expression {_short(check.expression)}"
    return f"{said} is required in {parts}" if check.is_required else f"no match of {said} in {parts}"


def _mentions(check: MentionCheck) -> str:
    return f"no mention of {_either(check.names)} in code"


def _syntax(check: SyntaxCheck) -> str:
    ways = list(dict.fromkeys(_syntax_rule(rule.get("rule")) for rule in check.by_language.values()))
    said = " or ".join(ways[:2])
    return f"a match of {said} is required" if check.is_required else f"no match of {said}"


def _syntax_rule(rule: Any) -> str:
    """What ast-grep is asked for: a pattern as it is, anything else as its rule."""
    given = cast("dict[str, Any]", rule) if isinstance(rule, dict) else {}
    if [*given] == ["pattern"] and isinstance(given["pattern"], str):
        return f"the ast-grep pattern {_short(given['pattern'])}"
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


def _where(rule: Rule) -> Iterator[str]:
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


def _place(place: Place | Condition) -> str:
    named = [("a class", place.classes), ("a function", place.functions)]
    if isinstance(place, Condition):
        named += [("an import of", place.imports), ("a call of", place.calls)]
    said = [f"{word} {_either(globs)}" for word, globs in named if globs]
    if isinstance(place, Condition) and place.syntax:
        said.append(_syntax(place.syntax).removeprefix("no match of "))
    return " and ".join(said)


def _either(globs: Iterable[str]) -> str:
    return " or ".join(f"`{glob}`" for glob in globs)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return f"`{plain if len(plain) <= LONGEST else plain[:LONGEST] + '…'}`"

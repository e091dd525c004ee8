"""The check of a declared rule: exactly one of the entries that say what must or must not be."""

from collections.abc import Callable, Mapping, Sequence

from fieldguide.toolsets.architecture.rules.checking.naming import KINDS, STYLES
from fieldguide.toolsets.architecture.rules.checking.regular_expressions import line_search
from fieldguide.toolsets.architecture.rules.code.languages import is_for
from fieldguide.toolsets.architecture.rules.declared.front_matter import Value
from fieldguide.toolsets.architecture.rules.declared.syntax_rules import read_syntax_check
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    NamingCheck,
    Part,
    Selection,
    SyntaxCheck,
    TextCheck,
)
from fieldguide.toolsets.architecture.rules.structures import names, read_structure

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
WHERE_ENTRIES = frozenset(("name", "extends", "implements", "decorator", "annotation"))


class Malformed(ValueError):
    """A declared rule that can't be understood; the message says why."""


def read_check(given: Mapping[str, Value], languages: Sequence[str]) -> Check:
    """The one check of a rule; raises Malformed, or what an expression or a syntax rule is refused with."""
    found = [key for key in given if key in CHECKS]
    if len(found) != 1:
        known = ", ".join(CHECKS)
        said = f"it has {len(found)} checks ({', '.join(found)})" if found else "it has no check"
        raise Malformed(f"{said}; a rule has exactly one of {known}")
    if "in" in given and not found[0].endswith("text"):
        raise Malformed("`in` belongs to `forbid-text` and `require-text`")
    return CHECKS[found[0]](given, languages)


def strings(value: Value, key: str) -> tuple[str, ...]:
    """A text or a list of texts that must not be empty."""
    given = value.items if value.items is not None else (value,)
    if not given or not all(each.is_scalar and each.is_given for each in given):
        raise Malformed(f"`{key}` is not a text or a list of texts")
    found = tuple(str(each.scalar).strip() for each in given)
    if not all(found):
        raise Malformed(f"`{key}` has an empty text")
    return found


def texts(value: Value | None) -> tuple[str, ...]:
    """A text or a list of texts, none when it is not given."""
    return strings(value, "files") if value is not None and value.is_given else ()


def _imports(key: str, *, is_required: bool) -> Callable[[Mapping[str, Value], Sequence[str]], Check]:
    return lambda given, languages: ImportCheck(strings(given[key], key), is_required)


def _calls(key: str, *, is_required: bool) -> Callable[[Mapping[str, Value], Sequence[str]], Check]:
    def read(given: Mapping[str, Value], languages: Sequence[str]) -> Check:
        written = (each.removesuffix("()") for each in strings(given[key], key))
        return CallCheck(tuple(" ".join(each.split()) for each in written), is_required)

    return read


def _texts(key: str, *, is_required: bool) -> Callable[[Mapping[str, Value], Sequence[str]], Check]:
    def read(given: Mapping[str, Value], languages: Sequence[str]) -> Check:
        where = str(given["in"].scalar) if "in" in given else "code"
        if where not in PARTS:
            raise Malformed(f"`in` is none of {', '.join(PARTS)}")
        written = strings(given[key], key)
        expression = written[0] if len(written) == 1 else "|".join(f"(?:{each})" for each in written)
        line_search(expression)
        return TextCheck(expression, PARTS[where], is_required)

    return read


def _syntax(key: str, *, is_required: bool) -> Callable[[Mapping[str, Value], Sequence[str]], Check]:
    return lambda given, languages: read_syntax_check(given[key].plain(), languages, is_required=is_required)


def _naming(given: Mapping[str, Value], languages: Sequence[str]) -> Check:
    entries = _entries(given["naming"], "naming", NAMING_ENTRIES)
    if "kind" not in entries:
        raise Malformed("`naming` needs a `kind`")
    kinds = tuple(OTHER_KINDS.get(each, each) for each in strings(entries["kind"], "kind"))
    if not set(kinds) <= set(KINDS):
        raise Malformed(f"`kind` is none of {', '.join(KINDS)}")
    matches, forbidden = (strings(entries[key], key) if key in entries else () for key in ("matches", "forbid"))
    style = _style(entries["style"]) if "style" in entries else None
    if not matches and not forbidden and style is None:
        raise Malformed("`naming` needs `matches`, `style` or `forbid`")
    return NamingCheck(kinds, matches, style, forbidden, _selection(entries.get("where")))


def _entries(value: Value, key: str, known: frozenset[str]) -> dict[str, Value]:
    if value.entries is None:
        raise Malformed(f"`{key}` is not a mapping")
    unknown = sorted(set(value.entries) - known)
    if unknown:
        raise Malformed(f"`{key}` has an unknown entry `{unknown[0]}`")
    return value.entries


def _style(value: Value) -> str:
    said = str(value.scalar)
    style = said if said in STYLES else OTHER_STYLES.get(said.lower())
    if style is None:
        raise Malformed(f"`style` is none of {', '.join(STYLES)}")
    return style


def _selection(value: Value | None) -> Selection:
    if value is None:
        return Selection()
    entries = _entries(value, "where", WHERE_ENTRIES)

    def globs(*keys: str) -> tuple[str, ...]:
        return tuple(each.lstrip("@") for key in keys if key in entries for each in strings(entries[key], key))

    return Selection(globs("name"), globs("extends", "implements"), globs("decorator", "annotation"))


def _structure(given: Mapping[str, Value], languages: Sequence[str]) -> Check:
    checks: list[SyntaxCheck] = []
    for name in dict.fromkeys(strings(given["structure"], "structure")):
        try:
            check = read_structure(name).check
        except KeyError:
            raise Malformed(f"there is no structure `{name[:60]}`; known are {', '.join(names())}") from None
        if languages and not any(is_for(languages, each) for each in check.by_language):
            raise Malformed(f"the structure `{name}` is only known for {', '.join(check.by_language)}")
        checks.append(check)
    return checks[0] if len(checks) == 1 else EveryCheck(tuple(checks))


CHECKS: dict[str, Callable[[Mapping[str, Value], Sequence[str]], Check]] = {
    "forbid-import": _imports("forbid-import", is_required=False),
    "require-import": _imports("require-import", is_required=True),
    "forbid-call": _calls("forbid-call", is_required=False),
    "require-call": _calls("require-call", is_required=True),
    "naming": _naming,
    "forbid-text": _texts("forbid-text", is_required=False),
    "require-text": _texts("require-text", is_required=True),
    "structure": _structure,
    "ast-grep": _syntax("ast-grep", is_required=False),
    "require-ast-grep": _syntax("require-ast-grep", is_required=True),
}

"""What ESLint's `no-restricted-*` find, as ast-grep rules on JavaScript's and TypeScript's trees.

https://eslint.org/docs/latest/rules/no-restricted-imports, no-restricted-syntax, no-restricted-globals and
no-restricted-properties.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import NotTheSame, as_list
from fieldguide.formats.yaml_text import Value

Syntax = dict[str, Any]
SCOPES = "ESLint tells a global name from one that is declared, and an ast-grep rule does not"
SELECTOR = re.compile(r"\s*([A-Z]\w+)((?:\[[\w.]+\s*=\s*(?:'[^']*'|\"[^\"]*\"|\w+)\])*)\s*")
CONDITION = re.compile(r"\[([\w.]+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|(\w+))\]")
KINDS: dict[str, Syntax] = {
    "WithStatement": {"kind": "with_statement"},
    "LabeledStatement": {"kind": "labeled_statement"},
    "DebuggerStatement": {"kind": "debugger_statement"},
    "DoWhileStatement": {"kind": "do_statement"},
    "WhileStatement": {"kind": "while_statement"},
    "SwitchStatement": {"kind": "switch_statement"},
    "TryStatement": {"kind": "try_statement"},
    "ThrowStatement": {"kind": "throw_statement"},
    "ForStatement": {"kind": "for_statement"},
    "ForInStatement": {"kind": "for_in_statement", "has": {"field": "operator", "regex": "^in$"}},
    "ForOfStatement": {"kind": "for_in_statement", "has": {"field": "operator", "regex": "^of$"}},
    "ContinueStatement": {"kind": "continue_statement"},
    "ConditionalExpression": {"kind": "ternary_expression"},
    "AwaitExpression": {"kind": "await_expression"},
    "YieldExpression": {"kind": "yield_expression"},
    "SequenceExpression": {"kind": "sequence_expression"},
    "ArrowFunctionExpression": {"kind": "arrow_function"},
    "NewExpression": {"kind": "new_expression"},
    "TSEnumDeclaration": {"kind": "enum_declaration"},
    "ExportDefaultDeclaration": {"kind": "export_statement", "regex": r"^export\s+default\b"},
    "BinaryExpression": {"kind": "binary_expression"},
    "LogicalExpression": {"kind": "binary_expression"},
    "CallExpression": {"kind": "call_expression"},
}


class Restricted(NamedTuple):
    """One thing that a setting restricts."""

    name: str
    line: int
    syntax: Syntax
    message: str
    limits: tuple[str, ...] = ()


Reader = Callable[[Value], Restricted]


def restrictions(rule: str, options: list[Value]) -> Iterator[tuple[Reader, Value]]:
    """Each thing that a rule restricts, with what reads it."""
    for option in options:
        entries = option.entries or {}
        if rule == "no-restricted-imports" and {"paths", "patterns"} & set(entries):
            yield from ((_path, path) for path in _items(entries.get("paths")))
            yield from ((_pattern, pattern) for pattern in _items(entries.get("patterns")))
        else:
            yield READERS[rule], option


def _path(value: Value) -> Restricted:
    given = _entries(value, "name", ("name", "message", "importNames"))
    name = str(given["name"])
    return Restricted(
        name, value.line, _importing(_exact(name), given.get("importNames")), _said(given, f"`{name}` is not imported.")
    )


def _pattern(value: Value) -> Restricted:
    given = _entries(value, "group", ("group", "message", "caseSensitive", "importNames"))
    listed = as_list(given["group"])
    if not listed:
        raise NotTheSame("its group is empty")
    source = "|".join(_ignored(str(each)) for each in listed)
    case = "" if given.get("caseSensitive") is True else "(?i)"
    named = ", ".join(f"`{each}`" for each in listed)
    syntax = _importing(f"{case}^[\"'](?:{source})[\"']$", given.get("importNames"))
    return Restricted(str(listed[0]), value.line, syntax, _said(given, f"What fits {named} is not imported."))


def _exact(name: str) -> str:
    return f"^[\"']{re.escape(name)}[\"']$"


def _importing(source: str, names: Any) -> Syntax:
    """Imports and exports from some module: all of them, or only those of some names."""
    statements: list[Syntax] = [{"kind": "import_statement"}, {"kind": "export_statement"}]
    whole: Syntax = {"any": statements, "has": {"field": "source", "regex": source}}
    if not names:
        return whole
    inside = {"stopBy": "end", **whole}
    named = [str(each) for each in as_list(names)]
    wanted = f"^(?:{'|'.join(map(re.escape, named))})$"
    ways: list[Syntax] = [
        {"kind": "import_specifier", "has": {"field": "name", "regex": wanted}, "inside": inside},
        {"kind": "export_specifier", "has": {"field": "name", "regex": wanted}, "inside": inside},
        {"kind": "namespace_import", "inside": inside},
        {"kind": "export_statement", "regex": r"^export\s*\*", "has": {"field": "source", "regex": source}},
    ]
    if "default" in named:
        ways.append({"kind": "identifier", "inside": {"kind": "import_clause", "inside": inside}})
    return {"any": ways}


def _ignored(glob: str) -> str:
    """A pattern of .gitignore as a regular expression: what it fits, and all below it."""
    if glob.startswith(("!", "#")) or any(mark in glob for mark in "[]?\\"):
        raise NotTheSame(f"the pattern `{glob}` has no equal here")
    plain = glob.strip("/")
    is_rooted = "/" in glob.rstrip("/")
    parts = [".*" if part == "**" else "[^/]*".join(map(re.escape, part.split("*"))) for part in plain.split("/")]
    joined = "/".join(parts).replace(".*/", "(?:.*/)?").replace("/.*", "/.+")
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    return joined + below if is_rooted else f"(?:.*/)?{joined}{below}"


def _syntax(option: Value) -> Restricted:
    """A kind of code that a selector names."""
    given = _entries(option, "selector", ("selector", "message"))
    selector = str(given["selector"])
    return Restricted(selector, option.line, _selected(selector), _said(given, f"`{selector}` is not written here."))


def _selected(selector: str) -> Syntax:
    match = SELECTOR.fullmatch(selector)
    if match is None or match.group(1) not in KINDS:
        raise NotTheSame(f"the selector `{selector}` has no equal here")
    kind, syntax = match.group(1), KINDS[match.group(1)]
    found = CONDITION.finditer(match.group(2))
    given = {each.group(1): each.group(2) or each.group(3) or each.group(4) for each in found}
    if kind in ("BinaryExpression", "LogicalExpression"):
        return _operator(syntax, given, selector)
    if not given:
        return syntax
    field = {"CallExpression": "function", "NewExpression": "constructor"}.get(kind)
    called = _called(given) if field else None
    if called is None:
        raise NotTheSame(f"the selector `{selector}` has no equal here")
    return {**syntax, "has": {"field": field, **called}}


def _operator(syntax: Syntax, given: Mapping[str, str], selector: str) -> Syntax:
    if set(given) != {"operator"}:
        raise NotTheSame(f"the selector `{selector}` has no equal here")
    return {**syntax, "has": {"field": "operator", "regex": f"^{re.escape(given['operator'])}$"}}


def _called(given: Mapping[str, str]) -> Syntax | None:
    if set(given) == {"callee.name"}:
        return {"kind": "identifier", "regex": f"^{re.escape(given['callee.name'])}$"}
    if set(given) == {"callee.object.name", "callee.property.name"}:
        return _member(given["callee.object.name"], given["callee.property.name"], by_text=False)
    if set(given) == {"callee.property.name"}:
        return _member(None, given["callee.property.name"], by_text=False)
    return None


def _global(option: Value) -> Restricted:
    """A name that must not be used where nothing declares it."""
    given = _entries(option, "name", ("name", "message"))
    name = str(given["name"])
    syntax: Syntax = {
        "kind": "identifier",
        "regex": f"^{re.escape(name)}$",
        "not": {"any": [{"inside": {"kind": kind, "field": "name"}} for kind in DECLARING]},
    }
    return Restricted(name, option.line, syntax, _said(given, f"The global `{name}` is not used."), (SCOPES,))


DECLARING = ("variable_declarator", "function_declaration", "import_specifier")


def _property(option: Value) -> Restricted:
    """A property of an object that must not be read."""
    given = _entries(option, "object", ("object", "property", "message"), needs=())
    name, of = (str(given[key]) if given.get(key) else None for key in ("property", "object"))
    if not name and not of:
        raise NotTheSame("it names neither an object nor a property")
    ways: list[Syntax] = [_member(of, name, by_text=True)]
    if of:
        ways.append(_destructured(of, name))
    else:
        ways.append({"kind": "object_pattern", "has": _key(str(name))})
    said = _said(given, f"`{of or '*'}.{name or '*'}` is not used.")
    return Restricted(f"{of or 'any'}.{name or 'any'}", option.line, {"any": ways}, said)


def _member(of: str | None, name: str | None, *, by_text: bool) -> Syntax:
    """An access to a member: with a dot, or in brackets by a text, or by a name where ESLint looks at names only."""
    parts = [{"has": {"field": "object", "kind": "identifier", "regex": f"^{re.escape(of)}$"}}] if of else []
    dotted = [*parts, *([{"has": {"field": "property", "regex": f"^{re.escape(name)}$"}}] if name else [])]
    shape = f"^[\"'`]{re.escape(name or '')}[\"'`]$" if by_text else f"^{re.escape(name or '')}$"
    index: Syntax = {"field": "index", "regex": shape, **({} if by_text else {"kind": "identifier"})}
    bracketed = [*parts, *([{"has": index}] if name else [])]
    return {
        "any": [
            {"kind": "member_expression", **({"all": dotted} if dotted else {})},
            {"kind": "subscript_expression", **({"all": bracketed} if bracketed else {})},
        ]
    }


def _destructured(of: str, name: str | None) -> Syntax:
    """`const { name } = of`, also as an assignment and as a parameter."""
    ways: list[Syntax] = [
        {"kind": kind, "has": {"field": field, "kind": "identifier", "regex": f"^{re.escape(of)}$"}}
        for kind, field in TAKING_APART.items()
    ]
    keys = _key(name) if name else {"any": [{"kind": kind} for kind in KEYS]}
    return {"kind": "object_pattern", "inside": {"any": ways}, "has": keys}


TAKING_APART = {"variable_declarator": "value", "assignment_expression": "right", "assignment_pattern": "right"}
KEYS = ("shorthand_property_identifier_pattern", "pair_pattern", "object_assignment_pattern")


def _key(name: str) -> Syntax:
    shape = f"^{re.escape(name)}$"
    return {
        "any": [
            {"kind": "shorthand_property_identifier_pattern", "regex": shape},
            {"kind": "pair_pattern", "has": {"field": "key", "regex": f"^[\"']?{re.escape(name)}[\"']?$"}},
            {"kind": "object_assignment_pattern", "has": {"field": "left", "regex": shape}},
        ]
    }


def _items(value: Value | None) -> list[Value]:
    if value is None:
        return []
    return list(value.items) if value.items is not None else [value]


def _entries(value: Value, main: str, known: tuple[str, ...], needs: tuple[str, ...] | None = None) -> dict[str, Any]:
    """The entries of an option; a text stands for its main one."""
    given = {main: value.scalar} if value.entries is None else value.plain()
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise NotTheSame(f"`{unknown[0]}` has no equal here")
    if any(key not in given for key in (needs if needs is not None else (main,))):
        raise NotTheSame(f"it has no `{main}`")
    return given


def _said(given: Mapping[str, Any], otherwise: str) -> str:
    return " ".join(str(given.get("message") or otherwise).split())


READERS: dict[str, Reader] = {
    "no-restricted-imports": _path,
    "no-restricted-syntax": _syntax,
    "no-restricted-globals": _global,
    "no-restricted-properties": _property,
}

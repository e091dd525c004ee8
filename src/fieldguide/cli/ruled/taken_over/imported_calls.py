"""Calls in Python under every name that an import may give them, as ast-grep rules: what semgrep sees by itself.

`requests.get(…)` is also `get(…)` after `from requests import get`, `g(…)` after `from requests import get as g`, and
`r.get(…)` after `import requests as r`.
"""

from typing import Any

from fieldguide import linear_regex as re

CALL = re.compile(r"(\$?\w+(?:\.\w+)*)\.(\w+)(\(.*\))")
OWN = ("self", "cls")
MODULE, NAME = "$IMPORTED_MODULE", "$IMPORTED_NAME"

Syntax = dict[str, Any]


def call_forms(pattern: str) -> Syntax | None:
    """A rule for a call pattern and its other names; None where it is no call of a name that can be imported."""
    match = CALL.fullmatch(pattern)
    if match is None or not _is_one_call(match.group(3)):
        return None
    base, name, arguments = match.groups()
    first = base.partition(".")[0]
    if first in OWN:
        return {"pattern": pattern}
    if first.startswith("$"):
        return {"any": [{"pattern": pattern}, *_taken_from(None, name, arguments)]} if first == base else None
    return {"any": [{"pattern": pattern}, *_taken_from(base, name, arguments), *_renamed(base, name, arguments)]}


def _is_one_call(arguments: str) -> bool:
    """Whether the bracket that opens first is closed last."""
    depth = 0
    for place, character in enumerate(arguments):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(arguments) - 1
    return False


def _taken_from(module: str | None, name: str, arguments: str) -> list[Syntax]:
    """`from module import name`, or `… as another`."""
    plain = {"kind": "dotted_name", "regex": f"^{name}$"}
    return [
        {"pattern": f"{name}{arguments}", **_where(_from(module, {"has": plain}))},
        {"pattern": f"{NAME}{arguments}", **_where(_from(module, {"has": _alias(name, NAME)}))},
    ]


def _renamed(base: str, name: str, arguments: str) -> list[Syntax]:
    """`import module as another`, and `from package import module` with or without another name."""
    whole = {"kind": "import_statement", "has": _alias(re.escape(base), MODULE)}
    found: list[Syntax] = [{"pattern": f"{MODULE}.{name}{arguments}", **_where(whole)}]
    package, _, last = base.rpartition(".")
    if package:
        plain = {"has": {"kind": "dotted_name", "regex": f"^{last}$"}}
        found += [
            {"pattern": f"{last}.{name}{arguments}", **_where(_from(package, plain))},
            {"pattern": f"{MODULE}.{name}{arguments}", **_where(_from(package, {"has": _alias(last, MODULE)}))},
        ]
    return found


def _alias(name: str, variable: str) -> Syntax:
    fields = [{"has": {"field": "name", "regex": f"^{name}$"}}, {"has": {"field": "alias", "pattern": variable}}]
    return {"kind": "aliased_import", "all": fields}


def _from(module: str | None, names: Syntax) -> Syntax:
    where = [{"has": {"field": "module_name", "regex": f"^{re.escape(module)}$"}}] if module else []
    return {"kind": "import_from_statement", "all": [*where, names]}


def _where(statement: Syntax) -> Syntax:
    """That the file has such an import."""
    return {"inside": {"kind": "module", "stopBy": "end", "has": {**statement, "stopBy": "end"}}}

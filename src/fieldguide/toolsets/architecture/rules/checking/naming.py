"""How names must look: by a glob, or by one of the styles that programmers have names for."""

from fieldguide import linear_regex as re
from fieldguide.source_code.names.defined import Definition
from fieldguide.toolsets.architecture.rules.checking.globs import name_matcher
from fieldguide.toolsets.architecture.rules.pattern import NamingCheck, Selection

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


def breaks_naming(check: NamingCheck, each: Definition) -> bool:
    """Whether a definition is one that the rule is about and has a name that it does not allow."""
    if each.kind not in check.kinds or each.name in UNNAMED or DUNDER.fullmatch(each.name):
        return False
    if not is_selected(check.where, each):
        return False
    if check.forbidden and name_matcher(check.forbidden)(each.name):
        return True
    if check.matches and not name_matcher(check.matches)(each.name):
        return True
    return check.style is not None and not has_style(each.name, check.style)


def is_selected(where: Selection, each: Definition) -> bool:
    """Whether a definition has the name, the base and the decorator that a rule asks for."""
    if where.names and not name_matcher(where.names)(each.name):
        return False
    if where.extends and not any(map(name_matcher(where.extends), _short_and_long(each.extends))):
        return False
    return not where.decorators or any(map(name_matcher(where.decorators), _short_and_long(each.decorators)))


def has_style(name: str, style: str) -> bool:
    """Whether a name is written in a style; underscores around it say something else and don't count."""
    plain = name.strip("_$@?!")
    return not plain or STYLES[style].fullmatch(plain) is not None


def _short_and_long(names: tuple[str, ...]) -> list[str]:
    return [*names, *(name.rpartition(".")[2] for name in names if "." in name)]

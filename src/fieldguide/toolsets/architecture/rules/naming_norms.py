"""Sentences about names: what they end or begin with, and how they are written."""

from itertools import pairwise

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.naming import STYLES
from fieldguide.toolsets.architecture.rules.pattern import Check, EveryCheck, NamingCheck, Selection
from fieldguide.toolsets.architecture.rules.roles import ROLE

KINDS = {
    "interface": r"interfaces?|protocols?|traits?",
    "class": r"class(?:es)?|structs?|types?|implementations?|components?|exceptions?|errors?",
    "method": r"methods?",
    "function": r"functions?|procedures?",
    "constant": r"constants?",
    "variable": r"variables?|locals?|fields?|attributes?",
    "parameter": r"parameters?|arguments?",
}
KIND = re.compile("|".join(rf"(?P<{kind}>\b(?:{words})\b)" for kind, words in KINDS.items()), re.IGNORECASE)
AFFIX = re.compile(
    r"^(?P<what>.*?)\b(?P<how>end(?:s|ing)?|suffix(?:ed)?|postfix(?:ed)?|start(?:s|ing)?|begin(?:s|ning)?"
    r"|prefix(?:ed)?)\s+(?:(?:in|with|by|the|a|an|word|suffix|prefix|their|names?|letter)\s+)*"
    r"`(?P<affix>[*\w.-]+)`(?P<more>(?:\s*(?:,|or|and)+\s*(?:with\s+|in\s+)?`[*\w.-]+`)*)",
    re.IGNORECASE,
)
CARRY = re.compile(
    r"^(?P<what>.*?)\b(?:have|has|carry|carries|use|uses|get|gets)\s+(?:the|a"
    r"|an)\s+`(?P<affix>[*\w-]+)`\s+(?P<how>suffix|prefix)",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"^(?P<what>.*?)\b(?:named|called)\s+(?:like\s+|as\s+)?`(?P<glob>[^`\s]*(?:\*|<[^>`]*>|\{[^}`]*\})[^`\s]*)`",
    re.IGNORECASE,
)
NAME_FORBIDDEN = re.compile(
    r"\b(?:name|call)\s+(?P<what>(?:an?\s+|any\s+|your\s+)?\w+)\s+(?P<globs>`[*\w]+`(?:\s*(?:,|or|and"
    r"|nor)+\s*`[*\w]+`)*)",
    re.IGNORECASE,
)
STYLE = re.compile(
    r"`?\b(?P<style>snake[_ ]case|cap ?words|(?:lower)?camel ?case|pascal ?case|uppercamelcase"
    r"|upper[_ ](?:snake[_ ])?case|screaming[_ ]snake[_ ]case|all[_ ]caps|kebab[- ]case)\b`?",
    re.IGNORECASE,
)
VERBS = re.compile(
    r"\b(?:must|should|shall|always|are|is|be|have to|has to|need to|needs to|names?|naming|named|called|written"
    r"|use|uses|in|have|has|a|an|the|all|every|each|any|of|their|our|your|new|public|exported|private|global"
    r"|module-level|top-level|python|typescript|java|go|local|and|with|follow|follows|end|start|that|which"
    r"|implement|implements|implementing|extend|extends|extending)\b|[,:`]",
    re.IGNORECASE,
)
STYLE_NAMES = {
    "snakecase": "snake_case",
    "camelcase": "camelCase",
    "lowercamelcase": "camelCase",
    "pascalcase": "PascalCase",
    "capwords": "PascalCase",
    "uppercamelcase": "PascalCase",
    "uppercase": "UPPER_CASE",
    "uppersnakecase": "UPPER_CASE",
    "screamingsnakecase": "UPPER_CASE",
    "allcaps": "UPPER_CASE",
    "kebabcase": "kebab-case",
}
BASES = {"exception": ("*Exception", "*Error"), "error": ("*Exception", "*Error")}


def naming_check(sentence: str, *, is_forbidden: bool) -> Check | None:
    """The check of a sentence about names; None when it is about something else, or about names that can't be told."""
    affix = AFFIX.match(sentence) or CARRY.match(sentence)
    if affix:
        more = re.findall(r"`([*\w.-]+)`", affix.groupdict().get("more") or "")
        globs = tuple(_glob(each, affix.group("how")) for each in (affix.group("affix"), *more))
        return _check(affix.group("what"), globs, is_forbidden=is_forbidden)
    named = NAMED.match(sentence)
    if named:
        glob = re.sub(r"<[^>]{0,200}>|\{[^}]{0,200}\}", "*", named.group("glob"))
        return _check(named.group("what"), (glob.removesuffix("()"),), is_forbidden=is_forbidden)
    forbidden = NAME_FORBIDDEN.search(sentence) if is_forbidden else None
    if forbidden:
        globs = tuple(re.findall(r"`([*\w]+)`", forbidden.group("globs")))
        return _check(forbidden.group("what"), globs, is_forbidden=True)
    return None if is_forbidden else _styles(sentence)


def _glob(affix: str, how: str) -> str:
    plain = affix.strip("*").lstrip(".") if affix.strip("*") else affix
    if len(plain) == 1 and plain.isupper() and not how.lower().startswith(("end", "suffix", "postfix")):
        return f"{plain}[A-Z]*"  # `I` begins `IStore`, not `Item`
    return f"{plain}*" if how.lower().startswith(("start", "begin", "prefix")) else f"*{plain}"


def _check(what: str, globs: tuple[str, ...], *, is_forbidden: bool) -> Check | None:
    kind, qualifier = _subject(what)
    if kind is None:
        return None
    kinds = ("function", "method") if kind == "function" else (kind,)
    if is_forbidden:
        return None if qualifier else NamingCheck(kinds, forbidden=globs)
    if not qualifier:
        return NamingCheck(kinds, matches=globs)
    bases = BASES.get(qualifier) or (
        f"*{qualifier.capitalize()}",
        f"*{qualifier.capitalize()}[<[]*",
        f"Base{qualifier.capitalize()}*",
    )
    by_base = NamingCheck(("class",), matches=globs, where=Selection(extends=bases))
    by_decorator = NamingCheck(
        ("class",), matches=globs, where=Selection(decorators=(qualifier.capitalize(), f"*{qualifier.capitalize()}"))
    )
    return EveryCheck((by_base, by_decorator)) if kind == "class" else None


def _subject(what: str) -> tuple[str | None, str]:
    """The kind that a subject is about, and the one word that narrows it; no kind when more than that narrows it."""
    role = ROLE.search(what)
    kind = KIND.search(what)
    if kind is None and role is None:
        return None, ""
    found = kind.lastgroup if kind and kind.lastgroup else "class"
    narrowing = kind.group().lower().rstrip("s") if kind and kind.group().lower().rstrip("s") in BASES else ""
    left = KIND.sub(" ", VERBS.sub(" ", ROLE.sub(" ", what))).split()
    if left:
        return None, ""
    return found, (role.lastgroup or "") if role else narrowing


def _styles(sentence: str) -> Check | None:
    """Each style with the kinds beside it: `classes use PascalCase, functions snake_case`."""
    styles = list(STYLE.finditer(sentence))
    if len(styles) < 2:
        return _styled(sentence, styles[0]) if styles else None
    if KIND.search(sentence[: styles[0].start()]):
        cuts = [0, *(style.end() for style in styles)]
    else:  # `PascalCase for classes and snake_case for functions`
        cuts = [*(style.start() for style in styles), len(sentence)]
    parts = [sentence[start:end] for start, end in pairwise(cuts)]
    found = [_styled(part, style) for part in parts if (style := STYLE.search(part)) and KIND.search(part)]
    checks = tuple(each for each in found if each is not None)
    return EveryCheck(checks) if len(checks) == len(styles) else None


def _styled(sentence: str, style: re.Match[str]) -> Check | None:
    """Every kind that is named together with a style: `functions and methods use snake_case`."""
    name = STYLE_NAMES[re.sub(r"[_\- ]", "", style.group("style").lower())]
    if name not in STYLES:
        return None
    before = sentence[: style.start()]
    said = before if KIND.search(before) else f"{before} {sentence[style.end() :]}"
    kinds = {match.lastgroup for match in KIND.finditer(said) if match.lastgroup}
    left = re.sub(r"\b(?:for|not|or|case|style|names?)\b", " ", KIND.sub(" ", VERBS.sub(" ", said))).split()
    if (
        not kinds
        or len(left) > 1
        or re.search(
            r"\b(?:file|folder|director|table|column|json|url|endpoint|branch|event|key|test)", said, re.IGNORECASE
        )
    ):
        return None
    wanted = sorted(kinds | {"method"} if "function" in kinds else kinds)
    return NamingCheck(tuple(wanted), style=name, spares_components=name == "camelCase")

"""Rules of semgrep that ast-grep can say: patterns, their alternatives, and what must or must not be around them.

semgrep knows more of a program than its tree: names under which things are imported, values of constants, keyword
arguments in any order. A call of one dotted name with any arguments becomes `forbid-call`, which follows imports too.
What else depends on such knowledge has it as a limit.

https://semgrep.dev/docs/writing-rules/rule-syntax
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import (
    Carried,
    Left,
    NotTheSame,
    Source,
    as_list,
    as_mapping,
    each_carried,
    slug,
)
from fieldguide.cli.ruled.taken_over.imported_calls import call_forms
from fieldguide.cli.ruled.taken_over.spreading import spread
from fieldguide.formats.yaml_text import Value, read_yaml
from fieldguide.source_code.languages import canonical_language
from fieldguide.source_code.parsing import GRAMMARS

SEVERITIES = {
    "ERROR": "error", "HIGH": "error", "CRITICAL": "error", "WARNING": "warning", "MEDIUM": "warning",
    "INFO": "warning", "LOW": "warning", "INVENTORY": "warning", "EXPERIMENT": "warning",
}  # fmt: skip
NO_EFFECT = {"id", "message", "severity", "languages", "metadata", "fix", "fix-regex", "min-version", "max-version"}
NESTED = ("patterns", "pattern-either")
LEAVES = ("pattern", "pattern-not", "pattern-inside", "pattern-not-inside")
PLAIN_CALL = re.compile(r"((?:new )?(?:\$[A-Z]\w*\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\(\s*\.\.\.\s*\)")
DOTTED = re.compile(r"\w\.[A-Za-z_]\w*\s*\(")
LITERAL = re.compile(r"""["'`]|(?:^|[^\w.])\d|\b(?:True|False|true|false)\b""")
KEYWORD = re.compile(r"\b[A-Za-z_]\w*\s*=(?!=)")
REFUSED = [
    (re.compile(expression), reason)
    for expression, reason in (
        (
            r"^(?:import|from|def|class|for|while|if|with|try|return|function|func|async)\b|^@|^\.\.\.",
            "is about statements, which semgrep matches more loosely than ast-grep",
        ),
        (
            r"<\.\.\.|=~/|\{|\(\s*\$?\w+(?:\s*:\s*|\s+)\$?\w+\s*\)\s*\.|\(\$[A-Z_]\w*\s*:",
            "has what ast-grep can't say",
        ),
        (r"""["']\.\.\.["']|\.\s*\.\.\.\s*\.""", "has dots that ast-grep can't say"),
        (r"\w\[", "has a subscript, which is also a type or a slice in one of the tools"),
        (r"""["'`]""", "has a text, whose quotes semgrep does not look at"),
    )
]
SHAPES = {
    ("python", "def $F(...): ..."): {"kind": "function_definition"},
    ("python", "class $C(...): ..."): {"kind": "class_definition"},
    ("python", "class $C: ..."): {"kind": "class_definition"},
    ("python", "for $X in $Y: ..."): {"kind": "for_statement"},
    ("python", "while $X: ..."): {"kind": "while_statement"},
}
NAMES = "semgrep also finds it under the names that an import gives it"
CONSTANTS = "semgrep also follows constants to where they are set"
TYPES = "semgrep does not look at the type arguments of a call"
TYPED_CALLS = ("typescript", "tsx", "java", "kotlin", "csharp", "scala", "rust", "swift", "dart")
ORDER = "semgrep takes keyword arguments in any order"


def is_semgrep(documents: list[Value]) -> bool:
    """Whether a YAML file has rules of semgrep."""
    rules = documents[0].entries.get("rules") if documents and documents[0].entries else None
    return bool(rules and rules.items and any(each.entries and "languages" in each.entries for each in rules.items))


def carry_semgrep(source: Source) -> list[Carried | Left]:
    """The rules of a file."""
    rules = (read_yaml(source.text).root.entries or {})["rules"].items or ()
    return each_carried(_named(rules), _carried)


def _named(rules: tuple[Value, ...]) -> Iterator[tuple[str, int, Mapping[str, Value]]]:
    for number, rule in enumerate(rules, start=1):
        entries = rule.entries or {}
        name = entries.get("id")
        yield str(name.scalar) if name else f"rule {number}", rule.line, entries


def _carried(name: str, line: int, entries: Mapping[str, Value]) -> Carried:
    given = {key: value.plain() for key, value in entries.items()}
    unknown = sorted(set(given) - NO_EFFECT - set(NESTED) - {"pattern"})
    if unknown:
        raise NotTheSame(f"`{unknown[0]}` has no equal here")
    known = _languages(given.get("languages", []))
    severity = str(given.get("severity", "WARNING")).upper()
    if severity not in SEVERITIES:
        raise NotTheSame(f"`severity: {severity}` is unknown")
    check, limits = _check(given, known)
    fix = given.get("fix")
    entry = {
        "id": slug(name),
        "message": " ".join(str(given.get("message") or name).split()),
        "severity": SEVERITIES[severity],
        "languages": known,
        **({"fix": f"Write `{' '.join(fix.split())}` instead."} if isinstance(fix, str) else {}),
        **check,
    }
    return Carried(entry, line, limits=limits)


def _languages(written: Any) -> list[str]:
    known = [canonical_language(str(each)) for each in as_list(written)]
    if not known or any(each not in GRAMMARS for each in known):
        raise NotTheSame(f"there is no parser for {', '.join(map(str, as_list(written)))} here")
    return [str(each) for each in known]


def _check(given: Mapping[str, Any], languages: list[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The check of a rule, and its limits."""
    calls = _plain_calls(given)
    if calls:
        return {"forbid-call": calls}, ()
    if len(languages) > 1 and not set(languages) <= {"javascript", "typescript", "tsx"}:
        raise NotTheSame("its patterns are written for several languages at once")
    reading = _Reading(languages[0])
    rule = reading.any_of(given)
    return {"ast-grep": {"rule": rule}}, tuple(dict.fromkeys(reading.limits))


def _plain_calls(given: Mapping[str, Any]) -> list[str]:
    """The dotted names that a rule is about, where it is about nothing but calls of them."""
    written = [given.get("pattern")]
    if "pattern-either" in given:
        ways = [as_mapping(each) for each in as_list(given["pattern-either"])]
        written = [each.get("pattern") if set(each) == {"pattern"} else None for each in ways]
    matches = [PLAIN_CALL.fullmatch(each.strip()) if isinstance(each, str) else None for each in written]
    return [re.sub(r"\$\w+", "*", match.group(1)) for match in matches if match] if all(matches) else []


class _Reading:
    """The patterns of one rule, read for one language; what limits it is kept on the way."""

    def __init__(self, language: str) -> None:
        self._language = language
        self.limits: list[str] = []

    def any_of(self, given: Any) -> dict[str, Any]:
        """What an object with exactly one pattern, `patterns` or `pattern-either` finds."""
        parts = as_mapping(given)
        keys = [key for key in parts if key in (*NESTED, *LEAVES)]
        if len(keys) != 1:
            raise NotTheSame("it has no pattern, or several side by side")
        (key,) = keys
        if key == "pattern-either":
            return {"any": [self.any_of(each) for each in as_list(parts[key])]}
        return self._all(parts[key]) if key == "patterns" else self._leaf(key, parts[key])

    def _all(self, listed: Any) -> dict[str, Any]:
        parts = [self.any_of(each) for each in as_list(listed) if self._is_known(each)]
        if not any("inside" not in part and "not" not in part for part in parts):
            raise NotTheSame("it only says what is around or absent")
        return {"all": sorted(parts, key=lambda part: "inside" in part or "not" in part)}

    def _is_known(self, part: Any) -> bool:
        unknown = sorted(set(as_mapping(part)) - set(NESTED) - set(LEAVES))
        if unknown:
            raise NotTheSame(f"`{unknown[0]}` has no equal here")
        return True

    def _leaf(self, key: str, written: Any) -> dict[str, Any]:
        rule = self._pattern(str(written))
        if key == "pattern":
            return rule
        if key == "pattern-not":
            return {"not": rule}
        inside = {"inside": {**rule, "stopBy": "end"}}
        return inside if key == "pattern-inside" else {"not": inside}

    def _pattern(self, written: str) -> dict[str, Any]:
        plain = " ".join(written.split())
        shape = SHAPES.get((self._language, re.sub(r"\$[A-Z]\w*", _renamed(plain), plain)))
        if shape:
            return dict(shape)
        self._refuse(written, plain)
        patterns = [written.replace("$...", "$$$").replace("...", "$$$") for written in spread(plain)]
        forms = [call_forms(pattern) if self._language == "python" else None for pattern in patterns]
        self._limit(plain, follows_imports=None not in forms)
        ways = [form or {"pattern": pattern} for form, pattern in zip(forms, patterns, strict=True)]
        return ways[0] if len(ways) == 1 else {"any": ways}

    def _refuse(self, written: str, plain: str) -> None:
        if "\n" in written.strip():
            raise NotTheSame(f"`{plain}` is about statements, which semgrep matches more loosely than ast-grep")
        for expression, reason in REFUSED:
            if expression.search(plain):
                raise NotTheSame(f"`{plain}` {reason}")

    def _limit(self, plain: str, *, follows_imports: bool) -> None:
        is_method = self._language == "go" and plain.startswith(
            "$"
        )  # what Go imports is always called with its package
        if DOTTED.search(plain) and not follows_imports and not is_method:
            self.limits.append(NAMES)
        if self._language in TYPED_CALLS and re.search(r"\w\(", plain):
            self.limits.append(TYPES)
        if LITERAL.search(plain):
            self.limits.append(CONSTANTS)
        if len(KEYWORD.findall(plain)) > 1:
            self.limits.append(ORDER)


def _renamed(pattern: str) -> Any:
    """Names metavariables as the known shapes do: by what they stand for."""
    first = "F" if pattern.startswith("def") else "C" if pattern.startswith("class") else "X"
    seen: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return "$" + seen.setdefault(match.group(), first if not seen else "Y")

    return rename

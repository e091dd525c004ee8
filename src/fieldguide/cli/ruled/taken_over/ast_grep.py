"""Rules of ast-grep: their `rule`, `constraints` and `utils` are ours word for word; the rest is carried over.

https://ast-grep.github.io/reference/yaml.html
"""

from collections.abc import Iterator, Mapping
from itertools import product
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
from fieldguide.formats.yaml_text import Value, read_yaml
from fieldguide.source_code.languages import canonical_language
from fieldguide.source_code.parsing import GRAMMARS

PARTS = ("rule", "constraints", "utils")
SEVERITIES = {"error": "error", "warning": "warning", "info": "warning", "hint": "warning"}
DIVIDER = re.compile(r"^---[ \t]*(?:#.*)?\r?$", re.MULTILINE)
NOT_ITS_FILES = {
    "typescript": ["**/*.{tsx,js,jsx,mjs,cjs}"],  # our rules for TypeScript hold for these too
    "tsx": ["**/*.{ts,mts,cts,js,jsx,mjs,cjs}"],
}
MOST_STARS = 3


def is_ast_grep(documents: list[Value]) -> bool:
    """Whether a YAML file has rules of ast-grep."""
    return any(document.entries and {"rule", "language"} <= set(document.entries) for document in documents)


def yaml_documents(text: str) -> list[Value]:
    """The documents of a YAML text, with their lines."""
    starts = [0, *(match.end() for match in DIVIDER.finditer(text))]
    ends = [*(match.start() for match in DIVIDER.finditer(text)), len(text)]
    pieces = [(text[start:end], text.count("\n", 0, start) + 1) for start, end in zip(starts, ends, strict=True)]
    return [read_yaml(piece, first_line=line).root for piece, line in pieces if piece.strip()]


def carry_ast_grep(source: Source) -> list[Carried | Left]:
    """The rules of a file."""
    return each_carried(_rules(yaml_documents(source.text)), _carried)


def _rules(documents: list[Value]) -> Iterator[tuple[str, int, Mapping[str, Value]]]:
    for number, document in enumerate(documents, start=1):
        entries = document.entries or {}
        name = entries.get("id")
        yield str(name.scalar) if name else f"rule {number}", document.line, entries


def _carried(name: str, line: int, entries: Mapping[str, Value]) -> Carried:
    given = {key: value.plain() for key, value in entries.items()}
    if "rule" not in given:
        raise NotTheSame("it has no `rule`")
    language = _language(given.get("language"))
    rule: dict[str, Any] = {
        "id": slug(name),
        "message": " ".join(str(given.get("message") or name).split()),
        "severity": _severity(given),
        "languages": [language],
    }
    if fix := _fix(given.get("fix")):
        rule["fix"] = fix
    rule |= _files(given, language)
    rule["ast-grep"] = {part: given[part] for part in PARTS if part in given}
    note = "\n\n".join(str(given[key]).strip() for key in ("note", "url") if given.get(key))
    return Carried(rule, line, note)


def _language(written: Any) -> str:
    language = canonical_language(str(written))
    if language not in GRAMMARS:
        raise NotTheSame(f"there is no parser for {written!r} here")
    return str(language)


def _severity(given: Mapping[str, Any]) -> str:
    severity = str(given.get("severity", "hint"))
    if severity in ("off", "False"):
        raise NotTheSame("it is switched off")
    if severity not in SEVERITIES:
        raise NotTheSame(f"`severity: {severity}` is unknown")
    return SEVERITIES[severity]


def _fix(given: Any) -> str | None:
    template: Any = as_mapping(given).get("template") if isinstance(given, dict) else given
    return f"Write `{' '.join(template.split())}` instead." if isinstance(template, str) and template.strip() else None


def _files(given: Mapping[str, Any], language: str) -> dict[str, list[str]]:
    wanted, unwanted = _globs(given.get("files")), _globs(given.get("ignores"))
    unwanted += NOT_ITS_FILES.get(language, [])
    return {**({"files": wanted} if wanted else {}), **({"except-files": unwanted} if unwanted else {})}


def _globs(given: Any) -> list[str]:
    listed = as_list(given)
    if not all(isinstance(each, str) for each in listed):
        raise NotTheSame("a glob that does not mind case has no equal here")
    return [glob for each in listed for glob in crossing(each)]


def crossing(glob: str) -> list[str]:
    """A glob whose `*` also stands for slashes, as globs whose `*` does not."""
    if "?" in glob or "[" in glob:
        raise NotTheSame(f"`{glob}` may stand for slashes where ours do not")
    parts = glob.removeprefix("./").split("/")
    if sum(part.replace("**", "*").count("*") for part in parts if part != "**") > MOST_STARS:
        raise NotTheSame(f"`{glob}` has too many stars")
    ways = [_ways(part) for part in parts]
    return ["/".join(each) for each in product(*ways)]


def _ways(part: str) -> list[str]:
    """How a name of a path may be written where each of its stars may stand for folders."""
    plain = part.replace("**", "*")
    if part == "**" or "*" not in plain:
        return [part]
    pieces = plain.split("*")
    return ["".join(_woven(pieces, joints)) for joints in product(("*", "*/**/*"), repeat=len(pieces) - 1)]


def _woven(pieces: list[str], joints: tuple[str, ...]) -> Iterator[str]:
    for piece, joint in zip(pieces, [*joints, ""], strict=True):
        yield piece + joint

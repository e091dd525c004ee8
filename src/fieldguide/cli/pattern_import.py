"""`fieldguide patterns import`: turns ast-grep rule files into pattern documents, and reports the rules left out.

`rule`, `constraints` and `utils` are copied as they are; the other keys are translated.
https://ast-grep.github.io/reference/yaml.html
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple, cast

from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.languages import canonical_language
from fieldguide.files.writing import write_into
from fieldguide.settings.config import Settings
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, YamlValue, read_yaml
from fieldguide.text.errors import Misconfiguration
from fieldguide.toolsets.architecture.rules.new_pattern import NAME
from fieldguide.toolsets.architecture.rules.parser_client import read_pattern
from fieldguide.toolsets.architecture.rules.violations import count_of

YAML = (".yml", ".yaml")
LARGEST_BYTES = 1 << 20
MOST_FILES = 2_000
MOST_STARS = 3
PARTS = ("rule", "constraints", "utils")
SEVERITIES = {"error": "error", "warning": "warning", "info": "warning", "hint": "warning"}
DIVIDER = re.compile(r"^---[ \t]*(?:#.*)?\r?$", re.MULTILINE)
NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]+")
NOT_ITS_FILES = {
    "typescript": ["**/*.{tsx,js,jsx,mjs,cjs}"],  # our rules for TypeScript hold for these too
    "tsx": ["**/*.{ts,mts,cts,js,jsx,mjs,cjs}"],
}
INTRODUCTION = "Taken over from {}. Each rule finds the same here as there, unless its section says otherwise."
LEFT_OUT = "{file}:{line}: {rule} was not taken over: {reason}."


class ImportedRule(NamedTuple):
    """A rule as our front matter writes it, and the line of the file that it came from."""

    entries: Mapping[str, Any]
    line: int
    note: str

    @property
    def name(self) -> str:
        """Its id."""
        return str(self.entries["id"])


class SkippedRule(NamedTuple):
    """A rule that can't be imported; the reason is the end of a sentence."""

    name: str
    line: int
    reason: str


class RuleFile(NamedTuple):
    """The rules of one file, or all rules that go into one document, each with its file."""

    name: str
    rules: list[tuple[str, ImportedRule | SkippedRule]]


class ImportedDocument(NamedTuple):
    """A pattern document, the rules in it, and the rules left out."""

    text: str
    rules: tuple[ImportedRule, ...]
    skipped: tuple[SkippedRule, ...]


class _Unsupported(Exception):
    """A part of a rule has no equivalent here; the message is the end of a sentence."""


def import_rules(settings: Settings, arguments: argparse.Namespace, folder: str) -> int:
    """Write one document for each file or folder that was named, and report the rules left out."""
    name: str | None = arguments.name
    if name and not NAME.fullmatch(name):
        raise Misconfiguration(f"A pattern is named with letters, digits and dashes, not {name!r}.")
    sources = [_read_rules(path) for path in arguments.files]
    if name:
        sources = [RuleFile(name, [*chain.from_iterable(source.rules for source in sources)])]
    documents = [(source, _build_document(source)) for source in sources]
    written = [_write(settings.project, f"{folder}/{source.name}.md", each, arguments) for source, each in documents]
    skipped = [*chain.from_iterable(_describe_skipped(source, each) for source, each in documents)]
    if arguments.json:
        say_json({"documents": list(filter(None, written)), "left": skipped})
    else:
        complain(*(LEFT_OUT.format(**each) for each in skipped))
    return int(bool(skipped))


def _read_rules(named: str) -> RuleFile:
    """The rules of a file, or of the YAML files of a folder, under the name of that file or folder."""
    rules: list[tuple[str, ImportedRule | SkippedRule]] = []
    for path in _list_files(named):
        try:
            rules += [(path, rule) for rule in _parse_file(path)]
        except MalformedText as error:
            raise Misconfiguration(f"{path}:{error.line}: It can't be read: {error.reason}.") from error
    return RuleFile(_slug(os.path.basename(os.path.abspath(named)).partition(".")[0]), rules)


def _list_files(named: str) -> list[str]:
    if not os.path.isdir(named):
        return [named]
    below = [os.path.join(folder, name) for folder, _, names in os.walk(named) for name in names]
    files = sorted(path for path in below if path.endswith(YAML))
    if len(files) > MOST_FILES:
        raise Misconfiguration(f"These are more than {MOST_FILES:,} files.")
    return files


def _parse_file(path: str) -> list[ImportedRule | SkippedRule]:
    text = _read_text(path)
    documents = _parse_yaml(text) if path.endswith(YAML) else []
    if not any({"rule", "language"} <= set(document.entries or ()) for document in documents):
        raise Misconfiguration(f"{path!r} has no rules that are known. Taken over are rules of ast-grep in YAML.")
    found: list[ImportedRule | SkippedRule] = []
    for index, document in enumerate(documents, start=1):
        entries = document.entries or {}
        written_name = entries.get("id")
        name = str(written_name.scalar) if written_name else f"rule {index}"
        try:
            found.append(_convert_rule(name, document.line, entries))
        except _Unsupported as error:
            found.append(SkippedRule(name, document.line, str(error)))
    return found


def _read_text(path: str) -> str:
    """The text of a file that the person named on the command line, wherever it is."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise Misconfiguration(f"{path!r} can't be read: {error.strerror}.") from error
    if len(content) > LARGEST_BYTES:
        raise Misconfiguration(f"{path!r} is larger than {LARGEST_BYTES:,} bytes.")
    return content.decode("utf-8-sig", errors="replace")


def _parse_yaml(text: str) -> list[YamlValue]:
    """The documents of a YAML text, with their lines."""
    starts = [0, *(match.end() for match in DIVIDER.finditer(text))]
    ends = [*(match.start() for match in DIVIDER.finditer(text)), len(text)]
    pieces = [(text[start:end], text.count("\n", 0, start) + 1) for start, end in zip(starts, ends, strict=True)]
    return [read_yaml(piece, first_line=line).root for piece, line in pieces if piece.strip()]


def _convert_rule(name: str, line: int, entries: Mapping[str, YamlValue]) -> ImportedRule:
    given = {key: value.plain() for key, value in entries.items()}
    if "rule" not in given:
        raise _Unsupported("it has no `rule`")
    language = canonical_language(str(given.get("language")))
    if language not in GRAMMARS:
        raise _Unsupported(f"there is no parser for {given.get('language')!r} here")
    rule: dict[str, Any] = {
        "id": _slug(name),
        "message": " ".join(str(given.get("message") or name).split()),
        "severity": _convert_severity(given),
        "languages": [str(language)],
    }
    fix = _convert_fix(given.get("fix"))
    if fix:
        rule["fix"] = fix
    wanted = _convert_globs(given.get("files"))
    if wanted:
        rule["files"] = wanted
    unwanted = _convert_globs(given.get("ignores")) + NOT_ITS_FILES.get(str(language), [])
    if unwanted:
        rule["except-files"] = unwanted
    rule["ast-grep"] = {part: given[part] for part in PARTS if part in given}
    note = "\n\n".join(str(given[key]).strip() for key in ("note", "url") if given.get(key))
    return ImportedRule(rule, line, note)


def _convert_severity(given: Mapping[str, Any]) -> str:
    severity = str(given.get("severity", "hint"))
    if severity in ("off", "False"):
        raise _Unsupported("it is switched off")
    if severity not in SEVERITIES:
        raise _Unsupported(f"`severity: {severity}` is unknown")
    return SEVERITIES[severity]


def _convert_fix(given: Any) -> str | None:
    template: Any = cast("dict[str, Any]", given).get("template") if isinstance(given, dict) else given
    return f"Write `{' '.join(template.split())}` instead." if isinstance(template, str) and template.strip() else None


def _convert_globs(given: Any) -> list[str]:
    if given is None:
        return []
    listed = cast("list[object]", given) if isinstance(given, list) else [given]
    globs: list[str] = []
    for each in listed:
        if not isinstance(each, str):
            raise _Unsupported("a glob that does not mind case has no equal here")
        globs += _expand_stars(each)
    return globs


def _expand_stars(glob: str) -> list[str]:
    """A glob whose `*` also matches slashes, as globs whose `*` does not."""
    if "?" in glob or "[" in glob:
        raise _Unsupported(f"`{glob}` may stand for slashes where ours do not")
    parts = glob.removeprefix("./").split("/")
    if sum(part.replace("**", "*").count("*") for part in parts if part != "**") > MOST_STARS:
        raise _Unsupported(f"`{glob}` has too many stars")
    return ["/".join(each) for each in product(*map(_expand_part, parts))]


def _expand_part(part: str) -> list[str]:
    """One part of a path, written once for each way in which its stars may span folders."""
    plain = part.replace("**", "*")
    if part == "**" or "*" not in plain:
        return [part]
    first, *others = plain.split("*")
    joints = product(("*", "*/**/*"), repeat=len(others))
    return [first + "".join(chain.from_iterable(zip(chosen, others, strict=True))) for chosen in joints]


def _slug(text: str) -> str:
    return NOT_IN_NAME.sub("-", text).strip("-").lower() or "rule"


def _build_document(source: RuleFile) -> ImportedDocument:
    """The document of some rules: each is tried by itself, and only those that we can read are kept."""
    title = source.name.rpartition("/")[2].replace("-", " ").capitalize()
    files = list(dict.fromkeys(f"`{os.path.basename(path)}`" for path, _ in source.rules))
    skipped = [rule for _, rule in source.rules if isinstance(rule, SkippedRule)]
    kept: dict[str, ImportedRule] = {}
    for _, rule in source.rules:
        if isinstance(rule, SkippedRule):
            continue
        problem = _find_problem(rule)
        if problem:
            skipped.append(SkippedRule(rule.name, rule.line, problem))
        else:
            name = _unused_name(rule.name, kept)
            kept[name] = rule._replace(entries={**rule.entries, "id": name})
    rules = tuple(kept.values())
    return ImportedDocument(_render(title, files[:5], rules), rules, tuple(skipped))


def _find_problem(rule: ImportedRule) -> str:
    """Why a rule can't be read here; empty if it can."""
    problems = read_pattern("tried", _render("Tried", [], [rule])).problems
    if not problems:
        return ""
    message = problems[0].message
    return message.partition(" was left out: ")[2].rstrip(".") or message


def _unused_name(name: str, known: Mapping[str, ImportedRule]) -> str:
    suffix = 2
    free = name
    while free in known:
        free = f"{name}-{suffix}"
        suffix = suffix + 1
    return free


def _render(title: str, files: Sequence[str], rules: Sequence[ImportedRule]) -> str:
    import yaml  # 10 ms, needed only here

    named = [{**rule.entries, "see": rule.name} for rule in rules]
    front: dict[str, Any] = {"title": title, "prose": False, "rules": named}
    unshared = json.loads(json.dumps(front))  # a value used twice would be written as a YAML alias
    head = yaml.safe_dump(unshared, sort_keys=False, allow_unicode=True, width=100)
    sections: list[str] = []
    for rule in rules:
        paragraphs = [f"## {rule.name}", str(rule.entries["message"]), rule.note]
        sections.append("\n\n".join(filter(None, paragraphs)) + "\n")
    return "\n".join([f"---\n{head}---\n# {title}\n", f"{INTRODUCTION.format(', '.join(files))}\n", *sections])


def _describe_skipped(source: RuleFile, document: ImportedDocument) -> Iterator[dict[str, object]]:
    files = {(rule.name, rule.line): path for path, rule in source.rules}
    for rule in document.skipped:
        yield {
            "file": files.get((rule.name, rule.line), source.name),
            "line": rule.line,
            "rule": rule.name,
            "reason": rule.reason.rstrip("."),
        }


def _write(
    project: str, path: str, document: ImportedDocument, arguments: argparse.Namespace
) -> dict[str, object] | None:
    if not document.rules:
        return None
    if arguments.dry_run:
        if not arguments.json:
            say(*document.text.splitlines())
    elif not write_into(project, path, document.text):
        raise Misconfiguration(f"{path} is there already, and nothing is written over. `--name` names another.")
    elif not arguments.json:
        say(f"added     {path}  {count_of(len(document.rules), 'rule')}")
    return {"document": path, "rules": [rule.name for rule in document.rules]}

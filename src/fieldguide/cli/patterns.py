"""`fieldguide patterns`: add, begin, test and import pattern documents with rules."""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, Literal, NamedTuple, cast

from fieldguide.cli.console.options import add_json_option, find_settings
from fieldguide.cli.console.terminal import GAP, complain, format_table, remark, say, say_json, say_result
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import canonical_language, language_of
from fieldguide.files.project_files import write_into
from fieldguide.settings.config import open_project_folder
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, YamlValue, read_yaml
from fieldguide.text.display import format_count
from fieldguide.text.errors import Misconfiguration, NotFound
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import new_pattern
from fieldguide.toolsets.architecture.rules.new_pattern import NAME
from fieldguide.toolsets.architecture.rules.pattern import read_pattern

FOLDER = f"{RESOURCES}/{PATTERNS}"
NEXT = "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are."
EPILOG = """\
exit codes: 0 done, 1 an example fails, a rule can't be carried over, or there is no such pattern, 2 a wrong way to ask
"""
BANS = {"ban_call": "forbid-call", "ban_import": "forbid-import", "ban_pattern": "ast-grep", "structure": "structure"}
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

Done = Literal["added", "replaced", "kept"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `show NAME`, `add NAME…`, `new NAME`, `test` or `import FILE…`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    list_them = actions.add_parser("list", help="list the patterns that can be added")
    show = actions.add_parser("show", help="print one")
    show.add_argument("name", metavar="NAME", help="the name of a pattern, as `list` prints it")
    add = actions.add_parser("add", help=f"copy some into {FOLDER}; nothing that is there is changed")
    add.add_argument("names", metavar="NAME", nargs="+", help="the names of patterns, as `list` prints them")
    add.add_argument("--force", action="store_true", help="replace what is there")
    new = actions.add_parser("new", help="begin a pattern with a rule that runs")
    _add_new(new)
    test = actions.add_parser("test", help="run the good and bad examples of patterns as tests of their rules")
    test.add_argument("names", metavar="NAME", nargs="*", help="patterns of the project (default: all)")
    take = actions.add_parser("import", help="take over rules of ast-grep")
    take.add_argument("files", metavar="FILE", nargs="+", help="files with such rules, or folders of YAML files")
    take.add_argument("--name", metavar="NAME", help=f"the document in {FOLDER} (default: named after the file)")
    take.add_argument("--dry-run", action="store_true", help="print the document and write nothing")
    for action in (add, new, test, take):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    for action in (list_them, show, add, new, test, take):
        add_json_option(action)


def _add_new(new: argparse.ArgumentParser) -> None:
    new.add_argument("name", metavar="NAME", help=f"the name of the document in {FOLDER}, and of its rule")
    new.add_argument("--language", metavar="L", help="what the rule is for (default: what most files are written in)")
    ban = new.add_mutually_exclusive_group()
    ban.add_argument("--ban-call", metavar="X", help="forbid calls of this: print, *.execute, os.system, new Date")
    ban.add_argument(
        "--ban-import", metavar="X", help="forbid imports of this: requests, django.db, ../infrastructure/*"
    )
    ban.add_argument("--ban-pattern", metavar="P", help="forbid what this ast-grep pattern finds: '$A == None'")
    ban.add_argument("--structure", metavar="NAME", help="forbid a well-known structure by its name")
    new.add_argument("--files", metavar="GLOB", action="append", help="only in these files: 'src/**'; repeatable")
    new.add_argument("--message", metavar="TEXT", help="the message for code that breaks the rule")
    new.add_argument("--bad", metavar="CODE", help="code that the rule must find")
    new.add_argument("--good", metavar="CODE", help="code that it must spare")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {
        "list": _list,
        "show": _show,
        "add": _add,
        "new": _new,
        "test": _test,
        "import": import_rules,
    }
    return actions[arguments.action](arguments)


def _new(arguments: argparse.Namespace) -> int:
    path = f"{FOLDER}/{arguments.name}.md"
    text = new_pattern.write_document(_make_request(arguments))
    if not write_into(find_settings(arguments).project, path, text):
        raise Misconfiguration(f"{path} is there already, and nothing is written over.")
    lines = [
        f"added     {path}",
        f"`fieldguide patterns test {arguments.name}` runs its examples, `fieldguide check` the rule.",
    ]
    say_result({"added": path}, lines, as_json=arguments.json)
    return 0


def _make_request(arguments: argparse.Namespace) -> Any:
    check = ""
    value = ""
    for option, name in BANS.items():
        if getattr(arguments, option) is not None:
            check = name
            value = getattr(arguments, option)
    language = _choose_language(arguments, check, value)
    files = tuple(arguments.files or ())
    if not check:
        return new_pattern.make_debug_request(arguments.name, language)._replace(message=arguments.message, files=files)
    wish = new_pattern.PatternRequest(
        arguments.name, check, value, language, arguments.message, arguments.good, arguments.bad
    )
    wish = wish._replace(files=files)
    if check == "structure":
        return new_pattern.complete_structure_request(wish)
    return wish


def _choose_language(arguments: argparse.Namespace, check: str, value: str) -> str:
    """The language that a new rule is for: the one that is named, or the one of most files that it could be for."""
    from fieldguide.toolsets.architecture.rules.project_check import choose_files

    named: str | None = arguments.language
    if named is None:
        known = new_pattern.list_structure_languages(value) if check == "structure" else GRAMMARS
        paths = choose_files(open_project_folder(find_settings(arguments)), ()).paths
        return new_pattern.find_main_language(paths, known)
    language = canonical_language(named)
    if language is None or language not in GRAMMARS:
        raise Misconfiguration(f"There is no parser for {named!r} here. There are {', '.join(sorted(GRAMMARS))}.")
    return language


def _test(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.architecture.rules.project_check import list_problems, read_pattern_files

    documents = read_pattern_files(find_settings(arguments), arguments.names, tries_examples=False)
    problems = list_problems(documents)
    complain(*problems)
    results = [new_pattern.run_examples(document) for document in documents]
    lines = chain.from_iterable(each.lines() for each in results)
    say_result([each.as_json() for each in results], lines, as_json=arguments.json)
    remark(*chain.from_iterable(each.remarks() for each in results))
    failed = sum(len(each.failures) for each in results)
    examples = sum(each.examples for each in results)
    remark(f"{format_count(failed, 'failure')} in {format_count(examples, 'example')}.")
    return 2 if problems else int(failed > 0)


def _show(arguments: argparse.Namespace) -> int:
    text = _read_starter(arguments.name)
    say_result({"name": arguments.name, "text": text}, text.splitlines(), as_json=arguments.json)
    return 0


def _list(arguments: argparse.Namespace) -> int:
    about = {name: _first_sentence(new_pattern.read_starter(name)) for name in new_pattern.list_starters()}
    rows = [{"name": name, "about": sentence} for name, sentence in about.items()]
    say_result(rows, format_table([*about.items()]), as_json=arguments.json)
    return 0


def _first_sentence(text: str) -> str:
    """The sentence below the title, which says what the document is about."""
    paragraph = text.partition("\n# ")[2].partition("\n\n")[2].partition("\n\n")[0]
    sentence, dot, _ = " ".join(paragraph.split()).partition(". ")
    return sentence + dot.strip()


def _read_starter(name: str) -> str:
    try:
        return new_pattern.read_starter(name)
    except KeyError:
        near = suggest_names(name, new_pattern.list_starters())
        raise NotFound(
            f"There is no pattern {name!r} to add.{near} There are {', '.join(new_pattern.list_starters())}."
        ) from None


def _add(arguments: argparse.Namespace) -> int:
    project = find_settings(arguments).project
    texts = {name: _read_starter(name) for name in arguments.names}
    done = {name: _write_starter(project, name, text, force=arguments.force) for name, text in texts.items()}
    lines = [f"{what:<8}{GAP}{FOLDER}/{name}.md" for name, what in done.items()]
    lines.append("What is there was kept; --force replaces it." if set(done.values()) == {"kept"} else NEXT)
    say_result({f"{FOLDER}/{name}.md": what for name, what in done.items()}, lines, as_json=arguments.json)
    return 0


def _write_starter(project: str, name: str, text: str, *, force: bool) -> Done:
    path = f"{FOLDER}/{name}.md"
    if write_into(project, path, text):
        return "added"
    if not force:
        return "kept"
    write_into(project, path, text, replaces=True)
    return "replaced"


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


def import_rules(arguments: argparse.Namespace) -> int:
    """Write one document for each file or folder that was named, and report the rules left out."""
    project = find_settings(arguments).project
    name: str | None = arguments.name
    if name and not NAME.fullmatch(name):
        raise Misconfiguration(f"A pattern is named with letters, digits and dashes, not {name!r}.")
    sources = [_read_rules(path) for path in arguments.files]
    if name:
        sources = [RuleFile(name, [*chain.from_iterable(source.rules for source in sources)])]
    documents = [(source, _build_document(source)) for source in sources]
    written: list[dict[str, object]] = []
    skipped: list[dict[str, object]] = []
    for source, document in documents:
        if document.rules:
            written.append(_write(project, f"{FOLDER}/{source.name}.md", document, arguments))
        skipped += _describe_skipped(source, document)
    if arguments.json:
        say_json({"documents": written, "left": skipped})
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
    files: list[str] = []
    for folder, _, names in os.walk(named):
        files += [os.path.join(folder, name) for name in names if language_of(name) == "yaml"]
    files.sort()
    if len(files) > MOST_FILES:
        raise Misconfiguration(f"These are more than {MOST_FILES:,} files.")
    return files


def _parse_file(path: str) -> list[ImportedRule | SkippedRule]:
    text = _read_text(path)
    documents = _parse_yaml(text) if language_of(path) == "yaml" else []
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
    if not isinstance(template, str) or not template.strip():
        return None
    return f"Write `{' '.join(template.split())}` instead."


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
    stars = sum(part.replace("**", "*").count("*") for part in parts if part != "**")
    if stars > MOST_STARS:
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


def _write(project: str, path: str, document: ImportedDocument, arguments: argparse.Namespace) -> dict[str, object]:
    if arguments.dry_run:
        if not arguments.json:
            say(*document.text.splitlines())
    elif not write_into(project, path, document.text):
        raise Misconfiguration(f"{path} is there already, and nothing is written over. `--name` names another.")
    elif not arguments.json:
        say(f"added     {path}  {format_count(len(document.rules), 'rule')}")
    return {"document": path, "rules": [rule.name for rule in document.rules]}

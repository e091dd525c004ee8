"""`fieldguide patterns`: list, add, begin and test pattern documents with rules."""

import argparse
from itertools import chain
from typing import Any, Literal

from fieldguide.cli.console.options import add_json_option, find_settings
from fieldguide.cli.console.terminal import GAP, complain, format_table, remark, say_result
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import canonical_language
from fieldguide.files.project_files import write_into
from fieldguide.settings.config import open_project_folder
from fieldguide.text.display import format_count
from fieldguide.text.errors import Misconfiguration, NotFound
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import new_pattern

FOLDER = f"{RESOURCES}/{PATTERNS}"
NEXT = "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are."
EPILOG = """\
exit codes: 0 done, 1 an example fails or there is no such pattern, 2 a wrong way to ask
"""
BANS = {"ban_call": "forbid-call", "ban_import": "forbid-import", "ban_pattern": "ast-grep", "structure": "structure"}

Done = Literal["added", "replaced", "kept"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `show NAME`, `add NAME…`, `new NAME` or `test`."""
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
    for action in (add, new, test):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    for action in (list_them, show, add, new, test):
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

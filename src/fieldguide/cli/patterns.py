"""`fieldguide patterns`: add, begin, test, explain and import pattern documents with rules."""

import argparse
from itertools import chain
from typing import Any, Literal

from fieldguide.cli.options import find_settings
from fieldguide.cli.terminal import GAP, complain, count_terminal_columns, fit_to_columns, remark, say, say_json
from fieldguide.files.writing import write_into
from fieldguide.text.errors import Misconfiguration, NotFound
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import new_pattern

FOLDER = f"{RESOURCES}/{PATTERNS}"
NEXT = "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are."
EPILOG = """\
exit codes: 0 done, 1 an example fails, a rule can't be carried over, or there is no such pattern, 2 a wrong way to ask
"""
BANS = {"ban_call": "forbid-call", "ban_import": "forbid-import", "ban_pattern": "ast-grep", "structure": "structure"}

Done = Literal["added", "replaced", "kept"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `show NAME`, `add NAME…`, `new NAME`, `test`, `explain` or `import FILE…`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    list_them = actions.add_parser("list", help="list the patterns that can be added")
    list_them.add_argument("--json", action="store_true", help="print it as JSON")
    show = actions.add_parser("show", help="print one")
    show.add_argument("name", metavar="NAME", help="the name of a pattern, as `list` prints it")
    add = actions.add_parser("add", help=f"copy some into {FOLDER}; nothing that is there is changed")
    add.add_argument("names", metavar="NAME", nargs="+", help="the names of patterns, as `list` prints them")
    add.add_argument("--force", action="store_true", help="replace what is there")
    _add_new(actions.add_parser("new", help="begin a pattern with a rule that runs and two examples that show it"))
    test = actions.add_parser("test", help="run the good and bad examples of patterns as tests of their rules")
    test.add_argument("names", metavar="NAME", nargs="*", help="patterns of the project (default: all)")
    explain = actions.add_parser("explain", help="say how each rule is checked, and what it catches in this project")
    explain.add_argument("names", metavar="NAME", nargs="*", help="patterns of the project, or rules (default: all)")
    take = actions.add_parser("import", help="take over rules of ast-grep")
    take.add_argument("files", metavar="FILE", nargs="+", help="files with such rules, or folders of YAML files")
    take.add_argument("--name", metavar="NAME", help=f"the document in {FOLDER} (default: named after the file)")
    take.add_argument("--dry-run", action="store_true", help="print the document and write nothing")
    for action in (add, test, explain, take):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
        action.add_argument("--json", action="store_true", help="print it as JSON")


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
    new.add_argument("--message", metavar="TEXT", help="the sentence that whoever breaks the rule is told")
    new.add_argument("--bad", metavar="CODE", help="code that the rule must find (default: made up)")
    new.add_argument("--good", metavar="CODE", help="code that it must spare (default: made up)")
    new.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    return ACTIONS[arguments.action](arguments)


def _new(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.architecture.rules.new_pattern import write_document

    path = f"{FOLDER}/{arguments.name}.md"
    text = write_document(_wish(arguments))
    if not write_into(find_settings(arguments).project, path, text):
        raise Misconfiguration(f"{path} is there already, and nothing is written over.")
    say(
        f"added     {path}",
        f"`fieldguide patterns test {arguments.name}` runs its examples, `fieldguide check` the rule.",
    )
    return 0


def _wish(arguments: argparse.Namespace) -> Any:
    from fieldguide.toolsets.architecture.rules.new_pattern import (
        PatternRequest,
        complete_structure_request,
        make_debug_request,
    )

    chosen = [(check, value) for option, check in BANS.items() if (value := getattr(arguments, option)) is not None]
    check, value = chosen[0] if chosen else ("", "")
    language = _language(arguments, check, value)
    if not chosen:
        return make_debug_request(arguments.name, language)._replace(
            message=arguments.message, files=tuple(arguments.files or ())
        )
    wish = PatternRequest(arguments.name, check, value, language, arguments.message, arguments.good, arguments.bad)
    wish = wish._replace(files=tuple(arguments.files or ()))
    return complete_structure_request(wish) if check == "structure" else wish


def _language(arguments: argparse.Namespace, check: str, value: str) -> str:
    """The language that a new rule is for: the one that is named, or the one of most files that it could be for."""
    from fieldguide.code.parsing import GRAMMARS
    from fieldguide.files.languages import canonical_language
    from fieldguide.settings.config import open_project_folder
    from fieldguide.toolsets.architecture.rules.new_pattern import find_main_language, list_structure_languages
    from fieldguide.toolsets.architecture.rules.project_check import choose_files

    said: str | None = arguments.language
    if said is None:
        known = list_structure_languages(value) if check == "structure" else GRAMMARS
        return find_main_language(choose_files(open_project_folder(find_settings(arguments)), ()).paths, known)
    language = canonical_language(said)
    if language is None or language not in GRAMMARS:
        raise Misconfiguration(f"There is no parser for {said!r} here. There are {', '.join(sorted(GRAMMARS))}.")
    return language


def _test(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.architecture.rules.new_pattern import run_examples
    from fieldguide.toolsets.architecture.rules.project_check import list_problems, read_pattern_files
    from fieldguide.toolsets.architecture.rules.violations import count_of

    documents = read_pattern_files(find_settings(arguments), arguments.names, tries_examples=False)
    problems = list_problems(documents)
    complain(*problems)
    results = [run_examples(document) for document in documents]
    if arguments.json:
        say_json([each.as_json() for each in results])
    else:
        say(*chain.from_iterable(each.lines() for each in results))
    remark(*chain.from_iterable(each.remarks() for each in results))
    failed = sum(len(each.failures) for each in results)
    remark(f"{count_of(failed, 'failure')} in {count_of(sum(each.examples for each in results), 'example')}.")
    return 2 if problems else int(failed > 0)


def _explain(arguments: argparse.Namespace) -> int:
    from fieldguide.settings.config import open_project_folder
    from fieldguide.toolsets.architecture.rules.explanation import (
        advice_to_json,
        explain_rules,
        format_advice,
        select_named,
    )
    from fieldguide.toolsets.architecture.rules.project_check import list_problems, read_pattern_files

    settings = find_settings(arguments)
    documents, wanted = select_named(read_pattern_files(settings), arguments.names)
    problems = list_problems(documents)
    complain(*problems)
    rules = explain_rules(open_project_folder(settings), documents, wanted)
    advice = [] if wanted else [*chain.from_iterable(map(format_advice, documents))]
    if arguments.json:
        say_json({"rules": [each.as_json() for each in rules], "advice": advice})
    else:
        say(*chain.from_iterable([*each.lines(), ""] for each in rules), *advice_to_json(advice))
    return 2 if problems else 0


def _import(arguments: argparse.Namespace) -> int:
    from fieldguide.cli.pattern_import import import_rules

    return import_rules(find_settings(arguments), arguments, FOLDER)


def _listed(arguments: argparse.Namespace) -> int:
    _list(as_json=arguments.json)
    return 0


def _shown(arguments: argparse.Namespace) -> int:
    say(*_text(arguments.name).splitlines())
    return 0


def _list(*, as_json: bool) -> None:
    about = {name: _first_sentence(new_pattern.read_starter(name)) for name in new_pattern.list_starters()}
    if as_json:
        say_json([{"name": name, "about": sentence} for name, sentence in about.items()])
        return
    width = max(map(len, about))
    lines = (f"{fit_to_columns(name, width)}{GAP}{sentence}" for name, sentence in about.items())
    say(*(fit_to_columns(line, count_terminal_columns()).rstrip() for line in lines))


def _first_sentence(text: str) -> str:
    """The sentence below the title, which says what the document is about."""
    paragraph = text.partition("\n# ")[2].partition("\n\n")[2].partition("\n\n")[0]
    sentence, dot, _ = " ".join(paragraph.split()).partition(". ")
    return sentence + dot.strip()


def _text(name: str) -> str:
    try:
        return new_pattern.read_starter(name)
    except KeyError:
        near = suggest_names(name, new_pattern.list_starters())
        raise NotFound(
            f"There is no pattern {name!r} to add.{near} There are {', '.join(new_pattern.list_starters())}."
        ) from None


def _add(arguments: argparse.Namespace) -> int:
    project = find_settings(arguments).project
    texts = {name: _text(name) for name in arguments.names}
    done = {name: _written(project, name, text, force=arguments.force) for name, text in texts.items()}
    if arguments.json:
        say_json({f"{FOLDER}/{name}.md": what for name, what in done.items()})
        return 0
    say(*(f"{what:<8}{GAP}{FOLDER}/{name}.md" for name, what in done.items()))
    say("What is there was kept; --force replaces it." if set(done.values()) == {"kept"} else NEXT)
    return 0


def _written(project: str, name: str, text: str, *, force: bool) -> Done:
    path = f"{FOLDER}/{name}.md"
    if write_into(project, path, text):
        return "added"
    if not force:
        return "kept"
    write_into(project, path, text, replaces=True)
    return "replaced"


ACTIONS = {
    "list": _listed,
    "show": _shown,
    "add": _add,
    "new": _new,
    "test": _test,
    "explain": _explain,
    "import": _import,
}

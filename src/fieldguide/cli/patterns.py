"""`fieldguide patterns`: list, add and test pattern documents with rules."""

import argparse
from typing import Any, Literal

from fieldguide.cli.console.options import add_json_option, find_settings
from fieldguide.cli.console.terminal import GAP, complain, format_table, remark, say_result
from fieldguide.files.project_files import write_into
from fieldguide.text.display import format_count
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules.starter_patterns import list_starters, read_starter

FOLDER = f"{RESOURCES}/{PATTERNS}"
NEXT = "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are."
EPILOG = """\
exit codes: 0 done, 1 an example fails or there is no such pattern, 2 a wrong way to ask
"""

Done = Literal["added", "replaced", "kept"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `show NAME`, `add NAME…` or `test`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    list_them = actions.add_parser("list", help="list the patterns that can be added")
    show = actions.add_parser("show", help="print one")
    show.add_argument("name", metavar="NAME", help="the name of a pattern, as `list` prints it")
    add = actions.add_parser("add", help=f"copy some into {FOLDER}; nothing that is there is changed")
    add.add_argument("names", metavar="NAME", nargs="+", help="the names of patterns, as `list` prints them")
    add.add_argument("--force", action="store_true", help="replace what is there")
    test = actions.add_parser(
        "test", help="check that rules find the bad examples of a pattern and spare the good ones"
    )
    test.add_argument("names", metavar="NAME", nargs="*", help="patterns of the project (default: all)")
    for action in (add, test):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    for action in (list_them, show, add, test):
        add_json_option(action)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {
        "list": _list,
        "show": _show,
        "add": _add,
        "test": _test,
    }
    return actions[arguments.action](arguments)


def _test(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.architecture.rules.pattern import try_examples
    from fieldguide.toolsets.architecture.rules.project_check import list_problems, read_pattern_files

    documents = read_pattern_files(find_settings(arguments), arguments.names)
    problems = list_problems(documents)
    complain(*problems)
    failures: list[dict[str, Any]] = []
    examples = 0
    for document in documents:
        result = try_examples(document.pattern, document.text)
        examples += result.examples
        failures += [{"document": document.path, "line": line, "message": said} for line, said in result.failures]
    lines = [f"{each['document']}:{each['line']}: {each['message']}" for each in failures]
    say_result({"examples": examples, "failures": failures}, lines, as_json=arguments.json)
    remark(f"{format_count(len(failures), 'failure')} in {format_count(examples, 'example')}.")
    return 2 if problems else int(bool(failures))


def _show(arguments: argparse.Namespace) -> int:
    text = _read_starter(arguments.name)
    say_result({"name": arguments.name, "text": text}, text.splitlines(), as_json=arguments.json)
    return 0


def _list(arguments: argparse.Namespace) -> int:
    about = {name: _first_sentence(read_starter(name)) for name in list_starters()}
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
        return read_starter(name)
    except KeyError:
        near = suggest_names(name, list_starters())
        raise NotFound(f"There is no pattern {name!r} to add.{near} There are {', '.join(list_starters())}.") from None


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

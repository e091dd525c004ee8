"""`fieldguide patterns`: pattern documents to begin with; listed, shown, and copied into a project."""

import argparse
from typing import Literal

from fieldguide.cli.options import settings_from
from fieldguide.cli.terminal import GAP, fitted, say, say_json, terminal_columns
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.errors import NotFound
from fieldguide.project_writing import write_into
from fieldguide.toolsets.architecture import starters
from fieldguide.toolsets.architecture.roots import PATTERNS, RESOURCES

FOLDER = f"{RESOURCES}/{PATTERNS}"
NEXT = "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are."

Done = Literal["added", "replaced", "kept"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `show NAME` or `add NAME…`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    list_them = actions.add_parser("list", help="list the patterns that can be added")
    show = actions.add_parser("show", help="print one")
    show.add_argument("name", metavar="NAME", help="the name of a pattern, as `list` prints it")
    add = actions.add_parser("add", help=f"copy some into {FOLDER}; nothing that is there is changed")
    add.add_argument("names", metavar="NAME", nargs="+", help="the names of patterns, as `list` prints them")
    add.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    add.add_argument("--force", action="store_true", help="replace what is there")
    for action in (list_them, add):
        action.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    if arguments.action == "list":
        _list(as_json=arguments.json)
    elif arguments.action == "show":
        say(*_text(arguments.name).splitlines())
    else:
        _add(arguments)
    return 0


def _list(*, as_json: bool) -> None:
    about = {name: _first_sentence(starters.read(name)) for name in starters.names()}
    if as_json:
        say_json([{"name": name, "about": sentence} for name, sentence in about.items()])
        return
    width = max(map(len, about))
    lines = (f"{fitted(name, width)}{GAP}{sentence}" for name, sentence in about.items())
    say(*(fitted(line, terminal_columns()).rstrip() for line in lines))


def _first_sentence(text: str) -> str:
    """The sentence below the title, which says what the document is about."""
    paragraph = text.partition("\n# ")[2].partition("\n\n")[2].partition("\n\n")[0]
    sentence, dot, _ = " ".join(paragraph.split()).partition(". ")
    return sentence + dot.strip()


def _text(name: str) -> str:
    try:
        return starters.read(name)
    except KeyError:
        near = did_you_mean(name, starters.names())
        raise NotFound(f"There is no pattern {name!r} to add.{near} There are {', '.join(starters.names())}.") from None


def _add(arguments: argparse.Namespace) -> None:
    project = settings_from(arguments).project
    texts = {name: _text(name) for name in arguments.names}
    done = {name: _written(project, name, text, force=arguments.force) for name, text in texts.items()}
    if arguments.json:
        say_json({f"{FOLDER}/{name}.md": what for name, what in done.items()})
        return
    say(*(f"{what:<8}{GAP}{FOLDER}/{name}.md" for name, what in done.items()))
    say("What is there was kept; --force replaces it." if set(done.values()) == {"kept"} else NEXT)


def _written(project: str, name: str, text: str, *, force: bool) -> Done:
    path = f"{FOLDER}/{name}.md"
    if write_into(project, path, text):
        return "added"
    if not force:
        return "kept"
    write_into(project, path, text, replaces=True)
    return "replaced"

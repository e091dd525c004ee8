"""`fieldguide patterns`: pattern documents to begin with; listed, shown, and copied into a project."""

import argparse
import os
from collections.abc import Sequence
from typing import Literal

from fieldguide.cli.options import settings_from
from fieldguide.cli.terminal import GAP, fitted, say, say_json, terminal_columns
from fieldguide.errors import NotFound, Refusal
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
        raise NotFound(f"There is no pattern {name!r} to add. There are {', '.join(starters.names())}.") from None


def _add(arguments: argparse.Namespace) -> None:
    project = settings_from(arguments).project
    texts = {name: _text(name) for name in arguments.names}
    folder = _opened(project, FOLDER.split("/"))
    try:
        done = {name: _write(folder, f"{name}.md", text, force=arguments.force) for name, text in texts.items()}
    finally:
        os.close(folder)
    if arguments.json:
        say_json({f"{FOLDER}/{name}.md": what for name, what in done.items()})
        return
    say(*(f"{what:<8}{GAP}{FOLDER}/{name}.md" for name, what in done.items()))
    say("What is there was kept; --force replaces it." if set(done.values()) == {"kept"} else NEXT)


def _opened(project: str, names: Sequence[str]) -> int:
    """A folder of the project, made if it is not there; no link is followed, so no write leaves the project."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for number, name in enumerate(names, start=1):
        parent = descriptor
        try:
            if not _is_there(name, parent):
                os.mkdir(name, dir_fd=parent)
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        except OSError as error:
            raise Refusal(
                f"{'/'.join(names[:number])} can't be written to: it must be a folder of the project."
            ) from error
        finally:
            os.close(parent)
    return descriptor


def _is_there(name: str, parent: int) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _write(folder: int, name: str, text: str, *, force: bool) -> Done:
    is_there = _is_there(name, folder)
    if is_there and not force:
        return "kept"
    draft = f".{name}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(draft, flags, 0o644, dir_fd=folder), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        raise Refusal(f"{FOLDER}/{name} can't be written: {error.strerror}.") from error
    return "replaced" if is_there else "added"

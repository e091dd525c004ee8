"""`fieldguide data`: back up, move, find and prune what is kept of projects."""

import argparse
import os
import shutil
from tempfile import mkstemp
from typing import Any, NamedTuple

from fieldguide.cli.console.options import add_json_option, add_place_options, read_settings_from
from fieldguide.cli.console.terminal import say_result
from fieldguide.storage.database import DATABASE_FILE
from fieldguide.storage.sqlite_file import copy_file, count_rows
from fieldguide.storage.state_folder import (
    StateLabel,
    find_expected_folder,
    find_left_behind,
    list_labels,
    read_label,
    write_label,
)
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import NotFound, Refusal, StorageFailed

PRECIOUS = ("task", "discovery")


class StateFinding(NamedTuple):
    """A problem, and the command that fixes it."""

    said: str
    mend: str
    command: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`backup`, `move`, `where` or `prune`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    backup = actions.add_parser("backup", help="keep everything that users wrote in one file")
    backup.add_argument("file", metavar="FILE", help="the file to write; it must not be there yet")
    move = actions.add_parser("move", help="move what is kept of a project from its old path")
    move.add_argument("place", metavar="OLD_PATH", help="where the project was before")
    where = actions.add_parser("where", help="print the folder that keeps what is known of a project")
    where.add_argument("--all", action="store_true", help="list every project that something is kept of")
    prune = actions.add_parser("prune", help="remove what is kept of projects that are gone")
    prune.add_argument("--yes", action="store_true", help="do it (without: only show what would be removed)")
    for action in (backup, move, where):
        add_place_options(action)
    for action in (backup, move, where, prune):
        add_json_option(action)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    match arguments.action:
        case "backup":
            _back_up(arguments)
        case "where":
            _print_places(arguments)
        case "prune":
            _prune(arguments)
        case _:
            _move(arguments)
    return 0


def _print_places(arguments: argparse.Namespace) -> None:
    if not arguments.all:
        folder = find_expected_folder(read_settings_from(arguments).project)
        say_result(folder, [folder], as_json=arguments.json)
        return
    rows = [_row(label) for label in list_labels()]
    lines: list[str] = []
    for row in rows:
        state = "" if row["is_there"] else "  (that folder is gone)"
        lines.append(f"{row['megabytes']:8.1f} MB  {to_visible_line(row['project'])}{state}")
    say_result(rows, lines or ["Nothing is kept of any project."], as_json=arguments.json)


def _row(label: StateLabel) -> dict[str, Any]:
    size = 0
    for folder, _, names in os.walk(label.folder):
        paths = [os.path.join(folder, name) for name in names]
        size += sum(os.lstat(path).st_size for path in paths if os.path.lexists(path))
    return {
        "project": label.project,
        "folder": label.folder,
        "megabytes": round(size / 1e6, 1),
        "is_there": not label.is_orphan,
    }


def _prune(arguments: argparse.Namespace) -> None:
    gone = [label for label in list_labels() if label.is_orphan]
    if arguments.yes:
        for label in gone:
            shutil.rmtree(label.folder)
    verb = "Removed" if arguments.yes else "Would remove"
    lines = [f"{verb} what was kept of {to_visible_line(label.project)}." for label in gone]
    if not gone:
        lines.append("Every project is where it was: nothing to remove.")
    elif not arguments.yes:
        lines.append("Their tasks and findings go with it. `fieldguide data prune --yes` does it.")
    say_result([label.project for label in gone], lines, as_json=arguments.json)


def _move(arguments: argparse.Namespace) -> None:
    """The old folder becomes the new one, whole; a project that has begun anew keeps what it has."""
    project = read_settings_from(arguments).project
    old: str = arguments.place
    place = os.path.realpath(os.path.expanduser(old))
    source = find_expected_folder(place)
    target = find_expected_folder(project)
    if read_label(source) is None:
        raise NotFound(f"Nothing is kept of {old!r}. `fieldguide data where --all` names what there is.")
    if os.path.isdir(place):
        raise Refusal(f"{old!r} is still there and keeps what is its own.")
    if has_own_state(project):
        raise Refusal("This project has tasks or findings of its own by now; `fieldguide data where --all` shows both.")
    if os.path.lexists(target):
        shutil.rmtree(target)
    os.rename(source, target)
    status = os.stat(project)
    write_label(StateLabel(target, os.path.realpath(project), status.st_dev, status.st_ino))
    said = f"What was kept of {to_visible_line(place)} now belongs to {to_visible_line(project)}."
    say_result({"from": place, "project": project}, [said], as_json=arguments.json)


def has_own_state(project: str) -> bool:
    """Whether somebody has written something worth keeping here: tasks, or findings."""
    return count_rows(os.path.join(find_expected_folder(project), DATABASE_FILE), PRECIOUS) > 0


def find_state_problems(project: str) -> list[StateFinding]:
    """The state that a moved project has left behind."""
    old = None if has_own_state(project) else find_left_behind(project)
    if old is None:
        return []
    said = f"Tasks and findings of {old.project} are kept, and that folder is gone: it may be this one, moved."
    command = f"fieldguide data move {old.project}"
    return [StateFinding(said, f"`{command}` brings them here.", command)]


def _back_up(arguments: argparse.Namespace) -> None:
    """Write the file: whole, or not at all."""
    settings = read_settings_from(arguments)
    if settings.database is not None:
        raise Refusal("Tasks and findings are in PostgreSQL: back it up with `pg_dump`.")
    if os.path.lexists(arguments.file):
        raise Refusal(f"{arguments.file} is there already; name another file.")
    if not os.path.isdir(os.path.dirname(os.path.abspath(arguments.file))):
        raise Refusal(f"There is no folder for {arguments.file}.")
    kept = os.path.join(find_expected_folder(settings.project), DATABASE_FILE)
    if not os.path.isfile(kept):
        raise NotFound("Nothing is kept of this project yet.")
    handle, part = mkstemp(dir=os.path.dirname(os.path.abspath(arguments.file)), prefix=".fieldguide-")
    os.close(handle)
    try:
        copy_file(kept, part)
        os.link(part, arguments.file)
    except OSError as error:
        raise StorageFailed(f"The backup could not be written: {error.strerror}.") from error
    finally:
        os.unlink(part)
    say_result({"file": arguments.file}, [f"Kept in {arguments.file}."], as_json=arguments.json)

"""`fieldguide state`: what is kept of each project, outside of it, and what to do when a project moves."""

import argparse
import os
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide.app import DATABASE_FILE
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.state_findings import has_own_state
from fieldguide.cli.terminal import say, say_json
from fieldguide.cli.transferring import everything
from fieldguide.errors import NotFound, Refusal
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.storage.state_folder import (
    LABEL,
    Label,
    expected_folder,
    found_in_project,
    labels,
    read_label,
    state_folder,
    write_label,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`path`, `list`, `move`, `prune`, `share` or `adopt`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    path = actions.add_parser("path", help="print the folder that keeps what is known of a project")
    listing = actions.add_parser("list", help="list every project that something is kept of")
    move = actions.add_parser("move", help="give a project what was kept of it under its old path")
    move.add_argument("old", metavar="OLD_PATH", help="where the project was before")
    prune = actions.add_parser("prune", help="remove what is kept of projects that are gone")
    prune.add_argument("--yes", action="store_true", help="do it (without: only show what would be removed)")
    share = actions.add_parser("share", help="use the tasks and findings of another folder, such as the main worktree")
    share.add_argument("other", metavar="OTHER_PATH", nargs="?", help="the other project (without: its own again)")
    adopt = actions.add_parser("adopt", help="take over what an earlier version kept in .fieldguide/ of the project")
    for action in (path, move, share, adopt):
        add_place(action)
    for action in (listing, prune):
        action.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    match arguments.action:
        case "list":
            return _list(as_json=arguments.json)
        case "prune":
            return _prune(does_it=arguments.yes, as_json=arguments.json)
        case "path":
            say(expected_folder(settings_from(arguments).project))
        case "move":
            _move(settings_from(arguments).project, arguments.old)
        case "share":
            _share(settings_from(arguments).project, arguments.other)
        case _:
            _adopt(arguments)
    return 0


def _list(*, as_json: bool) -> int:
    rows = [_row(label) for label in labels()]
    if as_json:
        say_json(rows)
    else:
        say(*(map(_line, rows) if rows else ["Nothing is kept of any project."]))
    return 0


def _row(label: Label) -> dict[str, Any]:
    held = [os.path.join(folder, name) for folder, _, names in os.walk(label.folder) for name in names]
    size = sum(os.lstat(path).st_size for path in held if os.path.lexists(path))
    return {
        "project": label.project,
        "folder": label.folder,
        "megabytes": round(size / 1e6, 1),
        "is_there": not label.is_orphan,
        "shares_with": label.shares_with,
    }


def _line(row: dict[str, Any]) -> str:
    state = "" if row["is_there"] else "  (that folder is gone)"
    return f"{row['megabytes']:8.1f} MB  {shown(row['project'])}{state}"


def _prune(*, does_it: bool, as_json: bool) -> int:
    gone = [label for label in labels() if label.is_orphan]
    if does_it:
        for label in gone:
            shutil.rmtree(label.folder)
    projects = [label.project for label in gone]
    if as_json:
        say_json(projects)
    else:
        say(*_pruned(projects, does_it=does_it))
    return 0


def _pruned(projects: Sequence[str], *, does_it: bool) -> Iterator[str]:
    """What was removed of projects that are gone, or would be."""
    if not projects:
        yield "Every project is where it was: nothing to remove."
        return
    verb = "Removed" if does_it else "Would remove"
    yield from (f"{verb} what was kept of {shown(project)}." for project in projects)
    if not does_it:
        yield "Their tasks and findings go with it. `fieldguide state prune --yes` does it."


def _move(project: str, old: str) -> None:
    """The old folder becomes the new one, whole; a project that has begun anew keeps what it has."""
    place = os.path.realpath(os.path.expanduser(old))
    source, target = expected_folder(place), expected_folder(project)
    if read_label(source) is None:
        raise NotFound(f"Nothing is kept of {old!r}. `fieldguide state list` names what there is.")
    if os.path.isdir(place):
        raise Refusal(f"{old!r} is still there and keeps what is its own. `fieldguide state share` shares it.")
    if has_own_state(project):
        raise Refusal("This project has tasks or findings of its own by now; `fieldguide state list` shows both.")
    if os.path.lexists(target):
        shutil.rmtree(target)
    os.rename(source, target)
    status = os.stat(project)
    write_label(Label(target, os.path.realpath(project), status.st_dev, status.st_ino))
    say(f"What was kept of {shown(place)} now belongs to {shown(project)}.")


def _share(project: str, other: str | None) -> None:
    label = read_label(state_folder(project))
    if label is None:
        raise NotFound(f"The state folder of this project has lost its {LABEL}.")
    if other is None:
        write_label(label._replace(shares_with=None))
        say("This project has tasks and findings of its own again.")
        return
    place = os.path.realpath(os.path.expanduser(other))
    if not os.path.isdir(place) or place == label.project:
        raise NotFound(f"There is no other project at {other!r}.")
    write_label(label._replace(shares_with=place))
    say(f"This project now uses the tasks and findings of {shown(place)}. Its index stays its own.")


def _adopt(arguments: argparse.Namespace) -> None:
    from fieldguide.storage.adoption import adopt

    app, schemas = everything(arguments)
    old = found_in_project(app.settings.project)
    if old is None:
        raise NotFound("There is no .fieldguide/fieldguide.db in this project to take over.")
    if app.settings.database is not None:
        raise Refusal("The database is PostgreSQL: adopt without --database, then `fieldguide migrate-to` carries it.")
    folder = state_folder(app.settings.project)
    for each in adopt(os.path.join(old, DATABASE_FILE), app.database, schemas, workspace=folder):
        say(f"{each.table}: {each.rows} rows")
    say(f"Taken over into {folder}. What lies in the project is as it was; you may remove .fieldguide/ now.")

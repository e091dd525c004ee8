"""`fieldguide state`, `backup`, `restore` and `migrate-to`: show, move, prune, save and transfer what is kept."""

import argparse
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fieldguide.app import DATABASE_FILE, build_app, open_database
from fieldguide.cli.console.options import add_place_options, read_settings_from
from fieldguide.cli.console.terminal import say, say_json
from fieldguide.settings.config import POSTGRES
from fieldguide.storage.database import Database, Schema
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.storage.state_folder import (
    StateLabel,
    find_expected_folder,
    find_left_behind,
    list_labels,
    read_label,
    write_label,
)
from fieldguide.storage.transfer import TableReport, count_rows, find_file_problems, find_missing_tables, transfer
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal

PRECIOUS = ("task", "discovery")


class StateFinding(NamedTuple):
    """A problem, and the command that fixes it."""

    said: str
    mend: str
    command: str = ""


def add_state_arguments(parser: argparse.ArgumentParser) -> None:
    """`path`, `list`, `move` or `prune`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    path = actions.add_parser("path", help="print the folder that keeps what is known of a project")
    listing = actions.add_parser("list", help="list every project that something is kept of")
    move = actions.add_parser("move", help="give a project what was kept of it under its old path")
    move.add_argument("old", metavar="OLD_PATH", help="where the project was before")
    prune = actions.add_parser("prune", help="remove what is kept of projects that are gone")
    prune.add_argument("--yes", action="store_true", help="do it (without: only show what would be removed)")
    for action in (path, move):
        add_place_options(action)
    for action in (listing, prune):
        action.add_argument("--json", action="store_true", help="print it as JSON")


def run_state(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    match arguments.action:
        case "list":
            return _list(as_json=arguments.json)
        case "prune":
            return _prune(does_it=arguments.yes, as_json=arguments.json)
        case "path":
            say(find_expected_folder(read_settings_from(arguments).project))
        case _:
            _move(read_settings_from(arguments).project, arguments.old)
    return 0


def _list(*, as_json: bool) -> int:
    rows = [_row(label) for label in list_labels()]
    if as_json:
        say_json(rows)
        return 0
    for row in rows:
        state = "" if row["is_there"] else "  (that folder is gone)"
        say(f"{row['megabytes']:8.1f} MB  {to_visible_line(row['project'])}{state}")
    if not rows:
        say("Nothing is kept of any project.")
    return 0


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


def _prune(*, does_it: bool, as_json: bool) -> int:
    gone = [label for label in list_labels() if label.is_orphan]
    if does_it:
        for label in gone:
            shutil.rmtree(label.folder)
    projects = [label.project for label in gone]
    if as_json:
        say_json(projects)
    else:
        _report_pruned(projects, does_it=does_it)
    return 0


def _report_pruned(projects: Sequence[str], *, does_it: bool) -> None:
    if not projects:
        say("Every project is where it was: nothing to remove.")
        return
    verb = "Removed" if does_it else "Would remove"
    for project in projects:
        say(f"{verb} what was kept of {to_visible_line(project)}.")
    if not does_it:
        say("Their tasks and findings go with it. `fieldguide state prune --yes` does it.")


def _move(project: str, old: str) -> None:
    """The old folder becomes the new one, whole; a project that has begun anew keeps what it has."""
    place = os.path.realpath(os.path.expanduser(old))
    source = find_expected_folder(place)
    target = find_expected_folder(project)
    if read_label(source) is None:
        raise NotFound(f"Nothing is kept of {old!r}. `fieldguide state list` names what there is.")
    if os.path.isdir(place):
        raise Refusal(f"{old!r} is still there and keeps what is its own.")
    if has_own_state(project):
        raise Refusal("This project has tasks or findings of its own by now; `fieldguide state list` shows both.")
    if os.path.lexists(target):
        shutil.rmtree(target)
    os.rename(source, target)
    status = os.stat(project)
    write_label(StateLabel(target, os.path.realpath(project), status.st_dev, status.st_ino))
    say(f"What was kept of {to_visible_line(place)} now belongs to {to_visible_line(project)}.")


def has_own_state(project: str) -> bool:
    """Whether somebody has written something worth keeping here: tasks, or findings."""
    return count_rows(os.path.join(find_expected_folder(project), DATABASE_FILE), PRECIOUS) > 0


def find_state_problems(project: str) -> list[StateFinding]:
    """The state that a moved project has left behind."""
    old = None if has_own_state(project) else find_left_behind(project)
    if old is None:
        return []
    said = f"Tasks and findings of {old.project} are kept, and that folder is gone: it may be this one, moved."
    command = f"fieldguide state move {old.project}"
    return [StateFinding(said, f"`{command}` brings them here.", command)]


def add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and which project."""
    parser.add_argument("file", metavar="FILE", help="the file to write; it must not be there yet")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run_backup(arguments: argparse.Namespace) -> int:
    """Write the file: whole, or not at all."""
    if os.path.exists(arguments.file):
        raise Refusal(f"{arguments.file} is there already; name another file.")
    if not os.path.isdir(os.path.dirname(os.path.abspath(arguments.file))):
        raise Refusal(f"There is no folder for {arguments.file}.")
    app, schemas = open_everything(arguments)
    with open_file_beside(arguments.file, schemas) as (copy, file):
        reports = transfer(app.database, copy, schemas)
        copy.close()
        os.link(file, arguments.file)
    report_tables(reports, as_json=arguments.json, sentence=f"Kept in {arguments.file}.")
    return 0


def add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, which project, and whether to replace what is there."""
    parser.add_argument("file", metavar="FILE", help="a file that `fieldguide backup` wrote")
    add_place_options(parser)
    parser.add_argument("--replace", action="store_true", help="remove what the database holds first")
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run_restore(arguments: argparse.Namespace) -> int:
    """Carry it over: whole, or not at all. The backup itself is only read."""
    app, schemas = open_everything(arguments)
    with open_file_beside(arguments.file, schemas) as (backup, file):
        try:
            shutil.copyfile(arguments.file, file)
        except OSError as error:
            raise Refusal(f"{arguments.file} can't be read: {error.strerror}.") from error
        problems = find_file_problems(file)
        if problems:
            raise Refusal(f"{arguments.file} is damaged or no backup of ours: {problems[0]}.")
        missing = find_missing_tables(file, schemas)
        if missing:
            raise Refusal(f"{arguments.file} is no backup of everything: it lacks {', '.join(missing)}.")
        try:
            reports = transfer(backup, app.database, schemas, replace=arguments.replace)
        except Refusal as refusal:
            raise Refusal(f"{refusal.message} `--replace` removes what is there first.") from refusal
    report_tables(reports, as_json=arguments.json, sentence=f"Restored into {app.database.describe()}.")
    return 0


def add_migrate_to_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and from which project."""
    parser.add_argument("target", metavar="URL", help="a postgresql:// address; its tables must be empty")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run_migrate_to(arguments: argparse.Namespace) -> int:
    """Carry it over: whole and equal, or not at all. The old database stays as it is."""
    if not arguments.target.startswith(POSTGRES):
        raise Misconfiguration("The target is a postgresql:// address.")
    app, schemas = open_everything(arguments)
    target = open_database(app.settings._replace(database=arguments.target), schemas, app.executor.journal)
    reports = transfer(app.database, target, schemas)
    sentence = f"Moved to {target.describe()}. Now set `database` in your settings, or FIELDGUIDE_DATABASE, to it."
    target.close()
    report_tables(reports, as_json=arguments.json, sentence=sentence)
    return 0


def open_everything(arguments: Any) -> tuple[App, list[Schema]]:
    """The app with every installed toolset, and all that they keep: a backup must not depend on what is served."""
    app = build_app(read_settings_from(arguments)._replace(toolsets=None, suggested_toolsets=None))
    return app, list(dict.fromkeys(each.schema for each in app.toolsets if each.schema is not None))


@contextmanager
def open_file_beside(path: str, schemas: Sequence[Schema]) -> Generator[tuple[Database, str]]:
    """A SQLite database in a folder of its own beside `path`, and the file it will be in once it is closed."""
    with TemporaryDirectory(dir=os.path.dirname(os.path.abspath(path)), prefix=".fieldguide-") as folder:
        file = os.path.join(folder, "fieldguide.db")
        database = SqliteDatabase(lambda: file, schemas, lambda sentence: None)
        try:
            yield database, file
        finally:
            database.close()


def report_tables(reports: Sequence[TableReport], *, as_json: bool, sentence: str) -> None:
    """Say what was carried: a line a table, with the checksum that both sides have."""
    if as_json:
        say_json([each._asdict() for each in reports])
        return
    for each in reports:
        say(f"{each.table}: {each.rows} rows, checksum {each.checksum[:16]} on both sides")
    say(sentence)

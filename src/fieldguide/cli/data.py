"""`fieldguide data`: back up, restore, move, find and prune what is kept of projects."""

import argparse
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fieldguide.app import App, build_app, open_database
from fieldguide.cli.console.options import add_json_option, add_place_options, read_settings_from
from fieldguide.cli.console.terminal import say_result
from fieldguide.settings.config import POSTGRES
from fieldguide.storage.database import DATABASE_FILE, Database, Schema
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
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal

PRECIOUS = ("task", "discovery")


class StateFinding(NamedTuple):
    """A problem, and the command that fixes it."""

    said: str
    mend: str
    command: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`backup`, `restore`, `move`, `where` or `prune`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    backup = actions.add_parser("backup", help="keep everything that users wrote in one file")
    backup.add_argument("file", metavar="FILE", help="the file to write; it must not be there yet")
    restore = actions.add_parser("restore", help="bring back what a backup holds")
    restore.add_argument("file", metavar="FILE", help="a file that `fieldguide data backup` wrote")
    restore.add_argument("--replace", action="store_true", help="remove what the database holds first")
    move = actions.add_parser("move", help="move what is kept: from the project's old path, or to PostgreSQL")
    move.add_argument(
        "place",
        metavar="OLD_PATH|URL",
        help="where the project was before; or a postgresql:// address whose tables are empty",
    )
    where = actions.add_parser("where", help="print the folder that keeps what is known of a project")
    where.add_argument("--all", action="store_true", help="list every project that something is kept of")
    prune = actions.add_parser("prune", help="remove what is kept of projects that are gone")
    prune.add_argument("--yes", action="store_true", help="do it (without: only show what would be removed)")
    for action in (backup, restore, move, where):
        add_place_options(action)
    for action in (backup, restore, move, where, prune):
        add_json_option(action)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    match arguments.action:
        case "backup":
            _back_up(arguments)
        case "restore":
            _restore(arguments)
        case "where":
            _print_places(arguments)
        case "prune":
            _prune(arguments)
        case _ if arguments.place.startswith(POSTGRES):
            _move_to_postgres(arguments)
        case _ if "://" in arguments.place:
            raise Misconfiguration("The target is a postgresql:// address.")
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


def _restore(arguments: argparse.Namespace) -> None:
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


def _move_to_postgres(arguments: argparse.Namespace) -> None:
    """Carry it over: whole and equal, or not at all. The old database stays as it is."""
    app, schemas = open_everything(arguments)
    target = open_database(app.settings._replace(database=arguments.place), schemas, app.executor.journal)
    reports = transfer(app.database, target, schemas)
    sentence = f"Moved to {target.describe()}. Now set `database` in your settings, or FIELDGUIDE_DATABASE, to it."
    target.close()
    report_tables(reports, as_json=arguments.json, sentence=sentence)


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
    lines = [f"{each.table}: {each.rows} rows, checksum {each.checksum[:16]} on both sides" for each in reports]
    say_result([each._asdict() for each in reports], [*lines, sentence], as_json=as_json)

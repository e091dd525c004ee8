"""`fieldguide tasks`: a person's own tasks from a terminal, by the same tools that agents use."""

import argparse
import getpass
from collections.abc import Iterator, Sequence
from typing import Any, cast

from fieldguide import tasks_for
from fieldguide.cli.options import settings_from
from fieldguide.cli.terminal import GAP, columns_of, complain, fitted, say, say_json, terminal_columns
from fieldguide.errors import Misconfiguration
from fieldguide.in_process import TaskFunctions
from fieldguide.spine.visible_text import shown

LEAST_COLUMNS = 20
TITLE_SHARE = 0.6
MARKS = {True: "[x]", False: "[ ]"}
DONE = {"created": "Added", "completed": "Finished", "updated": "Changed", "deleted": "Removed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `list`, `done`, `edit` or `rm`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="begin a task")
    add.add_argument("title", metavar="TITLE", help="what is to be done, in up to 200 characters")
    add.add_argument("--description", metavar="TEXT", help="more about it, in up to 1000 characters")
    listing = actions.add_parser("list", help="show the tasks, newest first")
    listing.add_argument("--status", choices=("all", "pending", "completed"), default="all", help="default: all")
    done = actions.add_parser("done", help="mark tasks as completed")
    edit = actions.add_parser("edit", help="change a task's title or description")
    edit.add_argument("id", type=int, metavar="ID", help="the task's number")
    edit.add_argument("--title", metavar="TEXT", help="its new title")
    edit.add_argument("--description", metavar="TEXT", help="its new description")
    remove = actions.add_parser("rm", help="remove tasks for good")
    for action in (done, remove):
        action.add_argument("ids", nargs="+", type=int, metavar="ID", help="the number of a task")
    for action in (add, listing, done, edit, remove):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
        action.add_argument("--user", metavar="ID", help="whose tasks (default: $FIELDGUIDE_USER, else the login name)")
        action.add_argument("--json", action="store_true", help="print what the tool answers, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when the tool says no."""
    settings = settings_from(arguments)
    user = settings.user or _login_name()
    with tasks_for(user, project=settings.project, database=settings.database) as tasks:
        answered = _answered(tasks, arguments)
    answers = cast("list[dict[str, Any]]", answered if isinstance(answered, list) else [answered])
    errors = [each for each in answers if "error" in each]
    if arguments.json:
        say_json(answered)
    elif arguments.action == "list" and not errors:
        say(*([*_table(answers)] or [_nothing(arguments.status)]))
    else:
        say(*(_sentence(each) for each in answers if "error" not in each))
    for each in errors:
        about = f" (task {each['task_id']})" if "task_id" in each else ""
        complain(f"{shown(each['error'])}{about}")
    return 1 if errors else 0


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise Misconfiguration("This login has no name; say whose tasks you mean with --user.") from error


def _answered(tasks: TaskFunctions, arguments: argparse.Namespace) -> Any:
    """The tool's answer, or a list of answers where several tasks can be named."""
    match arguments.action:
        case "add":
            return tasks.add_task(arguments.title, arguments.description)
        case "list":
            return tasks.list_tasks(arguments.status)
        case "edit":
            return tasks.update_task(arguments.id, arguments.title, arguments.description)
        case "done":
            return [tasks.complete_task(each) for each in arguments.ids]
        case _:
            return [tasks.delete_task(each) for each in arguments.ids]


def _sentence(answer: dict[str, Any]) -> str:
    return f"{DONE[answer['status']]} task {answer['task_id']}: {shown(answer['title'])}"


def _nothing(status: str) -> str:
    return "No tasks." if status == "all" else f"No {status} tasks."


def _table(tasks: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The lines of the table, no wider than the terminal; none for no tasks."""
    if not tasks:
        return
    numbers = ["id", *(str(each["id"]) for each in tasks)]
    marks = ["done", *(MARKS[each["completed"]] for each in tasks)]
    titles = ["title", *(shown(each["title"]) for each in tasks)]
    described = [shown(each["description"] or "") for each in tasks]
    descriptions = ["description" if any(described) else "", *described]
    widths = [max(map(len, numbers)), max(map(len, marks))]
    widths += _shares(terminal_columns() - sum(widths) - len(widths) * len(GAP), titles, descriptions)
    for number, *texts in zip(numbers, marks, titles, descriptions, strict=True):
        cells = [number.rjust(widths[0]), *map(fitted, texts, widths[1:])]
        yield GAP.join(cells).rstrip()


def _shares(free: int, titles: Sequence[str], descriptions: Sequence[str]) -> tuple[int, int]:
    """The columns of titles and of descriptions; a long title yields to a description beyond its share only."""
    free = max(free, LEAST_COLUMNS)
    widest, wanted = max(map(columns_of, titles)), max(map(columns_of, descriptions))
    if not wanted:
        return min(widest, free), 0
    free -= len(GAP)
    title = min(widest, max(int(free * TITLE_SHARE), free - wanted))
    return title, min(wanted, free - title)

"""`fieldguide tasks`: a person's own tasks from a terminal, through the same tools that agents use."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

from fieldguide import tasks_for
from fieldguide.cli.console.in_process import TaskFunctions, find_task_owner, list_task_users
from fieldguide.cli.console.options import add_json_option, add_place_options, find_settings
from fieldguide.cli.console.terminal import complain, format_table, say_result
from fieldguide.files.file_system import find_login_name
from fieldguide.settings.config import Settings
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration

MARKS = {True: "[x]", False: "[ ]"}
LARGEST_ID = 2**63 - 1
Action = Callable[[TaskFunctions], Any]
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
        add_place_options(action)
        add_json_option(action)
        action.add_argument(
            "--user", metavar="ID", help="whose tasks (default: yours; `list` shows everybody's while nobody is named)"
        )


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when the tool says no."""
    settings = find_settings(arguments)
    answered = _answered(settings, arguments)
    answers = cast("list[dict[str, Any]]", answered if isinstance(answered, list) else [answered])
    errors = [each for each in answers if "error" in each]
    if arguments.action != "list" or errors:
        lines = [*_sentences(answers)]
    elif answers:
        lines = _table(answers)
    else:
        lines = ["No tasks." if arguments.status == "all" else f"No {arguments.status} tasks."]
    say_result(answered, lines, as_json=arguments.json)
    complain(*map(_format_error, errors))
    return int(bool(errors))


def _answered(settings: Settings, arguments: argparse.Namespace) -> Any:
    """The tool's answer, or a list of answers where several tasks can be named."""
    match arguments.action:
        case "add":
            return _act(settings, None, lambda tasks: tasks.add_task(arguments.title, arguments.description))
        case "list":
            return _listed(settings, arguments.status)
        case "edit":
            given = (arguments.title, arguments.description)
            return _act(settings, arguments.id, lambda tasks: tasks.update_task(arguments.id, *given))
        case "done":
            return [_act(settings, each, partial(TaskFunctions.complete_task, task_id=each)) for each in arguments.ids]
        case _:
            return [_act(settings, each, partial(TaskFunctions.delete_task, task_id=each)) for each in arguments.ids]


def _listed(settings: Settings, status: str) -> Any:
    """A user's tasks; where nobody is named, those of all who work in this project, each with whose it is."""
    if not _is_everybodys(settings):
        return _act(settings, None, lambda tasks: tasks.list_tasks(status))
    found: list[dict[str, Any]] = []
    for user in list_task_users(project=settings.project):
        with tasks_for(user, project=settings.project) as tasks:
            listed = tasks.list_tasks(status)
        if not isinstance(listed, list):
            return listed
        found += [{**each, "user_id": user} for each in listed]
    return sorted(found, key=lambda each: -int(each["id"]))


def _act(settings: Settings, task_id: int | None, act: Action) -> Any:
    """What an action on a task answers, done for its owner where nobody is named."""
    owner = None
    if task_id is not None and 0 < task_id <= LARGEST_ID and _is_everybodys(settings):
        owner = find_task_owner(task_id, project=settings.project)
    user = owner or settings.user or find_login_name()
    if user is None:
        raise Misconfiguration("This login has no name; say whose tasks you mean with --user.")
    with tasks_for(user, project=settings.project, database=settings.database) as tasks:
        return act(tasks)


def _is_everybodys(settings: Settings) -> bool:
    """Whether all tasks are the person's to see: nobody is named, and the database is the person's own."""
    return settings.user is None and settings.database is None


def _sentences(answers: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What was done, where it was."""
    for each in answers:
        if "error" not in each:
            yield f"{DONE[each['status']]} task {each['task_id']}: {to_visible_line(each['title'])}"


def _format_error(answer: dict[str, Any]) -> str:
    about = f" (task {answer['task_id']})" if "task_id" in answer else ""
    return f"{to_visible_line(answer['error'])}{about}"


def _table(tasks: Sequence[dict[str, Any]]) -> list[str]:
    """The lines of the table, no wider than the terminal."""
    rows = [["id", "done", "user", "title", "description"]]
    for each in tasks:
        mark = MARKS[each["completed"]]
        rows.append([str(each["id"]), mark, each.get("user_id", ""), each["title"], each["description"] or ""])
    shown = [column for column in zip(*rows, strict=True) if any(column[1:])]
    return format_table([*zip(*shown, strict=True)])

"""The arguments of the task tools, checked in the specification's own words before anything is done."""

from collections.abc import Mapping
from typing import Any

from fieldguide.errors import InvalidArguments
from fieldguide.toolsets.tasks.entity import check_description, check_title

STATUSES = ("all", "pending", "completed")
MAX_USER = 255


def check_add(arguments: Mapping[str, Any]) -> None:
    """A user and a title; perhaps a description."""
    _check_user(arguments)
    check_title(arguments.get("title"))
    _check_given_description(arguments)


def check_list(arguments: Mapping[str, Any]) -> None:
    """A user; perhaps a status."""
    _check_user(arguments)
    if arguments.get("status", "all") not in STATUSES:
        raise InvalidArguments("Invalid status")


def check_task(arguments: Mapping[str, Any]) -> None:
    """A user and a task."""
    _check_user(arguments)
    task_id = arguments.get("task_id")
    if type(task_id) is not int or task_id < 1:
        raise InvalidArguments("Invalid task ID")


def check_update(arguments: Mapping[str, Any]) -> None:
    """A user, a task, and at least one thing to change."""
    check_task(arguments)
    if arguments.get("title") is None and arguments.get("description") is None:
        raise InvalidArguments("At least title or description required")
    if arguments.get("title") is not None:
        check_title(arguments["title"])
    _check_given_description(arguments)


def _check_user(arguments: Mapping[str, Any]) -> None:
    user = arguments.get("user_id")
    if not isinstance(user, str) or not user.strip() or "\0" in user or len(user) > MAX_USER:
        raise InvalidArguments("400 Bad Request", field="user_id")


def _check_given_description(arguments: Mapping[str, Any]) -> None:
    if arguments.get("description") is not None:
        check_description(arguments["description"])

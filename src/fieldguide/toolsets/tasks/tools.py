"""The five task tools: names, descriptions and schemas as specified; what they do is imported by their first call."""

from typing import Any

from fieldguide.panels.panel import Panel
from fieldguide.spine.contract import Effects, Tool, Wording
from fieldguide.spine.dialect import Dialect
from fieldguide.spine.schemas import open_object, text, whole_number
from fieldguide.storage.port import Schema
from fieldguide.toolset import Services, Toolset, late

CALLS = "fieldguide.toolsets.tasks.calls"
SHOWN = "fieldguide.toolsets.tasks.shown"
CHECKS = "fieldguide.toolsets.tasks.arguments"
SCHEMA = Schema("tasks", "fieldguide.toolsets.tasks", ("task",), released=1)
USER = text(description="The authenticated user's ID")
BOARD = "ui://fieldguide/tasks"


def toolset(services: Services) -> Toolset:
    """The tasks toolset over the database of a project."""
    database = services.database
    return Toolset(
        name="tasks",
        dialect=Dialect(late("fieldguide.toolsets.tasks.dialect:tell")),
        schema=SCHEMA,
        about="each user's tasks",
        front=("add_task", "complete_task"),
        panels=(_board(),),
        shows={name: late(f"{SHOWN}:{name}", database) for name in ("page", "task", "reopen")},
        tools=(
            Tool(
                name="add_task",
                title="Add Task",
                description="Create a new task for the user",
                input_schema=open_object(
                    "user_id",
                    "title",
                    user_id=USER,
                    title=text(description="The task title (1-200 characters)", minLength=1, maxLength=200),
                    description=text(description="Optional task description (max 1000 characters)", maxLength=1000),
                ),
                run=late(f"{CALLS}:add_task_within", database, services.limits),
                wording=Wording(check=late(f"{CHECKS}:check_add"), failure_message="Failed to create task"),
                effects=Effects(writes=True, repeatable=False),
                user_argument="user_id",
                panel=BOARD,
            ),
            Tool(
                name="list_tasks",
                title="List Tasks",
                description="Retrieve user's tasks with optional status filter",
                input_schema=open_object(
                    "user_id",
                    user_id=USER,
                    status=text(
                        description="Filter tasks by status", enum=["all", "pending", "completed"], default="all"
                    ),
                ),
                run=late(f"{CALLS}:list_tasks", database),
                wording=Wording(check=late(f"{CHECKS}:check_list"), failure_message="Failed to list tasks"),
                user_argument="user_id",
                panel=BOARD,
            ),
            Tool(
                name="complete_task",
                title="Complete Task",
                description="Mark a task as completed",
                input_schema=open_object(
                    "user_id",
                    "task_id",
                    user_id=USER,
                    task_id=whole_number(description="The ID of the task to complete"),
                ),
                run=late(f"{CALLS}:complete_task", database),
                wording=Wording(check=late(f"{CHECKS}:check_task"), failure_message="Failed to complete task"),
                effects=Effects(writes=True),
                user_argument="user_id",
                panel=BOARD,
            ),
            Tool(
                name="delete_task",
                title="Delete Task",
                description="Permanently remove a task",
                input_schema=_one_task("The ID of the task to delete"),
                run=late(f"{CALLS}:delete_task", database),
                wording=Wording(check=late(f"{CHECKS}:check_task"), failure_message="Failed to delete task"),
                effects=Effects(writes=True, destroys=True),
                user_argument="user_id",
                panel=BOARD,
            ),
            Tool(
                name="update_task",
                title="Update Task",
                description="Modify a task's title or description",
                input_schema=open_object(
                    "user_id",
                    "task_id",
                    user_id=USER,
                    task_id=whole_number(description="The ID of the task to update"),
                    title=text(description="New task title (1-200 characters)", minLength=1, maxLength=200),
                    description=text(description="New task description (max 1000 characters)", maxLength=1000),
                ),
                run=late(f"{CALLS}:update_task", database),
                wording=Wording(check=late(f"{CHECKS}:check_update"), failure_message="Failed to update task"),
                effects=Effects(writes=True, destroys=True),
                user_argument="user_id",
                panel=BOARD,
            ),
        ),
    )


def _board() -> Panel:
    return Panel(
        uri=BOARD,
        name="tasks",
        title="Task board",
        description="The user's tasks: what is to do and what is done, to add to and to tick off.",
        page=late("fieldguide.panels.making:board_page"),
        calls=("add_task", "list_tasks", "complete_task", "delete_task", "update_task"),
    )


def _one_task(description: str) -> dict[str, Any]:
    return open_object("user_id", "task_id", user_id=USER, task_id=whole_number(description=description))

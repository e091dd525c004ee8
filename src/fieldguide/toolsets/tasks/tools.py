"""Declares the five task tools with the names, descriptions and schemas of the specification."""

from typing import Any

from fieldguide.spine.schemas import integer_schema, open_object, text_schema
from fieldguide.spine.tool import Effects, Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, Services, Toolset
from fieldguide.storage.database import Schema

CALLS = "fieldguide.toolsets.tasks.calls"
SCHEMA = Schema("tasks", "fieldguide.toolsets.tasks")
USER = text_schema(description="The authenticated user's ID")


def toolset(services: Services) -> Toolset:
    """The tasks toolset over the database of a project."""
    database = services.database
    return Toolset(
        name="tasks",
        dialect=Dialect(import_late(f"{CALLS}:tell")),
        schema=SCHEMA,
        about="each user's tasks",
        shows={name: import_late(f"{CALLS}:{name}", database) for name in ("page", "task", "reopen", "arrange")},
        tools=(
            Tool(
                name="add_task",
                title="Add Task",
                description="Create a new task for the user",
                input_schema=open_object(
                    "user_id",
                    "title",
                    user_id=USER,
                    title=text_schema(description="The task title (1-200 characters)", minLength=1, maxLength=200),
                    description=text_schema(
                        description="Optional task description (max 1000 characters)", maxLength=1000
                    ),
                ),
                run=import_late(f"{CALLS}:add_task", database, limits=services.limits),
                wording=Wording(check=import_late(f"{CALLS}:check_add"), failure_message="Failed to create task"),
                effects=Effects(writes=True, repeatable=False),
                user_argument="user_id",
            ),
            Tool(
                name="list_tasks",
                title="List Tasks",
                description="Retrieve user's tasks with optional status filter",
                input_schema=open_object(
                    "user_id",
                    user_id=USER,
                    status=text_schema(
                        description="Filter tasks by status", enum=["all", "pending", "completed"], default="all"
                    ),
                ),
                run=import_late(f"{CALLS}:list_tasks", database),
                wording=Wording(
                    check=import_late(f"{CALLS}:check_list"), failure_message="Failed to list tasks", is_whole=True
                ),
                user_argument="user_id",
            ),
            Tool(
                name="complete_task",
                title="Complete Task",
                description="Mark a task as completed",
                input_schema=open_object(
                    "user_id",
                    "task_id",
                    user_id=USER,
                    task_id=integer_schema(description="The ID of the task to complete"),
                ),
                run=import_late(f"{CALLS}:complete_task", database),
                wording=Wording(check=import_late(f"{CALLS}:check_task"), failure_message="Failed to complete task"),
                effects=Effects(writes=True),
                user_argument="user_id",
            ),
            Tool(
                name="delete_task",
                title="Delete Task",
                description="Permanently remove a task",
                input_schema=_one_task("The ID of the task to delete"),
                run=import_late(f"{CALLS}:delete_task", database),
                wording=Wording(check=import_late(f"{CALLS}:check_task"), failure_message="Failed to delete task"),
                effects=Effects(writes=True, destroys=True),
                user_argument="user_id",
            ),
            Tool(
                name="update_task",
                title="Update Task",
                description="Modify a task's title or description",
                input_schema=open_object(
                    "user_id",
                    "task_id",
                    user_id=USER,
                    task_id=integer_schema(description="The ID of the task to update"),
                    title=text_schema(description="New task title (1-200 characters)", minLength=1, maxLength=200),
                    description=text_schema(description="New task description (max 1000 characters)", maxLength=1000),
                ),
                run=import_late(f"{CALLS}:update_task", database),
                wording=Wording(check=import_late(f"{CALLS}:check_update"), failure_message="Failed to update task"),
                effects=Effects(writes=True, destroys=True),
                user_argument="user_id",
            ),
        ),
    )


def _one_task(description: str) -> dict[str, Any]:
    return open_object("user_id", "task_id", user_id=USER, task_id=integer_schema(description=description))

"""The lines of the tasks specification."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "tasks: principles": (
        ("S1-1", None,
         "There are exactly five tools: `add_task`, `list_tasks`, `complete_task`, `delete_task`, `update_task`."),
        ("S1-2", None,
         "Each tool delegates to its use case: `AddTaskUseCase`, `ListTasksUseCase`, `CompleteTaskUseCase`, "
         "`DeleteTaskUseCase`, `UpdateTaskUseCase`."),
        ("S1-3", None,
         "Tools never write to the database directly: no SQL, no `TaskDB(...)` with `session.add`, no "
         "`repository.add(task)` outside a use case."),
        ("S1-4", None, "Every tool receives `user_id` and enforces it."),
        ("S1-5", None, "Tools hold no state between calls: no module-level cache, no singleton repository."),
        ("S1-6", None,
         "The MCP SDK is the official Python `mcp`, the tools are also callable in process as plain functions, and "
         "parameters are JSON Schema."),
        ("S1-7", None, "The repository class is `PostgreSQLTaskRepository(session, user_id)`."),
        ("S1-8", None,
         "The database session comes from `get_session()`, is scoped to the request and is closed after every call, "
         "also after errors."),
    ),
    "tasks: add_task": (
        ("S1-9", None, "The description is `Create a new task for the user`."),
        ("S1-10", None, "`user_id` is a required string with description `The authenticated user's ID`."),
        ("S1-11", None,
         "`title` is a required string with description `The task title (1-200 characters)`, minLength 1, maxLength "
         "200."),
        ("S1-12", None,
         "`description` is an optional string with description `Optional task description (max 1000 characters)`, "
         "maxLength 1000."),
        ("S1-13", None, '`required` is exactly `["user_id","title"]`.'),
        ("S1-14", None, "The tool delegates to `AddTaskUseCase.execute(title, description)`."),
        ("S1-15", None, 'It returns `{ "task_id": <integer>, "status": "created", "title": <title> }`.'),
        ("S1-16", None, 'An empty title answers `{ "error": "Title is required" }`.'),
        ("S1-17", None,
         'A title of 201 characters answers `{ "error": "Title must be 200 characters or less" }`, and 200 is '
         "accepted."),
        ("S1-18", None,
         'A description of 1001 characters answers `{ "error": "Description must be 1000 characters or less" }`, and '
         "1000 and 0 are accepted."),
        ("S1-19", None, 'A database error answers `{ "error": "Failed to create task" }`.'),
    ),
    "tasks: list_tasks": (
        ("S1-20", None, "The description is `Retrieve user's tasks with optional status filter`."),
        ("S1-21", None, "`user_id` is a required string with description `The authenticated user's ID`."),
        ("S1-22", None,
         '`status` is a string with description `Filter tasks by status`, enum `["all","pending","completed"]` and '
         '`default` `"all"`.'),
        ("S1-23", None, '`required` is exactly `["user_id"]`.'),
        ("S1-24", None,
         "The tool delegates to `ListTasksUseCase.execute()` without a filter argument and applies the status filter "
         "afterwards itself."),
        ("S1-25", None,
         "It returns a JSON array whose items have `id` (integer), `title` (string), `description` (string or null) "
         "and `completed` (boolean)."),
        ("S1-26", None,
         "`pending` returns only tasks that are not completed, `completed` only completed ones, `all` and an absent "
         "status both."),
        ("S1-27", None, "No matching task answers `[]`."),
    ),
    "tasks: complete_task": (
        ("S1-28", None, "The description is `Mark a task as completed`."),
        ("S1-29", None,
         "`user_id` and `task_id` (integer, `The ID of the task to complete`) are required, and `required` is "
         'exactly `["user_id","task_id"]`.'),
        ("S1-30", None,
         "The tool delegates to `CompleteTaskUseCase.execute(task_id)`, which handles not found and already "
         "completed."),
        ("S1-31", None, 'It returns `{ "task_id": <id>, "status": "completed", "title": <title> }`.'),
        ("S1-32", None, 'A task that is not found answers `{ "error": "Task not found", "task_id": <id> }`.'),
        ("S1-33", None, "A task of another user answers byte for byte like a task that is not found."),
        ("S1-34", None, "Completing an already completed task does not fail."),
    ),
    "tasks: delete_task": (
        ("S1-35", None, "The description is `Permanently remove a task`."),
        ("S1-36", None,
         "`user_id` and `task_id` (integer, `The ID of the task to delete`) are required, and `required` is exactly "
         '`["user_id","task_id"]`.'),
        ("S1-37", None,
         "The task is fetched first by `repository.get_by_id(task_id)`, for the title, then "
         "`DeleteTaskUseCase.execute(task_id)` runs."),
        ("S1-38", None,
         'It returns `{ "task_id": <id>, "status": "deleted", "title": <title> }`, and the task is gone from '
         "`list_tasks`."),
        ("S1-39", None,
         'A task that is not found, or another user\'s, answers `{ "error": "Task not found", "task_id": <id> }`.'),
        ("S1-40", None,
         'For task 42 of user_A, `delete_task(user_id="user_B", task_id=42)` answers `{ "error": "Task not found", '
         '"task_id": 42 }`, never `Task belongs to another user`, and the task still exists for user_A.'),
    ),
    "tasks: update_task": (
        ("S1-41", None, "The description is `Modify a task's title or description`."),
        ("S1-42", None, "`user_id` and `task_id` (integer, `The ID of the task to update`) are required."),
        ("S1-43", None,
         "`title` is an optional string with description `New task title (1-200 characters)`, minLength 1, maxLength "
         "200."),
        ("S1-44", None,
         "`description` is an optional string with description `New task description (max 1000 characters)`, "
         "maxLength 1000."),
        ("S1-45", None, '`required` is exactly `["user_id","task_id"]`.'),
        ("S1-46", None,
         'Without title and description it answers `{ "error": "At least title or description required" }`, checked '
         "before a database session is acquired."),
        ("S1-47", None, "The tool delegates to `UpdateTaskUseCase.execute(task_id, title, description)`."),
        ("S1-48", None, 'It returns `{ "task_id": <id>, "status": "updated", "title": <title after update> }`.'),
        ("S1-49", None,
         'A task that is not found, or another user\'s, answers `{ "error": "Task not found", "task_id": <id> }`.'),
        ("S1-50", None, 'A title that is too long answers `{ "error": "Title must be 200 characters or less" }`.'),
        ("S1-51", None, "Only the given fields change: a description alone leaves the title, and the reverse."),
        ("S1-52", None, "An empty description (0 characters) is a valid new description."),
    ),
    "tasks: security, validation, acceptance": (
        ("S1-53", None, "The SQL of every repository operation includes `WHERE user_id = :user_id`."),
        ("S1-54", None,
         "A repository without user scoping is forbidden: constructing it with `None` or an empty user fails."),
        ("S1-55", None, "No user is hard-coded where a repository is constructed."),
        ("S1-56", None, "Validation happens before delegating."),
        ("S1-57", None, "A `user_id` that is not a non-empty string answers `400 Bad Request`."),
        ("S1-58", None,
         'A `task_id` that is not a positive integer (0, -1, "x", 1.5, true) answers `{ error: "Invalid task ID" }`.'),
        ("S1-59", None,
         'By the generic table a `title` outside 1-200 characters is `{ error: "Invalid title length" }`, where the '
         "per-tool tables give other texts."),
        ("S1-60", None,
         'By the generic table a `description` over 1000 characters is `{ error: "Description too long" }`, where '
         "the per-tool table gives another text."),
        ("S1-61", None,
         "Complete, delete and update never reveal whether a task exists for another user: same text, same keys."),
        ("S1-62", None, "AC-001: all tools delegate to use cases, with no direct database calls in the tool module."),
        ("S1-63", None,
         "AC-002: repeated calls work independently, for the same call twice, two processes and interleaved users."),
        ("S1-64", None, "AC-003: user A cannot affect user B's tasks by any of the five tools."),
        ("S1-65", None, "AC-004: invalid inputs return the defined errors."),
        ("S1-66", None,
         "AC-005: every error is an object with an `error` string, plus `task_id` where the table shows it."),
    ),
}

"""The scenarios of the conformance suite that we do not pass, each with the reason; everything else must pass."""

NO_TASKS = "the optional extension io.modelcontextprotocol/tasks (SEP-2663), which this server does not declare"

NOT_APPLICABLE: dict[str, str] = {
    "tasks-lifecycle": NO_TASKS,
    "tasks-capability-negotiation": NO_TASKS,
    "tasks-wire-fields": NO_TASKS,
    "tasks-request-state-removal": NO_TASKS,
    "tasks-mrtr-input": NO_TASKS,
    "tasks-request-headers": NO_TASKS,
    "tasks-dispatch-and-envelope": NO_TASKS,
    "tasks-required-task-error": NO_TASKS,
    "tasks-mrtr-composition": NO_TASKS,
}

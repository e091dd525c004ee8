"""What the conformance suite asks for and the server does not offer, each with the reason; the rest must pass."""

NO_TASKS = "the optional extension io.modelcontextprotocol/tasks (SEP-2663), which this server does not declare"
NO_LOGGING = "the capability `logging`, which this server does not declare"
NO_SUBSCRIPTIONS = "the capability `resources.subscribe`, which this server does not declare"
NO_QUESTIONS = "a tool or prompt that asks its client something: this server asks nothing"
NO_PROGRESS = "a tool that reports progress, which no tool here does"

NOT_APPLICABLE: dict[str, str] = {
    "logging-set-level": NO_LOGGING,
    "tools-call-with-logging": NO_LOGGING,
    "tools-call-with-progress": NO_PROGRESS,
    "tools-call-sampling": NO_QUESTIONS,
    "tools-call-elicitation": NO_QUESTIONS,
    "elicitation-sep1034-defaults": NO_QUESTIONS,
    "elicitation-sep1330-enums": NO_QUESTIONS,
    "resources-subscribe": NO_SUBSCRIPTIONS,
    "resources-unsubscribe": NO_SUBSCRIPTIONS,
    "input-required-result-basic-elicitation": NO_QUESTIONS,
    "input-required-result-basic-sampling": NO_QUESTIONS,
    "input-required-result-basic-list-roots": NO_QUESTIONS,
    "input-required-result-request-state": NO_QUESTIONS,
    "input-required-result-multiple-input-requests": NO_QUESTIONS,
    "input-required-result-multi-round": NO_QUESTIONS,
    "input-required-result-non-tool-request": NO_QUESTIONS,
    "input-required-result-result-type": NO_QUESTIONS,
    "input-required-result-tampered-state": NO_QUESTIONS,
    "input-required-result-capability-check": NO_QUESTIONS,
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
"""Scenarios."""

UNTESTABLE_CHECKS: dict[str, str] = {
    "sep-2575-server-rejects-undeclared-capability": NO_QUESTIONS,
    "sep-2575-missing-capability-http-400": NO_QUESTIONS,
    "sep-2575-http-server-no-independent-requests-on-stream": NO_QUESTIONS,
    "sep-2575-server-no-log-without-loglevel": NO_LOGGING,
    "sep-2322-missing-response-rerequests": NO_QUESTIONS,
    "sep-2322-ignore-unexpected-params": NO_QUESTIONS,
}
"""Checks inside of scenarios that apply: the suite calls a tool for them that is not there."""

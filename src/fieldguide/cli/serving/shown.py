"""What the page is given beside the tools: what the toolsets show, with the rules of patterns told in words, and whose
tasks there are."""

from collections.abc import Callable, Iterator
from typing import Any

from fieldguide.app import App

PATTERNS = "architecture.patterns"
TASKS, USERS = "tasks.page", "tasks.users"
MOST_EXAMPLES = 40


def shown_to_people(app: App) -> dict[str, Callable[..., Any]]:
    """Everything that the toolsets show, by `toolset.name`."""
    shows = app.shows()
    if (read := shows.get(PATTERNS)) is not None:
        shows = {**shows, PATTERNS: lambda: [_pattern(*each) for each in read()]}
    return {**shows, USERS: lambda: _users(app)} if TASKS in shows else shows


def _users(app: App) -> list[str]:
    from fieldguide.in_process.task_owners import TaskOwnerRepository

    with app.database.reading() as session:
        return TaskOwnerRepository(session).users()


def _pattern(document: Any, pattern: Any) -> dict[str, Any]:
    """A pattern document as the page shows it: its rules, what is advice, what can't be read, and its examples."""
    return {
        "name": document.name,
        "title": pattern.title,
        "path": document.path,
        "rules": [_rule(rule) for rule in pattern.rules],
        "advice": [each._asdict() for each in pattern.advice],
        "problems": [each._asdict() for each in pattern.problems],
        "examples": [*_examples(document.text)],
    }


def _rule(rule: Any) -> dict[str, Any]:
    from fieldguide.cli.ruled.wording import in_words  # a start does not need it

    return {
        "id": rule.id,
        "message": rule.message,
        "severity": rule.severity,
        "is_declared": rule.origin == "front-matter",
        "line": rule.document_line,
        "checked": in_words(rule),
        "fix": rule.fix or "",
    }


def _examples(text: str) -> Iterator[dict[str, Any]]:
    from fieldguide.cli.ruled.examples import read_examples

    for each in read_examples(text)[:MOST_EXAMPLES]:
        yield each._asdict()

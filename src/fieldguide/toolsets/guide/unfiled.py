"""What lies in no file as items: a finding is its words, a task its title and what is said below it."""

from collections.abc import Mapping
from typing import Any

from fieldguide.discoveries.discovery import Discovery
from fieldguide.spine.answers.citations import hash_of_text
from fieldguide.toolsets.guide.items import FINDING, TASK, Item

FINDINGS, TASKS = "finding://", "task://"


def finding_item(discovery: Discovery, why: str) -> Item:
    """A finding, whole."""
    return _item(f"{FINDINGS}{discovery.id}", discovery.content, FINDING, why)


def task_item(task: Mapping[str, Any], why: str) -> Item:
    """A task as `list_tasks` tells it, whole."""
    return _item(f"{TASKS}{task['id']}", task_text(task), TASK, why)


def task_text(task: Mapping[str, Any]) -> str:
    """A task's title, and below it what is said of it."""
    return "\n".join(filter(None, (str(task.get("title") or ""), str(task.get("description") or ""))))


def _item(path: str, text: str, kind: str, why: str) -> Item:
    return Item(path, 1, text.count("\n") + 1, kind, why, hash=hash_of_text(text), text=text)

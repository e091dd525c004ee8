"""What one user's tasks in one project must be: exact where a write was acknowledged, either way where it was not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class State(NamedTuple):
    """How a task is shown."""

    title: str
    is_completed: bool


class TaskModel:
    """Held by the only client that writes these tasks."""

    def __init__(self) -> None:
        self.sure: dict[int, State] = {}
        self._either: dict[int, set[State | None]] = {}
        self._maybe_added: set[str] = set()
        self.acknowledged = 0

    @property
    def unsure(self) -> int:
        """How many writes were never acknowledged."""
        return len(self._either) + len(self._maybe_added)

    def will_add(self, title: str) -> None:
        """A task is about to be added: from now on it may be there."""
        self._maybe_added.add(title)

    def added(self, task_id: int, title: str) -> None:
        """It was acknowledged."""
        self._maybe_added.discard(title)
        self.sure[task_id] = State(title, is_completed=False)
        self.acknowledged += 1

    def will_change(self, task_id: int, wanted: State | None) -> None:
        """A task is about to be changed, or removed (None): from now on it is either."""
        self._either[task_id] = {self.sure.pop(task_id), wanted}

    def changed(self, task_id: int, now: State | None) -> None:
        """It was acknowledged."""
        del self._either[task_id]
        if now is not None:
            self.sure[task_id] = now
        self.acknowledged += 1

    def problems(self, listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """What is wrong with a list of these tasks; a lost write begins with `lost`."""
        shown = {int(task["id"]): State(task["title"], bool(task["completed"])) for task in listed}
        if len(shown) != len(listed):
            yield "doubled: a task is listed twice"
        for task_id, state in self.sure.items():
            if task_id not in shown:
                yield f"lost: task {task_id}, {state.title!r}"
            elif shown[task_id] != state:
                yield f"lost: task {task_id} is {shown[task_id]}, not {state}"
        yield from self._problems_of_the_rest(shown)

    def _problems_of_the_rest(self, shown: Mapping[int, State]) -> Iterator[str]:
        for task_id, possible in self._either.items():
            if shown.get(task_id) not in possible:
                yield f"wrong: task {task_id} is {shown.get(task_id)}, none of {possible}"
        for task_id, state in shown.items():
            if task_id in self.sure or task_id in self._either:
                continue
            if state.title not in self._maybe_added:
                yield f"wrong: task {task_id}, {state.title!r}, was never added"

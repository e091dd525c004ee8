"""What would change in which file: worked out whole, checked by reading the result back, before anything is written."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple, cast

from fieldguide.cli.installing import json_editing, section, toml_editing
from fieldguide.cli.installing.clients import Client
from fieldguide.cli.installing.entry import Wish, bound_project, entry_for, starts_fieldguide
from fieldguide.cli.installing.machine import PROJECT, Machine
from fieldguide.cli.installing.record import ENTRY, SECTION, Record
from fieldguide.cli.installing.settings_place import Place
from fieldguide.errors import Refusal

ADD, UPDATE, REMOVE, UNCHANGED, DIFFERS, PROBLEM = "add", "update", "remove", "unchanged", "differs", "problem"
CHANGES = (ADD, UPDATE, REMOVE)


class Change(NamedTuple):
    """One file and what becomes of it; `after` is None where the file goes, or where nothing can be done."""

    title: str
    client: str
    place: Place
    action: str
    kind: str = ENTRY
    name: str = ""
    value: Any = None
    before: bytes | None = None
    after: bytes | None = None
    made: int = 0
    reason: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether something would be written."""
        return self.action in CHANGES


class Planner:
    """Plans changes one after the other; each sees the files as those before would leave them."""

    def __init__(self, machine: Machine, record: Record, *, force: bool) -> None:
        self.machine, self._record, self._force = machine, record, force
        self._pending: dict[str, bytes | None] = {}

    def entry(self, client: Client, wish: Wish) -> Change | None:
        """What a client's file needs; None where it has no file of this scope."""
        place = self.machine.place(client, wish.scope)
        if place is None:
            return None
        remarks = (client.remark, client.project_remark if wish.scope == PROJECT else "")
        change = Change(
            client.title,
            client.key,
            place,
            ADD,
            name=wish.name,
            value=entry_for(client, wish),
            remarks=tuple(filter(None, remarks)),
        )
        return self._planned(change, client.path)

    def section(self, name: str) -> Change:
        """What a file for agents needs."""
        place = Place(f"{self.machine.project}/{name}", self.machine.project, self.machine.home)
        value = "\n".join(section.SECTION)
        return self._planned(Change(name, "", place, ADD, kind=SECTION, name=name, value=value), ())

    def _planned(self, change: Change, path: Sequence[str]) -> Change:
        try:
            before = self.content(change.place)
            text = decoded(before)
            judged = self._judged(change._replace(before=before), text, path)
            if judged.action == UNCHANGED:
                return judged
            judged = judged._replace(after=_written(judged, text, path).encode(), made=_missing(judged, text, path))
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        if judged.is_change:
            self._pending[change.place.real()] = judged.after
        return judged

    def content(self, place: Place) -> bytes | None:
        """What a file holds, or will hold."""
        real = place.real()
        return self._pending[real] if real in self._pending else place.read()

    def _judged(self, change: Change, text: str, path: Sequence[str]) -> Change:
        """Whether something is to be added, replaced, or left to the person."""
        there = _value_there(change, text, path)
        if there is None:
            return change if self._force else _beside(change, text, path)
        if there == change.value:
            return change._replace(action=UNCHANGED)
        if self._force:
            return change._replace(action=UPDATE)
        last = self._record.last(change.place.real(), change.kind, change.name)
        if last is None or last.value != there:
            return change._replace(action=DIFFERS, reason=f"has another {change.name!r}, which --force replaces.")
        project, wanted = bound_project(there), bound_project(change.value)
        if project != wanted and None not in (project, wanted):
            reason = f"is for {project}. --force replaces it; --name adds another beside it."
            return change._replace(action=DIFFERS, reason=reason)
        return change._replace(action=UPDATE)


def _beside(change: Change, text: str, path: Sequence[str]) -> Change:
    """A change that adds; where the same Fieldguide is there under another name, it is left to the person."""
    entries: dict[str, Any] = {} if change.kind == SECTION else editor_of(change.place).read_entries(text, path)
    project = bound_project(change.value) if change.kind == ENTRY else None
    same = [name for name, each in entries.items() if starts_fieldguide(each) and bound_project(each) == project]
    if not same:
        return change
    return change._replace(action=DIFFERS, reason=f"starts Fieldguide already, as {same[0]!r}; --force adds another.")


def editor_of(place: Place) -> ModuleType:
    """Who can change a file of this form."""
    return toml_editing if place.path.endswith(".toml") else json_editing


def decoded(content: bytes | None) -> str:
    """A file's text; the byte order mark stays in it."""
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (content or b"").count(b"\n", 0, error.start) + 1
        raise Refusal(f"is not UTF-8 text, in line {line}.") from error


def _value_there(change: Change, text: str, path: Sequence[str]) -> Any:
    if change.kind == SECTION:
        return section.section_in(text)
    entries = cast("dict[str, Any]", editor_of(change.place).read_entries(text, path))
    return entries.get(change.name)


def _written(change: Change, text: str, path: Sequence[str]) -> str:
    """The text with the change in it; one that would say anything else than what was meant is not written."""
    if change.kind == SECTION:
        return section.with_section(text, change.name)
    editor = editor_of(change.place)
    after = str(editor.with_entry(text, path, change.name, change.value))
    expected: Any = editor.read_all(text)
    inner = expected
    for key in path:
        inner = inner.setdefault(key, {})
    inner[change.name] = change.value
    if editor.read_all(after) != expected:
        raise Refusal("is written in a way that can't be changed safely; --print shows what to put there by hand.")
    return after


def _missing(change: Change, text: str, path: Sequence[str]) -> int:
    return 0 if change.kind == SECTION else int(editor_of(change.place).missing_objects(text, path))

"""What uninstalling would change: a file that is as we left it becomes what it was; from another, our part goes."""

from typing import Any, NamedTuple, cast

from fieldguide.cli.installing import section
from fieldguide.cli.installing.clients import Client
from fieldguide.cli.installing.entry import starts_fieldguide
from fieldguide.cli.installing.machine import Machine
from fieldguide.cli.installing.planning import PROBLEM, REMOVE, Change, decoded, editor_of
from fieldguide.cli.installing.record import ENTRY, SECTION, Record, Written, digest, read_backup
from fieldguide.cli.installing.settings_place import Place
from fieldguide.errors import Refusal


class Undone(NamedTuple):
    """A file's content after changes were taken back, and which of them those were."""

    content: bytes | None
    changes: list[Written]


class Remover:
    """Plans what goes; each file once, whoever reads it."""

    def __init__(self, machine: Machine, record: Record, *, name: str | None) -> None:
        self._machine, self._record, self._name = machine, record, name
        self._seen: set[str] = set()

    def entry(self, client: Client, scope: str) -> Change | None:
        """What goes from a client's file; None where nothing of ours is in it."""
        place = self._machine.place(client, scope)
        return None if place is None else self._planned(Change(client.title, client.key, place, REMOVE), client)

    def section(self, name: str) -> Change | None:
        """What goes from a file for agents."""
        place = Place(f"{self._machine.project}/{name}", self._machine.project, self._machine.home)
        return self._planned(Change(name, "", place, REMOVE, kind=SECTION, name=name), None)

    def _planned(self, change: Change, client: Client | None) -> Change | None:
        try:
            real = change.place.real()
            before = None if real in self._seen else change.place.read()
            if before is None:
                return None
            names = self._names(change, decoded(before), client)
            if not names:
                return None
            self._seen.add(real)
            undone = self._undone(real, before, change.kind, names)
            after = self._without(change, undone, client, names)
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        return change._replace(name=", ".join(names), before=before, after=after, value=names)

    def _names(self, change: Change, text: str, client: Client | None) -> list[str]:
        """What of ours is in the file."""
        if client is None:
            return [change.name] if section.section_in(text) is not None else []
        entries = cast("dict[str, Any]", editor_of(change.place).read_entries(text, client.path))
        if self._name is not None:
            return [self._name] if self._name in entries else []
        return [name for name, entry in entries.items() if starts_fieldguide(entry)]

    def _undone(self, real: str, content: bytes, kind: str, names: list[str]) -> Undone:
        """The file with our last changes taken back, as long as it is what they left."""
        undone = Undone(content, [])
        for change in reversed(self._record.of_file(real)):
            is_meant = change.kind == kind and change.name in names
            if not is_meant or undone.content is None or digest(undone.content) != change.after:
                break
            before = read_backup(change)
            if before is None and change.before is not None:
                break
            undone = Undone(before, [*undone.changes, change])
        return undone

    def _without(self, change: Change, undone: Undone, client: Client | None, names: list[str]) -> bytes | None:
        known = [each for each in self._record.of_file(change.place.real()) if each.name in names]
        if undone.content is None or (undone.changes and len(undone.changes) == len(known)):
            return undone.content  # what stood there before us, and whatever of this name was in it, is the person's
        text = decoded(undone.content)
        after = section.without_section(text) if client is None else self._without_entries(change, text, client, names)
        return None if _is_nothing(after, change, known) else after.encode()

    def _without_entries(self, change: Change, text: str, client: Client, names: list[str]) -> str:
        editor = editor_of(change.place)
        for name in names:
            if name not in editor.read_entries(text, client.path):
                continue
            last = self._record.last(change.place.real(), ENTRY, name)
            expected: Any = editor.read_all(text)
            text = editor.without_entry(text, client.path, name, made=last.made if last else 0)
            if _without_key(expected, client.path, name) != _without_key(editor.read_all(text), client.path, name):
                raise Refusal("is written in a way that can't be changed safely; take the entry out by hand.")
        return text


def _is_nothing(after: str, change: Change, known: list[Written]) -> bool:
    """Whether the file was made for us, and has nothing of anybody else in it."""
    is_ours = change.name == section.RULE or None in {each.before for each in known}
    return is_ours and after.strip() in ("", "{}")


def _without_key(value: Any, path: tuple[str, ...], name: str) -> Any:
    """A file's meaning but for one entry, and for objects that are empty without it."""
    if not path:
        return {key: inner for key, inner in value.items() if key != name}
    inner = _without_key(value.get(path[0], {}), path[1:], name)
    rest = {key: each for key, each in value.items() if key != path[0]}
    return {**rest, path[0]: inner} if inner else rest

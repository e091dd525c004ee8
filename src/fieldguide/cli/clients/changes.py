"""Plans the changes that `install` makes to clients' settings.

A change is about one part in one file. Whoever takes a part away needs no record, but where there is one the bytes from
before come back.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.cli.clients import editing
from fieldguide.cli.clients.additions import BEGIN, END, OURS, Part, is_ours, list_parts
from fieldguide.cli.clients.catalog import (
    PROGRAM,
    EntryRequest,
    Machine,
    McpClient,
    read_bound_project,
    starts_fieldguide,
)
from fieldguide.cli.clients.settings_files import (
    ENTRY,
    MARK,
    PERMISSION,
    SECTION,
    InstallRecord,
    SettingsFile,
    WrittenChange,
    append_lines,
    decode_text,
    find_newline,
    hash_content,
    read_backup,
    remove_lines,
)
from fieldguide.text.errors import Refusal

ADD = "add"
UPDATE = "update"
REMOVE = "remove"
UNCHANGED = "unchanged"
DIFFERS = "differs"
PROBLEM = "problem"
WORDS = {
    ENTRY: "the entry",
    PERMISSION: "permission for our tools that only read",
    SECTION: "the section for agents",
}


class SettingsChange(NamedTuple):
    """One file and what becomes of it; `after` is None where the file goes, or where nothing can be done.

    `removed` are the parts that a removal takes out of the file.
    """

    part: Part
    action: str
    before: bytes | None = None
    after: bytes | None = None
    made: int = 0
    reason: str = ""
    removed: tuple[Part, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether something would be written."""
        return self.action in (ADD, UPDATE, REMOVE)


class ChangePlanner:
    """Plans changes one after the other; each sees the files as those before would leave them."""

    def __init__(self, machine: Machine, record: InstallRecord, *, force: bool = False) -> None:
        self._machine = machine
        self._record = record
        self._force = force
        self._pending: dict[str, bytes | None] = {}

    def plan_install(self, part: Part) -> SettingsChange:
        """What a part's file needs."""
        change = SettingsChange(part, ADD)
        try:
            before = self._read(part.place)
            text = decode_text(before)
            there = self._read_part(part, text)
            judged = self._judge(change._replace(before=before), text, there)
            if judged.action == UNCHANGED:
                return judged
            after = _write_part(part, text, there).encode()
            judged = judged._replace(after=after, made=_count_missing(part, text))
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        if judged.is_change:
            self._pending[part.place.real()] = judged.after
        return judged

    def plan_removals(
        self, clients: Sequence[McpClient], scopes: Sequence[str], kinds: Sequence[str], name: str | None
    ) -> list[SettingsChange]:
        """What goes from the files of some clients: all of ours in a file at once, whoever reads it."""
        possible: list[Part] = []
        for client in clients:
            for scope in scopes:
                possible += [each for each in self._list_possible(client, scope) if each.kind in kinds]
        changes: list[SettingsChange] = []
        by_file: dict[str, dict[tuple[str, str], Part]] = {}
        for part in possible:
            try:
                for owned in self._find_owned(part, name):
                    by_file.setdefault(part.place.real(), {})[owned.kind, owned.name] = owned
            except Refusal as error:
                changes.append(SettingsChange(part, PROBLEM, reason=error.message))
        for real, owned_parts in by_file.items():
            parts = tuple(owned_parts.values())
            change = SettingsChange(parts[0], REMOVE, before=self._read(parts[0].place), removed=parts)
            try:
                changes.append(change._replace(after=self._take_out(real, change.before or b"", parts)))
            except Refusal as error:
                changes.append(change._replace(action=PROBLEM, reason=error.message))
        return changes

    def _list_possible(self, client: McpClient, scope: str) -> list[Part]:
        """Everything that a client may have been given."""
        return list_parts(self._machine, client, EntryRequest(scope, "", (PROGRAM,)))

    def _find_owned(self, part: Part, name: str | None) -> list[Part]:
        """What a file has of a possible part, each with its value there; of entries, all that start Fieldguide."""
        content = self._read(part.place)
        if content is None:
            return []
        text = decode_text(content)
        if part.kind == ENTRY:
            entries = editing.read_entries(text, part.path, is_toml=part.is_toml)
            if name is not None:
                names = [each for each in entries if each == name]
            else:
                names = [each for each, entry in entries.items() if starts_fieldguide(entry)]
            return [part._replace(name=each, value=entries[each]) for each in names]
        if part.is_file and OURS not in text:
            return []
        there = self._read_part(part, text)
        return [part._replace(value=there)] if there else []

    def _read(self, place: SettingsFile) -> bytes | None:
        """What a file holds, or will hold."""
        real = place.real()
        return self._pending[real] if real in self._pending else place.read()

    def _read_part(self, part: Part, text: str) -> Any:
        """What a text has of a part; nothing where it has nothing of the kind."""
        if part.kind == SECTION:
            return find_section(text)
        if part.kind == ENTRY:
            return editing.read_entries(text, part.path, is_toml=part.is_toml).get(part.name)
        if part.is_file:
            return text.removeprefix(MARK).replace("\r\n", "\n")
        last = self._record.last(part.place.real(), part.kind, part.name)
        known: list[Any] = last.value if last else []
        found = [each for each in editing.read_items(text, part.path) if is_ours(each) or each in known]
        stale = [each for each in found if each not in part.value]
        return [each for each in part.value if each in found] + stale

    def _judge(self, change: SettingsChange, text: str, there: Any) -> SettingsChange:
        """Whether something is to be added, replaced, or left to the person."""
        part = change.part
        if there and there == part.value:
            return change._replace(action=UNCHANGED)
        if self._force:
            return change._replace(action=UPDATE if there else ADD)
        if not there:
            other = _find_same_server(part, text) if part.kind == ENTRY else ""
            if not other:
                return change
            return change._replace(
                action=DIFFERS, reason=f"starts Fieldguide already, as {other!r}; --force adds another."
            )
        last = self._record.last(part.place.real(), part.kind, part.name)
        if last is None or not _is_as_left(part, there, last.value):
            what = f"another {part.name!r}" if part.kind == ENTRY else f"{WORDS[part.kind]} in another form"
            return change._replace(action=DIFFERS, reason=f"has {what}, which --force replaces.")
        project = read_bound_project(there)
        wanted = read_bound_project(part.value)
        if project != wanted and None not in (project, wanted):
            reason = f"is for {project}. --force replaces it; --name adds another beside it."
            return change._replace(action=DIFFERS, reason=reason)
        return change._replace(action=UPDATE)

    def _take_out(self, real: str, content: bytes, parts: Sequence[Part]) -> bytes | None:
        """A file without some parts: as it was before us where that is known, else without what we recognise."""
        meant = [(each.kind, each.name) for each in parts]
        known = [each for each in self._record.of_file(real) if (each.kind, each.name) in meant]
        restored, undone = self._undo(real, content, known)
        if restored is None or (undone and undone == len(known)):
            return restored  # what was there before us, and whatever of this name was in it, is the person's
        text = decode_text(restored)
        for part in reversed(parts):
            last = self._record.last(real, part.kind, part.name)
            text = self._drop_part(part, text, last)
        is_made = None in {each.before for each in known} or parts[0].is_file
        is_empty = text.strip() in ("", "{}")
        return None if is_made and is_empty else text.encode()

    def _undo(self, real: str, content: bytes, known: Sequence[WrittenChange]) -> tuple[bytes | None, int]:
        """The file with our last changes undone, as long as it is what they left; and how many were undone."""
        restored: bytes | None = content
        undone = 0
        for change in reversed(self._record.of_file(real)):
            if change not in known or restored is None or hash_content(restored) != change.after:
                break
            before = read_backup(change)
            if before is None and change.before is not None:
                break
            restored = before
            undone += 1
        return restored, undone

    def _drop_part(self, part: Part, text: str, last: WrittenChange | None) -> str:
        if part.kind == SECTION:
            return remove_section(text)
        if part.kind == ENTRY:
            made = last.made if last else 0
            return editing.without_entry(text, part.path, part.name, made=made, is_toml=part.is_toml)
        if part.is_file:
            return ""
        made = len(part.path) if last is None or last.made == len(part.path) else len(part.path) - 1
        for item in reversed(self._read_part(part, text)):
            text = editing.without_item(text, part.path, item, made=made)
        return text


def _find_same_server(part: Part, text: str) -> str:
    """Another name under which a client starts the same Fieldguide already; empty where there is none."""
    project = read_bound_project(part.value)
    for name, each in editing.read_entries(text, part.path, is_toml=part.is_toml).items():
        if starts_fieldguide(each) and read_bound_project(each) == project:
            return name
    return ""


def _is_as_left(part: Part, there: Any, left: Any) -> bool:
    """Whether a file has what we wrote; of several items a person may have taken some away."""
    if part.kind == ENTRY or isinstance(part.value, str):
        return bool(there == left)
    return all(each in left for each in there)


def _write_part(part: Part, text: str, there: Any) -> str:
    """The text with a part in it."""
    if part.kind == SECTION:
        return add_section(text, str(part.value))
    if part.kind == ENTRY:
        return editing.with_entry(text, part.path, part.name, part.value, is_toml=part.is_toml)
    if part.is_file:
        return str(part.value)
    for item in there:
        if item not in part.value:
            text = editing.without_item(text, part.path, item)
    for item in reversed(part.value):
        if item not in editing.read_items(text, part.path):
            text = editing.with_item(text, part.path, item)
    return text


def _count_missing(part: Part, text: str) -> int:
    """How many objects are made for a part, and must go with it; tables of TOML come and go with what is in them."""
    if part.is_toml or isinstance(part.value, str):
        return 0
    return editing.count_missing(text, part.path)


def find_section(text: str) -> str | None:
    """The section as it is in a text; None where there is none."""
    span = _find_section_span(text)
    return None if span is None else text[span[0] : span[1]].strip("\r\n").replace("\r\n", "\n")


def add_section(text: str, section: str) -> str:
    """The text with the section below it, or in the place of an older one."""
    lines = section.split("\n")
    span = _find_section_span(text)
    if span is None:
        return append_lines(text, lines)
    start, end = span
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(lines) + ending + text[end:]


def remove_section(text: str) -> str:
    """The text without the section."""
    span = _find_section_span(text)
    return text if span is None else remove_lines(text, *span)


def _find_section_span(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    if start < 0:
        return None
    end = text.find(END, start)
    if end < 0 or text.find(BEGIN, start + 1) >= 0:
        raise Refusal(f"has {BEGIN} without its end, or twice; put it right by hand.")
    line_end = text.find("\n", end)
    line_start = max(text.rfind("\n", 0, start) + 1, len(MARK) if text.startswith(MARK) else 0)
    return line_start, len(text) if line_end < 0 else line_end + 1

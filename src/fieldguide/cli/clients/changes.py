"""Plans the changes that install and uninstall make to clients' settings and to the files for agents."""

import os
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients import json_editing, toml_editing
from fieldguide.cli.clients.catalog import (
    PROJECT,
    USER,
    EntryRequest,
    Machine,
    McpClient,
    make_entry,
    read_bound_project,
    starts_fieldguide,
)
from fieldguide.cli.clients.settings_files import (
    ENTRY,
    SECTION,
    InstallRecord,
    SettingsFile,
    WrittenChange,
    append_lines,
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
CHANGES = (ADD, UPDATE, REMOVE)
BEGIN = "<!-- fieldguide:begin -->"
END = "<!-- fieldguide:end -->"
RULE = ".cursor/rules/fieldguide.mdc"
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", RULE)
TO_BEGIN_WITH = "AGENTS.md"
HEAD_OF_RULE = "---\ndescription: How to use this project's field guide\nalwaysApply: true\n---\n"
PARAGRAPH = (
    "This project has a field guide: the MCP server `fieldguide`. Ask it before you guess. Begin a task with",
    "`guide_brief`; look things up with `guide_search`, and open what an answer cites with `guide_open`; ask",
    "`guide_governs` before you change a file, and `guide_symbol` where a name is defined and used; keep what you",
    "found out with `guide_record`. Cite what it tells you.",
)
SECTION_LINES = (BEGIN, *PARAGRAPH, END)


class SettingsChange(NamedTuple):
    """One file and what becomes of it; `after` is None where the file goes, or where nothing can be done."""

    title: str
    client: str
    place: SettingsFile
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


class InstallPlanner:
    """Plans changes one after the other; each sees the files as those before would leave them."""

    def __init__(self, machine: Machine, record: InstallRecord, *, force: bool) -> None:
        self.machine = machine
        self._record = record
        self._force = force
        self._pending: dict[str, bytes | None] = {}

    def entry(self, client: McpClient, wish: EntryRequest) -> SettingsChange | None:
        """What a client's file needs; None where it has no file of this scope."""
        place = self.machine.place(client, wish.scope)
        if place is None:
            return None
        remarks = [client.remark, self._elsewhere(client, wish)]
        if wish.scope == PROJECT:
            remarks.insert(1, client.project_remark)
        value = make_entry(client, wish)
        shown = tuple(filter(None, remarks))
        change = SettingsChange(client.title, client.key, place, ADD, name=wish.name, value=value, remarks=shown)
        return self._planned(change, client.path)

    def section(self, name: str) -> SettingsChange:
        """What a file for agents needs."""
        place = SettingsFile(f"{self.machine.project}/{name}", self.machine.project, self.machine.home)
        value = "\n".join(SECTION_LINES)
        return self._planned(SettingsChange(name, "", place, ADD, kind=SECTION, name=name, value=value), ())

    def _elsewhere(self, client: McpClient, wish: EntryRequest) -> str:
        """A remark where the client has such an entry in its other file too."""
        place = self.machine.place(client, USER if wish.scope == PROJECT else PROJECT)
        if place is None:
            return ""
        with suppress(Refusal):
            if wish.name in choose_editor(place).read_entries(decode_text(self.content(place)), client.path):
                return f"{place.shown} has a {wish.name!r} of its own, beside this one."
        return ""

    def _planned(self, change: SettingsChange, path: Sequence[str]) -> SettingsChange:
        try:
            before = self.content(change.place)
            text = decode_text(before)
            judged = self._judged(change._replace(before=before), text, path)
            if judged.action == UNCHANGED:
                return judged
            after = _write_change(judged, text, path).encode()
            made = 0 if change.kind == SECTION else int(choose_editor(change.place).missing_objects(text, path))
            judged = judged._replace(after=after, made=made)
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        if judged.is_change:
            self._pending[change.place.real()] = judged.after
        return judged

    def content(self, place: SettingsFile) -> bytes | None:
        """What a file holds, or will hold."""
        real = place.real()
        return self._pending[real] if real in self._pending else place.read()

    def _judged(self, change: SettingsChange, text: str, path: Sequence[str]) -> SettingsChange:
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
        project = read_bound_project(there)
        wanted = read_bound_project(change.value)
        if project != wanted and None not in (project, wanted):
            reason = f"is for {project}. --force replaces it; --name adds another beside it."
            return change._replace(action=DIFFERS, reason=reason)
        return change._replace(action=UPDATE)


def _beside(change: SettingsChange, text: str, path: Sequence[str]) -> SettingsChange:
    """A change that adds; where the same Fieldguide is there under another name, it is left to the person."""
    entries: dict[str, Any] = {} if change.kind == SECTION else choose_editor(change.place).read_entries(text, path)
    project = read_bound_project(change.value) if change.kind == ENTRY else None
    same = [name for name, each in entries.items() if starts_fieldguide(each) and read_bound_project(each) == project]
    if not same:
        return change
    return change._replace(action=DIFFERS, reason=f"starts Fieldguide already, as {same[0]!r}; --force adds another.")


def choose_editor(place: SettingsFile) -> ModuleType:
    """Who can change a file of this form."""
    return toml_editing if place.path.endswith(".toml") else json_editing


def decode_text(content: bytes | None) -> str:
    """A file's text; the byte order mark stays in it."""
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (content or b"").count(b"\n", 0, error.start) + 1
        raise Refusal(f"is not UTF-8 text, in line {line}.") from error


def _value_there(change: SettingsChange, text: str, path: Sequence[str]) -> Any:
    if change.kind == SECTION:
        return find_section(text)
    entries = cast("dict[str, Any]", choose_editor(change.place).read_entries(text, path))
    return entries.get(change.name)


def _write_change(change: SettingsChange, text: str, path: Sequence[str]) -> str:
    """The text with the change in it; one that would say anything else than what was meant is not written."""
    if change.kind == SECTION:
        return add_section(text, change.name)
    editor = choose_editor(change.place)
    after = str(editor.with_entry(text, path, change.name, change.value))
    expected: Any = editor.read_all(text)
    inner = expected
    for key in path:
        inner = inner.setdefault(key, {})
    inner[change.name] = change.value
    if editor.read_all(after) != expected:
        raise Refusal("is written in a way that can't be changed safely; --print shows what to put there by hand.")
    return after


class RemovalPlanner:
    """Plans what goes; each file once, whoever reads it."""

    def __init__(self, machine: Machine, record: InstallRecord, *, name: str | None) -> None:
        self._machine = machine
        self._record = record
        self._name = name
        self._seen: set[str] = set()

    def entry(self, client: McpClient, scope: str) -> SettingsChange | None:
        """What goes from a client's file; None where nothing of ours is in it."""
        place = self._machine.place(client, scope)
        if place is None:
            return None
        return self._planned(SettingsChange(client.title, client.key, place, REMOVE), client)

    def section(self, name: str) -> SettingsChange | None:
        """What goes from a file for agents."""
        place = SettingsFile(f"{self._machine.project}/{name}", self._machine.project, self._machine.home)
        return self._planned(SettingsChange(name, "", place, REMOVE, kind=SECTION, name=name), None)

    def _planned(self, change: SettingsChange, client: McpClient | None) -> SettingsChange | None:
        try:
            real = change.place.real()
            before = None if real in self._seen else change.place.read()
            if before is None:
                return None
            names = self._names(change, decode_text(before), client)
            if not names:
                return None
            self._seen.add(real)
            restored, undone = self._undo(real, before, change.kind, names)
            after = self._without(change, restored, undone, client, names)
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        return change._replace(name=", ".join(names), before=before, after=after, value=names)

    def _names(self, change: SettingsChange, text: str, client: McpClient | None) -> list[str]:
        """What of ours is in the file."""
        if client is None:
            return [change.name] if find_section(text) is not None else []
        entries = cast("dict[str, Any]", choose_editor(change.place).read_entries(text, client.path))
        if self._name is not None:
            return [self._name] if self._name in entries else []
        return [name for name, entry in entries.items() if starts_fieldguide(entry)]

    def _undo(self, real: str, content: bytes, kind: str, names: list[str]) -> tuple[bytes | None, int]:
        """The file with our last changes undone, as long as it is what they left; and how many were undone."""
        restored: bytes | None = content
        undone = 0
        for change in reversed(self._record.of_file(real)):
            is_meant = change.kind == kind and change.name in names
            if not is_meant or restored is None or hash_content(restored) != change.after:
                break
            before = read_backup(change)
            if before is None and change.before is not None:
                break
            restored = before
            undone += 1
        return restored, undone

    def _without(
        self, change: SettingsChange, restored: bytes | None, undone: int, client: McpClient | None, names: list[str]
    ) -> bytes | None:
        known = [each for each in self._record.of_file(change.place.real()) if each.name in names]
        if restored is None or (undone and undone == len(known)):
            return restored  # what stood there before us, and whatever of this name was in it, is the person's
        text = decode_text(restored)
        after = remove_section(text) if client is None else self._without_entries(change, text, client, names)
        return None if _is_nothing(after, change, known) else after.encode()

    def _without_entries(self, change: SettingsChange, text: str, client: McpClient, names: list[str]) -> str:
        editor = choose_editor(change.place)
        for name in names:
            if name not in editor.read_entries(text, client.path):
                continue
            last = self._record.last(change.place.real(), ENTRY, name)
            expected: Any = editor.read_all(text)
            text = editor.without_entry(text, client.path, name, made=last.made if last else 0)
            if _without_key(expected, client.path, name) != _without_key(editor.read_all(text), client.path, name):
                raise Refusal("is written in a way that can't be changed safely; take the entry out by hand.")
        return text


def _is_nothing(after: str, change: SettingsChange, known: list[WrittenChange]) -> bool:
    """Whether the file was made for us, and has nothing of anybody else in it."""
    is_ours = change.name == RULE or None in {each.before for each in known}
    return is_ours and after.strip() in ("", "{}")


def _without_key(value: Any, path: tuple[str, ...], name: str) -> Any:
    """A file's meaning but for one entry, and for objects that are empty without it."""
    if not path:
        return {key: inner for key, inner in value.items() if key != name}
    inner = _without_key(value.get(path[0], {}), path[1:], name)
    rest = {key: each for key, each in value.items() if key != path[0]}
    return {**rest, path[0]: inner} if inner else rest


def choose_section_files(project: str, wanted: Sequence[str]) -> list[str]:
    """The files to write to: those that are named, else those that are there, else the one that most agents read."""
    if wanted:
        return [*dict.fromkeys(wanted)]
    there = [name for name in FILES if name != RULE and os.path.lexists(os.path.join(project, name))]
    if TO_BEGIN_WITH in there:
        there = [name for name in there if not _includes(project, name)]
    if os.path.isdir(os.path.join(project, os.path.dirname(RULE))):
        there.append(RULE)
    return there or [TO_BEGIN_WITH]


def _includes(project: str, name: str) -> bool:
    """Whether a file takes in all of the one that most agents read, as Claude Code lets files do."""
    with suppress(Refusal):
        content = SettingsFile(os.path.join(project, name), project, project).read() or b""
        return f"@{TO_BEGIN_WITH}".encode() in content.split()
    return False


def find_section(text: str) -> str | None:
    """The section as it stands in a text; None where there is none."""
    span = _span(text)
    return None if span is None else text[span[0] : span[1]].strip("\r\n").replace("\r\n", "\n")


def add_section(text: str, name: str) -> str:
    """The text with the section below it, or in the place of an older one."""
    span = _span(text)
    if span is None:
        return append_lines(HEAD_OF_RULE if name == RULE and not text else text, [*SECTION_LINES])
    start, end = span
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(SECTION_LINES) + ending + text[end:]


def remove_section(text: str) -> str:
    """The text without the section; of our own rule's file nothing is left."""
    span = _span(text)
    if span is None:
        return text
    left = remove_lines(text, *span)
    return "" if left == HEAD_OF_RULE else left


def _span(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    if start < 0:
        return None
    end = text.find(END, start)
    if end < 0 or text.find(BEGIN, start + 1) >= 0:
        raise Refusal(f"has {BEGIN} without its end, or twice; put it right by hand.")
    line_end = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end + 1

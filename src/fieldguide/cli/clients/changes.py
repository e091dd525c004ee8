"""Plans the changes that install and uninstall make to clients' settings and to the files for agents.

A change is about one part in one file: an entry of a JSON or TOML file, items of JSON lists, the section of a text, or
all of a file that is ours. Whoever takes a part away needs no record, but where there is one the bytes from before
come back.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients import json_editing, toml_editing
from fieldguide.cli.clients.additions import (
    ALL_HOOKS,
    BEGIN,
    END,
    OURS,
    Addition,
    as_items,
    find_hooks,
    find_list,
    is_ours,
    list_additions,
    make_section,
)
from fieldguide.cli.clients.catalog import (
    PROGRAM,
    PROJECT,
    USER,
    EntryRequest,
    Machine,
    McpClient,
    make_entry,
    read_bound_project,
    read_flags,
    starts_fieldguide,
)
from fieldguide.cli.clients.settings_files import (
    AGENT,
    ENTRY,
    HOOKS,
    MARK,
    PARTS,
    PERMISSION,
    SECTION,
    InstallRecord,
    SettingsFile,
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
WORDS = {
    ENTRY: "the entry",
    PERMISSION: "permission for our tools that only read",
    SECTION: "the section for agents",
    HOOKS: "hooks of Fieldguide",
    AGENT: "the sub-agent fieldguide",
}
UNSAFE = "is written in a way that can't be changed safely; --print shows what to put there by hand."
RULE = ".cursor/rules/fieldguide.mdc"
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", RULE)
TO_BEGIN_WITH = "AGENTS.md"
HEAD_OF_RULE = "---\ndescription: How to use this project's field guide\nalwaysApply: true\n---\n"


class SettingsChange(NamedTuple):
    """One file and what becomes of it; `after` is None where the file goes, or where nothing can be done.

    `value` is an entry, a list of paths with items, the text of a section, or that of a file; of a removal the kinds
    and names of what goes. `begins` is what a new file begins with.
    """

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
    begins: str = ""

    @property
    def is_change(self) -> bool:
        """Whether something would be written."""
        return self.action in CHANGES


class InstallPlanner:
    """Plans changes one after the other; each sees the files as those before would leave them."""

    def __init__(self, machine: Machine, record: InstallRecord, *, force: bool) -> None:
        self.machine = machine
        self.record = record
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

    def addition(self, client: McpClient, addition: Addition, wish: EntryRequest) -> SettingsChange:
        """What one of a client's files needs beside the entry."""
        place = self.machine.own_file(addition.file)
        value: Any = addition.text or [[[*path], item] for path, item in addition.items]
        if addition.part == SECTION:
            value = make_section(wish.shell)
        remarks = (addition.remark,) if addition.remark else ()
        change = SettingsChange(
            client.title, client.key, place, ADD, addition.part, addition.part, value,
            remarks=remarks, begins=addition.begins,
        )  # fmt: skip
        return self._planned(change, ())

    def section(self, name: str) -> SettingsChange:
        """What a file for agents in the project needs."""
        place = self.machine.project_file(name)
        value = make_section([PROGRAM])
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
            text = change.begins if before is None else decode_text(before)
            judged = self._judged(change._replace(before=before), text, path)
            if judged.action == UNCHANGED:
                return judged
            after = self._written(judged, text, path).encode()
            judged = judged._replace(after=after, made=_count_missing(change, text, path))
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        if judged.is_change:
            self._pending[change.place.real()] = judged.after
        return judged

    def _written(self, change: SettingsChange, text: str, path: Sequence[str]) -> str:
        """The text with the change in it; one that would say anything else than what was meant is not written."""
        if change.kind == SECTION:
            return add_section(text, change)
        if change.kind == ENTRY:
            return _with_entry(change, text, path)
        return str(change.value) if isinstance(change.value, str) else self._with_items(change, text)

    def _with_items(self, change: SettingsChange, text: str) -> str:
        wanted = as_items(change.value)
        stale = [each for each in self._items_there(change, text) if each not in wanted]
        expected: Any = json_editing.read_all(text)
        for path, item in stale:
            text = json_editing.without_item(text, path, item)
            find_list(expected, path).remove(item)
        for path, item in wanted:
            if item not in json_editing.read_items(text, path):
                text = json_editing.with_item(text, path, item)
                find_list(expected, path).append(item)
        if json_editing.read_all(text) != expected:
            raise Refusal(UNSAFE)
        return text

    def _items_there(self, change: SettingsChange, text: str) -> list[tuple[tuple[str, ...], Any]]:
        """The items of ours that a file has: those that we recognise, and those that we wrote."""
        last = self.record.last(change.place.real(), change.kind, change.name)
        known = as_items(last.value) if last else []
        return find_items(change.kind, as_items(change.value), known, text)

    def content(self, place: SettingsFile) -> bytes | None:
        """What a file holds, or will hold."""
        real = place.real()
        return self._pending[real] if real in self._pending else place.read()

    def _judged(self, change: SettingsChange, text: str, path: Sequence[str]) -> SettingsChange:
        """Whether something is to be added, replaced, or left to the person."""
        there = self._value_there(change, text, path)
        if not there:
            return change if self._force else _beside(change, text, path)
        if there == change.value:
            return change._replace(action=UNCHANGED)
        if self._force:
            return change._replace(action=UPDATE)
        last = self.record.last(change.place.real(), change.kind, change.name)
        if last is None or not _is_as_left(change, there, last.value):
            what = f"another {change.name!r}" if change.kind == ENTRY else f"{WORDS[change.kind]} in another form"
            return change._replace(action=DIFFERS, reason=f"has {what}, which --force replaces.")
        project = read_bound_project(there)
        wanted = read_bound_project(change.value)
        if project != wanted and None not in (project, wanted):
            reason = f"is for {project}. --force replaces it; --name adds another beside it."
            return change._replace(action=DIFFERS, reason=reason)
        return change._replace(action=UPDATE)

    def _value_there(self, change: SettingsChange, text: str, path: Sequence[str]) -> Any:
        """What the file has in place of the value; nothing where it has nothing of the kind."""
        if change.kind == SECTION:
            return find_section(text)
        if change.kind == ENTRY:
            entries = cast("dict[str, Any]", choose_editor(change.place).read_entries(text, path))
            return entries.get(change.name)
        if isinstance(change.value, str):
            return text.removeprefix(MARK).replace("\r\n", "\n")
        there = self._items_there(change, text)
        wanted = as_items(change.value)
        is_same = len(there) == len(wanted) and all(each in there for each in wanted)
        return change.value if is_same else [[[*path], item] for path, item in there]


def _is_as_left(change: SettingsChange, there: Any, left: Any) -> bool:
    """Whether a file has what we wrote; of several items a person may have taken some away."""
    if change.kind == ENTRY or isinstance(change.value, str):
        return bool(there == left)
    known = as_items(left)
    return all(each in known for each in as_items(there))


def find_items(
    part: str,
    wanted: Sequence[tuple[tuple[str, ...], Any]],
    known: Sequence[tuple[tuple[str, ...], Any]],
    text: str,
) -> list[tuple[tuple[str, ...], Any]]:
    """The items of ours in the lists of a JSON text."""
    paths = dict.fromkeys(path for path, _ in (*wanted, *known))
    found: list[tuple[tuple[str, ...], Any]] = []
    for path in paths:
        items = json_editing.read_items(text, path)
        found += [(path, item) for item in items if is_ours(part, item) or (path, item) in known]
    return found


def _count_missing(change: SettingsChange, text: str, path: Sequence[str]) -> int:
    """How many objects are made for a change, and must go with it."""
    if change.kind == ENTRY:
        return int(choose_editor(change.place).missing_objects(text, path))
    if isinstance(change.value, str) or not change.value:
        return 0
    return json_editing.missing_objects(text, as_items(change.value)[0][0])


def _beside(change: SettingsChange, text: str, path: Sequence[str]) -> SettingsChange:
    """A change that adds; where the same Fieldguide is there under another name, it is left to the person."""
    if change.kind != ENTRY:
        return change
    entries = cast("dict[str, Any]", choose_editor(change.place).read_entries(text, path))
    project = read_bound_project(change.value)
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


def _with_entry(change: SettingsChange, text: str, path: Sequence[str]) -> str:
    editor = choose_editor(change.place)
    after = str(editor.with_entry(text, path, change.name, change.value))
    expected: Any = editor.read_all(text)
    inner = expected
    for key in path:
        inner = inner.setdefault(key, {})
    inner[change.name] = change.value
    if editor.read_all(after) != expected:
        raise Refusal(UNSAFE)
    return after


class OwnedPiece(NamedTuple):
    """Something of ours in a file: its kind and name as a record has them, and where it came from."""

    kind: str
    name: str
    client: McpClient | None = None
    addition: Addition | None = None


class RemovalPlanner:
    """Finds what is ours and plans how it goes; each file once, whoever reads it."""

    def __init__(
        self, machine: Machine, record: InstallRecord, *, name: str | None = None, parts: Sequence[str] = PARTS
    ) -> None:
        self._machine = machine
        self._record = record
        self._name = name
        self._parts = parts
        self._seen: set[str] = set()

    def client(self, client: McpClient, scope: str) -> list[SettingsChange]:
        """What goes from the files of a client."""
        empty = [SettingsChange(client.title, client.key, place, REMOVE) for place in self.places(client, scope)]
        planned = [self._planned(each, client, scope) for each in empty]
        return [each for each in planned if each is not None]

    def section(self, name: str) -> SettingsChange | None:
        """What goes from a file for agents in the project."""
        place = self._machine.project_file(name)
        return self._planned(SettingsChange(name, "", place, REMOVE, kind=SECTION, name=name), None, PROJECT)

    def places(self, client: McpClient, scope: str) -> list[SettingsFile]:
        """The files of a client that may have something of ours: that of its entry first."""
        entry = self._machine.place(client, scope)
        others = [self._machine.own_file(each.file) for each in _possible_additions(client, scope)]
        found = {place.path: place for place in (entry, *others) if place is not None}
        return [*found.values()]

    def pieces(self, place: SettingsFile, text: str, client: McpClient, scope: str) -> list[OwnedPiece]:
        """What of ours is in a client's file."""
        found: list[OwnedPiece] = []
        entry = self._machine.place(client, scope)
        if ENTRY in self._parts and entry is not None and entry.path == place.path:
            entries = cast("dict[str, Any]", choose_editor(place).read_entries(text, client.path))
            names = [name for name, each in entries.items() if starts_fieldguide(each)]
            if self._name is not None:
                names = [self._name] if self._name in entries else []
            found += [OwnedPiece(ENTRY, name, client) for name in names]
        for addition in _possible_additions(client, scope):
            is_here = self._machine.own_file(addition.file).path == place.path
            if is_here and addition.part in self._parts and self._has(place, text, addition):
                found.append(OwnedPiece(addition.part, addition.part, client, addition))
        return found

    def items(self, place: SettingsFile, text: str, addition: Addition) -> list[tuple[tuple[str, ...], Any]]:
        """The items of an addition that a file has."""
        last = self._record.last(place.real(), addition.part, addition.part)
        return find_items(addition.part, addition.items, as_items(last.value) if last else [], text)

    def _has(self, place: SettingsFile, text: str, addition: Addition) -> bool:
        if addition.part == SECTION:
            return find_section(text) is not None
        return OURS in text if addition.text else bool(self.items(place, text, addition))

    def _planned(self, change: SettingsChange, client: McpClient | None, scope: str) -> SettingsChange | None:
        try:
            real = change.place.real()
            before = None if real in self._seen else change.place.read()
            if before is None:
                return None
            text = decode_text(before)
            pieces = [OwnedPiece(SECTION, change.name)] if find_section(text) is not None else []
            if client is not None:
                pieces = self.pieces(change.place, text, client, scope)
            if not pieces:
                return None
            self._seen.add(real)
            restored, undone = self._undo(real, before, pieces)
            after = self._without(change, restored, undone, pieces)
        except Refusal as error:
            return change._replace(action=PROBLEM, reason=error.message)
        told = [each.name if each.kind == ENTRY else WORDS[each.kind] for each in pieces]
        value = [[each.kind, each.name] for each in pieces]
        return change._replace(name=", ".join(told), kind=pieces[0].kind, before=before, after=after, value=value)

    def _undo(self, real: str, content: bytes, pieces: Sequence[OwnedPiece]) -> tuple[bytes | None, int]:
        """The file with our last changes undone, as long as it is what they left; and how many were undone."""
        restored: bytes | None = content
        undone = 0
        for change in reversed(self._record.of_file(real)):
            is_meant = any((each.kind, each.name) == (change.kind, change.name) for each in pieces)
            if not is_meant or restored is None or hash_content(restored) != change.after:
                break
            before = read_backup(change)
            if before is None and change.before is not None:
                break
            restored = before
            undone += 1
        return restored, undone

    def _without(
        self, change: SettingsChange, restored: bytes | None, undone: int, pieces: Sequence[OwnedPiece]
    ) -> bytes | None:
        meant = [(each.kind, each.name) for each in pieces]
        known = [each for each in self._record.of_file(change.place.real()) if (each.kind, each.name) in meant]
        if restored is None or (undone and undone == len(known)):
            return restored  # what stood there before us, and whatever of this name was in it, is the person's
        text = decode_text(restored)
        for piece in reversed(pieces):
            text = self._without_piece(change.place, text, piece)
        is_ours = change.name == RULE or None in {each.before for each in known}
        begins = [each.addition.begins.strip() for each in pieces if each.addition is not None]
        is_empty = text.strip() in ("", "{}", *begins)
        return None if is_ours and is_empty else text.encode()

    def _without_piece(self, place: SettingsFile, text: str, piece: OwnedPiece) -> str:
        if piece.kind == SECTION:
            return remove_section(text)
        if piece.kind == ENTRY and piece.client is not None:
            return self._without_entry(place, text, piece.client, piece.name)
        if piece.addition is None or piece.addition.text:
            return ""
        last = self._record.last(place.real(), piece.kind, piece.name)
        for path, item in reversed(self.items(place, text, piece.addition)):
            was_missing = last is None or last.made == len(path)
            text = json_editing.without_item(text, path, item, made=len(path) if was_missing else len(path) - 1)
        return text

    def _without_entry(self, place: SettingsFile, text: str, client: McpClient, name: str) -> str:
        editor = choose_editor(place)
        if name not in editor.read_entries(text, client.path):
            return text
        last = self._record.last(place.real(), ENTRY, name)
        expected: Any = editor.read_all(text)
        text = editor.without_entry(text, client.path, name, made=last.made if last else 0)
        if _without_key(expected, client.path, name) != _without_key(editor.read_all(text), client.path, name):
            raise Refusal("is written in a way that can't be changed safely; take the entry out by hand.")
        return text


IN_FORCE = "in force"
OLDER = "older than this version writes"
EDITED = "edited since, and left alone"
STUCK = "can't be renewed safely"
MISSING = "missing"
STATES = {UNCHANGED: IN_FORCE, ADD: OLDER, UPDATE: OLDER, DIFFERS: EDITED, PROBLEM: STUCK}


def examine_parts(planner: InstallPlanner, client: McpClient, wish: EntryRequest) -> dict[str, list[str]]:
    """The parts of ours that a client has, by their state in words, as the plan of `install --refresh` sees them.

    Each part is named as a person reads it; missing is what a plain install would add.
    """
    states: dict[str, list[str]] = {IN_FORCE: [], OLDER: [], EDITED: [], STUCK: [], MISSING: []}
    found: set[str] = set()
    for change in plan_renewals(planner, [client], wish):
        found.add(change.kind)
        name = change.kind
        if change.kind == HOOKS:
            value = change.value if isinstance(change.value, str) else json.dumps(change.value)
            name = f"{HOOKS} ({', '.join(find_hooks(value))})"
        names = states[STATES[change.action]]
        if name not in names:
            names.append(name)
    for part in dict.fromkeys([ENTRY, *(each.part for each in list_additions(client, wish))]):
        if part not in found:
            states[MISSING].append(part)
    return states


def plan_renewals(
    planner: InstallPlanner, clients: Sequence[McpClient], wish: EntryRequest, parts: Sequence[str] = PARTS
) -> list[SettingsChange]:
    """What brings everything up to date that was written before: an entry keeps its flags, and no part is added."""
    finder = RemovalPlanner(planner.machine, planner.record, parts=parts)
    planned: list[SettingsChange | None] = []
    for client in clients:
        for place in finder.places(client, wish.scope):
            text = decode_text(planner.content(place))
            pieces = finder.pieces(place, text, client, wish.scope)
            planned += [_plan_renewal(planner, finder, place, piece, wish) for piece in pieces]
    return [each for each in planned if each is not None]


def _plan_renewal(
    planner: InstallPlanner, finder: RemovalPlanner, place: SettingsFile, piece: OwnedPiece, wish: EntryRequest
) -> SettingsChange | None:
    client = piece.client
    text = decode_text(planner.content(place))
    if client is None:
        return None
    if piece.addition is None:
        there = choose_editor(place).read_entries(text, client.path)[piece.name]
        return planner.entry(client, wish._replace(name=piece.name, kept_flags=read_flags(there)))
    if piece.kind == HOOKS:
        written = text if piece.addition.text else json.dumps(finder.items(place, text, piece.addition))
        wish = wish._replace(hooks=tuple(find_hooks(written)))
    wanted = [each for each in list_additions(client, wish) if (each.part, each.file) == piece.addition[:2]]
    return planner.addition(client, wanted[0], wish) if wanted else None


def _possible_additions(client: McpClient, scope: str) -> list[Addition]:
    """Everything that a client may have been given; in a project's files there is only the entry."""
    if scope == PROJECT:
        return []
    return list_additions(client, EntryRequest(scope, "", (PROGRAM,), hooks=ALL_HOOKS))


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


def find_section_files(machine: Machine) -> list[str]:
    """The files of the project that have the section."""
    found: list[str] = []
    for name in FILES:
        with suppress(Refusal):
            if find_section(decode_text(machine.project_file(name).read())) is not None:
                found.append(name)
    return found


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


def add_section(text: str, change: SettingsChange) -> str:
    """The text with the section below it, or in the place of an older one."""
    lines = str(change.value).split("\n")
    span = _span(text)
    if span is None:
        return append_lines(HEAD_OF_RULE if change.name == RULE and not text else text, lines)
    start, end = span
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(lines) + ending + text[end:]


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
    line_start = max(text.rfind("\n", 0, start) + 1, len(MARK) if text.startswith(MARK) else 0)
    return line_start, len(text) if line_end < 0 else line_end + 1

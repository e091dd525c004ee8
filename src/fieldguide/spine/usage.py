"""Counts what agents asked in a project and what they were given, in one file of its state folder.

`cli/hook.py` adds a line for each hook, a server one for each question to the guide, and one over stdio with the counts
of its calls when its client leaves. A line has paths, line numbers, names of tools and clients, and the question itself
without what looks like a secret; never a text of the project. Nothing of it leaves the machine.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from time import strftime
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import PRIVATE_FILE, replace_file
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import PAGE, Answer, Call
from fieldguide.storage.state_folder import find_known_folder
from fieldguide.text.citation import format_citation, read_citation
from fieldguide.text.errors import Refusal
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.tokens import count_tokens, estimate_tokens
from fieldguide.text.windows import split_lines

USAGE_FILE = "usage.jsonl"
LARGEST_USAGE_BYTES = 1 << 20
USAGE_TABLE = "usage"
EDITED = "after-edit"
LONGEST_LOOKED_AT = 4_000
LONGEST_QUESTION = 200
LONGEST_CLIENT = 60
MOST_GIVEN = 20
QUESTION_TOOLS: Mapping[str, tuple[str, ...]] = {
    "guide_brief": ("task",),
    "guide_search": ("query",),
    "guide_symbol": ("name", "path"),
    "guide_governs": ("path",),
    "guide_flow": ("question", "from", "to"),
    "guide_open": ("citation",),
    "read_file": ("path",),
}
"""The tools whose calls are kept one by one, with the arguments that ask."""
OPENS = frozenset({"guide_open", "read_file"})
MOST_ESTIMATED = 1_000  # files that an estimate reads
LARGEST_FILE_BYTES = 1 << 20


def is_counted(settings: Settings) -> bool:
    """Whether the settings let usage be counted."""
    return settings.sections.get(USAGE_TABLE, {}).get("keep") is not False


def shorten_question(text: str) -> str:
    """The beginning of a question on one line, without what looks like a secret."""
    return " ".join(mask_secret_values(text[:LONGEST_LOOKED_AT]).split())[:LONGEST_QUESTION]


def note_usage(state: str, row: Mapping[str, Any]) -> None:
    """Add a line; of a file that is too large, the older half is dropped first."""
    path = os.path.join(state, USAGE_FILE)
    with suppress(OSError):
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_USAGE_BYTES:
            _drop_older_half(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, PRIVATE_FILE)
        try:
            line = {"day": strftime("%Y-%m-%d"), "at": strftime("%H:%M:%S"), **row}
            os.write(handle, json.dumps(line).encode() + b"\n")
        finally:
            os.close(handle)


def _drop_older_half(path: str) -> None:
    with open(path, "rb") as file:
        lines = file.read(2 * LARGEST_USAGE_BYTES).splitlines(keepends=True)
    with replace_file(path, PRIVATE_FILE) as file:
        file.write(b"".join(lines[len(lines) // 2 :]))


def describe_call(tool: str, arguments: Mapping[str, Any], value: Any) -> dict[str, Any] | None:
    """The line of one call: the question and the places of its answer; None for a call that is no question."""
    if tool not in QUESTION_TOOLS:
        return None
    words = [str(arguments[name]) for name in QUESTION_TOOLS[tool] if arguments.get(name)]
    answer: dict[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    items: list[dict[str, Any]] = answer.get("items") or []
    places = [format_citation(each["path"], each["start"], each["end"]) for each in items if each.get("start")]
    if "file" in answer:
        places.append(str(answer["file"]["path"]))
    return {"tool": tool, "asked": shorten_question(" ".join(words)), "given": [*dict.fromkeys(places)][:MOST_GIVEN]}


def note_question(settings: Settings, tool: str, call: Call, answer: Answer, milliseconds: float) -> None:
    """Add the line of one call of an agent, if it is a question, and if usage is counted."""
    if tool not in QUESTION_TOOLS or call.connection == PAGE or not is_counted(settings):
        return
    row = describe_call(tool, call.arguments, answer.value)
    state = find_known_folder(settings.project)
    if state is None or row is None:
        return
    row["client"] = str(call.client.get("name") or "")[:LONGEST_CLIENT]
    row["milliseconds"] = round(milliseconds)
    if tool not in OPENS:  # an answer of the guide has counted its tokens: the table for it is loaded
        row["tokens"] = estimate_tokens(len(answer.text), answer.text)
    note_usage(state, row)


class UsageRow(NamedTuple):
    """One line: of a hook (`event`), of one question to a tool (`tool`), or of all calls of a server (`calls`).

    `at` is the time of the day, `given` are paths or citations; `edited` is the file that an edit changed.
    """

    day: str
    at: str
    client: str
    event: str
    session: str
    tool: str
    asked: str
    edited: str
    given: tuple[str, ...]
    tokens: int
    milliseconds: int
    calls: Mapping[str, int]
    call_tokens: Mapping[str, int]

    @property
    def given_files(self) -> list[str]:
        """The files in which the given places are."""
        return [path for path, _, _ in map(read_place, self.given)]


def read_place(text: str) -> tuple[str, int, int]:
    """The path of a given place, and its first and last line; 0 where it is all of a file."""
    citation = read_citation(text)
    return (text, 0, 0) if citation is None else (citation.path, citation.start_line, citation.end_line)


def _read_row(said: Mapping[str, Any]) -> UsageRow:
    """A line as it is written; what is of another type counts as missing."""

    def text(name: str) -> str:
        value = said.get(name)
        return value if isinstance(value, str) else ""

    def number(name: str) -> int:
        value = said.get(name)
        return value if isinstance(value, int) else 0

    given: Any = said.get("given")
    return UsageRow(
        day=text("day"),
        at=text("at"),
        client=text("client"),
        event=text("event"),
        session=text("session"),
        tool=text("tool"),
        asked=text("asked"),
        edited=text("path"),
        given=tuple(each for each in cast("list[Any]", given) if isinstance(each, str)) if given else (),
        tokens=number("tokens"),
        milliseconds=number("milliseconds"),
        calls=_read_counts(said.get("calls")),
        call_tokens=_read_counts(said.get("tokens")),
    )


def _read_counts(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        return {}
    counts = cast("dict[str, Any]", value)
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def read_usage(state: str) -> list[UsageRow]:
    """The lines that can be read, oldest first."""
    rows: list[UsageRow] = []
    with suppress(OSError), open(os.path.join(state, USAGE_FILE), "rb") as file:
        for line in file.read(2 * LARGEST_USAGE_BYTES).splitlines():
            with suppress(ValueError, TypeError, RecursionError):
                said: Any = json.loads(line)
                if isinstance(said, dict):
                    rows.append(_read_row(cast("dict[str, Any]", said)))
    return rows


class UsageLog:
    """The usage of one project, for whoever shows it: the page and `fieldguide status --usage`."""

    def __init__(self, settings: Settings, folder: ConfinedFolder) -> None:
        self._project = settings.project
        self._folder = folder

    def stamp(self) -> str:
        """What is another whenever a line was added; empty where nothing was counted yet."""
        state = find_known_folder(self._project)
        with suppress(OSError):
            found = os.stat(os.path.join(state or "", USAGE_FILE))
            return f"{found.st_size:x}-{found.st_mtime_ns:x}"
        return ""

    def read(self) -> list[UsageRow]:
        """The lines, oldest first; none where nothing was counted yet."""
        state = find_known_folder(self._project)
        return [] if state is None else read_usage(state)

    def summarize(self, rows: Sequence[UsageRow]) -> "UsageSummary":
        """The counts of some lines, with an estimate from the project's files as they are now."""
        return summarize_usage(rows, self._folder)

    def clear(self) -> None:
        """Remove everything that was counted."""
        state = find_known_folder(self._project)
        if state is not None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(state, USAGE_FILE))


class UsageSummary(NamedTuple):
    """The counts of some lines: hooks by event, given and used files, calls by tool and by client.

    `given_tokens` are those of the given lines, `whole_file_tokens` those of the files that have them.
    """

    since: str
    sessions: int
    asked: dict[str, int]
    answered: dict[str, int]
    hook_tokens: dict[str, int]
    given_files: int
    given_then_opened: int
    given_then_edited: int
    edited_files: int
    calls: dict[str, int]
    call_tokens: dict[str, int]
    clients: dict[str, int]
    given_tokens: int
    whole_file_tokens: int


def summarize_usage(rows: Sequence[UsageRow], folder: ConfinedFolder | None = None) -> UsageSummary:
    """Count; a file that was given and then opened or edited counts once a day."""
    hooks = [row for row in rows if row.event]
    answered = [row for row in hooks if row.tokens]
    given: set[tuple[str, str]] = set()
    edited: set[tuple[str, str]] = set()
    opened_given: set[tuple[str, str]] = set()
    edited_given: set[tuple[str, str]] = set()
    for row in rows:
        files = {(row.day, path) for path in row.given_files}
        if row.event == EDITED:
            edit = (row.day, row.edited)
            edited.add(edit)
            edited_given.update({edit} & given)
        elif row.tool in OPENS:
            opened_given.update(files & given)
        else:
            given.update(files)
    given_tokens, whole_file_tokens = (0, 0) if folder is None else estimate_reading(rows, folder)
    return UsageSummary(
        since=min((row.day for row in rows if row.day), default=""),
        sessions=len({row.session for row in hooks}),
        asked=dict(Counter(row.event for row in hooks)),
        answered=dict(Counter(row.event for row in answered)),
        hook_tokens=_add_up({row.event: row.tokens} for row in answered),
        given_files=len(given),
        given_then_opened=len(opened_given),
        given_then_edited=len(edited_given),
        edited_files=len(edited),
        calls=_add_up(row.calls for row in rows),
        call_tokens=_add_up(row.call_tokens for row in rows),
        clients=_add_up({row.client or "unknown": sum(row.calls.values())} for row in rows if row.calls),
        given_tokens=given_tokens,
        whole_file_tokens=whole_file_tokens,
    )


def _add_up(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


def estimate_reading(rows: Sequence[UsageRow], folder: ConfinedFolder) -> tuple[int, int]:
    """The tokens of the lines that were given, and of the files that have them.

    A file counts once a day, by the lines of that day and as it is now. One that is gone, secret or large counts for
    nothing, and so does one that was given without lines.
    """
    spans: dict[str, dict[str, set[tuple[int, int]]]] = {}
    for row in reversed(rows):
        if row.event == EDITED or row.tool in OPENS:
            continue
        for path, start, end in map(read_place, row.given):
            if start and (path in spans or len(spans) < MOST_ESTIMATED):
                spans.setdefault(path, {}).setdefault(row.day, set()).add((start, end))
    given = 0
    whole = 0
    for path, days in spans.items():
        for part, file in _count_file(path, days.values(), folder):
            given += part
            whole += file
    return given, whole


def _count_file(path: str, days: Iterable[set[tuple[int, int]]], folder: ConfinedFolder) -> Iterator[tuple[int, int]]:
    """For each day the tokens of its lines and of the whole file."""
    try:
        text = folder.read(path, limit_bytes=LARGEST_FILE_BYTES).decode("utf-8", "replace")
    except Refusal:
        return
    lines = split_lines(text)
    whole = count_tokens(text)
    for spans in days:
        named: set[int] = set()
        for start, end in spans:
            named.update(range(start, min(end, len(lines)) + 1))
        part = "".join(line for number, line in enumerate(lines, 1) if number in named)
        if part:
            yield count_tokens(part), whole

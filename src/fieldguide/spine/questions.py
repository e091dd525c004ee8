"""Keeps what agents asked in a project and which places they were given, in one file of its state folder, for the page.

A line has paths, line numbers, the names of tool and client, and the question itself without what looks like a secret;
never a text of the project. Nothing of it leaves the machine.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from time import strftime
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import PAGE, Answer, Call
from fieldguide.storage.state_folder import find_known_folder
from fieldguide.text.citation import format_citation
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.tokens import estimate_tokens

QUESTIONS_FILE = "questions.jsonl"
QUESTIONS_TABLE = "questions"
LARGEST_FILE_BYTES = 1 << 20  # a file that is larger begins anew
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
"""The tools whose calls are kept, with the arguments that ask."""
OPENS = frozenset({"guide_open", "read_file"})


def is_kept(settings: Settings) -> bool:
    """Whether the settings let questions be kept."""
    return settings.sections.get(QUESTIONS_TABLE, {}).get("keep") is not False


def note_question(settings: Settings, tool: str, call: Call, answer: Answer, milliseconds: float) -> None:
    """Add the line of one call of an agent, if it is a question, and if questions are kept."""
    if tool not in QUESTION_TOOLS or call.connection == PAGE or not is_kept(settings):
        return
    state = find_known_folder(settings.project)
    if state is None:
        return
    row = describe_call(tool, call.arguments, answer.value)
    row["client"] = str(call.client.get("name") or "")[:LONGEST_CLIENT]
    row["milliseconds"] = round(milliseconds)
    if tool not in OPENS:  # an answer of the guide has counted its tokens: the table for it is loaded
        row["tokens"] = estimate_tokens(len(answer.text), answer.text)
    append_question(state, row)


def describe_call(tool: str, arguments: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The question of a call, cut short and without what looks like a secret, and the places of its answer."""
    words = " ".join(str(arguments[name]) for name in QUESTION_TOOLS[tool] if arguments.get(name))
    asked = " ".join(mask_secret_values(words[:LONGEST_LOOKED_AT]).split())[:LONGEST_QUESTION]
    answer: dict[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    items: list[dict[str, Any]] = answer.get("items") or []
    places = [format_citation(each["path"], each["start"], each["end"]) for each in items if each.get("start")]
    if "file" in answer:
        places.append(str(answer["file"]["path"]))
    return {"tool": tool, "asked": asked, "given": [*dict.fromkeys(places)][:MOST_GIVEN]}


def append_question(state: str, row: Mapping[str, Any]) -> None:
    """Add a line."""
    path = os.path.join(state, QUESTIONS_FILE)
    with suppress(OSError):
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_FILE_BYTES:
            os.unlink(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, PRIVATE_FILE)
        try:
            line = {"day": strftime("%Y-%m-%d"), "at": strftime("%H:%M:%S"), **row}
            os.write(handle, json.dumps(line).encode() + b"\n")
        finally:
            os.close(handle)


class AskedQuestion(NamedTuple):
    """One question of an agent; `at` is the time of the day, `given` are paths or citations."""

    day: str
    at: str
    client: str
    tool: str
    asked: str
    given: tuple[str, ...]
    tokens: int
    milliseconds: int


def _read_question(row: Mapping[str, Any]) -> AskedQuestion:
    """A line as it is written; what is of another type counts as missing."""

    def text(name: str) -> str:
        value = row.get(name)
        return value if isinstance(value, str) else ""

    def number(name: str) -> int:
        value = row.get(name)
        return value if isinstance(value, int) else 0

    given: Any = row.get("given")
    return AskedQuestion(
        day=text("day"),
        at=text("at"),
        client=text("client"),
        tool=text("tool"),
        asked=text("asked"),
        given=tuple(place for place in cast("list[Any]", given) if isinstance(place, str)) if given else (),
        tokens=number("tokens"),
        milliseconds=number("milliseconds"),
    )


class QuestionLog:
    """The questions of one project, for the page."""

    def __init__(self, project: str) -> None:
        self._project = project

    def stamp(self) -> str:
        """What is another whenever a line was added; empty where nothing was asked yet."""
        with suppress(OSError):
            found = os.stat(self._path())
            return f"{found.st_size:x}-{found.st_mtime_ns:x}"
        return ""

    def read(self) -> list[AskedQuestion]:
        """The questions that can be read, oldest first."""
        rows: list[AskedQuestion] = []
        with suppress(OSError), open(self._path(), "rb") as file:
            for line in file.read(2 * LARGEST_FILE_BYTES).splitlines():
                with suppress(ValueError, TypeError, RecursionError):
                    row: Any = json.loads(line)
                    if isinstance(row, dict):
                        rows.append(_read_question(cast("dict[str, Any]", row)))
        return rows

    def clear(self) -> None:
        """Remove all of them."""
        with suppress(FileNotFoundError):
            os.unlink(self._path())

    def _path(self) -> str:
        return os.path.join(find_known_folder(self._project) or "", QUESTIONS_FILE)

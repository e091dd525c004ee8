"""`fieldguide usage`: what agents asked in a project, what they were given, and which of it they then edited.

A line for each hook, and one for each server when its client leaves, in a file of the project's state folder. Nothing
of it leaves the machine; `--clear` removes it, and `keep = false` under [usage] keeps none. Hooks import this module,
so it imports nothing heavy.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.settings.folders import PRIVATE_FILE

if TYPE_CHECKING:
    import argparse

    from fieldguide.settings.config import Settings

FILE = "usage.jsonl"
LARGEST_BYTES = 1 << 20
TABLE = "usage"
EDITED = "after-edit"
STANDING_COST = "Each session also has the schemas of the tools (at most 1,000) and the section (at most 120)."
NOTHING = "Nothing is counted in this project yet."


def is_counted(settings: "Settings") -> bool:
    """Whether the settings let usage be counted."""
    return settings.sections.get(TABLE, {}).get("keep") is not False


def note_usage(state: str, row: Mapping[str, Any]) -> None:
    """Add a line; of a file that is too large, the older half is dropped first."""
    from time import strftime

    path = os.path.join(state, FILE)
    with suppress(OSError):
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_BYTES:
            _drop_older_half(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, PRIVATE_FILE)
        try:
            os.write(handle, json.dumps({"day": strftime("%Y-%m-%d"), **row}).encode() + b"\n")
        finally:
            os.close(handle)


def _drop_older_half(path: str) -> None:
    from fieldguide.files.confined_folder import replace_file

    with open(path, "rb") as file:
        lines = file.read(2 * LARGEST_BYTES).splitlines(keepends=True)
    with replace_file(path, PRIVATE_FILE) as file:
        file.write(b"".join(lines[len(lines) // 2 :]))


def read_usage(state: str) -> list[dict[str, Any]]:
    """The lines that can be read, oldest first."""
    rows: list[dict[str, Any]] = []
    with suppress(OSError), open(os.path.join(state, FILE), "rb") as file:
        for line in file.read(2 * LARGEST_BYTES).splitlines():
            with suppress(ValueError, RecursionError):
                row: Any = json.loads(line)
                if isinstance(row, dict):
                    rows.append(cast("dict[str, Any]", row))
    return rows


class UsageSummary(NamedTuple):
    """The counts of some lines: hooks by event, files of maps and edits, calls by tool and by client."""

    since: str
    sessions: int
    asked: dict[str, int]
    answered: dict[str, int]
    hook_tokens: dict[str, int]
    given_files: int
    given_then_edited: int
    edited_files: int
    calls: dict[str, int]
    call_tokens: dict[str, int]
    clients: dict[str, int]


def summarize_usage(rows: Sequence[Mapping[str, Any]]) -> UsageSummary:
    """Count; a file that was given and then edited counts once in each session."""
    hooks = [row for row in rows if isinstance(row.get("event"), str)]
    servers = [row for row in rows if isinstance(row.get("calls"), dict)]
    given: set[tuple[str, str]] = set()
    edited: set[tuple[str, str]] = set()
    followed: set[tuple[str, str]] = set()
    for row in hooks:
        session = str(row.get("session"))
        if row["event"] == EDITED:
            edit = (session, str(row.get("path")))
            edited.add(edit)
            followed.update({edit} & given)
        else:
            given.update((session, str(path)) for path in row.get("given") or ())
    answered = [row for row in hooks if row.get("tokens")]
    calls = _add_up(row["calls"] for row in servers)
    return UsageSummary(
        since=min((str(row.get("day")) for row in rows), default=""),
        sessions=len({row.get("session") for row in hooks}),
        asked=dict(Counter(row["event"] for row in hooks)),
        answered=dict(Counter(row["event"] for row in answered)),
        hook_tokens=_add_up({row["event"]: row["tokens"]} for row in answered),
        given_files=len(given),
        given_then_edited=len(followed),
        edited_files=len(edited),
        calls=calls,
        call_tokens=_add_up(row.get("tokens") or {} for row in servers),
        clients=_add_up({str(row.get("client") or "unknown"): sum(row["calls"].values())} for row in servers),
    )


def _add_up(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total.most_common())


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Which project; whether to remove the counts; `--json` for scripts."""
    from fieldguide.cli.console.options import add_place_options

    add_place_options(parser)
    parser.add_argument("--clear", action="store_true", help="remove everything that was counted")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def run(arguments: Any) -> int:
    """Print the counts of a project, or remove them."""
    from fieldguide.cli.console.options import find_settings
    from fieldguide.cli.console.terminal import say, say_json
    from fieldguide.storage.state_folder import find_known_folder
    from fieldguide.text.display import to_visible_line

    settings = find_settings(arguments)
    state = find_known_folder(settings.project)
    if arguments.clear:
        if state is not None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(state, FILE))
        say("What was counted is removed.")
        return 0
    rows = read_usage(state) if state is not None else []
    summary = summarize_usage(rows)
    if arguments.json:
        say_json(summary._asdict())
    else:
        say(*map(to_visible_line, describe_usage(summary) if rows else [NOTHING]))
    return 0


def describe_usage(summary: UsageSummary) -> Iterator[str]:
    """The counts for people."""
    yield f"Since {summary.since}, in {summary.sessions} sessions with hooks:"
    for event, asked in summary.asked.items():
        tokens = summary.hook_tokens.get(event, 0)
        yield f"  {event}: {asked} asked, {summary.answered.get(event, 0)} answered, {tokens:,} tokens"
    if summary.sessions:
        average = sum(summary.hook_tokens.values()) // summary.sessions
        yield f"Hooks put {average:,} tokens before the model in a session, on average. {STANDING_COST}"
    if summary.given_files or summary.edited_files:
        yield (
            f"Maps named {summary.given_files:,} files. {summary.given_then_edited:,} of the {summary.edited_files:,} "
            "edited files were in a map before."
        )
    if summary.calls:
        yield "Calls of tools:"
    for tool, calls in summary.calls.items():
        yield f"  {tool}: {calls:,} calls, about {summary.call_tokens.get(tool, 0):,} tokens"
    if summary.clients:
        yield f"Calls by client: {', '.join(f'{name} {calls:,}' for name, calls in summary.clients.items())}"

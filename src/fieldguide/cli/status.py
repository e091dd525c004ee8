"""`fieldguide status`, `show` and `usage`: what is served, what is known of a project, what agents asked in it.

`usage` reads what `cli/hook.py` writes: a line for each hook, and one for each server when its client leaves.
Nothing of it leaves the machine; `--clear` removes it, and `keep = false` under [usage] keeps none.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from fieldguide.app import build_app
from fieldguide.cli.console.options import add_place_options, add_project_options, find_settings
from fieldguide.cli.console.terminal import say, say_json
from fieldguide.cli.data import find_state_problems
from fieldguide.cli.hook import EDITED, LARGEST_USAGE_BYTES, USAGE_FILE
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.findings.sessions import TOKEN_BUDGET, ContextItemRepository, SessionRepository
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.settings.consents import TRUST
from fieldguide.storage.state_folder import find_expected_folder, find_known_folder
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.context.tools import MODULE, OVERVIEW, RECENT
from fieldguide.toolsets.documents.upkeep import (
    NEEDS_EXTRA,
    TOO_LARGE,
    explain_needed_extra,
    explain_too_large,
)

KINDS = ("documents", "architecture", "code", "discoveries", "sessions")
MOST_SESSIONS = 1000
MOST_TOLD = 12
FOUND = "found by what they say"
KNOWN = "in a folder that is known for them"
CORRECTION = "`folders` and `leave_out` under [documents], `adr` under [architecture] in fieldguide.toml"
REASONS = {
    "project": "named in context.json",
    "settings": "named in fieldguide.toml",
    "global": "named in your global file",
    "default": "found",
}


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project_options(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run_status(arguments: Any) -> int:
    """Print where things are kept, and how much of each is indexed."""
    app = build_app(find_settings(arguments, tells=False), write_journal=lambda lines: None)
    try:
        status = _read_status(app)
    finally:
        app.database.close()
    if arguments.json:
        say_json(status)
        return 0
    status["toolsets"] = ", ".join(status["toolsets"])
    status["indexed"] = ", ".join(f"{count} {kind}" for kind, count in status["indexed"].items())
    for name, value in status.items():
        text = "; ".join(cast("list[str]", value)) if isinstance(value, list) else str(value)
        say(f"{name}: {to_visible_line(text)}")
    return 0


def _read_status(app: App) -> dict[str, Any]:
    engine = app.engine()
    indexed: dict[str, int] = {}
    for kind in KINDS:
        indexed[kind] = sum(source.documents for source in engine.sources(kind))
    status: dict[str, Any] = {
        "project": app.settings.project,
        "toolsets": [toolset.name for toolset in app.toolsets],
        "state": find_expected_folder(app.settings.project),
        "index": engine.database.describe(),
        "model": engine.embedder.identity,
        "indexed": indexed,
    }
    if {"context", "guide"}.intersection(status["toolsets"]):
        with app.database.reading() as transaction:
            status["discoveries"] = FindingRepository(transaction, find_namespace(app.settings)).count()
    return {**status, **describe_places(app), **_list_notices(app)}


def describe_places(app: App) -> dict[str, list[str]]:
    """For each kind a sentence about each folder; nothing where the files that name them can't be read."""
    served = {toolset.name for toolset in app.toolsets}
    places: dict[str, list[str]] = {}
    try:
        if "documents" in served:
            places["documents"] = _describe_documents(app)
        if "architecture" in served:
            places |= _describe_architecture(app)
    except FieldguideError:  # it is among the problems
        return {}
    places = {name: sentences for name, sentences in places.items() if sentences}
    if places:
        places["corrected by"] = [CORRECTION]
    return places


def _describe_documents(app: App) -> list[str]:
    from fieldguide.toolsets.documents.collections import read_collections

    settings = app.settings.sections.get("documents", {})
    folder = open_project_folder(app.settings)
    collections = read_collections(app.settings.project, settings, folder).values()
    sentences: list[str] = []
    for each in sorted(collections, key=lambda each: (bool(each.language), -len(each.names or ()))):
        taken = "" if each.names is None else f", {len(each.names)} taken"
        sentences.append(f"{each.alias}: {each.source} ({each.why or REASONS[each.origin]}{taken})")
    if len(sentences) > MOST_TOLD:
        return [*sentences[:MOST_TOLD], f"and {len(sentences) - MOST_TOLD} more"]
    return sentences


def _describe_architecture(app: App) -> dict[str, list[str]]:
    from fieldguide.toolsets.architecture.library import DocumentLibrary
    from fieldguide.toolsets.architecture.resources import ADR, CATEGORIES

    library = DocumentLibrary(open_project_folder(app.settings), app.settings.sections.get("architecture", {}))
    found = set(library.found_decisions())
    places: dict[str, list[str]] = {}
    for category in CATEGORIES:
        folders: Counter[tuple[str, str]] = Counter()
        for document in library.shelf().of(category):
            folder = document.path.rpartition("/")[0] or "."
            folders[folder, FOUND if document.path in found else KNOWN] += 1
        name = "decisions" if category == ADR else category
        places[name] = [f"{folder} ({count} {why})" for (folder, why), count in folders.most_common(MOST_TOLD)]
    return places


def _list_notices(app: App) -> dict[str, list[str]]:
    """Problems of the settings, requests that wait for consent, documents left out, and state kept elsewhere."""
    left_out: list[str] = []
    unreadable: list[str] = []
    for source in app.engine().sources("documents"):
        too_large = source.details.get(TOO_LARGE)
        if too_large:
            left_out.append(explain_too_large(too_large))
        needing_extra = source.details.get(NEEDS_EXTRA)
        if needing_extra:
            unreadable.append(explain_needed_extra(needing_extra))
    notices = {
        "problems": list(app.settings.problems),
        "not obeyed": [f"{ask.sentence()}; {TRUST}" for ask in app.asks()],
        "left out": left_out + unreadable,
        "elsewhere": [f"{each.said} {each.mend}" for each in find_state_problems(app.settings.project)],
    }
    return {name: sentences for name, sentences in notices.items() if sentences}


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show: the project, a module, sessions or counts."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--module", metavar="NAME", help="one module of the project's model")
    what.add_argument("--sessions", metavar="N", nargs="?", const="10", help="the latest sessions (default: 10)")
    what.add_argument("--stats", action="store_true", help="how much is kept, and of what")
    add_place_options(parser)


def run_show(arguments: Any) -> int:
    """Print it."""
    app = build_app(find_settings(arguments)._replace(toolsets=("context",)), write_journal=lambda lines: None)
    try:
        if arguments.stats:
            say(*_count_kept(app))
        else:
            resources = app.toolsets[0].resources[0]
            say(str(resources.read(_choose_resource(arguments))[0].text))
    finally:
        app.database.close()
    return 0


def _choose_resource(arguments: Any) -> str:
    if arguments.module is not None:
        return f"{MODULE}{quote(arguments.module, safe='')}"
    if arguments.sessions is not None:
        return f"{RECENT}?limit={arguments.sessions}"
    return OVERVIEW


def _count_kept(app: App) -> list[str]:
    namespace = find_namespace(app.settings)
    with app.database.reading() as transaction:
        discoveries = FindingRepository(transaction, namespace).all()
        sessions = SessionRepository(transaction, namespace).recent(MOST_SESSIONS, user=app.settings.user)
        items = ContextItemRepository(transaction, namespace).all(datetime.now(UTC))
        active = SessionRepository(transaction, namespace).active(datetime.now(UTC), user=app.settings.user)
    by_type = Counter(each.type for each in discoveries)
    types = ", ".join(f"{count} {name}" for name, count in sorted(by_type.items()))
    used = [item for item in items if item.status == "active"]
    tokens = sum(item.tokens for item in used)
    return [
        f"discoveries: {len(discoveries)}{f' ({types})' if types else ''}",
        f"sessions: {len(sessions)}{', one of them active' if active else ''}",
        f"context items: {len(used)} active, {len(items) - len(used)} archived",
        f"tokens: {tokens:,} of {TOKEN_BUDGET:,}",
    ]


STANDING_COST = "Each session also has the schemas of the tools (at most 1,000) and the section (at most 120)."
NOTHING_COUNTED = "Nothing is counted in this project yet."


def read_usage(state: str) -> list[dict[str, Any]]:
    """The lines that can be read, oldest first."""
    rows: list[dict[str, Any]] = []
    with suppress(OSError), open(os.path.join(state, USAGE_FILE), "rb") as file:
        for line in file.read(2 * LARGEST_USAGE_BYTES).splitlines():
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


def add_usage_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; whether to remove the counts; `--json` for scripts."""

    add_place_options(parser)
    parser.add_argument("--clear", action="store_true", help="remove everything that was counted")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def run_usage(arguments: Any) -> int:
    """Print the counts of a project, or remove them."""

    settings = find_settings(arguments)
    state = find_known_folder(settings.project)
    if arguments.clear:
        if state is not None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(state, USAGE_FILE))
        say("What was counted is removed.")
        return 0
    rows = read_usage(state) if state is not None else []
    summary = summarize_usage(rows)
    if arguments.json:
        say_json(summary._asdict())
    else:
        say(*map(to_visible_line, describe_usage(summary) if rows else [NOTHING_COUNTED]))
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

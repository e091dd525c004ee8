"""`fieldguide status`: says what is served here, from which folders, and how much is indexed."""

import argparse
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fieldguide.app import build_app
from fieldguide.cli.data import find_state_problems
from fieldguide.cli.options import add_place_options, add_project_options, find_settings
from fieldguide.cli.terminal import say, say_json
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.findings.sessions import TOKEN_BUDGET, ContextItemRepository, SessionRepository
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.settings.consents import TRUST
from fieldguide.storage.state_folder import find_expected_folder
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.context.tools import MODULE, OVERVIEW, RECENT
from fieldguide.toolsets.documents.upkeep import (
    explain_needed_extra,
    explain_too_large,
    list_needing_extra,
    list_too_large,
)

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


def describe_places(app: App) -> dict[str, list[str]]:
    """For each kind a sentence about each folder; nothing where what names them can't be read."""
    served = {toolset.name for toolset in app.toolsets}
    try:
        told = {
            **({"documents": _documents(app)} if "documents" in served else {}),
            **(_architecture(app) if "architecture" in served else {}),
        }
    except FieldguideError:  # told as a problem already
        return {}
    taken = {name: sentences for name, sentences in told.items() if sentences}
    return {**taken, "corrected by": [CORRECTION]} if taken else {}


def _documents(app: App) -> list[str]:
    from fieldguide.toolsets.documents.collections import read_collections

    settings = app.settings.sections.get("documents", {})
    folder = open_project_folder(app.settings)
    found = read_collections(app.settings.project, settings, folder).values()
    told = [
        f"{each.alias}: {each.source} ({each.why or REASONS[each.origin]}"
        f"{f', {len(each.names)} taken' if each.names is not None else ''})"
        for each in sorted(found, key=lambda each: (bool(each.language), -len(each.names or ())))
    ]
    more = [f"and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    return [*told[:MOST_TOLD], *more]


def _architecture(app: App) -> dict[str, list[str]]:
    from fieldguide.toolsets.architecture.library import DocumentLibrary
    from fieldguide.toolsets.architecture.resources import ADR, CATEGORIES

    library = DocumentLibrary(open_project_folder(app.settings), app.settings.sections.get("architecture", {}))
    found = set(library.found_decisions())
    told: dict[str, list[str]] = {}
    for category in CATEGORIES:
        folders: Counter[tuple[str, bool]] = Counter(
            (each.path.rpartition("/")[0], each.path in found) for each in library.shelf().of(category)
        )
        told["decisions" if category == ADR else category] = [
            f"{folder or '.'} ({count} {FOUND if is_found else KNOWN})"
            for (folder, is_found), count in folders.most_common(MOST_TOLD)
        ]
    return told


KINDS = ("documents", "architecture", "code", "discoveries", "sessions")


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project_options(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run_status(arguments: Any) -> int:
    """Print where things are kept, and how much of each is indexed."""
    app = build_app(find_settings(arguments, tells=False), write_journal=lambda lines: None)
    try:
        told = _status(app)
    finally:
        app.database.close()
    if arguments.json:
        say_json(told)
    else:
        say(*(f"{name}: {to_visible_line(value)}" for name, value in _flat(told).items()))
    return 0


def _status(app: App) -> dict[str, Any]:
    engine = app.engine()
    indexed = {kind: sum(source.documents for source in engine.sources(kind)) for kind in KINDS}
    kept = [toolset for toolset in app.toolsets if toolset.name in ("context", "guide")]
    told: dict[str, Any] = {
        "project": app.settings.project,
        "toolsets": [toolset.name for toolset in app.toolsets],
        "state": find_expected_folder(app.settings.project),
        "index": engine.database.describe(),
        "model": engine.embedder.identity,
        "indexed": indexed,
    }
    if kept:
        with app.database.reading() as transaction:
            told["discoveries"] = FindingRepository(transaction, find_namespace(app.settings)).count()
    return {**told, **describe_places(app), **_waiting(app)}


def _waiting(app: App) -> dict[str, list[str]]:
    """What a person should know: what can't be followed, what the project asks for, what lies elsewhere."""
    told = {
        "problems": list(app.settings.problems),
        "not obeyed": [f"{ask.sentence()}; {TRUST}" for ask in app.asks()],
        "left out": [
            explain_too_large(names)
            for source in app.engine().sources("documents")
            if (names := list_too_large(source.details))
        ]
        + [
            explain_needed_extra(names)
            for source in app.engine().sources("documents")
            if (names := list_needing_extra(source.details))
        ],
        "elsewhere": [each.said + " " + each.mend for each in find_state_problems(app.settings.project)],
    }
    return {name: sentences for name, sentences in told.items() if sentences}


def _flat(told: dict[str, Any]) -> dict[str, str]:
    flat = {**told, "toolsets": ", ".join(told["toolsets"])}
    flat["indexed"] = ", ".join(f"{count} {kind}" for kind, count in told["indexed"].items())
    return {name: _listed(value) for name, value in flat.items()}


def _listed(value: str | list[str]) -> str:
    return "; ".join(value) if isinstance(value, list) else str(value)


TOOLSET = "context"
MOST_SESSIONS = 1000


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show: the project, a module, sessions or counts."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--module", metavar="NAME", help="one module of the project's model")
    what.add_argument("--sessions", metavar="N", nargs="?", const="10", help="the latest sessions (default: 10)")
    what.add_argument("--stats", action="store_true", help="how much is kept, and of what")
    add_place_options(parser)


def run_show(arguments: Any) -> int:
    """Print it."""
    app = build_app(replace(find_settings(arguments), toolsets=(TOOLSET,)), write_journal=lambda lines: None)
    try:
        say(*(_stats(app) if arguments.stats else [_page(app, _address(arguments))]))
    finally:
        app.database.close()
    return 0


def _address(arguments: Any) -> str:
    if arguments.module is not None:
        return f"{MODULE}{quote(arguments.module, safe='')}"
    return OVERVIEW if arguments.sessions is None else f"{RECENT}?limit={arguments.sessions}"


def _page(app: App, uri: str) -> str:
    provider = app.toolsets[0].resources[0]
    return str(provider.read(uri)[0].text)


def _stats(app: App) -> list[str]:
    namespace = find_namespace(app.settings)
    with app.database.reading() as transaction:
        discoveries = FindingRepository(transaction, namespace).all()
        sessions = SessionRepository(transaction, namespace).recent(MOST_SESSIONS, user=app.settings.user)
        items = ContextItemRepository(transaction, namespace).all(datetime.now(UTC))
        active = SessionRepository(transaction, namespace).active(datetime.now(UTC), user=app.settings.user)
    kinds = sorted({each.type for each in discoveries})
    counted = ", ".join(f"{sum(each.type == kind for each in discoveries)} {kind}" for kind in kinds)
    used = [item for item in items if item.status == "active"]
    tokens = sum(item.tokens for item in used)
    return [
        f"discoveries: {len(discoveries)}{f' ({counted})' if counted else ''}",
        f"sessions: {len(sessions)}{', one of them active' if active else ''}",
        f"context items: {len(used)} active, {len(items) - len(used)} archived",
        f"tokens: {tokens:,} of {TOKEN_BUDGET:,}",
    ]

"""`fieldguide show`: what is known of a project, as the `context://` resources tell it."""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fieldguide.app import build_app
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.terminal import say
from fieldguide.knowledge.findings.context_items import TOKEN_BUDGET, ContextItemRepository
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.findings.sessions import SessionRepository
from fieldguide.settings.config import find_namespace
from fieldguide.team.served_project import App
from fieldguide.toolsets.context.tools import MODULE, OVERVIEW, RECENT

TOOLSET = "context"
MOST_SESSIONS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show: the project, a module, sessions or counts."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--module", metavar="NAME", help="one module of the project's model")
    what.add_argument("--sessions", metavar="N", nargs="?", const="10", help="the latest sessions (default: 10)")
    what.add_argument("--stats", action="store_true", help="how much is kept, and of what")
    add_place_options(parser)


def run(arguments: Any) -> int:
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

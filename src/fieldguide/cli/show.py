"""`fieldguide show`: what is known of a project, as the `context://` resources tell it."""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fieldguide.app import App, build_app, namespace_of
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import say
from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.discoveries.items import TOKEN_BUDGET, ItemRepository
from fieldguide.discoveries.sessions import SessionRepository
from fieldguide.toolsets.context.resources import MODULE, OVERVIEW, RECENT

TOOLSET = "context"
MOST_SESSIONS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show: the project, a module, sessions or counts."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--module", metavar="NAME", help="one module of the project's model")
    what.add_argument("--sessions", metavar="N", nargs="?", const="10", help="the latest sessions (default: 10)")
    what.add_argument("--stats", action="store_true", help="how much is kept, and of what")
    add_place(parser)


def run(arguments: Any) -> int:
    """Print it."""
    app = build_app(replace(settings_from(arguments), toolsets=(TOOLSET,)), write_journal=lambda lines: None)
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
    namespace = namespace_of(app.settings)
    with app.database.reading() as transaction:
        discoveries = DiscoveryRepository(transaction, namespace).all()
        sessions = SessionRepository(transaction, namespace).recent(MOST_SESSIONS, user=app.settings.user)
        items = ItemRepository(transaction, namespace).all(datetime.now(UTC))
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

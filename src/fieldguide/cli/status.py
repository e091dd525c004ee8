"""`fieldguide status`: in a few lines, what is served here and how much of it is indexed."""

import argparse
from typing import Any

from fieldguide.app import App, build_app, namespace_of
from fieldguide.cli.options import add_project, settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.spine.visible_text import shown

KINDS = ("documents", "architecture", "code", "discoveries", "sessions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: Any) -> int:
    """Print where things are kept, and how much of each is indexed."""
    app = build_app(settings_from(arguments), write_journal=lambda lines: None)
    try:
        told = _status(app)
    finally:
        app.database.close()
    if arguments.json:
        say_json(told)
    else:
        say(*(f"{name}: {shown(value)}" for name, value in _flat(told).items()))
    return 0


def _status(app: App) -> dict[str, Any]:
    engine = app.engine()
    indexed = {kind: sum(source.documents for source in engine.sources(kind)) for kind in KINDS}
    kept = [toolset for toolset in app.toolsets if toolset.name in ("context", "guide")]
    told: dict[str, Any] = {
        "project": app.settings.project,
        "toolsets": [toolset.name for toolset in app.toolsets],
        "index": engine.database.describe(),
        "model": engine.embedder.identity,
        "indexed": indexed,
    }
    if kept:
        with app.database.reading() as transaction:
            told["discoveries"] = DiscoveryRepository(transaction, namespace_of(app.settings)).count()
    return told


def _flat(told: dict[str, Any]) -> dict[str, str]:
    flat = {**told, "toolsets": ", ".join(told["toolsets"])}
    flat["indexed"] = ", ".join(f"{count} {kind}" for kind, count in told["indexed"].items())
    return {name: str(value) for name, value in flat.items()}

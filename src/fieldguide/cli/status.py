"""`fieldguide status`: in a few lines, what is served here and how much of it is indexed."""

import argparse
from typing import Any

from fieldguide.app import App, build_app, namespace_of
from fieldguide.cli.options import add_project, settings_from
from fieldguide.cli.state_findings import state_findings
from fieldguide.cli.taken_places import taken_places
from fieldguide.cli.terminal import say, say_json
from fieldguide.consents import TRUST
from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.storage.state_folder import expected_folder
from fieldguide.toolsets.documents.sync import needs_extra, needs_extra_sentence, too_large, too_large_sentence

KINDS = ("documents", "architecture", "code", "discoveries", "sessions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: Any) -> int:
    """Print where things are kept, and how much of each is indexed."""
    app = build_app(settings_from(arguments, tells=False), write_journal=lambda lines: None)
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
        "state": expected_folder(app.settings.project),
        "index": engine.database.describe(),
        "model": engine.embedder.identity,
        "indexed": indexed,
    }
    if kept:
        with app.database.reading() as transaction:
            told["discoveries"] = DiscoveryRepository(transaction, namespace_of(app.settings)).count()
    return {**told, **taken_places(app), **_waiting(app)}


def _waiting(app: App) -> dict[str, list[str]]:
    """What a person should know: what can't be followed, what the project asks for, what lies elsewhere."""
    told = {
        "problems": list(app.settings.problems),
        "not obeyed": [f"{ask.sentence()}; {TRUST}" for ask in app.asks()],
        "left out": [
            too_large_sentence(names)
            for source in app.engine().sources("documents")
            if (names := too_large(source.details))
        ]
        + [
            needs_extra_sentence(names)
            for source in app.engine().sources("documents")
            if (names := needs_extra(source.details))
        ],
        "elsewhere": [each.said + " " + each.mend for each in state_findings(app.settings.project)],
    }
    return {name: sentences for name, sentences in told.items() if sentences}


def _flat(told: dict[str, Any]) -> dict[str, str]:
    flat = {**told, "toolsets": ", ".join(told["toolsets"])}
    flat["indexed"] = ", ".join(f"{count} {kind}" for kind, count in told["indexed"].items())
    return {name: _listed(value) for name, value in flat.items()}


def _listed(value: str | list[str]) -> str:
    return "; ".join(value) if isinstance(value, list) else str(value)

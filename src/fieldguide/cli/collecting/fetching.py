"""Fetching a collection while a person looks on, and telling what came of it."""

import argparse
import os
from collections.abc import Mapping
from typing import Any

from fieldguide.app import App
from fieldguide.cli.index import described
from fieldguide.cli.indexing import Bar
from fieldguide.cli.terminal import GAP, columns_of, complain, fitted, say, say_json
from fieldguide.errors import FieldguideError
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.documents.collections import Collection
from fieldguide.toolsets.documents.fetching import Fetching
from fieldguide.toolsets.documents.sources.reach import Reach, all_named
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep, Fetched


def reach_of(app: App, arguments: argparse.Namespace) -> Reach:
    """What may be reached beside the public internet: what is typed here, set, or in the environment."""
    return Reach(all_named(arguments.allow_address, app.settings.sections.get("fetch", {}), os.environ))


def fetched(upkeep: DocumentsUpkeep, collection: Collection, fetching: Fetching) -> Fetched:
    """Fetch and index a collection, with a bar for whoever waits."""
    bar = Bar()
    try:
        return upkeep.fetch(collection, bar, fetching)
    finally:
        bar.clear()


def tell(done: Mapping[str, Fetched | FieldguideError], *, as_json: bool) -> None:
    """Say what came of each collection."""
    if as_json:
        say_json({alias: _as_json(each) for alias, each in done.items()})
    elif not done:
        say("No collections.")
    width = max((columns_of(shown(alias)) for alias in done), default=0)
    for alias, each in done.items():
        if isinstance(each, FieldguideError):
            complain(f"{shown(alias)}: {shown(each.message)} What was there is kept.")
            continue
        if not as_json:
            say(f"{fitted(shown(alias), width)}{GAP}{described(each.counts._asdict())}")
        for name in each.skipped:
            complain(f"{shown(alias)}: {shown(name)} was passed over: it is not there, or not what its manifest says.")


def _as_json(done: Fetched | FieldguideError) -> dict[str, Any]:
    if isinstance(done, FieldguideError):
        return {"error": done.message}
    return {**done.counts._asdict(), **({"skipped": list(done.skipped)} if done.skipped else {})}

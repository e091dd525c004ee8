"""`fieldguide remember`: keep something worth knowing about a project, for whoever works on it next."""

import argparse
from typing import Any

from fieldguide.app import namespace_of, open_database, open_engine
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.discoveries import SCHEMA
from fieldguide.discoveries.discovery import TYPES, new_discovery
from fieldguide.discoveries.indexing import record
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The text, its kind, and where it belongs."""
    parser.add_argument("text", metavar="TEXT", help="what was found out, in a sentence or two")
    parser.add_argument("--type", choices=TYPES, required=True, help="what kind of finding it is")
    parser.add_argument("--module", metavar="NAME", help="the module that it is about")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file that shows it; repeatable")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print what was kept, as JSON")


def run(arguments: Any) -> int:
    """Keep the finding; one that is already kept is not kept twice."""
    settings = settings_from(arguments)
    files = {"files": arguments.file} if arguments.file else {}
    evidence = {"extractedFrom": "remember", "confidence": 1.0, **files}
    discovery = new_discovery(arguments.type, arguments.text, module=arguments.module, evidence=evidence)
    journal = Journal(Metrics())
    database = open_database(settings, [SCHEMA], journal)
    try:
        is_new = record(database, open_engine(settings, journal), namespace_of(settings), discovery)
    finally:
        database.close()
    if arguments.json:
        said = {"id": discovery.id, "type": discovery.type, "content": discovery.content, "module": discovery.module}
        say_json({**said, "isNew": is_new})
    else:
        say(f"{'Remembered' if is_new else 'Already known'}: {discovery.content}")
    return 0

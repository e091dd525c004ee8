"""`fieldguide remember`: keep something worth knowing about a project, for whoever works on it next."""

import argparse
import os
from typing import Any

from fieldguide.app import open_database, open_engine
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.terminal import say, say_json
from fieldguide.files.typed_paths import resolve_place
from fieldguide.knowledge.findings import SCHEMA
from fieldguide.knowledge.findings.finding import TYPES, create_finding
from fieldguide.knowledge.findings.indexing import record_finding
from fieldguide.settings.config import find_namespace
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The text, its kind, and where it belongs."""
    parser.add_argument("text", metavar="TEXT", help="what was found out, in a sentence or two")
    parser.add_argument("--type", choices=TYPES, required=True, help="what kind of finding it is")
    parser.add_argument("--module", metavar="NAME", help="the module that it is about")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file that shows it; repeatable")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was kept, as JSON")


def run(arguments: Any) -> int:
    """Keep the finding; one that is already kept is not kept twice."""
    settings = find_settings(arguments)
    named = [resolve_place(os.path.realpath(settings.project), path) for path in arguments.file]
    files = {"files": named} if named else {}
    evidence = {"extractedFrom": "remember", "confidence": 1.0, **files}
    discovery = create_finding(arguments.type, arguments.text, module=arguments.module, evidence=evidence)
    journal = Journal(Metrics())
    database = open_database(settings, [SCHEMA], journal)
    try:
        is_new = record_finding(database, open_engine(settings, journal), find_namespace(settings), discovery)
    finally:
        database.close()
    if arguments.json:
        said = {"id": discovery.id, "type": discovery.type, "content": discovery.content, "module": discovery.module}
        say_json({**said, "isNew": is_new})
    else:
        say(f"{'Remembered' if is_new else 'Already known'}: {discovery.content}")
    return 0

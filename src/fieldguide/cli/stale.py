"""`fieldguide stale`: what documents, findings and notes say of the code and no longer holds; for people and for CI."""

import json
import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.places import config_folder
from fieldguide.spine.answers.stale_places import FRESH, StalePlace

if TYPE_CHECKING:  # notes are judged at every commit: what they do not need is not imported
    import argparse

    from fieldguide.config import Settings

PLAIN_NOTES = ["--notes", "-", "--json"]
SURE_ENOUGH = 0.8  # what is less sure is a hint, and fails no check
EPILOG = """\
exit codes: 0 nothing stale, 1 something stale, 2 a wrong way to ask
"""


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Which documents or notes, and how to tell it."""
    parser.epilog = EPILOG
    parser.add_argument("paths", metavar="PATH", nargs="*", help="documents and folders of the project (default: all)")
    parser.add_argument("--notes", metavar="FILE", help="judge these notes, as JSON; - reads standard input")
    parser.add_argument("--since", metavar="COMMIT", help="only what commits after this one took away, for a change")
    parser.add_argument("--hints", action="store_true", help="tell what is less sure, too; the exit code leaves it out")
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
    parser.add_argument("--json", action="store_true", help="print what programs read")
    parser.add_argument("--sarif", metavar="FILE", help="write SARIF to this file too; - prints it")


def plain_notes(words: Sequence[str]) -> Any:
    """The arguments of `stale --notes - --json`, which needs no parser; None for all others."""
    if [*words] != PLAIN_NOTES:
        return None
    return SimpleNamespace(
        paths=[], notes="-", project=None, database=None, json=True, sarif=None, since=None, hints=False
    )


def run(arguments: Any) -> int:
    """Look, print what is stale, and say by the exit code whether anything is."""
    if arguments.notes is not None:
        return _run_notes(arguments)
    from fieldguide.cli.options import settings_from

    settings = settings_from(arguments)
    found = [] if arguments.since else _found(settings, arguments.paths, with_hints=arguments.hints)
    found += _drifted(settings, arguments)
    _print(found, arguments)
    return 1 if any(each.confidence >= SURE_ENOUGH for each in found) else 0


def _run_notes(arguments: Any) -> int:
    """Judge notes that are given; with `--json` all of them are told, by their ids."""
    from fieldguide.cli.staled.ascii_json import say_ascii_json
    from fieldguide.cli.staled.notes import as_json, as_places, judge_notes, read_notes

    if arguments.paths:
        raise Misconfiguration("Give either paths or --notes.")
    named, notes = read_notes(arguments.notes)
    arguments.project = arguments.project or named
    judgements = judge_notes(_project(arguments), notes)
    found = [each for each in as_places(notes, judgements) if each.state != FRESH]
    if arguments.json and not arguments.sarif:
        say_ascii_json(as_json(notes, judgements))
    else:
        _print(found, arguments)
    return 1 if found else 0


def _project(arguments: Any) -> ConfinedFolder:
    """The project's files; settings are read only where there are any."""
    named = arguments.project or os.environ.get("FIELDGUIDE_PROJECT") or "."
    place = os.path.abspath(os.path.expanduser(named))
    files = (os.path.join(config_folder(), "config.toml"), os.path.join(place, "fieldguide.toml"))
    if os.path.isdir(place) and not any(map(os.path.lexists, files)):
        return ConfinedFolder(place)
    from fieldguide.cli.options import settings_from
    from fieldguide.config import project_folder

    return project_folder(settings_from(arguments))


def _found(settings: "Settings", paths: Sequence[str], *, with_hints: bool) -> list[StalePlace]:
    """Whatever is tied to the code, with its state."""
    from fieldguide.cli.staled.ties import stale_ties

    return stale_ties(settings, paths, with_hints=with_hints)


def _drifted(settings: "Settings", arguments: Any) -> Sequence[StalePlace]:
    """What documents name that is gone; where git can't tell, that is said, and what else is stale is told."""
    from fieldguide.cli.staled.drifting import drift_places
    from fieldguide.cli.terminal import complain
    from fieldguide.spine.foreign_text.visible_text import shown

    try:
        return drift_places(settings, arguments.paths, since=arguments.since, with_hints=arguments.hints)
    except Refusal as refusal:
        if arguments.since:
            raise
        complain(shown(f"What documents name that is gone could not be looked for: {refusal.message}"))
        return ()


def _print(found: Sequence[StalePlace], arguments: Any) -> None:
    from fieldguide.cli.staled.sarif import as_sarif
    from fieldguide.cli.terminal import remark, say, say_json
    from fieldguide.spine.foreign_text.visible_text import shown

    if arguments.sarif and arguments.sarif != "-":
        with open(arguments.sarif, "w", encoding="utf-8") as file:
            json.dump(as_sarif(found), file, indent=2)
    if arguments.sarif == "-":
        say_json(as_sarif(found))
    elif arguments.json:
        say_json({"stale": [each.as_json() for each in found]})
    else:
        say(*(f"{shown(each.document)}:{each.line}: {shown(each.told())}" for each in found))
        remark(f"{len(found)} stale." if found else "Nothing is stale.")

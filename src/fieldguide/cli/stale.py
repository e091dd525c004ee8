"""`fieldguide stale`: finds what documents, findings and notes say of the code and no longer holds.

It says what `say_json` says, without the imports that make other text visible: 10 ms that are paid at every commit.

Nothing heavy is imported on this way: whoever judges notes at each commit waits for every millisecond.
"""

import json
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.links.citations import CitationVerdict, LineCitation, read_line_citation
from fieldguide.settings.folders import find_config_folder
from fieldguide.text.citation import FRESH, LINES, StalePlace
from fieldguide.text.errors import Misconfiguration, Refusal

if TYPE_CHECKING:
    import argparse

    from fieldguide.settings.config import Settings

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


def read_notes_arguments(words: Sequence[str]) -> Any:
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
    from fieldguide.cli.options import find_settings
    from fieldguide.files.project_files import resolve_existing_path
    from fieldguide.settings.config import open_project_folder

    settings = find_settings(arguments)
    root = open_project_folder(settings).root
    arguments.paths = [resolve_existing_path(root, path) for path in arguments.paths]
    found = [] if arguments.since else _found(settings, arguments.paths, with_hints=arguments.hints)
    found += _drifted(settings, arguments)
    _print(found, arguments)
    return 1 if any(each.confidence >= SURE_ENOUGH for each in found) else 0


def _run_notes(arguments: Any) -> int:
    """Judge notes that are given; with `--json` all of them are told, by their ids."""

    if arguments.paths:
        raise Misconfiguration("Give either paths or --notes.")
    named, notes = read_notes(arguments.notes)
    arguments.project = arguments.project or named
    judgements = judge_notes(_project(arguments), notes)
    found = [each for each in judgements_to_places(notes, judgements) if each.state != FRESH]
    if arguments.json and not arguments.sarif:
        print_ascii_json(judgements_to_json(notes, judgements))
    else:
        _print(found, arguments)
    return 1 if found else 0


def _project(arguments: Any) -> ConfinedFolder:
    """The project's files; settings are read only where there are any."""
    named = arguments.project or os.environ.get("FIELDGUIDE_PROJECT") or "."
    place = os.path.abspath(os.path.expanduser(named))
    files = (os.path.join(find_config_folder(), "config.toml"), os.path.join(place, "fieldguide.toml"))
    if os.path.isdir(place) and not any(map(os.path.lexists, files)):
        return ConfinedFolder(place)
    from fieldguide.cli.options import read_settings_from
    from fieldguide.settings.config import open_project_folder

    return open_project_folder(read_settings_from(arguments))


def _found(settings: "Settings", paths: Sequence[str], *, with_hints: bool) -> list[StalePlace]:
    """Whatever is tied to the code, with its state."""
    from fieldguide.cli.stale_project import find_stale_citations

    return find_stale_citations(settings, paths, with_hints=with_hints)


def _drifted(settings: "Settings", arguments: Any) -> Sequence[StalePlace]:
    """What documents name that is gone; where git can't tell, that is said, and what else is stale is told."""
    from fieldguide.cli.stale_project import find_drift
    from fieldguide.cli.terminal import complain
    from fieldguide.text.display import to_visible_line

    try:
        return find_drift(settings, arguments.paths, since=arguments.since, with_hints=arguments.hints)
    except Refusal as refusal:
        if arguments.since:
            raise
        complain(to_visible_line(f"What documents name that is gone could not be looked for: {refusal.message}"))
        return ()


def _print(found: Sequence[StalePlace], arguments: Any) -> None:
    from fieldguide.cli.sarif import stale_to_sarif
    from fieldguide.cli.terminal import remark, say, say_json
    from fieldguide.text.display import to_visible_line

    if arguments.sarif and arguments.sarif != "-":
        with open(arguments.sarif, "w", encoding="utf-8") as file:
            json.dump(stale_to_sarif(found), file, indent=2)
    if arguments.sarif == "-":
        say_json(stale_to_sarif(found))
    elif arguments.json:
        say_json({"stale": [each.as_json() for each in found]})
    else:
        say(*(f"{to_visible_line(each.document)}:{each.line}: {to_visible_line(each.told())}" for each in found))
        remark(f"{len(found)} stale." if found else "Nothing is stale.")


def print_ascii_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(f"{json.dumps(value)}\n".replace("\x7f", "\\u007f"))


LARGEST_BYTES = 64 << 20
MOST_NOTES = 50_000


def read_notes(path: str) -> tuple[str | None, list[LineCitation]]:
    """The project that is named with notes, if any, and the notes: one object with `notes`, a list, or JSON lines."""
    try:
        given = _parsed(_text(path))
        rows: Any = given["notes"] if isinstance(given, dict) else given
        if not isinstance(rows, list):
            raise ValueError("`notes` is no list.")  # noqa: TRY004, TRY301  wrong JSON is a wrong value
        some: list[Any] = cast("Any", rows)
        notes = [read_line_citation(each, number) for number, each in enumerate(some[:MOST_NOTES])]
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"The notes can't be read: {error}") from error
    project = given.get("project") if isinstance(given, dict) else None
    return project if isinstance(project, str) else None, notes


def _text(path: str) -> str:
    if path == "-":
        return sys.stdin.read(LARGEST_BYTES)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_BYTES)
    except OSError as error:
        raise Misconfiguration(f"The notes can't be read: {error.strerror}.") from error


def _parsed(text: str) -> dict[str, Any] | list[Any]:
    """An object with `notes`; or a list of them, also where each has a line of its own."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(found, dict):
        return cast("dict[str, Any]", found) if "notes" in found else [found]
    return cast("list[Any]", found)


def judge_notes(project: "ConfinedFolder", notes: Sequence[LineCitation]) -> list[CitationVerdict]:
    """What became of each note; what is found is kept for the next time."""
    from fieldguide.knowledge.links.tracking import load_tracked, save_tracked, track_citations

    results = track_citations(project, notes, load_tracked(project.root, notes))
    if results.is_new:
        save_tracked(project.root, results.followed)
    return results.judgements


def judgements_to_json(notes: Sequence[LineCitation], judgements: Sequence[CitationVerdict]) -> dict[str, Any]:
    """The judgements by the ids of the notes, without what says nothing."""
    return {note.id: _told(each) for note, each in zip(notes, judgements, strict=True)}


def judgements_to_places(notes: Sequence[LineCitation], judgements: Sequence[CitationVerdict]) -> list[StalePlace]:
    """The judgements in the form that is printed and written as SARIF."""
    return [
        StalePlace(note.path, note.start, f"{note.path}#L{note.start}-L{note.end}", LINES, *each)
        for note, each in zip(notes, judgements, strict=True)
    ]


def _told(judgement: CitationVerdict) -> dict[str, Any]:
    told = {"status": judgement.state, **judgement._asdict()}
    del told["state"]
    if judgement.confidence == 1.0:
        del told["confidence"]
    return {name: value for name, value in told.items() if value}

"""`fieldguide stale`: finds what documents, findings and notes say of the code and no longer holds.

Editors and hooks run `stale --notes` at every commit, so this module imports nothing heavy before it is needed.
"""

import json
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import find_config_folder
from fieldguide.knowledge.links.citations import CitationVerdict, LineCitation, read_line_citation
from fieldguide.text.citation import CHANGED, FRESH, GONE, LINES, MOVED, StalePlace
from fieldguide.text.errors import Misconfiguration, Unreadable

if TYPE_CHECKING:
    import argparse

    from fieldguide.settings.config import Settings

PLAIN_NOTES = ["--notes", "-", "--json"]
LARGEST_BYTES = 64 << 20
MOST_NOTES = 50_000
LOOKED_AT = "what documents and findings cite of the code, in all files and the history that git has here"
EPILOG = """\
exit codes: 0 nothing stale, 1 something stale, 2 a wrong way to ask
"""


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Which documents or notes, and how to tell it."""
    parser.epilog = EPILOG
    parser.add_argument("paths", metavar="PATH", nargs="*", help="documents and folders of the project (default: all)")
    parser.add_argument("--notes", metavar="FILE", help="judge these notes, as JSON; - reads standard input")
    parser.add_argument("--since", metavar="COMMIT", help="only what commits after this one made stale")
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
    parser.add_argument("--json", action="store_true", help="print what programs read")


def read_notes_arguments(words: Sequence[str]) -> Any:
    """The arguments of `stale --notes - --json`, which needs no parser; None for all others."""
    if [*words] != PLAIN_NOTES:
        return None
    return SimpleNamespace(paths=[], notes="-", project=None, database=None, json=True, since=None)


def run(arguments: Any) -> int:
    """Look, print what is stale, and say by the exit code whether anything is."""
    if arguments.notes is not None:
        return _run_notes(arguments)
    from fieldguide.cli.console.options import find_settings
    from fieldguide.files.project_files import resolve_existing_path
    from fieldguide.settings.config import open_project_folder

    settings = find_settings(arguments)
    root = open_project_folder(settings).root
    arguments.paths = [resolve_existing_path(root, path) for path in arguments.paths]
    found = find_stale_citations(settings, arguments.paths)
    if arguments.since:
        found = select_since(root, found, arguments.since)
    _print(found, arguments)
    return int(bool(found))


def _run_notes(arguments: Any) -> int:
    """Judge the notes of a file; `--json` prints the verdict on every note, by its id."""
    if arguments.paths:
        raise Misconfiguration("Give either paths or --notes.")
    named, notes = read_notes(arguments.notes)
    arguments.project = arguments.project or named
    verdicts = judge_notes(_open_project(arguments), notes)
    stale: list[StalePlace] = []
    for note, verdict in zip(notes, verdicts, strict=True):
        if verdict.state != FRESH:
            cited = f"{note.path}#L{note.start}-L{note.end}"
            stale.append(StalePlace(note.path, note.start, cited, LINES, *verdict))
    if arguments.json:
        by_note = {note.id: _verdict_to_json(verdict) for note, verdict in zip(notes, verdicts, strict=True)}
        # `say_json` would import what makes text visible, 10 ms at every commit; ASCII needs only this.
        sys.stdout.write(f"{json.dumps(by_note)}\n".replace("\x7f", "\\u007f"))
    else:
        _print(stale, arguments)
    return int(bool(stale))


def _open_project(arguments: Any) -> ConfinedFolder:
    """The project's files; settings are read only where there are any."""
    named = arguments.project or os.environ.get("FIELDGUIDE_PROJECT") or "."
    place = os.path.abspath(os.path.expanduser(named))
    files = (os.path.join(find_config_folder(), "config.toml"), os.path.join(place, "fieldguide.toml"))
    if os.path.isdir(place) and not any(map(os.path.lexists, files)):
        return ConfinedFolder(place)
    from fieldguide.cli.console.options import read_settings_from
    from fieldguide.settings.config import open_project_folder

    return open_project_folder(read_settings_from(arguments))


def read_notes(path: str) -> tuple[str | None, list[LineCitation]]:
    """The project that the notes name, if any, and the notes: one object with `notes`, a list, or JSON lines."""
    try:
        given = _parse_notes(_read_text(path))
        rows: Any = given["notes"] if isinstance(given, dict) else given
        if not isinstance(rows, list):
            raise ValueError("`notes` is no list.")  # noqa: TRY004, TRY301  wrong JSON is a wrong value
        some: list[Any] = cast("Any", rows)
        notes = [read_line_citation(each, number) for number, each in enumerate(some[:MOST_NOTES])]
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"The notes can't be read: {error}") from error
    project = given.get("project") if isinstance(given, dict) else None
    return project if isinstance(project, str) else None, notes


def _read_text(path: str) -> str:
    if path == "-":
        return sys.stdin.read(LARGEST_BYTES)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_BYTES)
    except OSError as error:
        raise Misconfiguration(f"The notes can't be read: {error.strerror}.") from error


def _parse_notes(text: str) -> dict[str, Any] | list[Any]:
    """An object with `notes`; or a list of them, also where each has a line of its own."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(found, dict):
        return cast("dict[str, Any]", found) if "notes" in found else [found]
    return cast("list[Any]", found)


def judge_notes(project: "ConfinedFolder", notes: Sequence[LineCitation]) -> list[CitationVerdict]:
    """The verdict on each note; results are stored for the next run."""
    from fieldguide.knowledge.links.tracking import load_tracked, save_tracked, track_citations

    results = track_citations(project, notes, load_tracked(project.root, notes))
    if results.is_new:
        save_tracked(project.root, results.followed)
    return results.judgements


def _verdict_to_json(verdict: CitationVerdict) -> dict[str, Any]:
    """A verdict without its empty fields, and without a confidence of 1."""
    fields = {"status": verdict.state, **verdict._asdict()}
    del fields["state"]
    if verdict.confidence == 1.0:
        del fields["confidence"]
    return {name: value for name, value in fields.items() if value}


def find_stale_citations(settings: "Settings", paths: Sequence[str]) -> list[StalePlace]:
    """The stale places of some documents and folders, or of everything that cites code."""
    from fieldguide.app import open_database, open_engine
    from fieldguide.files.listing import list_files
    from fieldguide.knowledge.links.stale import StaleStates, update_citations
    from fieldguide.settings.config import find_namespace, open_project_folder
    from fieldguide.spine.journal import Journal, Metrics
    from fieldguide.storage.database import FINDINGS_SCHEMA

    project = open_project_folder(settings)
    namespace = find_namespace(settings)
    journal = Journal(Metrics())
    database = open_database(settings, [FINDINGS_SCHEMA], journal)
    try:
        engine = open_engine(settings, journal)
        paths_now = list_files(project).paths
        update_citations(engine.database, database, namespace, project, paths_now)
        found = StaleStates(engine.database, namespace).all()
    finally:
        database.close()
    return [each for each in found if is_below(each.document, paths)]


def select_since(root: str, places: Sequence[StalePlace], since: str) -> list[StalePlace]:
    """The places that commits after this one made stale; what was not committed yet is later than any."""
    from fieldguide.git.program import GitProgram
    from fieldguide.knowledge.links.stale import SHORT_ID

    git = GitProgram(root)
    try:
        base = git.resolve(since)
    except Unreadable as error:
        raise Misconfiguration(f"{since!r} is no commit, tag or branch here.") from error
    later = {commit[:SHORT_ID] for commit in git.ask("rev-list", f"{base}..HEAD").decode("ascii").split()}
    return [place for place in places if not place.commit or place.commit in later]


def is_below(document: str, paths: Sequence[str]) -> bool:
    """Whether a document is one of these files, or in one of these folders; without any, every document is."""
    return not paths or any(each == "." or document == each or document.startswith(f"{each}/") for each in paths)


def _print(found: Sequence[StalePlace], arguments: Any) -> None:
    from fieldguide.cli.console.terminal import remark, say, say_json
    from fieldguide.text.display import format_count, to_visible_line

    if arguments.json:
        say_json({"stale": [each.as_json() for each in found]})
    else:
        say(*(f"{to_visible_line(each.document)}:{each.line}: {to_visible_line(describe(each))}" for each in found))
        what = ", ".join(arguments.paths) or LOOKED_AT
        result = f"{format_count(len(found), 'place')} out of date" if found else "Nothing is out of date"
        remark(f"{result}. Looked at: {to_visible_line(what)}.")


def describe(place: StalePlace) -> str:
    """What is wrong with a place, as a sentence without its end: ``sources.py` was removed in e83ac4c12d`."""
    commit = f" in {place.commit}" if place.commit else ""
    successor = f"; {place.difference}" if place.difference else ""
    now = f", now {place.place}" if place.place and place.place != place.says else ""
    verbs = {GONE: "was removed", MOVED: "has moved", CHANGED: "has changed"}
    return f"`{place.says}` {verbs.get(place.state, place.state)}{commit}{now}{successor}"

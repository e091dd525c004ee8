"""`fieldguide doctor`: says what is wrong with a set-up and how to fix it."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from fieldguide import __version__
from fieldguide.app import App, build_app
from fieldguide.cli.console.options import (
    add_json_option,
    add_project_options,
    read_settings_from,
)
from fieldguide.cli.console.terminal import say_result
from fieldguide.cli.data import find_state_problems
from fieldguide.settings.config import open_project_folder
from fieldguide.settings.service import can_serve_mcp
from fieldguide.storage.database import DATABASE_FILE, Database
from fieldguide.storage.state_folder import can_write_below, find_expected_folder
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError, StorageFailed

if TYPE_CHECKING:
    from fieldguide.search.indexes.document_store import StoredSource

ADD_DOCUMENTS = "fieldguide documents add ALIAS SOURCE"
FIXED_PYTHON = {(3, 11): 14, (3, 12): 12, (3, 13): 6}  # the tarfile fixes of 2024 and 2025 (CVE-2025-8194 the last)
MARKS = {"ok": "ok   ", "hint": "hint ", "wrong": "WRONG"}


@dataclass(frozen=True, slots=True)
class SetupDiagnosis:
    """One thing that was looked at: whether it is well, and what would mend it.

    `command` is what to type for it, with what only the person knows in capitals; a test runs each of them.
    """

    verdict: Literal["ok", "hint", "wrong"]
    about: str
    said: str
    mend: str = ""
    command: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project."""
    add_project_options(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what was looked at; 1 when something is wrong."""
    looked_at = list(_examine(arguments))
    lines: list[str] = []
    for each in looked_at:
        lines.append(f"{MARKS[each.verdict]}  {each.about}: {to_visible_line(each.said)}")
        if each.mend:
            lines.append(f"       -> {each.mend}")
    say_result([asdict(each) for each in looked_at], lines, as_json=arguments.json)
    return int(any(each.verdict == "wrong" for each in looked_at))


def _examine(arguments: argparse.Namespace) -> Iterator[SetupDiagnosis]:
    yield SetupDiagnosis("ok", "fieldguide", __version__)
    yield _python()
    yield _packages()
    try:
        app = build_app(read_settings_from(arguments, tells=False))
    except FieldguideError as error:
        yield SetupDiagnosis("wrong", "settings", error.message, "Correct that, then run the doctor again.")
        return
    yield SetupDiagnosis("ok", "project", app.settings.project)
    for problem in app.settings.problems:
        yield SetupDiagnosis("wrong", "settings", problem, "Correct that; it is left out until then.")
    for each in find_state_problems(app.settings.project):
        yield SetupDiagnosis("hint", "state", each.said, each.mend, each.command)
    yield from _clients(app.settings.project)
    yield _toolsets(app)
    yield from _served(app)


def _clients(project: str) -> Iterator[SetupDiagnosis]:
    """Whether each client on this machine starts Fieldguide."""
    from fieldguide.cli.clients.catalog import SCOPES, USER, Machine, starts_fieldguide
    from fieldguide.cli.clients.editing import read_entries
    from fieldguide.cli.clients.settings_files import decode_text

    machine = Machine(project)
    for client in machine.found(USER):
        connected: list[str] = []
        for place in filter(None, (machine.place(client, scope) for scope in SCOPES)):
            try:
                entries = read_entries(decode_text(place.read()), client.path, is_toml=place.path.endswith(".toml"))
            except FieldguideError as error:
                yield SetupDiagnosis("hint", client.key, f"{place.shown} {error.message}", "Correct that.")
                continue
            if any(map(starts_fieldguide, entries.values())):
                connected.append(place.shown)
        if connected:
            yield SetupDiagnosis("ok", client.key, f"is connected in {', '.join(connected)}")
        else:
            connect = f"fieldguide install --client {client.key}"
            yield SetupDiagnosis("hint", client.key, "is not connected", f"{connect} connects it.", connect)


def _served(app: App) -> Iterator[SetupDiagnosis]:
    """What the toolsets that are served stand on."""
    names = {toolset.name for toolset in app.toolsets}
    if any(toolset.schema is not None for toolset in app.toolsets):
        yield _database(app)
    if "directive" in names:
        yield _directive(app.settings.project)
    if "documents" in names:
        yield _documents(app)
    if "architecture" in names:
        yield from _architecture(app)


def _python() -> SetupDiagnosis:
    """Whether this Python has the fixes that reading foreign archives wants."""
    version = sys.version_info[:3]
    fixed = FIXED_PYTHON.get(sys.version_info[:2])
    told = ".".join(map(str, version))
    if fixed is None or version[2] >= fixed:
        return SetupDiagnosis("ok", "python", told)
    wanted = ".".join(map(str, (*version[:2], fixed)))
    return SetupDiagnosis(
        "hint", "python", f"{told} lacks fixes in how archives are read", f"Update it to {wanted} or later."
    )


def _documents(app: App) -> SetupDiagnosis:
    """The collections that are configured, what the index holds of them, and the model that makes vectors."""
    from fieldguide.toolsets.documents.collections import list_outside_aliases, read_collections

    try:
        settings = app.settings.sections.get("documents", {})
        outside = ", ".join(list_outside_aliases(app.settings.project, settings))
        collections = read_collections(app.settings.project, settings, open_project_folder(app.settings)).values()
        engine = app.engine()
        stored = engine.sources("documents")
    except FieldguideError as error:
        return SetupDiagnosis("wrong", "documents", error.message, "Correct that, then run the doctor again.")
    if not collections:
        said = "there is no collection, and no text was found in the project that is documentation"
        if outside:
            said = f"the project may not name places outside of it: {outside}"
        return SetupDiagnosis("hint", "documents", said, f"{ADD_DOCUMENTS} makes one.", ADD_DOCUMENTS)
    held = {source.name: source.documents for source in stored}
    told = ", ".join(f"{each.alias} ({held.get(each.id, 0)} indexed)" for each in collections)
    if outside:
        told += f"; outside of the project, so left out: {outside}"
    said = f"{told}; model {engine.embedder.identity}"
    if not any(held.values()):
        mend = "fieldguide index reads what is there; so does a served project, by itself."
        return SetupDiagnosis("hint", "documents", said, mend, "fieldguide index")
    return _unread(said, stored) or SetupDiagnosis("ok", "documents", said)


def _unread(said: str, stored: "Sequence[StoredSource]") -> SetupDiagnosis | None:
    """What the index had to leave out, if anything: files that are too large, or that need more than is installed."""
    from fieldguide.cli.clients.catalog import make_extra_install
    from fieldguide.toolsets.documents.upkeep import (
        NEEDS_EXTRA,
        TOO_LARGE,
        explain_needed_extra,
        explain_too_large,
    )

    large: list[str] = []
    unread: list[str] = []
    for source in stored:
        large += source.details.get(TOO_LARGE, ())
        unread += source.details.get(NEEDS_EXTRA, ())
    if large:
        return SetupDiagnosis(
            "hint", "documents", f"{said}; {explain_too_large(large)}", "Cut them, or leave them out."
        )
    if unread:
        mend = f"{make_extra_install('pdf')} lets them be read."
        return SetupDiagnosis("hint", "documents", f"{said}; {explain_needed_extra(unread)}", mend)
    return None


def _architecture(app: App) -> Iterator[SetupDiagnosis]:
    """How many documents there are, how many rules their patterns have, and what in them can't be read."""
    from fieldguide.toolsets.architecture.calls import examine_documents

    try:
        found = examine_documents(open_project_folder(app.settings), app.settings.sections.get("architecture", {}))
    except FieldguideError as error:
        yield SetupDiagnosis("wrong", "architecture", error.message, "Correct that, then run the doctor again.")
        return
    for where, problem in found.problems:
        yield SetupDiagnosis("wrong", "architecture", f"{where}: {problem}", "Correct it; it is left out until then.")
    if not found.documents:
        command = "fieldguide patterns add error-handling"
        mend = f"{command} adds a pattern to start from; decisions are found in any folder."
        yield SetupDiagnosis("hint", "architecture", "there are no guidelines, patterns or decisions", mend, command)
    else:
        yield SetupDiagnosis("ok", "architecture", found.told)


def _packages() -> SetupDiagnosis:
    from fieldguide.cli.clients.catalog import make_extra_install

    if can_serve_mcp():
        return SetupDiagnosis("ok", "mcp", "installed; it serves HTTP")
    said = f"not installed; stdio needs none of it. For MCP over HTTP: {make_extra_install('http')}"
    return SetupDiagnosis("ok", "mcp", said)


def _toolsets(app: App) -> SetupDiagnosis:
    names = ", ".join(f"{toolset.name} ({len(toolset.tools)})" for toolset in app.toolsets)
    return SetupDiagnosis("ok", "toolsets", names or "none")


def _database(app: App) -> SetupDiagnosis:
    from fieldguide.storage.sqlite_file import find_file_problems

    if app.settings.database is not None:
        problems = _find_server_problems(app.database)
        kind = "PostgreSQL"
        mend = "Look whether the server runs, and whether the address and the password are right."
    else:
        folder = find_expected_folder(app.settings.project)
        problems = find_file_problems(os.path.join(folder, DATABASE_FILE))
        kind = f"SQLite in {folder}"
        mend = "The next call sets a damaged file aside and begins a new one; restore your last backup into it."
        if not problems and not can_write_below(folder):
            return SetupDiagnosis("wrong", "database", f"{folder} can't be written to", "Let your user write there.")
    if problems:
        return SetupDiagnosis("wrong", "database", f"{kind}: {problems[0]}", mend)
    return SetupDiagnosis("ok", "database", f"{kind}, and it is well")


def _find_server_problems(database: Database) -> list[str]:
    """What is wrong with a database server; nothing when it answers."""
    try:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
    except StorageFailed as error:
        cause = error.__cause__
        return [str(cause).strip().splitlines()[0] if cause and str(cause).strip() else error.message]
    return []


def _directive(project: str) -> SetupDiagnosis:
    from fieldguide.toolsets.directive.folder import CONTEXT, LAYOUTS, NAME, PROCEDURE

    folder = os.path.join(project, NAME)
    if not os.path.isdir(folder):
        mend = "fieldguide init directive writes one to start from."
        command = "fieldguide init directive"
        return SetupDiagnosis("hint", "directive", "the project has no directive/ folder", mend, command)
    if not os.access(folder, os.R_OK | os.X_OK):
        return SetupDiagnosis("wrong", "directive", "directive/ can't be read", "Let your user read it.")
    for name in (PROCEDURE, CONTEXT):
        candidates = [os.path.join(folder, layout, name) for layout in LAYOUTS]
        found = [path for path in candidates if os.path.exists(path)]
        if not found:
            mend = "fieldguide init directive adds it."
            command = "fieldguide init directive"
            return SetupDiagnosis("wrong", "directive", f"{name} is missing", mend, command)
        if not os.access(found[0], os.R_OK):
            return SetupDiagnosis("wrong", "directive", f"{name} can't be read", "Let your user read it.")
    return SetupDiagnosis("ok", "directive", "the procedure and the context are there")

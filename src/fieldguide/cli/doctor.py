"""`fieldguide doctor`: looks a set-up over and says what is wrong and how to mend it."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from fieldguide import __version__
from fieldguide.app import DATABASE_FILE, build_app
from fieldguide.cli.console.options import add_project_options, read_settings_from
from fieldguide.cli.console.terminal import say, say_json
from fieldguide.cli.data import find_state_problems
from fieldguide.settings.config import open_project_folder
from fieldguide.settings.consents import TRUST
from fieldguide.settings.service import NEEDS_EXTRA, can_serve_mcp
from fieldguide.storage.state_folder import can_write_below, find_expected_folder
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError
from fieldguide.wire.methods import describe_tool

if TYPE_CHECKING:
    from fieldguide.search.indexes.document_store import StoredSource
    from fieldguide.toolsets.documents.collections import DocumentCollection

ADD_DOCUMENTS = "fieldguide documents add ALIAS SOURCE"
TOKEN_LIMIT = 4000
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
    """Which project; `--json` for scripts."""
    add_project_options(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; 1 when one of them is wrong."""
    findings = list(_examine(arguments))
    if arguments.json:
        say_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            say(f"{MARKS[finding.verdict]}  {finding.about}: {to_visible_line(finding.said)}")
            if finding.mend:
                say(f"       -> {finding.mend}")
    return int(any(finding.verdict == "wrong" for finding in findings))


def _examine(arguments: argparse.Namespace) -> Iterator[SetupDiagnosis]:
    yield SetupDiagnosis("ok", "fieldguide", __version__)
    yield _python()
    yield _bytecode()
    yield _packages()
    try:
        app = build_app(read_settings_from(arguments, tells=False))
    except FieldguideError as error:
        yield SetupDiagnosis("wrong", "settings", error.message, "Correct that, then run the doctor again.")
        return
    yield SetupDiagnosis("ok", "project", app.settings.project)
    yield from _asked(app)
    for each in find_state_problems(app.settings.project):
        yield SetupDiagnosis("hint", "state", each.said, each.mend, each.command)
    yield from _clients(app.settings.project)
    yield from _toolsets(app)
    yield from _served(app)


def _clients(project: str) -> Iterator[SetupDiagnosis]:
    """What each client on this machine has of ours: what its model is told, and whether that is up to date."""
    from fieldguide.cli.clients.catalog import USER, EntryRequest, Machine, find_start_words
    from fieldguide.cli.clients.changes import InstallPlanner, list_parts_in_force, plan_renewals
    from fieldguide.cli.clients.settings_files import InstallRecord

    machine = Machine(project)
    words = tuple(find_start_words(is_shared=False))
    wish = EntryRequest(USER, project, words, shell=tuple(find_start_words(is_shared=True)))
    for client in machine.found(USER):
        try:
            record = InstallRecord()
            parts = list_parts_in_force(machine, record, client)
            renewals = plan_renewals(InstallPlanner(machine, record, force=False), [client], wish)
        except FieldguideError as error:
            yield SetupDiagnosis("hint", client.key, f"a file of {client.title} {error.message}", "Correct that.")
            continue
        said = ", ".join(parts)
        if not parts:
            command = f"fieldguide install --client {client.key}"
            yield SetupDiagnosis("hint", client.key, "is not connected", f"{command} connects it.", command)
        elif any(each.is_change for each in renewals):
            command = "fieldguide install --refresh"
            yield SetupDiagnosis("hint", client.key, f"{said}; not as this version writes it", f"{command}.", command)
        else:
            yield SetupDiagnosis("ok", client.key, said)


def _served(app: App) -> Iterator[SetupDiagnosis]:
    """What the toolsets that are served stand on."""
    names = {toolset.name for toolset in app.toolsets}
    if any(toolset.schema is not None for toolset in app.toolsets):
        found = _database(app)
        yield found
        if app.settings.database is not None and found.verdict == "ok":
            yield _walls(app)
    if "directive" in names:
        yield _directive(app.settings.project)
    if "documents" in names:
        yield _documents(app)
    if "architecture" in names:
        yield from _architecture(app)


def _asked(app: App) -> Iterator[SetupDiagnosis]:
    """What the project's own files say that can't be followed, or that the person has to allow first."""
    for problem in app.settings.problems:
        yield SetupDiagnosis("wrong", "settings", problem, "Correct that; it is left out until then.")
    try:
        asks = app.asks()
    except FieldguideError as error:
        yield SetupDiagnosis("wrong", "settings", error.message, "Correct that, then run the doctor again.")
        return
    for ask in asks:
        yield SetupDiagnosis(
            "hint", "trust", f"{ask.sentence()}, which is not obeyed", TRUST, "fieldguide trust --allow"
        )


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
    from fieldguide.toolsets.documents.collections import read_collections

    try:
        settings = app.settings.sections.get("documents", {})
        collections = read_collections(app.settings.project, settings, open_project_folder(app.settings)).values()
        engine = app.engine()
        stored = engine.sources("documents")
    except FieldguideError as error:
        return SetupDiagnosis("wrong", "documents", error.message, "Correct that, then run the doctor again.")
    if not collections:
        said = "there is no collection, and no text was found in the project that is documentation"
        return SetupDiagnosis("hint", "documents", said, f"{ADD_DOCUMENTS} makes one.", ADD_DOCUMENTS)
    held = {source.name: source.documents for source in stored}
    told = ", ".join(f"{each.alias} ({held.get(each.id, 0)} indexed)" for each in collections)
    said = f"{told}; model {engine.embedder.identity}"
    unread = _unread(said, stored)
    if unread is not None:
        return unread
    if any(held.get(each.id) for each in collections):
        return SetupDiagnosis("ok", "documents", said)
    return _unindexed(said, has_documents=any(_has_documents(app, each) for each in collections))


def _unread(said: str, stored: "Sequence[StoredSource]") -> SetupDiagnosis | None:
    """What the index had to leave out, if anything: files that are too large, or that need more than is installed."""
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
        mend = 'pip install "fieldguide[office]" lets them be read.'
        return SetupDiagnosis("hint", "documents", f"{said}; {explain_needed_extra(unread)}", mend)
    return None


def _unindexed(said: str, *, has_documents: bool) -> SetupDiagnosis:
    """Collections of which the index holds nothing yet."""
    if has_documents:
        mend = "fieldguide index reads them; so does a served project, by itself."
        return SetupDiagnosis("hint", "documents", said, mend, "fieldguide index")
    mend = f"Put documents there, or name another folder with {ADD_DOCUMENTS}."
    return SetupDiagnosis("hint", "documents", f"{said}; nothing there can be read", mend, ADD_DOCUMENTS)


def _has_documents(app: App, collection: "DocumentCollection") -> bool:
    """Whether a collection has files to be indexed; of one that must be fetched, nobody knows before."""
    from fieldguide.toolsets.documents.collections import is_remote, take_local_snapshot

    if is_remote(collection.source):
        return True
    try:
        return bool(take_local_snapshot(collection, project=open_project_folder(app.settings)).entries)
    except FieldguideError:
        return False


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
        mend = f"{command} brings a pattern to start from; decisions are found wherever they lie."
        yield SetupDiagnosis("hint", "architecture", "there are no guidelines, patterns or decisions", mend, command)
    else:
        yield SetupDiagnosis("ok", "architecture", found.told)


def _bytecode() -> SetupDiagnosis:
    if sys.dont_write_bytecode:
        return SetupDiagnosis(
            "hint",
            "start",
            "PYTHONDONTWRITEBYTECODE is set, so every start compiles the server anew",
            "Unset it, or compile once: python -m compileall on the folder that fieldguide is installed in.",
        )
    return SetupDiagnosis("ok", "start", "compiled bytecode is kept")


def _packages() -> SetupDiagnosis:
    said = "installed; it serves HTTP" if can_serve_mcp() else f"not installed; stdio needs none of it. {NEEDS_EXTRA}"
    return SetupDiagnosis("ok", "mcp", said)


def _toolsets(app: App) -> Iterator[SetupDiagnosis]:
    names = ", ".join(f"{toolset.name} ({len(toolset.tools)})" for toolset in app.toolsets)
    yield SetupDiagnosis("ok", "toolsets", names or "none")
    listed = [describe_tool(tool, name=tool.name, schema=tool.input_schema) for tool in app.executor.registry.all()]
    tokens = len(json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":"))) // 4
    if tokens > TOKEN_LIMIT:
        mend = "Serve fewer toolsets with --toolsets."
        yield SetupDiagnosis("hint", "tools/list", f"about {tokens} tokens, over {TOKEN_LIMIT}", mend)
    else:
        yield SetupDiagnosis("ok", "tools/list", f"about {tokens} tokens")


def _database(app: App) -> SetupDiagnosis:
    from fieldguide.storage.transfer import find_file_problems, find_server_problems

    if app.settings.database is not None:
        problems = find_server_problems(app.database)
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


def _walls(app: App) -> SetupDiagnosis:
    """What keeps the projects of a service apart in the database, if anything else fails to."""
    from fieldguide.search.engine import SCHEMA
    from fieldguide.storage.transfer import find_missing_walls

    schemas = [*(each.schema for each in app.toolsets if each.schema is not None), SCHEMA]
    problems = find_missing_walls(app.database, list(dict.fromkeys(schemas)))
    if problems:
        mend = "Do not serve several projects from it: restore it from a backup, or have it made anew."
        return SetupDiagnosis("wrong", "walls", "; ".join(problems), mend)
    return SetupDiagnosis("ok", "walls", "every table keeps the projects of a service apart")


def _directive(project: str) -> SetupDiagnosis:
    from fieldguide.toolsets.directive.folder import CONTEXT, LAYOUTS, NAME, PROCEDURE

    folder = os.path.join(project, NAME)
    if not os.path.isdir(folder):
        mend = "fieldguide directive init writes one to start from."
        command = "fieldguide directive init"
        return SetupDiagnosis("hint", "directive", "the project has no directive/ folder", mend, command)
    if not os.access(folder, os.R_OK | os.X_OK):
        return SetupDiagnosis("wrong", "directive", "directive/ can't be read", "Let your user read it.")
    for name in (PROCEDURE, CONTEXT):
        candidates = [os.path.join(folder, layout, name) for layout in LAYOUTS]
        found = [path for path in candidates if os.path.exists(path)]
        if not found:
            mend = "fieldguide directive update adds it."
            command = "fieldguide directive update"
            return SetupDiagnosis("wrong", "directive", f"{name} is missing", mend, command)
        if not os.access(found[0], os.R_OK):
            return SetupDiagnosis("wrong", "directive", f"{name} can't be read", "Let your user read it.")
    return SetupDiagnosis("ok", "directive", "the procedure and the context are there")

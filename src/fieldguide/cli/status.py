"""`fieldguide status`: what is served, and what is known of a project."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import quote

from fieldguide.app import App, build_app
from fieldguide.cli.console.indexing import DONE, FAILED, LOG_FILE, RUNNING, STOPPED, Background
from fieldguide.cli.console.options import add_json_option, add_project_options, find_settings
from fieldguide.cli.console.terminal import BoldText, Line, say_result
from fieldguide.cli.data import find_state_problems
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.findings.sessions import TOKEN_BUDGET, ContextItemRepository, SessionRepository
from fieldguide.search.backlog import explain_given_up, list_given_up
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.storage.state_folder import find_expected_folder
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.context.tools import MODULE, OVERVIEW, RECENT
from fieldguide.toolsets.documents.upkeep import (
    NEEDS_EXTRA,
    TOO_LARGE,
    explain_needed_extra,
    explain_too_large,
)

KINDS = {
    "documents": "documents",
    "architecture": "architecture",
    "code": "code",
    "findings": "discoveries",
    "sessions": "sessions",
}
"""What is counted, by the kind under which the index holds it."""
MOST_SESSIONS = 1000
MOST_TOLD = 12
FOUND = "found by their text"
KNOWN = "found by their folder"
WHYS = {"its name": "found by its name"}
LABEL_WIDTH = 13
OWN_MODEL = "fieldguide-static"
CORRECTION = "`folders` and `leave_out` under [documents], `adr` under [architecture] in fieldguide.toml"
REASONS = {
    "project": "named in context.json",
    "settings": "named in fieldguide.toml",
    "global": "named in your global file",
    "default": "found",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project, and what to say of it."""
    parser.add_argument("--overview", action="store_true", help="what the project is made of: modules, findings, rules")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--module", metavar="NAME", help="one module of the project")
    what.add_argument("--sessions", metavar="N", nargs="?", const="10", help="the latest sessions (default: 10)")
    what.add_argument("--stats", action="store_true", help="how much is kept, and of what")
    add_project_options(parser)
    add_json_option(parser)


def run(arguments: Any) -> int:
    """Print where things are kept and how much of each is indexed; or what a flag asks for."""
    if arguments.overview or arguments.module or arguments.sessions or arguments.stats:
        return _print_overview(arguments)
    app = build_app(find_settings(arguments, tells=False), write_journal=lambda lines: None)
    try:
        status = read_status(app)
    finally:
        app.database.close()
    say_result(status, format_status(status), as_json=arguments.json)
    return 0


def format_status(status: Mapping[str, Any]) -> Iterator[Line]:
    """A line for each thing that there is to say, beside its name."""
    shown: dict[str, Any] = {
        "project": status["project"],
        "indexed": _describe_indexed(status),
        "background": _describe_background(status["background"]),
    }
    for name, value in status.items():
        if isinstance(value, list) and name != "toolsets":
            shown[name] = cast("list[str]", value)
    shown |= {
        "model": _describe_model(status["model"]),
        "toolsets": ", ".join(status["toolsets"]),
        "kept in": status["state"],
    }
    for name, value in shown.items():
        label = name
        for each in cast("list[str]", value) if isinstance(value, list) else [str(value)]:
            yield [BoldText(f"{label:<{LABEL_WIDTH}}"), to_visible_line(each)]
            label = ""


def _describe_model(identity: str) -> str:
    """The model as people know it; the one that is built in has a long name of its own."""
    return f"{BUILT_IN}, on this machine" if identity.startswith(OWN_MODEL) else identity


def _describe_indexed(status: Mapping[str, Any]) -> str:
    counts: Mapping[str, int] = status["indexed"]
    findings = status.get("findings", counts["findings"])
    parts = [
        format_count(counts["code"], "file of code", "files of code"),
        format_count(counts["documents"], "document"),
        format_count(counts["architecture"], "decision or rule", "decisions and rules"),
        format_count(findings, "finding"),
    ]
    return ", ".join(parts)


def _describe_background(state: Mapping[str, Any]) -> str:
    """What the background process does, or how the last one ended."""
    if state["running"]:
        return f"indexing {state['progress'] or 'begins'} (process {state['pid']}; `fieldguide index --stop` ends it)"
    ended = f", {state['error']}" if state["error"] else ""
    last = {
        DONE: "finished the index",
        FAILED: f"failed{ended}; {LOG_FILE} in the state folder says more",
        STOPPED: "was stopped; `fieldguide index` finishes the index",
        RUNNING: "was ended from outside; the next command starts it again",
    }
    said = last.get(state["state"])
    return f"no process runs; the last one {said}" if said else "no process runs"


def read_status(app: App) -> dict[str, Any]:
    """What is served and indexed of a project, as programs read it."""
    engine = app.engine()
    indexed: dict[str, int] = {}
    for name, kind in KINDS.items():
        indexed[name] = sum(source.documents for source in engine.sources(kind))
    status: dict[str, Any] = {
        "project": app.settings.project,
        "toolsets": [toolset.name for toolset in app.toolsets],
        "state": find_expected_folder(app.settings.project),
        "index": engine.database.describe(),
        "model": engine.embedder.identity,
        "indexed": indexed,
    }
    background = Background(app.settings)
    record = background.read()
    progress = background.see()
    status["background"] = {
        "running": background.is_running(),
        "pid": record.pid if record is not None else 0,
        "state": record.state if record is not None else "",
        "progress": progress.describe() if progress is not None else "",
        "error": record.error if record is not None else "",
    }
    if {"context", "guide"}.intersection(status["toolsets"]):
        with app.database.reading() as transaction:
            status["findings"] = FindingRepository(transaction, find_namespace(app.settings)).count()
    return {**status, **describe_places(app), **_list_notices(app)}


def describe_places(app: App) -> dict[str, list[str]]:
    """For each kind a sentence about each folder; nothing where the files that name them can't be read."""
    served = {toolset.name for toolset in app.toolsets}
    places: dict[str, list[str]] = {}
    try:
        if "documents" in served:
            places["documents"] = _describe_documents(app)
        if "architecture" in served:
            places |= _describe_architecture(app)
    except FieldguideError:  # it is among the problems
        return {}
    places = {name: sentences for name, sentences in places.items() if sentences}
    if places:
        places["to change it"] = [CORRECTION]
    return places


def _describe_documents(app: App) -> list[str]:
    from fieldguide.toolsets.documents.collections import HERE, read_collections

    settings = app.settings.sections.get("documents", {})
    folder = open_project_folder(app.settings)
    collections = read_collections(app.settings.project, settings, folder).values()
    sentences: list[str] = []
    for each in sorted(collections, key=lambda each: (bool(each.language), -len(each.names or ()))):
        if each.names is not None and each.source == HERE:
            sentences.append(f"{format_count(len(each.names), 'text file')} outside any docs folder")
            continue
        taken = "" if each.names is None else f"{format_count(len(each.names), 'file')}; "
        why = WHYS.get(each.why.partition(", ")[0], each.why.partition(", ")[0]) or REASONS[each.origin]
        name = each.source if each.alias == each.source else f"{each.alias}: {each.source}"
        sentences.append(f"{name} ({taken}{why})")
    if len(sentences) > MOST_TOLD:
        return [*sentences[:MOST_TOLD], f"and {len(sentences) - MOST_TOLD} more"]
    return sentences


def _describe_architecture(app: App) -> dict[str, list[str]]:
    from fieldguide.toolsets.architecture.library import DocumentLibrary
    from fieldguide.toolsets.architecture.resources import ADR, CATEGORIES

    library = DocumentLibrary(open_project_folder(app.settings), app.settings.sections.get("architecture", {}))
    found = set(library.found_decisions())
    places: dict[str, list[str]] = {}
    for category in CATEGORIES:
        folders: Counter[tuple[str, str]] = Counter()
        for document in library.shelf().of(category):
            folder = document.path.rpartition("/")[0] or "."
            folders[folder, FOUND if document.path in found else KNOWN] += 1
        name = "decisions" if category == ADR else category
        places[name] = [f"{folder} ({count}, {why})" for (folder, why), count in folders.most_common(MOST_TOLD)]
    return places


def _list_notices(app: App) -> dict[str, list[str]]:
    """Problems of the settings, documents left out, and state kept elsewhere."""
    left_out: list[str] = []
    unreadable: list[str] = []
    for source in app.engine().sources("documents"):
        too_large = source.details.get(TOO_LARGE)
        if too_large:
            left_out.append(explain_too_large(too_large))
        needing_extra = source.details.get(NEEDS_EXTRA)
        if needing_extra:
            unreadable.append(explain_needed_extra(needing_extra))
    given_up = [
        name for kind in KINDS.values() for names in list_given_up(app.engine(), kind).values() for name in names
    ]
    notices = {
        "problems": list(app.settings.problems),
        "left out": left_out + unreadable,
        "as text": [explain_given_up(sorted(given_up))] if given_up else [],
        "elsewhere": [f"{each.said} {each.mend}" for each in find_state_problems(app.settings.project)],
    }
    return {name: sentences for name, sentences in notices.items() if sentences}


def _print_overview(arguments: Any) -> int:
    app = build_app(find_settings(arguments)._replace(toolsets=("context",)), write_journal=lambda lines: None)
    try:
        if arguments.stats:
            lines = _count_kept(app)
        else:
            lines = [str(app.toolsets[0].resources[0].read(_choose_resource(arguments))[0].text)]
    finally:
        app.database.close()
    say_result({"lines": "\n".join(lines).split("\n")}, lines, as_json=arguments.json)
    return 0


def _choose_resource(arguments: Any) -> str:
    if arguments.module is not None:
        return f"{MODULE}{quote(arguments.module, safe='')}"
    if arguments.sessions is not None:
        return f"{RECENT}?limit={arguments.sessions}"
    return OVERVIEW


def _count_kept(app: App) -> list[str]:
    namespace = find_namespace(app.settings)
    with app.database.reading() as transaction:
        findings = FindingRepository(transaction, namespace).all()
        sessions = SessionRepository(transaction, namespace).recent(MOST_SESSIONS, user=app.settings.user)
        items = ContextItemRepository(transaction, namespace).all(datetime.now(UTC))
        active = SessionRepository(transaction, namespace).active(datetime.now(UTC), user=app.settings.user)
    by_type = Counter(each.type for each in findings)
    types = ", ".join(f"{count} {name}" for name, count in sorted(by_type.items()))
    used = [item for item in items if item.status == "active"]
    tokens = sum(item.tokens for item in used)
    return [
        f"findings: {len(findings)}{f' ({types})' if types else ''}",
        f"sessions: {len(sessions)}{', one of them active' if active else ''}",
        f"context items: {len(used)} active, {len(items) - len(used)} archived",
        f"tokens: {tokens:,} of {TOKEN_BUDGET:,}",
    ]

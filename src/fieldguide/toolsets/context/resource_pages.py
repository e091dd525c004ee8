"""Renders the `context://` resources as Markdown."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qs, unquote

from fieldguide.knowledge.findings.finding import Finding, FindingRepository
from fieldguide.knowledge.findings.sessions import SessionRepository, WorkSession, format_utc_timestamp
from fieldguide.knowledge.links.stale import FINDING, StaleStates
from fieldguide.spine.toolset import Services
from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.context.overview import describe_repository, read_model

MOST_SHOWN = 10
MOST_SESSIONS = 100


def render_overview(services: Services) -> str:
    """What the project is: its model, or what the repository tells, and what was found out last."""
    model = read_model(services.project)
    project = _part(model.content, "project")
    tech = _part(model.content, "tech")
    architecture = _part(model.content, "architecture")
    lines = [f"# {project.get('name') or services.project.root.rpartition('/')[2]}", ""]
    lines += [f"- {label}: {value}" for label, value in _facts(project, tech, architecture) if value]
    if not model.content:  # nobody has told: the repository does
        lines += describe_repository(services.project)
    if model.modules:
        lines += ["", "## Modules", ""]
        lines += [
            f"- **{name}**: {module.get('description', '')}".rstrip(": ") for name, module in model.modules.items()
        ]
    with services.database.reading() as transaction:
        discoveries = FindingRepository(transaction, services.namespace).latest(MOST_SHOWN)
    if discoveries:
        lines += ["", "## Latest discoveries", ""]
        states = StaleStates(services.engine().database, services.namespace)
        lines += [
            f"- {each.type}{f' ({each.module})' if each.module else ''}: {_content(each, states)}"
            for each in discoveries
        ]
    return "\n".join(lines).rstrip() + "\n"


def render_module(services: Services, written: str) -> str:
    """One module: its files, patterns, rules and what was found out about it."""
    name = unquote(written)
    found = read_model(services.project).modules.get(name)
    with services.database.reading() as transaction:
        known = FindingRepository(transaction, services.namespace).latest(MOST_SHOWN, module=name)
    if found is None and not known:
        raise InvalidArguments(f"Module not found: {name}")
    found = found or {}
    lines = [f"# {found.get('name') or name}", "", str(found.get("description", ""))]
    lines += _list("Key files", [f"`{each.get('path')}` ({each.get('role')})" for each in _parts(found, "keyFiles")])
    lines += _list("Patterns", _texts(found, "patterns"))
    lines += _list("Business rules", _texts(found, "businessRules"))
    issues = [f"{each.get('description')}: {each.get('solution')}" for each in _parts(found, "commonIssues")]
    lines += _list("Common issues", issues)
    lines += _list("Dependencies", _texts(found, "dependencies"))
    states = StaleStates(services.engine().database, services.namespace)
    lines += _list("Discoveries", [f"{each.type}: {_content(each, states)}" for each in known])
    return "\n".join(lines).rstrip() + "\n"


def _content(finding: Finding, states: StaleStates) -> str:
    """What was found out, and below it what of that no longer holds."""
    stale = states.told(f"{FINDING}{finding.id}")
    if not stale:
        return finding.content
    return f"{finding.content}\n  [stale: {stale}]"


def has_session(services: Services) -> bool:
    """Whether a session runs."""
    with services.database.reading() as transaction:
        return SessionRepository(transaction, services.namespace).is_active(datetime.now(UTC), user=services.reader())


def render_current_session(services: Services) -> str:
    """The session that runs."""
    with services.database.reading() as transaction:
        session = SessionRepository(transaction, services.namespace).active(datetime.now(UTC), user=services.reader())
    if session is None:
        raise InvalidArguments("No active session")
    return "\n".join(["# Current session", "", *_session(session)]) + "\n"


def render_recent_sessions(services: Services, query: str) -> str:
    """The latest sessions, ten unless the address says otherwise."""
    limit = parse_qs(query).get("limit", ["10"])[0]
    if not limit.isdecimal() or not 1 <= int(limit) <= MOST_SESSIONS:
        raise InvalidArguments(f"limit must be a number from 1 to {MOST_SESSIONS}")
    with services.database.reading() as transaction:
        sessions = SessionRepository(transaction, services.namespace).recent(int(limit), user=services.reader())
    lines = ["# Recent sessions", ""]
    for session in sessions:
        lines += [f"## {format_utc_timestamp(session.started_at)}", "", *_session(session), ""]
    return "\n".join(lines if sessions else [*lines, "No sessions yet."]).rstrip() + "\n"


def _session(session: WorkSession) -> Iterator[str]:
    yield f"- Id: {session.id}"
    yield f"- Status: {session.status}"
    yield f"- Started: {format_utc_timestamp(session.started_at)}"
    if session.ended_at is not None:
        yield f"- Ended: {format_utc_timestamp(session.ended_at)}"
    yield f"- Duration: {session.seconds} seconds"
    yield f"- Calls: {session.tool_calls}"
    yield f"- Discoveries: {session.discoveries}"
    if session.topics:
        yield f"- Topics: {', '.join(session.topics)}"
    for file in session.files:
        yield f"- `{file.path}`: looked at {file.uses} times, last {format_utc_timestamp(file.last)}"


def _facts(
    project: Mapping[str, Any], tech: Mapping[str, Any], architecture: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    yield "Type", project.get("type")
    yield "Stack", ", ".join(_texts(tech, "stack"))
    yield "Runtime", tech.get("runtime")
    yield "Package manager", tech.get("packageManager")
    yield "Architecture", architecture.get("pattern")
    yield "About it", architecture.get("description")


def _list(title: str, items: list[str]) -> list[str]:
    if not items:
        return []
    return ["", f"## {title}", "", *(f"- {item}" for item in items)]


def _part(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = content.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _parts(content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value: Any = content.get(key)
    entries = cast("Any", value) if isinstance(value, list) else ()
    return [cast("Mapping[str, Any]", each) for each in entries if isinstance(each, dict)]


def _texts(content: Mapping[str, Any], key: str) -> list[str]:
    value: Any = content.get(key)
    entries = cast("Any", value) if isinstance(value, list) else ()
    return [str(each) for each in entries]

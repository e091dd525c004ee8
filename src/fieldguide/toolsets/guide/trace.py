"""Runs `guide_trace`: the chain from a requirement to decisions, code, tests and findings."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any, cast

from fieldguide.git.history import load_history
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.links import trace_reading
from fieldguide.knowledge.links.trace import TraceGround, find_trace, trace_words
from fieldguide.knowledge.links.trace_index import make_first_trace, update_latest_commits
from fieldguide.knowledge.links.trace_reading import Trace, TraceLink, TraceNode
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.citation import format_citation, read_citation
from fieldguide.text.errors import FieldguideError, InvalidArguments, NotFound
from fieldguide.text.secrets import mask_secret_values, mask_secret_values_in_json
from fieldguide.toolsets.guide.items import (
    FINDINGS,
    TASKS,
    ProjectLines,
    count_answer_tokens,
    find_largest,
    join_task_text,
    list_own_tasks,
    to_one_line,
)
from fieldguide.toolsets.guide.relations import find_findings_about
from fieldguide.toolsets.guide.tools import TRACE_BUDGET

HEADINGS = {
    trace_reading.REQUIREMENT: "Requirements",
    trace_reading.DECISION: "Decisions",
    trace_reading.DOCUMENT: "Documents",
    trace_reading.CODE: "Code",
    trace_reading.TEST: "Tests",
    trace_reading.COMMIT: "Commits",
    trace_reading.FINDING: "Findings",
    trace_reading.TASK: "Tasks",
}
LONGEST_NAME = 120


def cite_node(lines: ProjectLines, path: str, line: int) -> str:
    """What `guide_open` opens for a place in a file; a folder and a commit are named as they are."""
    if not line or path.endswith("/") or not (there := lines.count(path)):
        return path
    at = min(line, there)
    return format_citation(path, at, at, lines.hash(path, at, at))


def link_to_dict(link: TraceLink, lines: ProjectLines) -> dict[str, Any]:
    """A link as programs read it."""
    value: dict[str, Any] = {
        "citation": cite_node(lines, link.path, link.line),
        "path": link.path,
        "kind": link.kind,
        "why": link.why,
        "link": link.how,
    }
    if link.line:
        value["line"] = link.line
    if link.how == trace_reading.MINED:
        value["confidence"] = link.confidence
    if link.name:
        value["name"] = link.name[:LONGEST_NAME]
    return value


def node_to_dict(node: TraceNode, lines: ProjectLines) -> dict[str, Any]:
    """What was asked about, as programs read it."""
    value = {"kind": node.kind, "name": node.name, "title": node.title, "text": node.text}
    if node.path:
        value["citation"] = cite_node(lines, node.path, node.line)
    return {key: each for key, each in value.items() if each or key in ("kind", "name", "citation")}


def render_trace(trace: Trace, links: list[TraceLink], lines: ProjectLines, *notes: str) -> str:
    """The chain as text: what it is, a heading for each step, and what is missing."""
    parts = [*map(to_one_line, _opening(trace.node, lines))]
    for kind, group in groupby(links, key=lambda link: link.kind):
        parts += [f"# {HEADINGS[kind]}", *(_line(link, lines) for link in group)]
    missing = [f"Missing: {each}" for each in trace.missing]
    return "\n".join([*parts, *map(to_one_line, (*missing, *filter(None, notes)))])


def _opening(node: TraceNode, lines: ProjectLines) -> Iterator[str]:
    title = f": {node.title[:LONGEST_NAME]}" if node.title else ""
    is_decision = node.kind == trace_reading.DECISION
    status = f" ({node.text})" if is_decision and node.text else ""
    yield f"{node.kind} {node.name}{title}{status}"
    if node.path and node.path != node.name:
        yield cite_node(lines, node.path, node.line)
    if node.text and not is_decision:
        yield node.text


def _line(link: TraceLink, lines: ProjectLines) -> str:
    name = f" {link.name[:LONGEST_NAME]}" if link.name else ""
    mined = f" (mined, {link.confidence:.2f})" if link.how == trace_reading.MINED else ""
    return to_one_line(f"{cite_node(lines, link.path, link.line)}{name}: {link.why}{mined}")


UUID = re.compile(r"(?i)(?:finding:(?://)?)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#.*)?")
TASK = re.compile(r"(?i)task(?::(?://)?|[ -]#?)([0-9]{1,12})(?:#.*)?")
LONGEST = 1_000


def trace_subject(services: Services, call: Call, ground: TraceGround, of: str) -> Trace:
    """The chain of what a caller asks about."""
    if len(of) > LONGEST:
        raise InvalidArguments(f"What is asked about has at most {LONGEST:,} characters.")
    if finding := UUID.fullmatch(of):
        return _finding(services, ground, finding.group(1).lower())
    if (task := TASK.fullmatch(of)) and (found := _task(services, call, ground, int(task.group(1)))) is not None:
        return found
    return find_trace(ground, of, _path(services, of))


def _path(services: Services, of: str) -> str:
    """The file of the project that is meant; nothing where none is."""
    given = of
    if os.path.isabs(of):
        given = os.path.relpath(os.path.realpath(of), os.path.realpath(services.project.root)).replace(os.sep, "/")
    given = given.removeprefix("./")
    citation = read_citation(given)
    for path in (given, citation.path if citation else ""):
        if path and "\0" not in path and services.project.status(path) is not None:
            return path
    return ""


def _finding(services: Services, ground: TraceGround, identity: str) -> Trace:
    with services.database.reading() as transaction:
        found = FindingRepository(transaction, services.namespace).find(identity)
    if found is None:
        raise NotFound(f"No finding has the id {identity}.")
    files: Any = found.evidence.get("files") or ()
    named = [str(each) for each in cast("list[object]", files)] if isinstance(files, list | tuple) else []
    node = TraceNode(trace_reading.FINDING, f"{FINDINGS}{identity}", found.type, text=found.content)
    return trace_words(ground, node, found.content, named, str(found.evidence.get("commit") or ""))


def _task(services: Services, call: Call, ground: TraceGround, number: int) -> Trace | None:
    """The chain of a task of the user whom this server is bound to; None where there is none."""
    for task in list_own_tasks(services, call):
        if task.get("id") == number:
            text = join_task_text(task)
            node = TraceNode(trace_reading.TASK, f"{TASKS}{number}", str(task.get("title") or ""), text=text)
            return trace_words(ground, node, text)
    return None


LONGEST_LOOKED_FOR = 500
LONGEST_LACK = 200
NOT_WHOLE = "Not all files have been read for the trace yet: ask again in a moment."


def trace(services: Services, call: Call) -> Answer:
    """The chain of what is asked about, as much of it as the budget allows."""
    of = str(call.arguments["of"]).strip()
    standing, lacks = services.ready(call, of[:LONGEST_LOOKED_FOR])
    with open_trace_ground(services, call) as ground:
        made = "" if ground.is_whole else NOT_WHOLE
        try:
            found = trace_subject(services, call, ground, of)
        except NotFound as error:
            raise NotFound(f"{error.message} {made}".strip()) from error
        notes = (made, ground.history.lack, standing.sentence() if standing else "", lacks[:LONGEST_LACK])
    links = [*found.links, *_findings(services, found)]
    return pack_links(found._replace(links=links), services, call.arguments.get("budget", TRACE_BUDGET), notes)


@contextmanager
def open_trace_ground(services: Services, call: Call | None = None) -> Generator[TraceGround]:
    """What questions are asked of, while the block runs."""
    engine = services.engine()
    history = load_history(engine.database, services.namespace, services.project.root)
    if not services.is_at_work():
        make_first_trace(engine, services.namespace, services.project)
    update_latest_commits(engine, services.namespace, services.project.root, history)
    with engine.database.reading(call.cancellation if call else None) as transaction:
        yield TraceGround(engine, transaction, services.namespace, services.project, history)


def _findings(services: Services, found: Trace) -> list[TraceLink]:
    """What was noted about a file."""
    if found.node.kind not in (trace_reading.CODE, trace_reading.TEST, trace_reading.DOCUMENT) or not found.node.path:
        return []
    try:
        items = find_findings_about(services, [found.node.path])
    except FieldguideError:
        return []
    return [
        TraceLink(trace_reading.FINDING, item.path, 0, item.why, name=item.text.partition("\n")[0]) for item in items
    ]


def pack_links(found: Trace, services: Services, budget: int, notes: tuple[str, ...]) -> Answer:
    """As many links as fit: the first of each step before the second of any."""
    lines = ProjectLines(services.project)
    order = _by_turns(found.links)

    def answer(count: int) -> Answer:
        return _answer(found, order[:count], lines, notes)

    return answer(find_largest(0, len(order), lambda count: count_answer_tokens(answer(count)) <= budget))


def _by_turns(links: list[TraceLink]) -> list[int]:
    """The places of links in the order in which they are taken."""
    seen: dict[str, int] = {}
    ranked: list[tuple[int, int]] = []
    for place, link in enumerate(links):
        seen[link.kind] = seen.get(link.kind, 0) + 1
        ranked.append((seen[link.kind], place))
    return [place for _, place in sorted(ranked)]


def _answer(found: Trace, places: list[int], lines: ProjectLines, notes: tuple[str, ...]) -> Answer:
    links = [found.links[place] for place in sorted(places)]
    value: dict[str, Any] = {
        "of": node_to_dict(found.node, lines),
        "items": [link_to_dict(link, lines) for link in links],
    }
    if found.missing:
        value["missing"] = found.missing
    left = len(found.links) - len(links)
    if left:
        value["left_out"] = left
        notes = (f"{left} more links do not fit the budget.", *notes)
    return Answer(mask_secret_values(render_trace(found, links, lines, *notes)), mask_secret_values_in_json(value))

"""A chain as a text that a model reads from the top, and as data for programs."""

from itertools import groupby
from typing import Any

from fieldguide.spine.answers.citations import cited
from fieldguide.toolsets.guide.layout import in_one_line
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.tracing import nodes
from fieldguide.tracing.nodes import Link, Node, Trace

HEADINGS = {
    nodes.REQUIREMENT: "Requirements",
    nodes.DECISION: "Decisions",
    nodes.DOCUMENT: "Documents",
    nodes.CODE: "Code",
    nodes.TEST: "Tests",
    nodes.COMMIT: "Commits",
    nodes.FINDING: "Findings",
    nodes.TASK: "Tasks",
}
LONGEST_NAME = 120


def citation_of(lines: ProjectLines, path: str, line: int) -> str:
    """What `guide_open` opens for a place in a file; a folder and a commit are named as they are."""
    if not line or path.endswith("/") or not (there := lines.count(path)):
        return path
    at = min(line, there)
    return cited(path, at, at, lines.hash(path, at, at))


def told(link: Link, lines: ProjectLines) -> dict[str, Any]:
    """A link as programs read it."""
    said: dict[str, Any] = {
        "citation": citation_of(lines, link.path, link.line),
        "path": link.path,
        "kind": link.kind,
        "why": link.why,
        "link": link.how,
    }
    said |= {"line": link.line} if link.line else {}
    said |= {"confidence": link.confidence} if link.how == nodes.MINED else {}
    return said | ({"name": link.name[:LONGEST_NAME]} if link.name else {})


def told_node(node: Node, lines: ProjectLines) -> dict[str, Any]:
    """What was asked about, as programs read it."""
    said: dict[str, Any] = {"kind": node.kind, "name": node.name}
    said |= {"title": node.title} if node.title else {}
    said |= {"text": node.text} if node.text else {}
    return said | ({"citation": citation_of(lines, node.path, node.line)} if node.path else {})


def written(trace: Trace, links: list[Link], lines: ProjectLines, *notes: str) -> str:
    """The chain as text: what it is, a heading for each step, and what is missing."""
    parts = [*_opening(trace.node, lines)]
    for kind, group in groupby(links, key=lambda link: link.kind):
        parts += [f"# {HEADINGS[kind]}", *(_line(link, lines) for link in group)]
    missing = [f"Missing: {each}" for each in trace.missing]
    return "\n".join([*parts, *map(in_one_line, (*missing, *filter(None, notes)))])


def _opening(node: Node, lines: ProjectLines) -> list[str]:
    title = f": {node.title[:LONGEST_NAME]}" if node.title else ""
    status = f" ({node.text})" if node.kind == nodes.DECISION and node.text else ""
    parts = [in_one_line(f"{node.kind} {node.name}{title}{status}")]
    parts += [in_one_line(citation_of(lines, node.path, node.line))] if node.path and node.path != node.name else []
    return [*parts, *([in_one_line(node.text)] if node.text and node.kind != nodes.DECISION else [])]


def _line(link: Link, lines: ProjectLines) -> str:
    name = f" {link.name[:LONGEST_NAME]}" if link.name else ""
    mined = f" (mined, {link.confidence:.2f})" if link.how == nodes.MINED else ""
    return in_one_line(f"{citation_of(lines, link.path, link.line)}{name}: {link.why}{mined}")

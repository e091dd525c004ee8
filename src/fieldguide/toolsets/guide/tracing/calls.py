"""What `guide_trace` does when it is called."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from fieldguide.errors import FieldguideError, NotFound
from fieldguide.project_history.keeping import history_of
from fieldguide.secret_values import without_secret_values, without_secret_values_in
from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import Answer, Call, compact_json
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.governing.notes import findings_about
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.toolsets.guide.tracing.layout import told, told_node, written
from fieldguide.toolsets.guide.tracing.subjects import traced
from fieldguide.toolsets.guide.tracing.tool import USUAL_BUDGET
from fieldguide.tracing import nodes
from fieldguide.tracing.asking import ground_of
from fieldguide.tracing.building import bring_up_latest
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.nodes import Link, Trace

LONGEST_LOOKED_FOR = 500
LONGEST_LACK = 200
NOT_WHOLE = "Not all files have been read for the trace yet: ask again in a moment."


def trace(services: Services, call: Call) -> Answer:
    """The chain of what is asked about, as much of it as the budget allows."""
    of = str(call.arguments["of"]).strip()
    standing, lacks = services.ready(call, of[:LONGEST_LOOKED_FOR])
    with grounded(services, call) as ground:
        made = "" if ground.is_whole else NOT_WHOLE
        try:
            found = traced(services, call, ground, of)
        except NotFound as error:
            raise NotFound(f"{error.message} {made}".strip()) from error
        notes = (made, ground.history.lack, standing.sentence() if standing else "", lacks[:LONGEST_LACK])
    links = [*found.links, *_findings(services, found)]
    return packed(found._replace(links=links), services, call.arguments.get("budget", USUAL_BUDGET), notes)


@contextmanager
def grounded(services: Services, call: Call | None = None) -> Generator[Ground]:
    """What questions are asked of, while the block runs."""
    engine = services.engine()
    history = history_of(engine.database, services.namespace, services.project.root)
    bring_up_latest(engine, services.namespace, services.project.root, history)
    with engine.database.reading(call.cancellation if call else None) as transaction:
        yield ground_of(engine, transaction, services.namespace, services.project, history)


def _findings(services: Services, found: Trace) -> list[Link]:
    """What was noted about a file."""
    if found.node.kind not in (nodes.CODE, nodes.TEST, nodes.DOCUMENT) or not found.node.path:
        return []
    try:
        items = findings_about(services, [found.node.path])
    except FieldguideError:
        return []
    return [Link(nodes.FINDING, item.path, 0, item.why, name=item.text.partition("\n")[0]) for item in items]


def packed(found: Trace, services: Services, budget: int, notes: tuple[str, ...]) -> Answer:
    """As many links as fit: the first of each step before the second of any."""
    lines = ProjectLines(services.project)
    order = _by_turns(found.links)
    low, high = 0, len(order)
    while low < high:
        middle = (low + high + 1) // 2
        answer = _answer(found, order[:middle], lines, notes)
        if max(count(answer.text), count(compact_json(answer.value))) <= budget:
            low = middle
        else:
            high = middle - 1
    return _answer(found, order[:low], lines, notes)


def _by_turns(links: list[Link]) -> list[int]:
    """The places of links in the order in which they are taken."""
    seen: dict[str, int] = {}
    ranked: list[tuple[int, int]] = []
    for place, link in enumerate(links):
        seen[link.kind] = seen.get(link.kind, 0) + 1
        ranked.append((seen[link.kind], place))
    return [place for _, place in sorted(ranked)]


def _answer(found: Trace, places: list[int], lines: ProjectLines, notes: tuple[str, ...]) -> Answer:
    links = [found.links[place] for place in sorted(places)]
    left = len(found.links) - len(links)
    more = f"{left} more links do not fit the budget." if left else ""
    value: dict[str, Any] = {"of": told_node(found.node, lines), "items": [told(link, lines) for link in links]}
    value |= {"missing": found.missing} if found.missing else {}
    value |= {"left_out": left} if left else {}
    return Answer(without_secret_values(written(found, links, lines, more, *notes)), without_secret_values_in(value))

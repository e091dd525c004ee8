"""The steps of a brief: what fits a task, in the order of its worth."""

from fieldguide.search.engine import Question
from fieldguide.search.port import Hit, Scope
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.brief.steps import Step
from fieldguide.toolsets.guide.items import CODE, DOCUMENT

SEARCHED = ("code", "documents", "architecture")
MOST_HITS = 150
LONGEST_QUESTION = 4_000


def steps_for(services: Services, task: str, call: Call) -> list[Step]:
    """The steps for a task, those that are worth most first."""
    engine = services.engine()
    kinds = {source.id: kind for kind in SEARCHED for source in engine.sources(kind)}
    question = Question(task[:LONGEST_QUESTION], Scope(tuple(kinds)), MOST_HITS)
    code = {source.name for source in engine.sources("code")}
    return [_step(hit, hit.source in code) for hit in engine.search(question, call.cancellation)]


def _step(hit: Hit, is_code: bool) -> Step:
    passage = hit.passage
    return Step(
        hit.document,
        passage.start_line,
        passage.end_line,
        CODE if is_code else DOCUMENT,
        "its words",
        ".".join(passage.headings) if is_code else "",
        is_shown=True,
    )

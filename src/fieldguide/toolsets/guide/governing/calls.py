"""What `guide_governs` does when it is called."""

from collections.abc import Callable, Sequence
from typing import Any

from fieldguide.search.port import Source
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.near_names import near_names, said
from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import Answer, Call, compact_json
from fieldguide.symbols.asking import Symbols
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.governing.gathering import Gathering, Governed
from fieldguide.toolsets.guide.governing.targets import read_targets
from fieldguide.toolsets.guide.governing.tool import USUAL_BUDGET
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.layout import in_one_line, written

CODE = "code"
LONGEST_LOOKED_FOR = 500
LONGEST_LACK = 200
NOTHING = "Nothing is known that applies to it."


def governs(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    """What applies to a path, a folder or a diff, as much of it as the budget allows."""
    targets = read_targets(services.project, call.arguments["path"])
    standing, lacks = services.ready(call, " ".join((*targets.files, *targets.folders))[:LONGEST_LOOKED_FOR])
    found = Gathering(services, call, targets, symbols).governed()
    left_out = f"{targets.left_out} more files of the diff were left out." if targets.left_out else ""
    told = (
        _missing(services, targets.files),
        *found.notes,
        left_out,
        standing.sentence() if standing else "",
        lacks[:LONGEST_LACK],
    )
    notes = [each for each in told if each]
    return packed(found._replace(notes=notes), call.arguments.get("budget", USUAL_BUDGET))


def _missing(services: Services, files: Sequence[str]) -> str:
    """That a single file is not there, and what may be meant; of a diff some are new, and that is no news."""
    if len(files) != 1 or services.project.status(files[0]) is not None:
        return ""
    engine = services.engine()
    names = [name for each in engine.sources(CODE) for name in engine.known(Source(CODE, each.name))]
    return f"{files[0][:LONGEST_LACK]} is not there yet. {said(near_names(files[0], names))}".strip()


def packed(found: Governed, budget: int) -> Answer:
    """The strongest items that fit: both the text and the value by themselves have at most so many tokens.

    One that would fill half of the answer is left out; where there is no room for owners and notes, so are they.
    """
    told = found._replace(items=[item for item in found.items if _size(_answer(_only(item), 1)) <= budget // 2])
    if _size(_answer(told, 0)) > budget:
        told = told._replace(owners=[], notes=[])
    low, high = 0, len(told.items)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(_answer(told, middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return _answer(told, low)


def _only(item: Item) -> Governed:
    return Governed([item], [], [])


def _size(answer: Answer) -> int:
    return max(count(answer.text), count(compact_json(answer.value)))


def _answer(found: Governed, number: int) -> Answer:
    items = found.items[:number]
    owners = [f"Owners: {', '.join(found.owners)}"] if found.owners else []
    notes = [*map(in_one_line, (*owners, *found.notes)), *([] if items else [NOTHING])]
    value: dict[str, Any] = {"items": [item.told() for item in items]}
    value |= {"owners": found.owners} if found.owners else {}
    value |= {"notes": found.notes} if found.notes else {}
    return Answer(without_secret_values(written(items, *notes)), value)

"""Changes as people and scripts read them: lines that go and come, with a few around them."""

from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide.cli.installing.planning import Change, decoded
from fieldguide.cli.installing.record import SECTION
from fieldguide.cli.terminal import Bold, Faint, Line
from fieldguide.errors import Refusal
from fieldguide.secret_values import without_secret_values

AROUND = 3
LONGEST_LINE = 300
SAYS = {
    "add": "is added to",
    "update": "is brought up to date in",
    "remove": "is taken out of",
    "unchanged": "is there already, in",
}


def difference(change: Change) -> list[str]:
    """The change as a unified diff of one part; tokens of other servers are not repeated."""
    if not change.is_change and change.action != "differs":
        return []
    before, after = _lines(change.before), _lines(change.after)
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    body = [*_part(before, after, first, last)]
    head = [
        f"--- {change.place.shown if change.before is not None else '/dev/null'}",
        f"+++ {change.place.shown if change.after is not None else '/dev/null'}",
    ]
    return without_secret_values("\n".join([*head, *body])).split("\n")


def lines_of(change: Change) -> Iterator[Line]:
    """What a person is told of a change."""
    what = "the section for agents" if change.kind == SECTION else change.name
    if change.reason:
        yield [Bold(change.title), f"  {change.place.shown} {change.reason}"]
    else:
        yield [Bold(change.title), f"  {what} {SAYS[change.action]} {change.place.shown}"]
    told = difference(change)
    for line in told:
        shown = line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
        yield shown if line[:1] in "+-" else [Faint(shown)]
    for each in change.remarks if change.is_change else ():
        yield [Faint(f"  {each}")]
    if told:
        yield ""


def as_json(change: Change, *, is_written: bool, backup: str | None) -> dict[str, Any]:
    """What a script is told of a change."""
    told = {
        "client": change.client or None,
        "title": change.title,
        "file": change.place.path,
        "name": change.name,
        "action": change.action,
        "changed": is_written,
        "diff": "\n".join(difference(change)),
        "backup": backup,
        "remarks": [*change.remarks],
    }
    return {**told, "reason": f"{change.place.shown} {change.reason}"} if change.reason else told


def _lines(content: bytes | None) -> list[str]:
    try:
        text = decoded(content)
    except Refusal:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif content is not None:
        lines[-1] += "\n\\ No newline at end of file"
    return [each.removesuffix("\r") for each in lines]


def _part(before: Sequence[str], after: Sequence[str], first: int, last: int) -> Iterator[str]:
    start = max(0, first - AROUND)
    end_before, end_after = len(before) - last, len(after) - last
    below = before[end_before : end_before + AROUND]
    old, new = end_before + len(below) - start, end_after + len(below) - start
    yield f"@@ -{_range(start, old)} +{_range(start, new)} @@"
    yield from (f" {line}" for line in before[start:first])
    yield from (f"-{line}" for line in before[first:end_before])
    yield from (f"+{line}" for line in after[first:end_after])
    yield from (f" {line}" for line in below)


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"

"""What a document allows itself to name though it is gone: by a comment that gives the reason."""

from collections.abc import Sequence

from fieldguide import linear_regex as re

COMMENT = re.compile(r"fieldguide:\s*ignore\[([\w/, -]{1,200})\]\s*([^\n]*)")
ENDS = ("-->", "*/", "*/}", "}")
NAMES = frozenset(
    (
        "stale",
        "gone",
        "moved",
        *(f"{state}-{kind}" for state in ("gone", "moved") for kind in ("symbol", "option", "path")),
    )
)
LONGEST_LINE = 2_000
LONGEST_REASON = 200
BEFORE = ' \t<!-#.*/{%"\\'


def allowed_lines(lines: Sequence[str]) -> dict[int, str]:
    """The reason for each line, counted from 1, on which names may be gone.

    A comment holds for its own line; alone on it, for the paragraph that follows. One without a reason does nothing.
    """
    found: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        if "fieldguide:" not in line:
            continue
        match = COMMENT.search(line[:LONGEST_LINE])
        if match is None or not _is_ours(match.group(1)):
            continue
        reason = _reason(match.group(2))
        if not reason:
            continue
        found[number] = reason
        if not line[: match.start()].strip(BEFORE):
            found.update(dict.fromkeys(_paragraph_after(lines, number), reason))
    return found


def _is_ours(rules: str) -> bool:
    return any(rule.strip().removeprefix("stale/") in NAMES for rule in rules.split(","))


def _reason(text: str) -> str:
    said = text.strip()
    for end in ENDS:
        said = said.removesuffix(end).rstrip()
    return said[:LONGEST_REASON]


def _paragraph_after(lines: Sequence[str], number: int) -> range:
    start = number
    while start < len(lines) and not lines[start].strip():
        start += 1
    end = start
    while end < len(lines) and lines[end].strip():
        end += 1
    return range(start + 1, end + 1)

"""Replaces what differs between two runs of the same program: folders, the present time, durations, random ids."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

RECENT = timedelta(days=2)
"""Times that are older stand in the projects themselves, and must not change."""

MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")
DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
RANDOM_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b\d+(?:[.,]\d+)* ?(ms|milliseconds|seconds|s)\b"), r"<DURATION> \1"),
    (re.compile(r'(\\?"(?:seconds|duration\w*|searchTime|took|milliseconds|elapsed\w*)\\?": )[\d.]+'), r"\1<DURATION>"),
    (re.compile(r'("fieldguide/workflow": ")[0-9a-f]{32}'), r"\1<WORKFLOW>"),
    (re.compile(r'(name="csrf" value=")[0-9a-f]+'), r"\1<SECRET>"),
    (re.compile(r"(guide_\w+: )\d+ tokens"), r"\1<COUNT> tokens"),  # an answer with a random id has a few more or less
    (re.compile(r"\b\d+\.\d (KB|MB)(?=  )"), r"<SIZE> \1"),  # of a state folder, in `state list`
    (re.compile(r"\b\d+ (minute|hour|day|week|month|year)s? ago\b"), "<AGE> ago"),
    (re.compile(r"\b(shop|depot|bare)-[0-9a-f]{12}\b"), r"\1-<KEY>"),
    (re.compile(r"(127\.0\.0\.1|localhost):\d+"), r"\1:<PORT>"),
)
CALLS_PAGE = "GET /calls"
NUMBER_CELL = re.compile(r'(<td class="number">)[\d.,]+')


class Normaliser:
    """Makes the texts of one run comparable with those of another."""

    def __init__(self, folders: dict[Path, str]) -> None:
        self._folders = [
            (spelling, word)
            for folder, word in folders.items()
            for spelling in dict.fromkeys((str(folder), str(folder.resolve())))
        ]
        self._now = datetime.now(UTC)

    def normalise(self, text: str) -> str:
        """The text with a word in the place of each such thing."""
        for spelling, word in self._folders:
            text = text.replace(spelling, word)
        text = MOMENT.sub(self._replace_if_recent(lambda found: datetime.fromisoformat(found.replace(" ", "T"))), text)
        text = DAY.sub(self._replace_if_recent(datetime.fromisoformat), text)
        for pattern, word in RULES:
            text = pattern.sub(word, text)
        if text.startswith(CALLS_PAGE):  # its numbers are mostly milliseconds
            text = NUMBER_CELL.sub(r"\1<NUMBER>", text)
        return _number_ids(text)

    def _replace_if_recent(self, read: Callable[[str], datetime]) -> Callable[[re.Match[str]], str]:
        def replace(found: re.Match[str]) -> str:
            try:
                moment = read(found[0])
            except ValueError:
                return found[0]
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return "<NOW>" if abs(moment - self._now) < RECENT else found[0]

        return replace


def _number_ids(text: str) -> str:
    """Random ids by the order in which a text has them, so that equal ones stay equal."""
    numbers: dict[str, int] = {}
    return RANDOM_ID.sub(lambda found: f"<ID {numbers.setdefault(found[0], len(numbers) + 1)}>", text)

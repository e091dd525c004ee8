"""Why a place is told, in a few words: the strongest thing that speaks for it."""

from fieldguide.toolsets.guide.brief.ranking.candidates import Place
from fieldguide.toolsets.guide.brief.ranking.names import NAMED, named_of
from fieldguide.toolsets.guide.brief.ranking.ranking import RankedFile
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText

STRONG = 0.05  # a habit of changing together
LITTLE_TEXT = 0.25
MOST_TOLD = 2


def why_of(ranked: RankedFile, place: Place | None, task: TaskText, *, is_shown: bool) -> str:
    """The reason for a file, or for a chunk of it; places that are only cited share theirs, so it is short."""
    if place is not None and named_of(place.passage.headings, task) >= NAMED:
        return "named in the task"
    if companion := _usual_companion(ranked):
        return f"changes with {companion.rpartition('/')[2]}"
    if ranked.features["path"] >= 1.0:
        return "named by its path"
    if place is not None and place.scores.words < LITTLE_TEXT < place.scores.likeness:
        return "near in meaning"
    held = () if place is None or not is_shown else _held(place, task)
    return f"has {', '.join(held)}" if held else "has words of the task"


def _usual_companion(ranked: RankedFile) -> str:
    """The path of the file that a file changes with, where that says more of it than its text."""
    companion = ranked.companion
    if companion is None or companion.strength < STRONG or ranked.features["text"] >= LITTLE_TEXT:
        return ""
    return companion.path


def _held(place: Place, task: TaskText) -> list[str]:
    """The longest words of the task's first line that stand in a chunk: the longer, the more they say."""
    text = place.passage.text.lower()
    return sorted((stem for stem in task.subject_stems if stem in text), key=lambda stem: (-len(stem), stem))[
        :MOST_TOLD
    ]

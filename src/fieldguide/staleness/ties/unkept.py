"""Texts whose ties nobody keeps, such as the tasks of one user: what they cite is judged by content when they are told.

That reads a few files and no history. So no upkeep ever reads what belongs to one user alone.
"""

from collections.abc import Iterator

from fieldguide.confinement import ConfinedFolder
from fieldguide.spine.answers.stale_places import FRESH, LINES, StalePlace
from fieldguide.staleness.guessing import guessed
from fieldguide.staleness.notes import Note
from fieldguide.staleness.ties.mentions import mentions_in
from fieldguide.staleness.work_tree import WorkTree

MOST_JUDGED = 5


def stale_in(project: ConfinedFolder, document: str, text: str) -> Iterator[StalePlace]:
    """What a text cites by a hash, and does not stand there any more."""
    tree = WorkTree(project)
    for each in [mention for mention in mentions_in(text) if mention.hash][:MOST_JUDGED]:
        judgement = guessed(Note("", each.path, each.start, each.end, each.hash), tree)
        if judgement.state != FRESH:
            yield StalePlace(document, each.line, each.says, LINES, *judgement)

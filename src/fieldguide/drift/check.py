"""The check of a project's documents: what they name that is gone, at once or by a range of commits."""

from collections.abc import Iterable, Sequence

from fieldguide.confinement import ConfinedFolder
from fieldguide.drift.confirming import confirmed
from fieldguide.drift.judging import Drift, Evidence, judged
from fieldguide.drift.kept import Kept, KeptInMemory
from fieldguide.drift.places import KnownPaths
from fieldguide.drift.reading import read_mentions, read_words
from fieldguide.drift.taken.history import commit_named, removed_between, removed_until_now
from fieldguide.drift.words import PresentWords
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.files import project_files
from fieldguide.project_text.finding import FoundText, known_text
from fieldguide.project_text.git_place import keeps_own_history
from fieldguide.source_code.test_files import is_test

GIT_SECONDS = 120.0


def drifted(
    project: ConfinedFolder,
    kept: Kept | None = None,
    *,
    since: str | None = None,
    leave_out: Sequence[str] = (),
) -> list[Drift]:
    """What documents name that is gone, sure or not; with `since`, only what commits after that one took away.

    Unreadable where git does not know the commit; nothing where the project has no history of its own.
    """
    if not keeps_own_history(project.root):
        return []
    git = GitProgram(project.root, GIT_SECONDS)
    oldest = commit_named(git, since) if since is not None else None
    kept = kept or KeptInMemory()
    text = known_text(project.root).now(project, leave_out=leave_out)
    paths = project_files(project).paths
    file_words = read_words(project, paths, text, kept)
    known = KnownPaths(paths)
    if oldest is None:
        words = PresentWords(file_words.values())
        removed = removed_until_now(git, words, known, kept)
    else:  # what a change took out of the implementation is news, though a test may still say it
        words = PresentWords(each for path, each in file_words.items() if not is_test(path))
        removed = removed_between(git, words, known, newest=commit_named(git, "HEAD"), oldest=oldest)
    gone = {path: each for path, each in removed.paths.items() if path not in known.files}
    evidence = Evidence(words, file_words, known, removed.names, gone, KnownPaths(gone))
    return list(confirmed(git, _judged(project, text, evidence, kept), removed.paths))


def _judged(project: ConfinedFolder, text: FoundText, evidence: Evidence, kept: Kept) -> list[Drift]:
    mentions = read_mentions(project, text, kept)
    return [drift for path, each in mentions.items() for drift in judged(path, each, evidence)]


def alarms(drifts: Iterable[Drift]) -> list[Drift]:
    """Those that are sure enough to be told."""
    return [each for each in drifts if each.is_alarm]

"""The check of a project's documents: what they name that is gone, at once or by a range of commits."""

from collections.abc import Iterable, Mapping, Sequence

from fieldguide.confinement import ConfinedFolder
from fieldguide.drift.confirming import confirmed
from fieldguide.drift.judging import Drift, Evidence, judged
from fieldguide.drift.kept import Kept, KeptInMemory
from fieldguide.drift.places import KnownPaths
from fieldguide.drift.reading import read_mentions, read_words
from fieldguide.drift.taken.history import Now, commit_named, commit_seconds, removed_between, removed_until_now
from fieldguide.drift.words import PresentWords
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.files import project_files
from fieldguide.project_text.finding import FoundText, known_text
from fieldguide.project_text.git_place import keeps_own_history
from fieldguide.source_code.roles import BENCHMARKS, EXAMPLES, TESTS, role_of
from fieldguide.source_code.test_files import is_test

GIT_SECONDS = 120.0
NEWS_SECONDS = 90 * 86_400  # before HEAD: what went since is still in somebody's mind
BESIDE = (TESTS, EXAMPLES, BENCHMARKS)


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
    file_words, known, head = read_words(project, paths, text, kept), KnownPaths(paths), commit_named(git, "HEAD")
    now = _now(file_words, 0 if oldest is not None else commit_seconds(git, head) - NEWS_SECONDS)
    if oldest is None:
        removed = removed_until_now(git, now, known, kept)
    else:
        removed = removed_between(git, now, known, newest=head, oldest=oldest)
    gone = {path: each for path, each in removed.paths.items() if path not in known.files}
    evidence = Evidence(*now, file_words, known, removed.names, gone, KnownPaths(gone))
    return list(confirmed(git, _judged(project, text, evidence, kept), removed.paths))


def _now(file_words: Mapping[str, bytes], news_from: int) -> Now:
    own = (words for path, words in file_words.items() if not is_test(path) and role_of(path) not in BESIDE)
    return Now(PresentWords(file_words.values()), PresentWords(own), news_from)


def _judged(project: ConfinedFolder, text: FoundText, evidence: Evidence, kept: Kept) -> list[Drift]:
    mentions = read_mentions(project, text, kept)
    return [drift for path, each in mentions.items() for drift in judged(path, each, evidence)]


def alarms(drifts: Iterable[Drift]) -> list[Drift]:
    """Those that are sure enough to be told."""
    return [each for each in drifts if each.is_alarm]

"""The lines that a change touches: everything since a commit, whether it is committed, staged, unstaged or new."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.checked.chosen_files import Chosen
from fieldguide.cli.checked.violations import Outcome, Violation
from fieldguide.errors import Misconfiguration, Unreadable
from fieldguide.project_history.git_program import GitProgram

GIT_SECONDS = 60.0
DIFF = (
    "-c", "core.quotepath=on", "diff", "-U0", "--inter-hunk-context=0", "--relative", "--no-ext-diff",
    "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all", "-O/dev/null",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
QUOTED = re.compile(r'\\([0-7]{3}|["\\abtnvfr])')
ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


class Span(NamedTuple):
    """Some lines, the last one included."""

    first: int
    last: int


class ChangedLines:
    """Which lines of which files are changed; of a file that git does not know, all of them."""

    def __init__(self, spans: Mapping[str, Sequence[Span]], fresh: frozenset[str]) -> None:
        self._spans = spans
        self._fresh = fresh

    def among(self, chosen: Chosen) -> Chosen:
        """The files of these that have a changed line."""
        paths = [path for path in chosen.paths if path in self._spans or path in self._fresh]
        return Chosen(paths, chosen.named)

    def holds(self, violation: Violation) -> bool:
        """Whether a violation has a changed line in it."""
        if violation.path in self._fresh:
            return True
        spans = self._spans.get(violation.path, ())
        return any(span.first <= violation.end_line and violation.line <= span.last for span in spans)

    def only(self, outcome: Outcome) -> Outcome:
        """What was found on changed lines."""
        suppressed = [each for each in outcome.suppressed if self.holds(each.violation)]
        return replace(outcome, violations=tuple(filter(self.holds, outcome.violations)), suppressed=tuple(suppressed))


def changed_lines(folder: str, since: str) -> ChangedLines:
    """What has changed since a revision and HEAD parted, as the files lie there now."""
    git = GitProgram(folder, GIT_SECONDS)
    base = _base(git, since)
    quiet = [*_without_filters(git)]
    told = git.ask(*quiet, *DIFF, base, "--", ".").decode("utf-8", "surrogateescape")
    listed = git.ask(*quiet, "ls-files", "--others", "--exclude-standard", "-z")
    fresh = frozenset(filter(None, listed.decode("utf-8", "surrogateescape").split("\0")))
    return ChangedLines(_spans(told), fresh)


def _base(git: GitProgram, since: str) -> str:
    try:
        git.ask("rev-parse", "--git-dir")
    except Unreadable as error:
        raise Misconfiguration(f"--changed compares with the history of git. {error.message}") from error
    try:
        commit = git.ask("rev-parse", "--verify", "--end-of-options", f"{since}^{{commit}}").decode("ascii").strip()
    except Unreadable as error:
        raise Misconfiguration(
            f"There is no commit {since!r}. `--changed` takes a revision; name paths before it, or behind `--`."
        ) from error
    try:
        return git.ask("merge-base", commit, "HEAD").decode("ascii").strip()
    except Unreadable as error:
        raise Misconfiguration(
            f"{since!r} and HEAD have no commit in common here. A shallow clone needs more of its history: "
            "`git fetch --unshallow`, or `fetch-depth: 0` in CI."
        ) from error


def _without_filters(git: GitProgram) -> Iterator[str]:
    """Options that switch off every program that the repository's settings would run over its files."""
    with_status = git.ask("config", "--null", "--name-only", "--list").decode("utf-8", "replace")
    for name in sorted(set(with_status.split("\0"))):
        if name.startswith("filter.") and name.endswith((".clean", ".process", ".smudge")):
            if "=" in name or "\n" in name:
                raise Misconfiguration(f"git has a filter with an odd name here, {name!r}; --changed would run it.")
            yield from ("-c", f"{name}=")
            yield from ("-c", f"{name.rpartition('.')[0]}.required=false")


def _spans(diff: str) -> dict[str, list[Span]]:
    """The lines that a diff leaves changed, by file; where some were only taken away, those around that place."""
    found: dict[str, list[Span]] = {}
    path: str | None = None
    in_head = False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            in_head = True
        elif in_head and line.startswith("+++ "):
            path = _path(line[4:].rstrip("\t"))
        elif path is not None and (hunk := HUNK.match(line)):
            in_head = False
            first, count = int(hunk[1]), int(hunk[2]) if hunk[2] else 1
            found.setdefault(path, []).append(Span(first, first + count - 1) if count else Span(first, first + 1))
    return found


def _path(written: str) -> str | None:
    """A path as a diff writes it: in quotes where it has an odd character; None for a file that is gone."""
    plain = written
    if written.startswith('"') and written.endswith('"') and len(written) > 1:
        raw = QUOTED.sub(_unescaped, written[1:-1])
        plain = raw.encode("latin-1", "surrogateescape").decode("utf-8", "surrogateescape")
    return plain.removeprefix("b/") if plain.startswith("b/") else None


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code, 8) if code.isdigit() else ESCAPES[code])

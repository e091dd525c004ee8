"""Finds every line of the project that matches a pattern, with ripgrep."""

from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import (
    FAILED,
    NOTHING_FOUND,
    SEARCH_FLAGS,
    explain_ripgrep_end,
    find_ripgrep,
    make_listing_flags,
    start_ripgrep,
)
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import InvalidArguments, ToolFailed

FLAGS = (
    "--color=never", "--no-heading", "--with-filename", "--line-number", "--null", "--only-matching", "--replace", "",
    "--regex-size-limit", "20M", "--dfa-size-limit", "20M",
)  # fmt: skip
MOST_LINES = 20_000
MOST_SAID_BYTES = 4096
PATTERN_MARK = b"regex"  # ripgrep's words for a pattern that it can't read


class MatchingLines(NamedTuple):
    """The numbers of the matching lines of each file, and why they may not be all."""

    lines: dict[str, list[int]]
    lacks: str = ""

    @property
    def total(self) -> int:
        """How many lines match."""
        return sum(map(len, self.lines.values()))


def find_matching_lines(
    project: ConfinedFolder, pattern: str, cancellation: Cancellation, *, below: str = ""
) -> MatchingLines:
    """Every line that matches, in any case where the pattern has no capital letter; of files that are served only."""
    if "\0" in pattern:  # no argument of a process can hold one
        raise InvalidArguments("The pattern is no regular expression.", pattern=pattern)
    folder = below.strip("/")
    command = [find_ripgrep(project.root), *FLAGS, *SEARCH_FLAGS, *make_listing_flags(project.sensitive)]
    command += ["--smart-case", "-e", pattern, "--", "."]
    found: dict[str, list[int]] = {}
    count = 0
    with start_ripgrep(command, project.root) as child:
        assert child.stdout is not None  # noqa: S101  they are pipes
        assert child.stderr is not None  # noqa: S101
        with cancellation.stopping(child.kill):
            for line in child.stdout:
                name, _, number = line.partition(b"\0")
                path = name.decode("utf-8", errors="replace").removeprefix("./")
                if path not in found:
                    found[path] = []
                digits = number.partition(b":")[0]
                if digits.isdigit() and _is_below(path, folder) and int(digits) not in found[path][-1:]:
                    found[path].append(int(digits))
                    count += 1
                if count >= MOST_LINES:
                    child.kill()
                    break
            said = child.stderr.read(MOST_SAID_BYTES)
        code = child.wait()
    cancellation.check()
    if code == FAILED and PATTERN_MARK in said:
        raise InvalidArguments("The pattern is no regular expression.", pattern=pattern)
    if code not in (0, NOTHING_FOUND, FAILED) and count < MOST_LINES:
        raise ToolFailed(f"The search did not come to its end: ripgrep {explain_ripgrep_end(code, said)}.")
    told = {path: lines for path, lines in sorted(found.items()) if lines and project.may_be_told(path)}
    if count >= MOST_LINES:
        return MatchingLines(told, f"the search ended after {MOST_LINES:,} lines")
    return MatchingLines(told, "some files or folders could not be read" if code == FAILED else "")


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")

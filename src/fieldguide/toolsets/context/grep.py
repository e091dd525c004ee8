"""Runs `grep_codebase`: starts ripgrep, reads its matches, and fits them into the answer.

No text of the caller is ever an option: the pattern follows `-e`, and of a file pattern ripgrep gets only the last
name, as a file type, and that only if it is a plain one. Its own globs would bring back what .gitignore leaves out; so
the whole pattern is matched here. A file with matches is opened once more, as every file of the project is, so that
none is told that may not be read; values in it that look like live secrets are taken out.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from time import perf_counter
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import (
    FAILED,
    NOTHING_FOUND,
    SEARCH_FLAGS,
    FileList,
    explain_ripgrep_end,
    find_ripgrep,
    make_listing_flags,
    matches_pattern,
    start_ripgrep,
)
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import format_citation, hash_lines
from fieldguide.text.errors import InvalidArguments, NotFound, Refusal, ToolFailed
from fieldguide.text.secrets import GIT_SECTIONS, mask_secret_values_of_file
from fieldguide.text.tokens import MOST_TOKENS, fits
from fieldguide.text.windows import ByteLines, cut_text, decode_readable, split_lines

Match = dict[str, Any]
LONGEST_AROUND = 200  # characters of a line around a match, where the answer would not fit otherwise


def add_citations(matches: Sequence[Match], content: bytes) -> list[Match]:
    """The matches in one file, each with its citation.

    ripgrep's lines end with a line feed, ours (as an editor's) also with a lone carriage return.
    """
    lines = ByteLines(content)
    text = decode_readable(content) if b"\r" in content else ""
    if text.count("\r") == text.count("\r\n"):
        return [{**match, "citation": _cited(match, lines, match["line"], match["line"])} for match in matches]
    split = split_lines(text)
    ends: list[int] = [0, *(number for number, line in enumerate(split, 1) if line.endswith("\n")), len(split)]
    told: list[Match] = []
    for match in matches:
        number = int(match["line"])
        place = (ends[number - 1] + 1, ends[number]) if number < len(ends) else (1, max(len(lines), 1))
        told.append({**match, "citation": _cited(match, lines, *place)})
    return told


def _cited(match: Match, lines: ByteLines, start_line: int, end_line: int) -> str:
    return format_citation(match["file"], start_line, end_line, hash_lines(lines.between(start_line, end_line)))


def fit_context(matches: list[Match], most: int) -> list[Match]:
    """The matches; where they would not fit, with the long lines around them cut."""
    if fits(json.dumps(matches, ensure_ascii=False, indent=2), most):
        return matches
    cut: list[Match] = []
    for match in matches:
        context: dict[str, list[str]] = {}
        for side, lines in match["context"].items():
            context[side] = [cut_text(line, LONGEST_AROUND) for line in lines]
        cut.append({**match, "context": context})
    return cut


CONTEXT_LINES = 2
COLLECTED = 10  # times the limit: enough to show the first ones in the order of their paths
LONGEST_LINE = 1000
PIECE = r"[\w.*?+-]"
PLAIN_NAME = re.compile(rf"{PIECE}*(\{{{PIECE}+(,{PIECE}+)*\}}{PIECE}*)?")
KEY_MARK = b"PRIVATE KEY"
PATTERN_MARK = b"regex"  # ripgrep's words for each pattern that it can't read
MOST_SAID_BYTES = 4096
LONG_SECONDS = 1.0
SOME_UNREAD = "some files or folders could not be read"
LARGEST_SEARCHED_BYTES = 8 << 20
LARGEST_BYTES = 16 << 20  # more than ripgrep looks into
FLAGS = ("--json", "--context", str(CONTEXT_LINES), "--regex-size-limit", "20M", "--dfa-size-limit", "20M")


class GrepRequest(NamedTuple):
    """What to look for, where, and how many lines at most."""

    pattern: str
    file_pattern: str | None
    is_case_sensitive: bool
    limit: int
    most_tokens: int = MOST_TOKENS


def run_grep(
    project: ConfinedFolder, request: GrepRequest, files: FileList, cancellation: Cancellation
) -> dict[str, Any]:
    """The matching lines below a folder; what ripgrep can't read as a pattern is refused."""
    if "\0" in request.pattern:  # no argument of a process can hold one, and no text file does
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    if "\0" in (request.file_pattern or ""):
        raise InvalidArguments("Invalid file pattern", filePattern=request.file_pattern)
    started = perf_counter()
    found = _search(project, request, files, cancellation)
    is_large = perf_counter() - started > LONG_SECONDS
    searched = found.files if found.is_full else _count(files, request, found, may_be_old=is_large)
    return found.answer(request, searched, round((perf_counter() - started) * 1000))


def _search(
    project: ConfinedFolder, request: GrepRequest, files: FileList, cancellation: Cancellation
) -> "GrepMatches":
    """What ripgrep finds.

    To keep to the limit of size, it asks for the status of each file, which takes a quarter of its time. So the first
    search of everything does, and later ones do not until one of them reads a large file: then all is searched anew.
    """
    flags = (*FLAGS, *make_listing_flags(project.sensitive), *_flags(request), "-e", request.pattern, "--", ".")
    is_whole_tree = not request.file_pattern
    is_limited = not is_whole_tree or files.has_large or files.searched_bytes is None
    while True:
        found = _begin(project, request)
        command = [find_ripgrep(project.root), *(SEARCH_FLAGS if is_limited else ()), *flags]
        end = _run(command, project, found, cancellation)
        cancellation.check()
        if is_limited or not (found.has_large or found.bytes > (files.searched_bytes or 0) + LARGEST_SEARCHED_BYTES):
            break
        files.has_large = is_limited = True
    if is_whole_tree and found.is_whole:
        files.searched_bytes = found.bytes
    if not found.is_full and not (found.is_whole and end.code in (0, NOTHING_FOUND)):
        _judge_end(end, found, request)
    return found


def _begin(project: ConfinedFolder, request: GrepRequest) -> "GrepMatches":
    return GrepMatches(project, request.limit * COLLECTED, matches_pattern(request.file_pattern))


def _count(files: FileList, request: GrepRequest, found: "GrepMatches", *, may_be_old: bool) -> int:
    """How many files were searched, of those that the request means."""
    try:
        return files.count(request.file_pattern, searched=found.searched, may_be_old=may_be_old)
    except ToolFailed:
        return found.files


class RipgrepEnd(NamedTuple):
    """How ripgrep ended, and what it said on its standard error."""

    code: int
    said: bytes


def _run(
    command: Sequence[str], project: ConfinedFolder, found: "GrepMatches", cancellation: Cancellation
) -> RipgrepEnd:
    with start_ripgrep(command, project.root) as child:
        assert child.stdout is not None  # noqa: S101  they are pipes
        assert child.stderr is not None  # noqa: S101
        with cancellation.stopping(child.kill):
            try:
                for line in child.stdout:
                    if cancellation.is_set or not found.take(line):
                        child.kill()
                        break
            except ValueError:  # a line that is not ripgrep's: without this the child would be waited for
                child.kill()
                raise
            said = child.stderr.read(MOST_SAID_BYTES)
        return RipgrepEnd(child.wait(), said)


def _judge_end(end: RipgrepEnd, found: "GrepMatches", request: GrepRequest) -> None:
    """Refuse a pattern that can't be read; where not all was searched, the answer says so, or there is none."""
    if end.code == FAILED and not found.is_whole and PATTERN_MARK in end.said:
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    if not found.is_whole and not found.has_matches:
        raise ToolFailed(f"The search did not come to its end: ripgrep {explain_ripgrep_end(end.code, end.said)}.")
    found.lacks = SOME_UNREAD if found.is_whole else f"ripgrep {explain_ripgrep_end(end.code, end.said)}"


class GrepMatches:
    """The matches that ripgrep has told so far, file by file."""

    def __init__(self, project: ConfinedFolder, most: int, is_wanted: Callable[[str], bool]) -> None:
        self._project = project
        self._most = most
        self._is_wanted = is_wanted
        self._matches: list[dict[str, Any]] = []
        self._lines: dict[int, str] = {}
        self._pending: list[dict[str, Any]] = []
        self._may_be_told: bool | None = None
        self._last_wanted: int | None = None  # the last line around the last match that is taken
        self.is_full = False
        self.is_whole = False
        self.files = 0
        self.searched = 0
        self.bytes = 0
        self.has_large = False
        self.lacks = ""

    @property
    def has_matches(self) -> bool:
        """Whether anything was found that may be told."""
        return bool(self._matches)

    def take(self, line: bytes) -> bool:
        """Take one line of ripgrep's; False when enough was found."""
        if not line.endswith(b"\n"):  # a child that was killed leaves half a line
            return False
        message = json.loads(line)
        kind = message["type"]
        data = message["data"]
        if kind == "begin":
            self._lines = {}
            self._pending = []
            self._may_be_told = None
            self.files += 1
            self.has_large = self._is_large(data)
        elif kind in ("match", "context"):
            self._take_line(kind, data)
        elif kind == "end":
            self._finish_file()
            self.is_full = self._last_wanted is not None
        elif kind == "summary":
            self.is_whole = True
            stats = data.get("stats", {})
            self.searched = stats.get("searches", 0)
            self.bytes = stats.get("bytes_searched", 0)
        return not (self.is_full or self.has_large)

    def answer(self, request: GrepRequest, searched: int, milliseconds: int) -> dict[str, Any]:
        """The result of the tool."""
        found = sorted(self._matches, key=lambda match: (match["file"], match["line"]))[: request.limit]
        grouped = groupby(found, key=lambda match: str(match["file"]))
        served = [match for path, each in grouped for match in _served_matches(self._project, path, list(each))]
        shown = fit_context(served, request.most_tokens)
        total = len(self._matches)
        common = {"pattern": request.pattern, "filesSearched": searched, "searchTime": milliseconds}
        if self.lacks:
            common |= {"incomplete": True, "incompleteReason": f"Not everything was searched: {self.lacks}."}
        if not total:
            said = f"No matches found for pattern '{request.pattern}'"
            return {"matches": [], "totalMatches": 0, "message": said, **common}
        result = {"matches": shown, "pattern": request.pattern, "totalMatches": total, **common}
        return {**result, "limitReached": True} if self.is_full else result

    def _take_line(self, kind: str, data: Mapping[str, Any]) -> None:
        number = data["line_number"]
        raw = _bytes_of(data["lines"])
        text = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        path = _bytes_of(data["path"]).decode("utf-8", errors="replace").removeprefix("./")
        self._lines[number] = text = mask_secret_values_of_file(path, text) if len(text) > LONGEST_LINE else text
        if self._last_wanted is not None:
            self._take_last(number)
            return
        if kind == "context" or not self._is_told(path):
            return
        submatches = data["submatches"]
        start = submatches[0]["start"] if submatches else 0
        column = len(raw[:start].decode("utf-8", errors="replace")) + 1
        self._pending.append({"file": path, "line": number, "column": column, "text": text})
        if len(self._matches) + len(self._pending) >= self._most:
            self._last_wanted = number + CONTEXT_LINES

    def _take_last(self, number: int) -> None:
        """Enough was found, and only the lines after the last match are missing."""
        if self._last_wanted is not None and number >= self._last_wanted:
            self.is_full = True
            self._finish_file()

    def _is_large(self, data: Mapping[str, Any]) -> bool:
        with suppress(OSError):  # removed meanwhile
            path = os.path.join(self._project.root, os.fsdecode(_bytes_of(data["path"])))
            return os.stat(path).st_size > LARGEST_SEARCHED_BYTES
        return False

    def _is_told(self, path: str) -> bool:
        if self._may_be_told is None:
            self._may_be_told = self._is_wanted(path) and self._project.may_be_told(path)
        return self._may_be_told

    def _finish_file(self) -> None:
        for match in self._pending:
            line = match["line"]
            match["context"] = {
                "before": self._around(range(line - CONTEXT_LINES, line)),
                "after": self._around(range(line + 1, line + 1 + CONTEXT_LINES)),
            }
            match.update(_cut(match["text"], match["column"]))
        self._matches += self._pending
        self._pending = []

    def _around(self, numbers: range) -> list[str]:
        return [self._lines[number][:LONGEST_LINE] for number in numbers if number in self._lines]


def _served_matches(project: ConfinedFolder, path: str, matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The matches in a file, if it may be read; a key in it is taken out whole, of which a match may show a part."""
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except NotFound:  # removed meanwhile, or a name that is no UTF-8
        content = b""
    except Refusal:
        return []
    if KEY_MARK in content or _is_of_git(content):
        clean = mask_secret_values_of_file(path, content.decode("utf-8", errors="replace"))
        lines = [line.rstrip("\r") for line in clean.split("\n")]
        matches = [_replaced(match, lines) for match in matches]
    return add_citations([_cleaned(path, match) for match in matches], content)


def _replaced(match: dict[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """A match with the lines of its file as they may be told."""
    number = match["line"]
    before = match["context"]["before"]
    after = match["context"]["after"]
    shown = [line[:LONGEST_LINE] for line in lines[number - 1 - len(before) : number + len(after)]]
    if len(shown) != len(before) + 1 + len(after):  # it has changed since
        shown = [""] * (len(before) + 1 + len(after))
    return _with_lines(match, shown)


def _with_lines(match: dict[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """A match whose own line and those around it are these."""
    own = len(match["context"]["before"])
    context = {"before": lines[:own], "after": lines[own + 1 :]}
    return {**match, "text": lines[own], "context": context}


def _is_of_git(content: bytes) -> bool:
    """Whether a file may be git's configuration under another name, which a line alone does not tell."""
    return b"://" in content and any(mark.encode() in content for mark in GIT_SECTIONS)


def _cleaned(path: str, match: dict[str, Any]) -> dict[str, Any]:
    """A match without values that look like live secrets, in its line and in those around it."""
    written = "\n".join([*match["context"]["before"], match["text"], *match["context"]["after"]])
    clean = mask_secret_values_of_file(path, written)
    return match if clean is written else _with_lines(match, clean.split("\n"))


def _flags(request: GrepRequest) -> Iterator[str]:
    yield "--case-sensitive" if request.is_case_sensitive else "--ignore-case"
    folders, _, last = (request.file_pattern or "").rpartition("/")
    is_whole = folders.count("{") == folders.count("}") and not folders.startswith("!")
    if is_whole and last.strip("*") and PLAIN_NAME.fullmatch(last):
        yield from ("--type-add", f"wanted:{last}", "--type", "wanted")


def _cut(text: str, column: int) -> dict[str, Any]:
    """Of a line that is longer than anybody reads, the part around the match."""
    if len(text) <= LONGEST_LINE:
        return {}
    start = max(0, column - 1 - LONGEST_LINE // 2)
    return {"text": text[start : start + LONGEST_LINE], "cutFrom": start + 1}


def _bytes_of(value: Mapping[str, str]) -> bytes:
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])

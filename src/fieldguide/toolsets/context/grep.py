"""`grep_codebase`: ripgrep as a child process, its JSON read as it comes, stopped when enough was found.

No text of the caller is ever an option: the pattern follows `-e`, and of a file pattern ripgrep gets only the last
name, as a file type, and that only if it is a plain one. Its own globs would bring back what .gitignore leaves out; so
the whole pattern is matched here. A file with matches is opened once more, as every file of the project is, so that
none is told that may not be read; values in it that look like live secrets are taken out.
"""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from time import perf_counter
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import InvalidArguments, NotFound, Refusal, ToolFailed
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.tokens import MOST_TOKENS
from fieldguide.spine.cancellation import Cancellation
from fieldguide.toolsets.context.shared_context import fitted_context, told_once, with_citations
from fieldguide.toolsets.context.tree.files import FileList, wanted
from fieldguide.toolsets.context.tree.ripgrep import (
    FAILED,
    NOTHING_FOUND,
    SEARCH_FLAGS,
    environment,
    find_ripgrep,
    listing_flags,
    reason_of_end,
)

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
LARGEST_BYTES = 16 << 20  # more than ripgrep looks into
FLAGS = ("--json", "--context", str(CONTEXT_LINES), "--regex-size-limit", "20M", "--dfa-size-limit", "20M")


class Request(NamedTuple):
    """What to look for, where, and how many lines at most."""

    pattern: str
    file_pattern: str | None
    is_case_sensitive: bool
    limit: int
    most_tokens: int = MOST_TOKENS


def grep(project: ConfinedFolder, request: Request, files: FileList, cancellation: Cancellation) -> dict[str, Any]:
    """The matching lines below a folder; what ripgrep can't read as a pattern is refused."""
    if "\0" in request.pattern:  # no argument of a process can hold one, and no text file does
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    if "\0" in (request.file_pattern or ""):
        raise InvalidArguments("Invalid file pattern", filePattern=request.file_pattern)
    started = perf_counter()
    found = Found(project, request.limit * COLLECTED, wanted(request.file_pattern))
    flags = (*FLAGS, *SEARCH_FLAGS, *listing_flags(project.sensitive), *_flags(request))
    end = _run([find_ripgrep(project.root), *flags, "-e", request.pattern, "--", "."], project, found, cancellation)
    cancellation.check()
    if not found.is_full and not (found.is_whole and end.code in (0, NOTHING_FOUND)):
        _judge_end(end, found, request)
    is_large = perf_counter() - started > LONG_SECONDS
    searched = found.files if found.is_full else _count(files, request, found, may_be_old=is_large)
    return found.answer(request, searched, round((perf_counter() - started) * 1000))


def _count(files: FileList, request: Request, found: "Found", *, may_be_old: bool) -> int:
    """How many files were searched; ripgrep tells it only of those with matches."""
    try:
        return files.count(request.file_pattern, may_be_old=may_be_old)
    except ToolFailed:
        return found.files


class End(NamedTuple):
    """How ripgrep ended, and what it said on its standard error."""

    code: int
    said: bytes


def _run(command: Sequence[str], project: ConfinedFolder, found: "Found", cancellation: Cancellation) -> End:
    with subprocess.Popen(
        command,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # a sentence at most: messages about single files are off
        env=environment(),
    ) as child:
        assert child.stdout is not None  # noqa: S101  they are pipes
        assert child.stderr is not None  # noqa: S101
        with cancellation.stopping(child.kill):
            for line in child.stdout:
                if cancellation.is_set or not found.take(line):
                    child.kill()
                    break
            said = child.stderr.read(MOST_SAID_BYTES)
        return End(child.wait(), said)


def _judge_end(end: End, found: "Found", request: Request) -> None:
    """Refuse a pattern that can't be read; where not all was searched, the answer says so, or there is none."""
    if end.code == FAILED and not found.is_whole and PATTERN_MARK in end.said:
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    if not found.is_whole and not found.has_matches:
        raise ToolFailed(f"The search did not come to its end: ripgrep {reason_of_end(end.code, end.said)}.")
    found.lacks = SOME_UNREAD if found.is_whole else f"ripgrep {reason_of_end(end.code, end.said)}"


class Found:
    """The matches that ripgrep has told so far, file by file."""

    def __init__(self, project: ConfinedFolder, most: int, is_wanted: Callable[[str], bool]) -> None:
        self._project = project
        self._most = most
        self._is_wanted = is_wanted
        self._matches: list[dict[str, Any]] = []
        self._lines: dict[int, str] = {}
        self._pending: list[dict[str, Any]] = []
        self._may_be_told: bool | None = None
        self.is_full = False
        self.is_whole = False
        self.files = 0
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
        kind, data = message["type"], message["data"]
        if kind == "begin":
            self._lines, self._pending, self._may_be_told = {}, [], None
            self.files += 1
        elif kind in ("match", "context"):
            self._take_line(kind, data)
        elif kind == "end":
            self._finish_file()
        elif kind == "summary":
            self.is_whole = True
        return not self.is_full

    def answer(self, request: Request, searched: int, milliseconds: int) -> dict[str, Any]:
        """The result of the tool."""
        found = sorted(self._matches, key=lambda match: (match["file"], match["line"]))[: request.limit]
        grouped = groupby(found, key=lambda match: str(match["file"]))
        served = [match for path, each in grouped for match in _served_matches(self._project, path, list(each))]
        shown = fitted_context(told_once(served), request.most_tokens)
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
        self._lines[number] = text = without_secret_values(text) if len(text) > LONGEST_LINE else text
        path = _bytes_of(data["path"]).decode("utf-8", errors="replace").removeprefix("./")
        if kind == "context" or not self._is_told(path):
            return
        submatches = data["submatches"]
        start = submatches[0]["start"] if submatches else 0
        column = len(raw[:start].decode("utf-8", errors="replace")) + 1
        self._pending.append({"file": path, "line": number, "column": column, "text": text})
        if len(self._matches) + len(self._pending) >= self._most:
            self.is_full = True
            self._finish_file()

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
    if KEY_MARK in content:
        clean = without_secret_values(content.decode("utf-8", errors="replace")).split("\n")
        matches = [_replaced(match, [line.rstrip("\r") for line in clean]) for match in matches]
    return with_citations([_cleaned(match) for match in matches], content)


def _replaced(match: dict[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """A match with the lines of its file as they may be told."""
    number, before, after = match["line"], match["context"]["before"], match["context"]["after"]
    shown = [line[:LONGEST_LINE] for line in lines[number - 1 - len(before) : number + len(after)]]
    if len(shown) != len(before) + 1 + len(after):  # it has changed since
        shown = [""] * (len(before) + 1 + len(after))
    context = {"before": shown[: len(before)], "after": shown[len(before) + 1 :]}
    return {**match, "text": shown[len(before)], "context": context}


def _cleaned(match: dict[str, Any]) -> dict[str, Any]:
    """A match without values that look like live secrets, in its line and in those around it."""
    before, after = match["context"]["before"], match["context"]["after"]
    written = "\n".join([*before, match["text"], *after])
    clean = without_secret_values(written)
    if clean is written:
        return match
    lines = clean.split("\n")
    context = {"before": lines[: len(before)], "after": lines[len(before) + 1 :]}
    return {**match, "text": lines[len(before)], "context": context}


def _flags(request: Request) -> Iterator[str]:
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

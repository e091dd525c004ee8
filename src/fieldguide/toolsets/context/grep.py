"""`grep_codebase`: ripgrep as a child process, its JSON read as it comes, stopped when enough was found.

No text of the caller is ever an option: the pattern follows `-e`, and of a file pattern ripgrep gets only the last
name, as a file type, and that only if it is a plain one. Its own globs would bring back what .gitignore leaves out; so
the whole pattern is matched here.
"""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import InvalidArguments, Refusal
from fieldguide.spine.cancellation import Cancellation
from fieldguide.toolsets.context.files import FileList, wanted
from fieldguide.toolsets.context.ripgrep import LISTING, environment, find_ripgrep

CONTEXT_LINES = 2
COLLECTED = 10  # times the limit: enough to show the first ones in the order of their paths
LONGEST_LINE = 1000
PIECE = r"[\w.*?+-]"
PLAIN_NAME = re.compile(rf"{PIECE}*(\{{{PIECE}+(,{PIECE}+)*\}}{PIECE}*)?")
FLAGS = (
    "--json", "--context", str(CONTEXT_LINES), "--regex-size-limit", "20M", "--dfa-size-limit", "20M", *LISTING
)  # fmt: skip


class Request(NamedTuple):
    """What to look for, where, and how many lines at most."""

    pattern: str
    file_pattern: str | None
    is_case_sensitive: bool
    limit: int


def grep(root: str, request: Request, files: FileList, cancellation: Cancellation) -> dict[str, Any]:
    """The matching lines below a folder; what ripgrep can't read as a pattern is refused."""
    if "\0" in request.pattern:  # no argument of a process can hold one, and no text file does
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    if "\0" in (request.file_pattern or ""):
        raise InvalidArguments("Invalid file pattern", filePattern=request.file_pattern)
    started = perf_counter()
    found = Found(request.limit * COLLECTED, wanted(request.file_pattern))
    command = [find_ripgrep(root), *FLAGS, *_flags(request), "-e", request.pattern, "--", "."]
    with subprocess.Popen(
        command,
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as child:
        with cancellation.stopping(child.kill):
            assert child.stdout is not None  # noqa: S101  it is a pipe
            for line in child.stdout:
                if cancellation.is_set or not found.take(line):  # a child that was killed leaves half a line
                    child.kill()
                    break
        code = child.wait()
    cancellation.check()
    if code == 2 and not found.is_full and not found.is_whole:
        raise Refusal("Invalid regex pattern", pattern=request.pattern)
    searched = found.files if found.is_full else files.count(request.file_pattern)
    return found.answer(request, searched, round((perf_counter() - started) * 1000))


class Found:
    """The matches that ripgrep has told so far, file by file."""

    def __init__(self, most: int, is_wanted: Callable[[str], bool]) -> None:
        self._most = most
        self._is_wanted = is_wanted
        self._matches: list[dict[str, Any]] = []
        self._lines: dict[int, str] = {}
        self._pending: list[dict[str, Any]] = []
        self.is_full = False
        self.is_whole = False
        self.files = 0

    def take(self, line: bytes) -> bool:
        """Take one line of ripgrep's; False when enough was found."""
        message = json.loads(line)
        kind, data = message["type"], message["data"]
        if kind == "begin":
            self._lines, self._pending = {}, []
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
        shown = sorted(self._matches, key=lambda match: (match["file"], match["line"]))[: request.limit]
        total = len(self._matches)
        common = {"pattern": request.pattern, "filesSearched": searched, "searchTime": milliseconds}
        if not total:
            said = f"No matches found for pattern '{request.pattern}'"
            return {"matches": [], "totalMatches": 0, "message": said, **common}
        result = {"matches": shown, "pattern": request.pattern, "totalMatches": total, **common}
        return {**result, "limitReached": True} if self.is_full else result

    def _take_line(self, kind: str, data: Mapping[str, Any]) -> None:
        number = data["line_number"]
        raw = _bytes_of(data["lines"])
        text = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        self._lines[number] = text
        path = _bytes_of(data["path"]).decode("utf-8", errors="replace").removeprefix("./")
        if kind == "context" or not self._is_wanted(path):
            return
        submatches = data["submatches"]
        start = submatches[0]["start"] if submatches else 0
        column = len(raw[:start].decode("utf-8", errors="replace")) + 1
        self._pending.append({"file": path, "line": number, "column": column, "text": text})
        if len(self._matches) + len(self._pending) >= self._most:
            self.is_full = True
            self._finish_file()

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

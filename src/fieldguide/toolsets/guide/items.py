"""Defines the items of an answer, and renders them."""

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from time import time
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import TEXT_KINDS
from fieldguide.files.project_files import list_project_files
from fieldguide.knowledge.findings.finding import Finding, create_finding
from fieldguide.knowledge.findings.indexing import SessionVisit
from fieldguide.knowledge.findings.indexing import record_finding as keep
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.search.backlog import make_stamp
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text import display
from fieldguide.text import regex as re
from fieldguide.text.citation import format_citation, hash_lines, hash_text, read_citation
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.errors import Cancelled, FieldguideError, InvalidArguments, Refusal
from fieldguide.text.secrets import list_secret_value_kinds, mask_secret_values_of_file
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.windows import ByteLines, decode_readable, split_lines

CODE = "code"
TEST = "test"
DOCUMENT = "document"
DECISION = "decision"
PATTERN = "pattern"
FINDING = "finding"
TASK = "task"
SPEC = "spec"
KINDS = (CODE, TEST, DOCUMENT, DECISION, PATTERN, FINDING, TASK, SPEC, *TEXT_KINDS)


class GuideItem(NamedTuple):
    """Lines of a file, or of what lies in none (`finding://…`, `task://…`), counted from 1, the last one included.

    `hash` is that of the lines as they are now; `text` are the lines that are shown, none where they are only cited.
    `stale` tells in one line what they say of the code and no longer holds; `unsure` are those that do not fit well.
    """

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str = ""
    hash: str = ""
    text: str = ""
    stale: str = ""
    unsure: bool = False
    is_named: bool = False
    """Named by an answer that shows the text of others."""

    @property
    def citation(self) -> str:
        """What `guide_open` opens again."""
        return format_citation(self.path, self.start, self.end, self.hash)

    def told(self) -> dict[str, Any]:
        """The item as programs read it: everything but the lines."""
        said: dict[str, Any] = {
            "citation": self.citation,
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "kind": self.kind,
            "why": self.why,
        }
        more = {"symbol": self.symbol, "stale": self.stale, "unsure": self.unsure}
        said |= {name: value for name, value in more.items() if value}
        if self.is_named:
            said["shown"] = False
        return said


TEXT = "text"  # all kinds of text beside the code stand together
HEADINGS = {
    CODE: "Code",
    TEST: "Tests",
    TEXT: "Configuration, templates and other text",
    DOCUMENT: "Documents",
    DECISION: "Decisions",
    PATTERN: "Rules",
    SPEC: "Specs",
    FINDING: "Findings",
    TASK: "Tasks",
}


def render_items(items: Sequence[GuideItem], *notes: str) -> str:
    """The text of some items, grouped by kind, in the order of an answer; the notes come last."""
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        of_kind = [item for item in items if (TEXT if item.kind in TEXT_KINDS else item.kind) == kind]
        if of_kind:
            parts += [f"# {heading}", *map(render_item, (item for item in of_kind if item.text))]
            parts += _cited(item for item in of_kind if not item.text)
    warnings = warn_of_hidden_text(item.text for item in items)
    return "\n".join([*parts, *warnings, *filter(None, notes)])


def render_item(item: GuideItem) -> str:
    """An item with its lines."""
    return f"{render_citation(item)}: {to_one_line(item.why)}\n{item.text}\n"


def render_citation(item: GuideItem) -> str:
    """The citation of an item, the name of what it is a part of, and what in it is stale."""
    stale = f"[stale: {item.stale}]" if item.stale else ""
    return to_one_line(" ".join(filter(None, (item.citation, item.symbol, stale))))


def to_one_line(text: str) -> str:
    """Foreign words on a line of ours: a file may be called so that its name reads like our own headings."""
    return text if text.isprintable() else display.to_visible_line(text)


def _cited(items: Iterable[GuideItem]) -> list[str]:
    """Items without their lines: those that are told for the same reason stand below it."""
    parts: list[str] = []
    for why, group in groupby(items, key=lambda item: item.why):
        together = [render_citation(item) for item in group]
        told = to_one_line(why)
        parts += [f"{told}:", *together] if together[1:] else [f"{together[0]}: {told}"]
    return parts


def count_answer_tokens(answer: Answer) -> int:
    """The tokens of an answer's text or of its value, whichever has more."""
    return max(count_exact_tokens(answer.text), count_exact_tokens(compact_json(answer.value)))


def find_largest(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The largest number from `low` to `high` that fits, where every smaller one does; `low` is not tried."""
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


LARGEST_BYTES = 2 << 20
BINARY_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".ttf", ".otf", ".woff", ".woff2", ".eot", ".mp3", ".mp4", ".wav",
    ".pdf", ".zip", ".gz", ".xz", ".tgz", ".jar", ".so", ".dylib", ".dll", ".exe", ".node", ".class", ".wasm",
)  # fmt: skip
MOST_SWEPT = 1_000  # files outside of the index that are searched: schemas, generated code, data
MOST_SWEPT_BYTES = 24 << 20  # of all of them
MOST_FOUND = 10_000  # lines with one fragment: a file can be made of nothing else
KEY_MARK = b"PRIVATE KEY"
WIDEST_LINE = 500  # characters; what is longer is data, and a budget is for reading
CUT = " …"


def _find_lines(text: str, fragment: str) -> list[int]:
    """Finds the numbers of the lines that hold a fragment; the other lines of a long text are only counted."""
    before = r"(?:^|[^\w$])" if is_name_part(fragment[0]) else ""
    after = r"(?:[^\w$]|$)" if is_name_part(fragment[-1]) else ""
    pattern = re.compile(f"{before}{re.escape(fragment)}{after}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found: list[int] = []
    number = 1
    counted = 0
    at = text.find(fragment)
    while at >= 0 and len(found) < MOST_FOUND:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        number += text.count("\n", counted, start)
        counted = start
        if pattern.search(text[start:end]):
            found.append(number)
        at = text.find(fragment, end)
    return found


MOST_SWEPT_WORDS = 1_000_000  # of all files together, in 8 MB
KEPT_PROJECTS = 4
_WORD_CHARACTERS = b"_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD_BYTES = bytes(each if each in _WORD_CHARACTERS else ord(" ") for each in range(256))


class SweptWords:
    """Which words the files hold that are swept, so that few are read again before they are saved."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, array[int]]] = {}
        self._count = 0

    def may_hold(self, path: str, stamp: str, wanted: Iterable[Set[int]]) -> bool:
        """Whether a file may hold all words of any of these fragments; True where its words are not known."""
        known, words = self._of.get(path, ("", array("q")))
        if not stamp or known != stamp:
            return True
        return any(_are_among(fragment, words) for fragment in wanted)

    def keep(self, path: str, stamp: str, content: bytes) -> None:
        """Remember the words of a file that has this stamp; a file without one was saved just now."""
        if not stamp:
            return
        words = array("q", sorted(hash_words(content)))
        if self._count + len(words) > MOST_SWEPT_WORDS:
            self._of = {}
            self._count = 0
        if len(words) <= MOST_SWEPT_WORDS:
            self._of[path] = (stamp, words)
            self._count += len(words)


def hash_words(content: bytes) -> set[int]:
    """The hashes of the words of a text; equal ones stand for one word, or by chance for two."""
    return set(map(hash, content.translate(_WORD_BYTES).split()))


def _are_among(wanted: Set[int], values: "array[int]") -> bool:
    for each in wanted:
        place = bisect_left(values, each)
        if place == len(values) or values[place] != each:
            return False
    return True


@lru_cache(maxsize=KEPT_PROJECTS)
def get_swept_words(root: str) -> SweptWords:
    """The words of the files of a project that are swept, for everybody in this process."""
    return SweptWords()


class ProjectLines:
    """The files that one answer is made from; one that may not be read, or is gone, has no lines."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._files: dict[str, ByteLines | None] = {}
        self._clean: dict[str, list[str]] = {}

    def count(self, path: str) -> int:
        """How many lines a file has; none where it can't be read."""
        lines = self._lines(path)
        return 0 if lines is None else len(lines)

    def hash(self, path: str, start: int, end: int) -> str:
        """The hash of some lines, as a citation carries it."""
        lines = self._lines(path)
        return "" if lines is None else hash_lines(lines.between(start, end))

    def shown(self, path: str, start: int, end: int) -> list[str]:
        """Some lines without their ends, as they may be told; one that nobody reads is cut."""
        lines = self._lines(path)
        if lines is None:
            return []
        if path in self._clean:
            told = self._clean[path][start - 1 : end]
        else:
            told = _split(mask_secret_values_of_file(path, decode_readable(lines.between(start, end))))
        return [line if len(line) <= WIDEST_LINE else f"{line[:WIDEST_LINE]}{CUT}" for line in told]

    def find(self, path: str, fragment: str) -> list[int]:
        """The numbers of the lines that hold a fragment; a name counts only where it is no part of a longer one."""
        lines = self._lines(path)
        return [] if lines is None else _find_lines(lines.text(lines.between(1, len(lines))), fragment)

    def sweep(self, indexed: Set[str], fragments: Sequence[str]) -> tuple[dict[str, dict[str, list[int]]], int]:
        """The lines of the other files that hold each fragment, and how many were too large or too many to search."""
        listed = list_project_files(self._project).paths
        others = [path for path in listed if path not in indexed and not path.lower().endswith(BINARY_SUFFIXES)]
        found: dict[str, dict[str, list[int]]] = {fragment: {} for fragment in fragments}
        known = get_swept_words(self._project.root)
        wanted = [hash_words(fragment.encode()) for fragment in fragments]
        now = time()
        room = MOST_SWEPT_BYTES
        unread = max(len(others) - MOST_SWEPT, 0)
        for path in others[:MOST_SWEPT]:
            try:
                status = os.lstat(os.path.join(self._project.root, path))
            except OSError:
                continue
            stamp = make_stamp(status, now)
            if status.st_size <= room and not known.may_hold(path, stamp, wanted):
                room -= status.st_size
                continue
            try:
                content = self._project.read(path, limit_bytes=room)
            except Refusal as refusal:
                unread += "limit" in refusal.details
                continue
            room -= len(content)
            known.keep(path, stamp, content)
            for fragment in fragments:
                if fragment.encode() in content:
                    found[fragment][path] = _find_lines(decode_readable(content), fragment)
        return found, unread

    def _lines(self, path: str) -> ByteLines | None:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> ByteLines | None:
        try:
            content = self._project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            return None
        if KEY_MARK in content:  # a few lines of a key do not tell that it is one, so the whole file is masked
            self._clean[path] = _split(mask_secret_values_of_file(path, decode_readable(content)))
        if b"\0" in content[:1024] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            return None
        return ByteLines(content)


def is_name_part(character: str) -> bool:
    """Whether a character can be a part of a name."""
    return character.isalnum() or character in "_$"


def _split(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in split_lines(text)]


def open_states(services: Services) -> StaleStates:
    """The stale places of the project that is served: one query."""
    return StaleStates(services.engine().database, services.namespace, services.project)


FINDINGS = "finding://"
TASKS = "task://"


def make_finding_item(discovery: Finding, why: str) -> GuideItem:
    """A finding, whole."""
    return _item(f"{FINDINGS}{discovery.id}", discovery.content, FINDING, why)


def list_own_tasks(services: Services, call: Call, status: str = "all") -> list[dict[str, Any]]:
    """The tasks of the user whom a call is made for; none where nobody is known, or where tasks are not served."""
    user = call.user or services.user
    if user is None:
        return []
    arguments = {"user_id": user, "status": status}
    try:
        listed = services.find_tool("list_tasks").run(call._replace(tool="list_tasks", arguments=arguments))
    except Cancelled:
        raise
    except FieldguideError:
        return []
    return cast("list[dict[str, Any]]", listed)


def make_task_item(task: Mapping[str, Any], why: str) -> GuideItem:
    """A task as `list_tasks` tells it, whole."""
    return _item(f"{TASKS}{task['id']}", join_task_text(task), TASK, why)


def join_task_text(task: Mapping[str, Any]) -> str:
    """A task's title, and below it what is said of it."""
    return "\n".join(filter(None, (str(task.get("title") or ""), str(task.get("description") or ""))))


def _item(path: str, text: str, kind: str, why: str) -> GuideItem:
    return GuideItem(path, 1, text.count("\n") + 1, kind, why, hash=hash_text(text), text=text)


LARGEST_RECORD_BYTES = 1 << 30


def record(services: Services, call: Call) -> Any:
    """Keep a finding with its evidence; the same words twice are kept once."""
    given = call.arguments
    files = given.get("evidence", {}).get("files", ())
    for path in files:
        _check_file(services.project, path)
    evidence = {"extractedFrom": "guide_record", "confidence": 1.0}
    if call.user is not None:
        evidence["by"] = call.user
    evidence |= given.get("evidence", {})
    finding = create_finding(given["type"], given["content"], module=given.get("module"), evidence=evidence)
    visit = SessionVisit(call.connection, call.user, datetime.now(UTC))
    is_new = keep(services.database, services.engine(), services.namespace, finding, visit)
    status = "recorded" if is_new else "already known"
    answer: dict[str, Any] = {
        "status": status, "type": finding.type, "content": finding.content, "module": finding.module
    }  # fmt: skip
    if is_new:
        answer["id"] = finding.id
    if kinds := ", ".join(sorted(set(list_secret_value_kinds(given["content"])))):
        answer["warnings"] = [f"What looks like a live secret was not kept ({kinds})."]
    return answer


def _check_file(project: ConfinedFolder, path: str) -> None:
    """Evidence must be there to be looked at: a file, or some lines of one as `path#L30-L39`."""
    citation = read_citation(path)
    named = path if citation is None or project.status(path) is not None else citation.path
    try:
        project.read_with_status(named, limit_bytes=LARGEST_RECORD_BYTES)
    except Refusal as error:
        raise InvalidArguments(f"The evidence {path!r} can't be read: {error.message}.", path=path) from error

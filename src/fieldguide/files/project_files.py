"""Lists, resolves, writes and cites the files of a project, and tells by its name what a folder is for."""

import os
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from itertools import islice
from typing import Literal, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import find_open_flag, replace_file
from fieldguide.files.git_index import GitIndexLocation, find_git_index, read_tracked_paths
from fieldguide.files.kinds import VENDORED_FOLDERS, is_extracted
from fieldguide.text.citation import Citation, format_citation, hash_lines, hash_text, read_citation
from fieldguide.text.errors import Misconfiguration, Refusal
from fieldguide.text.secrets import MARK
from fieldguide.text.windows import ByteLines, strip_line_end

# fmt: off
CLOSED_HIDDEN = (".change", ".chlog", ".yarn", ".git", ".venv", ".tox", ".vitepress", ".vuepress", ".docusaurus")
OPEN_HIDDEN = frozenset((
    ".github", ".gitlab", ".cursor", ".claude", ".agents", ".agent", ".codex", ".windsurf", ".clinerules", ".roo",
    ".gemini", ".junie", ".kiro", ".continue", ".amazonq", ".skills",
))
BUILT = frozenset(("_build", "_site", "dist", "htmlcov", "__pycache__", "generated", "autogen", "minified"))
WALKED_BUILT = frozenset(("build", "out", "target", "venv", "env", "coverage", "tmp", "temp", "logs"))
FIXTURES = frozenset((
    "fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data", "testcases", "test-cases",
    "test_cases", "__snapshots__", "golden", "goldens", "__mocks__", "cassettes", "corpora", "testfixtures",
    "test-fixtures", "test_fixtures", "test-resources", "test_files", "test-files",
))
TESTS = frozenset(("test", "tests", "__tests__", "e2e", "regress", "unittests", "unittest", "t", "spec", "specs"))
MAYBE_TESTS = frozenset(("t", "spec", "specs"))  # these are tests only where they hold code
TEMPLATES = frozenset((
    "template", "templates", "_templates", "skeleton", "skeletons", "scaffold", "scaffolds", "scaffolding",
    "boilerplate", "archetype-resources", "archetypes", "issue_template", "pull_request_template", "cookiecutters",
    "blueprints",
))
ASSETS = frozenset(("static", "_static", "assets", "public", "fonts", "images", "img", "locale", "locales", "themes"))
EXAMPLES = frozenset(("example", "examples", "demo", "demos", "sample", "samples", "playground", "sandbox",
                      "bench", "benches", "benchmark", "benchmarks"))
VENDORED_AS_WRITTEN = frozenset(("Pods",))  # in small letters it is a word that people use
NOT_IN_DOCUMENTS = frozenset((
    *BUILT - {"generated"}, "node_modules", "_static", "_templates", "_themes", "_theme", "_layouts", "layouts",
    "bower_components", "_sass", "themes", "issue_template", "vendor", "__tests__", "_tests", "__fixtures__",
    "testdata", "__snapshots__", "__mocks__",
))
# fmt: on
TESTS_PREFIXES = ("test-", "test_")
TESTS_SUFFIXES = ("-tests", "_tests", "-test", "_test")
DATA_SUFFIXES = ("-data", "_data", "-fixtures", "_fixtures")
MOST_FILES = 300_000
LARGEST_BYTES = 16 << 20  # as large as a file that is searched
REPLACED = "\N{REPLACEMENT CHARACTER}".encode()
_FOLDER = os.O_RDONLY | find_open_flag("O_DIRECTORY") | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")

Read = Callable[[str], tuple[bytes, os.stat_result]]
"""Gives the bytes and the status of a file."""
Kept = Callable[[], Sequence[str]]
"""Gives the lines of a whole file as they were when some of them were seen; none where nobody kept them."""
Kind = Literal["own", "documents", "examples", "tests", "inner tests", "out"]


class FolderPurpose(NamedTuple):
    """The purpose of a folder, and the documentation folder that it belongs to."""

    kind: Kind
    root: str = ""


class FolderPurposes:
    """The purposes of folders; each is judged once, after its parent."""

    def __init__(self, roots: Container[str], code_folders: Container[str] = ()) -> None:
        self._roots = roots
        self._code_folders = code_folders
        self._known: dict[str, FolderPurpose] = {"": FolderPurpose("own")}

    def of(self, folder: str) -> FolderPurpose:
        """The purpose of a folder of the project; "" is the project itself."""
        known = self._known.get(folder)
        if known is not None:
            return known
        at = ""
        place = self._known[""]
        for name in folder.split("/"):
            at = f"{at}/{name}" if at else name
            if at not in self._known:
                self._known[at] = self._inner(place, at, name)
            place = self._known[at]
        return place

    def _inner(self, above: FolderPurpose, folder: str, name: str) -> FolderPurpose:
        if _is_out(above, name):
            return FolderPurpose("out")
        if above.root:
            return above
        if above.kind == "tests":
            return FolderPurpose("inner tests")
        lowered = name.lower()
        is_tests = lowered in TESTS or lowered.startswith(TESTS_PREFIXES) or lowered.endswith(TESTS_SUFFIXES)
        if is_tests and (lowered not in MAYBE_TESTS or folder in self._code_folders):
            return FolderPurpose("tests")
        if above.kind == "examples" or lowered in EXAMPLES:
            return FolderPurpose("examples")
        if folder in self._roots and not folder.startswith(".") and "/." not in folder:
            return FolderPurpose("documents", folder)
        return FolderPurpose("own")


def _is_out(above: FolderPurpose, name: str) -> bool:
    """Whether a folder below another holds nothing of the project's own."""
    if above.kind in ("out", "inner tests"):
        return True
    lowered = name.lower()
    if above.root:  # a word that people use, as a page about vendors, is no vendor there
        return lowered in NOT_IN_DOCUMENTS or _is_closed(lowered)
    is_data = lowered in FIXTURES or lowered in TEMPLATES or lowered in ASSETS or lowered in BUILT
    return is_foreign(name) or is_data or lowered.endswith(DATA_SUFFIXES)


def is_foreign(name: str) -> bool:
    """Whether a folder of this name holds nothing of the project's own, except below documentation."""
    return name.lower() in VENDORED_FOLDERS or name in VENDORED_AS_WRITTEN or _is_closed(name.lower())


def _is_closed(name: str) -> bool:
    return (name.startswith(CLOSED_HIDDEN) and name not in OPEN_HIDDEN) or "{{" in name or "{%" in name


def is_never_entered(folder: str) -> bool:
    """Whether a walk skips a folder; with git such folders are ignored."""
    written = folder.rpartition("/")[2]
    name = written.lower()
    is_hidden = name.startswith(".") and name not in OPEN_HIDDEN
    is_built = name in BUILT - {"generated"} or (name in WALKED_BUILT and "/" not in folder)
    return is_hidden or is_foreign(written) or is_built


class FileListing(NamedTuple):
    """The paths of a project, sorted, and whether git tracks them."""

    paths: Sequence[str]
    is_tracked: bool


def list_project_files(project: ConfinedFolder) -> FileListing:
    """The files that git tracks; without git all files except those in folders of tools."""
    place = find_git_index(project.root)
    tracked = _list_tracked_paths(project.root, place, place.stamp()) if place else ()
    if tracked:  # where git tracks nothing here, it knows nothing of this project
        return FileListing(tracked, is_tracked=True)
    entries = project.entries(lambda folder: not is_never_entered(folder))
    return FileListing(sorted(path for path, _ in islice(entries, MOST_FILES)), is_tracked=False)


@lru_cache(maxsize=2)
def _list_tracked_paths(project: str, place: GitIndexLocation, stamp: tuple[int, ...] | None) -> Sequence[str]:
    """The tracked files as long as git's index has this stamp: git needs some milliseconds to list them."""
    return tuple(sorted(read_tracked_paths(project, place) or ()))


def write_into(project: str, path: str, text: str, *, replaces: bool = False) -> bool:
    """Write a file atomically at a relative path; False if one exists that must not be replaced."""
    *folders, name = path.split("/")
    with _opened(project, folders) as folder:
        if not replaces and is_there(name, folder):
            return False
        try:
            with replace_file(name, 0o644, folder=folder) as file:
                file.write(text.encode())
        except OSError as error:
            raise Refusal(f"{path} can't be written: {error.strerror}.") from error
    return True


def is_there(name: str, folder: int) -> bool:
    """Whether a folder has something of this name, a link too."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _opened(project: str, names: Sequence[str]) -> Generator[int]:
    """Open a folder of the project; it is created if missing."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(names, start=1):
            try:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
                inner = os.open(name, _FOLDER, dir_fd=descriptor)
            except OSError as error:
                place = "/".join(names[:number])
                raise Refusal(f"{place} can't be written to: it must be a folder of the project.") from error
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def resolve_existing_path(root: str, given: str, listing: Sequence[str] = ()) -> str:
    """The project's path of an existing file or folder; Misconfiguration if it is outside or missing."""
    outside = False
    for place in _places(root, given):
        if not os.path.lexists(place):
            continue
        inner = _inside(root, place)
        if inner is not None:
            return inner
        outside = True
    if outside or _is_outside(root, given):
        raise Misconfiguration(f"{given!r} is outside of the project {root}.")
    from fieldguide.text.near_names import suggest_names

    raise Misconfiguration(f"There is no file or folder {given!r}.{suggest_names(given, listing)}")


def resolve_new_path(root: str, given: str) -> str:
    """The project's path of a file that need not exist yet, relative to the current folder."""
    for place in _places(root, given):
        inner = _inside(root, place)
        if inner is not None and os.path.isdir(os.path.dirname(place)):
            return inner
    if _is_outside(root, given):
        raise Misconfiguration(f"{given!r} is outside of the project {root}.")
    return os.path.normpath(given)


def resolve_place(root: str, given: str) -> str:
    """The project's path of a file or of some of its lines; any other text stays as it is."""
    if "://" in given or "\n" in given or "\0" in given:
        return given
    citation = read_citation(given)
    paths = [given, citation.path] if citation else [given]
    for path in paths:
        if any(map(os.path.lexists, _places(root, path))):
            return given.replace(path, resolve_existing_path(root, path), 1)
    if os.path.isabs(given) or given.startswith(("./", "../")):
        return resolve_new_path(root, given)
    return given


def _places(root: str, given: str) -> Iterator[str]:
    """The places where a path may be, in order of preference."""
    yield os.path.abspath(given)
    if not os.path.isabs(given):
        yield os.path.normpath(os.path.join(root, given))


def _inside(root: str, place: str) -> str | None:
    """A place as a path in the project; None if outside. A link to a file is not resolved."""
    folder, name = os.path.split(place)
    real = os.path.realpath(place) if os.path.isdir(place) else os.path.join(os.path.realpath(folder), name)
    inner = os.path.relpath(real, root)
    return None if inner == ".." or inner.startswith("../") else inner


def _is_outside(root: str, given: str) -> bool:
    return all(_inside(root, place) is None for place in _places(root, given))


class CitedFiles:
    """Makes the citations of one answer; each file is read once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._opened: dict[str, tuple[bytes, os.stat_result] | None] = {}
        self._split: dict[str, ByteLines] = {}

    def status(self, path: str) -> os.stat_result | None:
        """The status of a file as it was read; None where it can't be."""
        found = self._open(path)
        return None if found is None else found[1]

    def stands(self, path: str, text: str) -> bool:
        """Whether a file contains this text; where it can't be compared byte for byte, whether the file exists."""
        found = self._open(path)
        said = text.encode(errors="replace")
        is_exact = MARK not in text and REPLACED not in said and (found is None or b"\r" not in found[0])
        return found is not None and (said in found[0] or not is_exact)

    def cited(self, path: str, start_line: int, end_line: int, text: str | None = None, kept: Kept = tuple) -> str:
        """The citation of some lines; `text` is what was shown of them, if that may be exactly their content."""
        return format_citation(path, start_line, end_line, self._hash(path, start_line, end_line, text, kept))

    def cited_again(self, given: Citation) -> str | None:
        """A written citation with the hash of its current lines; None where there are no such lines.

        One with a hash stays as it is, and so does one of a document whose text must be extracted.
        """
        if given.hash or is_extracted(given.path):
            return str(given)
        found = self._open(given.path)
        if found is None:
            return None
        lines = self._cut(given.path, found[0])
        if given.start_line > len(lines):
            return None
        end_line = min(given.end_line, len(lines))
        return format_citation(
            given.path, given.start_line, end_line, hash_lines(lines.between(given.start_line, end_line))
        )

    def _hash(self, path: str, start_line: int, end_line: int, text: str | None, kept: Kept) -> str:
        found = None if is_extracted(path) else self._open(path)
        if found is None:  # it can't be read now: what was seen of it counts
            seen = slice_lines(kept(), start_line, end_line)
            return hash_text(text or "" if seen is None else seen)
        said = None if text is None else text.encode(errors="replace")
        if said and _stands(said, found[0], start_line):
            return hash_lines(said)
        return hash_shown_lines(self._cut(path, found[0]), start_line, end_line, said, kept)

    def _cut(self, path: str, content: bytes) -> ByteLines:
        if path not in self._split:
            self._split[path] = ByteLines(content)
        return self._split[path]

    def _open(self, path: str) -> tuple[bytes, os.stat_result] | None:
        if path not in self._opened:
            try:
                self._opened[path] = self._read(path)
            except Refusal:
                self._opened[path] = None
        return self._opened[path]


def open_cited_files(project: ConfinedFolder) -> CitedFiles:
    """The citations of a project's files as they are now."""
    return CitedFiles(partial(project.read_with_status, limit_bytes=LARGEST_BYTES))


def hash_shown_lines(lines: ByteLines, start_line: int, end_line: int, said: bytes | None, kept: Kept) -> str:
    """The hash of some lines of a file, if what was shown of them is their content; else that of what was shown."""
    now = lines.between(start_line, end_line)
    if now == said:
        return hash_lines(now)
    seen = slice_lines(kept(), start_line, end_line)
    if seen is None or MARK in seen:  # where a secret was masked, nobody can tell
        return hash_lines(now)
    decoded = (lines.text(now), now.decode("latin-1"), now.decode("cp1252", errors="replace"))
    return hash_lines(now) if seen in decoded else hash_text(seen)


def slice_lines(kept: Sequence[str], start_line: int, end_line: int) -> str | None:
    """Some of these lines, without the end of the last one; None where there are no such lines."""
    lines = kept[start_line - 1 : end_line]
    return strip_line_end("".join(lines)) if lines else None


def _stands(lines: bytes, content: bytes, start_line: int) -> bool:
    """Whether these lines first occur in a file at `start_line`; cheaper than splitting it."""
    at = content.find(lines)
    if at < 0 or b"\r" in content or content[max(at - 1, 0) : at].strip(b"\n"):
        return False
    end = at + len(lines)
    return content.count(b"\n", 0, at) == start_line - 1 and content[end : end + 1] in (b"", b"\n")

"""Finds the documents of a project by file names, folder names and folder contents.

A folder counts when prose makes up enough of its text, and it is called like one (`docs`, `handbook`), has the file of
a tool that makes books or sites of text (`conf.py`, `SUMMARY.md`, `_index.md` …), or holds nearly nothing else.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic, thread_time
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import find_git_index
from fieldguide.files.kinds import HTML, MANUAL_SUFFIXES, NOTEBOOK, PDF, SUFFIXES, TEXT, is_code, language_of
from fieldguide.files.project_files import ASSETS, MAYBE_TESTS, FolderPurpose, FolderPurposes, list_project_files
from fieldguide.prose.readers import is_document
from fieldguide.prose.translations import find_languages
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal
from fieldguide.text.globs import compile_globs

KEPT_SUFFIXES = 2048
LOOKED_INTO = frozenset((TEXT, HTML))
RULES = frozenset((".cursorrules", ".windsurfrules", ".clinerules", ".goosehints"))
LICENCE = re.compile(
    r"(?i)(?:^|[-_. ])(?:un)?licen[cs](?:e|es|ing)(?:[-_. ]|$)|^(?:copying|copyright|patents?|eula|cla)(?:[-_.]|$)"
    r"|(?:^|[-_ ])notices?(?:\.|$)"
)
PEOPLE = re.compile(
    r"(?i)^(?:authors|credits|thanks|maintainers|owners|codeowners|contributors|backers|sponsors)(?:\.|$)"
)
FORM = re.compile(r"(?i)^(?:pull_request_template|issue_template|merge_request_template)(?:\.|$)")
FOR_TOOLS = frozenset(("BUILD", "WORKSPACE", "MANIFEST", "VERSION", "DEPS", "TAGS", "CNAME", "CITATION", "PKGBUILD"))
CAPITALS = re.compile(r"[A-Z][A-Z0-9_-]{2,}")
READABLE = re.compile(r"(?i)^(?:readme(?:$|[-_.])|(?:changelog|changes|news|history|install|hacking|todo|faq)(?:$|\.))")
NOT_TEXT_SUFFIXES = frozenset((
    "in", "am", "ac", "j2", "tmpl", "tpl", "gz", "zip", "asc", "pem", "crt", "key", "log", "lock", "sum", "mod",
    "bin", "bib", "cff",
))  # fmt: skip


def find_format_by_name(name: str) -> str | None:
    """The format that a file's name tells; capitals without a suffix that we know, as in `README.dns`, tell text."""
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        known = _format_by_suffix(suffix)
        if known is not None:
            return known or None
    if name in RULES:
        return TEXT
    if not _is_called(name) or name.partition(".")[0] in FOR_TOOLS:
        return None
    return TEXT if dot or language_of(name) in (None, TEXT) else None


@lru_cache(maxsize=KEPT_SUFFIXES)
def _format_by_suffix(suffix: str) -> str | None:
    """The format of a suffix; empty where it is one of code or data, None where it tells nothing."""
    known = SUFFIXES.get(f".{suffix.lower()}")
    if known is not None:
        return known
    if suffix.lower() in NOT_TEXT_SUFFIXES or language_of(f"file.{suffix}") is not None:
        return ""
    return None


def is_called_document(name: str) -> bool:
    """Whether a name says that it is for people, wherever it lies: README, CHANGES, CONTRIBUTING, all in capitals."""
    return _is_called(name) or name in RULES


def _is_called(name: str) -> bool:
    return bool(CAPITALS.fullmatch(name.partition(".")[0]) or READABLE.match(name))


def is_no_document(name: str) -> bool:
    """Whether a name says that a text is a licence, or a form to be filled in."""
    return bool(LICENCE.search(name) or FORM.search(name))


# fmt: off
CALLED = frozenset((
    "docs", "doc", "documentation", "documentations", "website", "site", "www", "content", "contents", "book", "books",
    "guide", "guides", "wiki", "handbook", "manual", "manuals", "man", "rfcs", "rfc", "proposals", "proposal", "design",
    "designs", "adr", "adrs", "decisions", "architecture", "tutorials", "tutorial", "howto", "howtos", "articles",
    "posts", "_posts", "blog", "help", "reference", "runbooks", "playbooks", "notes", "spec", "specs", "specification",
    "specifications", "enhancements", "keps", "userguide", "user-guide", "docs-site", "knowledge", "kb", "learn",
    "versioned_docs", "i18n", "translations", "text", "notebooks",
))
MARKS = {
    "conf.py": "Sphinx", "mkdocs.yml": "MkDocs", "mkdocs.yaml": "MkDocs", "SUMMARY.md": "a book's SUMMARY.md",
    "book.toml": "mdBook", "_index.md": "Hugo", "antora.yml": "Antora", "_config.yml": "Jekyll",
    "mint.json": "Mintlify",
    "docusaurus.config.js": "Docusaurus", "docusaurus.config.ts": "Docusaurus", "_toc.yml": "Jupyter Book",
    "_sidebar.md": "docsify", "hugo.toml": "Hugo", "hugo.yaml": "Hugo", "Doxyfile": "Doxygen",
}
# fmt: on
ALWAYS = "docs"  # the folder that was a collection before anything was looked for
LEAST_SHARE = 0.5
LEAST_MARKED_SHARE = 0.2
LEAST_PURE_SHARE = 0.8
LEAST_PURE = 5


class FileCounts(NamedTuple):
    """How many files of a folder, with all below, are documents and how many are code; `own` leaves out test data."""

    documents: int
    code: int
    own: int = 0

    @property
    def share(self) -> float:
        """The share of documents."""
        return self.documents / (self.documents + self.code) if self.documents else 0.0


def find_document_roots(paths: Sequence[str], counted: Mapping[str, FileCounts]) -> dict[str, str]:
    """The folders of documentation of a project, outermost ones only, and why each was taken for one."""
    marks: dict[str, str] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in MARKS and folder:
            marks.setdefault(folder, MARKS[name])
    found: dict[str, str] = {}
    places = FolderPurposes(found)
    holding = [folder for folder, each in counted.items() if each.documents]
    for folder in sorted(holding, key=lambda each: (each.count("/"), each)):
        if places.of(folder.rpartition("/")[0]).kind != "own":
            continue
        why = _why(folder, counted[folder], marks.get(folder))
        if why:
            found[folder] = why
    return {folder: why for folder, why in found.items() if places.of(folder).root == folder}


def find_code_folders(counted: Mapping[str, FileCounts], names: frozenset[str]) -> set[str]:
    """The folders of these names, in small letters, that hold more code than text."""
    called = {folder: each for folder, each in counted.items() if folder.rpartition("/")[2].lower() in names}
    return {folder for folder, each in called.items() if each.share < LEAST_SHARE}


def _why(folder: str, counted: FileCounts, mark: str | None) -> str:
    """Why a folder is one of documentation; empty where it is none."""
    if not counted.documents:
        return ""
    told = f"{counted.documents} documents beside {counted.code} files of code"
    if mark and counted.share >= LEAST_MARKED_SHARE:
        return f"{mark} is set up there, {told}"
    is_called = folder.rpartition("/")[2].lower() in CALLED
    if is_called and (counted.share >= LEAST_SHARE or folder == ALWAYS):
        return f"its name, {told}"
    is_pure = counted.own >= LEAST_PURE and counted.own >= LEAST_PURE_SHARE * (counted.own + counted.code)
    return f"nearly all of it is text, {told}" if is_pure else ""


def count_files_by_folder(paths: Sequence[str]) -> dict[str, FileCounts]:
    """The files of each folder with all below it; the project itself is not among them."""
    documents: Counter[str] = Counter()
    own: Counter[str] = Counter()
    code: Counter[str] = Counter()
    places = FolderPurposes(())
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in MARKS:
            continue
        form = find_format_by_name(name)
        if form is not None:
            documents[folder] += 1
            own[folder] += form != HTML and places.of(folder).kind != "out"
        elif is_code(name):
            code[folder] += 1
    below = _summed(documents)
    code_below = _summed(code)
    own_below = _summed(own)
    folders = {*below, *code_below}
    return {folder: FileCounts(below[folder], code_below[folder], own_below[folder]) for folder in folders}


def _summed(direct: Mapping[str, int]) -> Counter[str]:
    """How many there are in each folder with all below it."""
    found: Counter[str] = Counter()
    for folder, count in direct.items():
        while folder:
            found[folder] += count
            folder = folder.rpartition("/")[0]
    return found


LARGEST_LOOKED_INTO_BYTES = 1 << 20
MOST_LOOKED_INTO = 20_000
KEPT_PROJECTS = 8
QUICK_SECONDS = 0.02  # a walk that takes no longer is made for everybody who asks
WORTH_WAITING = 100  # a walk that took long is not made again for so many times as long


class FoundDocument(NamedTuple):
    """A document of the project: its path, its format, the folder of documentation it lies in, and its language.

    Without a folder it lies among the code; without a language it is in the project's main one.
    """

    path: str
    form: str
    root: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FoundText:
    """The project's own text at one moment, and why each folder of documentation (`roots`) is one."""

    documents: tuple[FoundDocument, ...]
    roots: Mapping[str, str]
    is_tracked: bool = False


def find_text(project: ConfinedFolder, *, leave_out: Sequence[str] = ()) -> FoundText:
    """Look for the project's own text now; `leave_out` are globs of what is none."""
    files = list_project_files(project)
    unwanted = compile_globs(leave_out) if leave_out else None
    paths = [path for path in files.paths if not unwanted(path)] if unwanted else files.paths
    counted = count_files_by_folder(paths)
    roots = find_document_roots(paths, counted)
    places = FolderPurposes(roots, find_code_folders(counted, MAYBE_TESTS))
    found = sorted(_documents(project, paths, places))
    languages = find_languages([each.path for each in found])
    documents = tuple(each._replace(language=languages.get(each.path, "")) for each in found)
    used = {each.root for each in documents}
    return FoundText(
        documents, {folder: why for folder, why in roots.items() if folder in used}, is_tracked=files.is_tracked
    )


def _documents(project: ConfinedFolder, paths: Sequence[str], places: FolderPurposes) -> Iterator[FoundDocument]:
    looked_into = 0
    for path in paths:
        folder, _, name = path.rpartition("/")
        form = find_format_by_name(name)
        if form is None:
            continue
        place = places.of(folder)
        if not _is_wanted(name, form, place) or project.sensitive.refuses(tuple(path.split("/"))):
            continue
        if form == HTML and not ASSETS.isdisjoint(folder.lower().split("/")):
            continue
        if form in LOOKED_INTO:
            looked_into += 1
            if looked_into > MOST_LOOKED_INTO or not _is_document(project, path, form):
                continue
        yield FoundDocument(path, form, place.root)


def _is_wanted(name: str, form: str, place: FolderPurpose) -> bool:
    """Whether a file may be a document where it lies, before anybody looks into it."""
    if place.kind == "out" or (name.startswith(".") and not is_called_document(name)):
        return False
    is_page = place.kind == "documents" and form != TEXT  # perhaps about licences or forms
    if not is_page and is_no_document(name):
        return False
    if place.kind == "inner tests":
        return name.lower().startswith("readme")
    if place.kind in ("tests", "examples"):
        return is_called_document(name) or (form == NOTEBOOK and place.kind == "examples")
    if form == TEXT:
        is_called = is_called_document(name) or name.lower().endswith(MANUAL_SUFFIXES)
        return (place.kind == "documents" or is_called) and not PEOPLE.search(name)
    return form not in (HTML, PDF) or place.kind == "documents"


def _is_document(project: ConfinedFolder, path: str, form: str) -> bool:
    try:
        return is_document(path, project.read(path, limit_bytes=LARGEST_LOOKED_INTO_BYTES), form)
    except Refusal:
        return False


class KnownText:
    """The project's own text, looked for again when git's index has changed; without git, when some time is over.

    While it `is_followed`, somebody sees every change and tells of it.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()
        self.is_followed = False
        self._found: dict[tuple[str, ...], tuple[object, float, FoundText]] = {}

    def now(self, project: ConfinedFolder, *, leave_out: Sequence[str] = ()) -> FoundText:
        """The text as it is now, or was a moment ago."""
        key = tuple(leave_out)
        place = find_git_index(self._root)
        stamp = place.stamp() if place else None
        with self._lock:
            known = self._found.get(key)
            if known is not None and known[0] == stamp:
                _, fresh_until, found = known
                if found.is_tracked or self.is_followed or monotonic() < fresh_until:
                    return found
            began = thread_time()
            found = find_text(project, leave_out=key)
            took = thread_time() - began
            fresh_until = monotonic() + (WORTH_WAITING * took if took > QUICK_SECONDS else 0.0)
            self._found = {key: (stamp, fresh_until, found)}
            return found

    def look_again(self) -> None:
        """Walk again at the next call, unless git's index tells of changes."""
        with self._lock:
            self._found = {key: known for key, known in self._found.items() if known[2].is_tracked}


@lru_cache(maxsize=KEPT_PROJECTS)
def get_known_text(root: str) -> KnownText:
    """What is known of the text of a project, for everybody in this process."""
    return KnownText(root)

"""Which folders hold documentation: by what lies in them first, by what they are called second.

A folder counts when prose makes up enough of its text, and it is called like one (`docs`, `handbook`), has the file of
a tool that makes books or sites of text (`conf.py`, `SUMMARY.md`, `_index.md` …), or holds nearly nothing else.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide.document_formats.kinds import HTML, MAN
from fieldguide.project_text.names import code_by_suffix, format_by_name
from fieldguide.project_text.places import Places
from fieldguide.source_code.languages import language_of

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
NOT_TEXT = frozenset((
    "ignore", "json", "yaml", "toml", "ini", "csv", "tsv", "xml", "css", "scss", "less", "diff", "go-mod", "properties",
))
# fmt: on
ALWAYS = "docs"  # the folder that was a collection before anything was looked for
LEAST_SHARE = 0.5
LEAST_MARKED_SHARE = 0.2
LEAST_PURE_SHARE = 0.8
LEAST_PURE = 5


class DocumentRoot(NamedTuple):
    """A folder of documentation, and the reason why it was taken for one."""

    folder: str
    why: str


class Counted(NamedTuple):
    """How many files of a folder, with all below, are documents and how many are code; `own` leaves out test data."""

    documents: int
    code: int
    own: int = 0

    @property
    def share(self) -> float:
        """The share of documents."""
        return self.documents / (self.documents + self.code) if self.documents else 0.0


def document_roots(paths: Sequence[str], counted: Mapping[str, Counted]) -> dict[str, DocumentRoot]:
    """The folders of documentation of a project, outermost ones only, by their paths."""
    marks = _marks(paths)
    found: dict[str, DocumentRoot] = {}
    places = Places(found)
    holding = [folder for folder, each in counted.items() if each.documents]
    for folder in sorted(holding, key=lambda each: (each.count("/"), each)):
        if places.of(folder.rpartition("/")[0]).kind != "own":
            continue
        why = _why(folder, counted[folder], marks.get(folder))
        if why:
            found[folder] = DocumentRoot(folder, why)
    return {folder: root for folder, root in found.items() if places.of(folder).root == folder}


def code_folders(counted: Mapping[str, Counted], names: frozenset[str]) -> set[str]:
    """The folders of these names, in small letters, that hold more code than text."""
    called = {folder: each for folder, each in counted.items() if folder.rpartition("/")[2].lower() in names}
    return {folder for folder, each in called.items() if each.share < LEAST_SHARE}


def _why(folder: str, counted: Counted, mark: str | None) -> str:
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


def counted_files(paths: Sequence[str]) -> dict[str, Counted]:
    """The files of each folder with all below it; the project itself is not among them."""
    documents: Counter[str] = Counter()
    own: Counter[str] = Counter()
    code: Counter[str] = Counter()
    places = Places(())
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in MARKS:
            continue
        form = format_by_name(name)
        if form is not None:
            documents[folder] += 1
            own[folder] += form not in (MAN, HTML) and places.of(folder).kind != "out"
        elif _is_code(name):
            code[folder] += 1
    below, code_below, own_below = _summed(documents), _summed(code), _summed(own)
    folders = {*below, *code_below}
    return {folder: Counted(below[folder], code_below[folder], own_below[folder]) for folder in folders}


def _is_code(name: str) -> bool:
    _, dot, suffix = name.rpartition(".")
    language = code_by_suffix(suffix) if dot else language_of(name)
    return language is not None and language not in NOT_TEXT


def _summed(direct: Mapping[str, int]) -> Counter[str]:
    """How many there are in each folder with all below it."""
    found: Counter[str] = Counter()
    for folder, count in direct.items():
        while folder:
            found[folder] += count
            folder = folder.rpartition("/")[0]
    return found


def _marks(paths: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in MARKS and folder:
            found.setdefault(folder, MARKS[name])
    return found

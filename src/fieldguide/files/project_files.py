"""Lists the files of a project and tells by its name what a folder is for."""

from collections.abc import Container, Sequence
from typing import Literal, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import find_git_index, read_tracked_paths

# fmt: off
CLOSED_HIDDEN = (".change", ".chlog", ".yarn", ".git", ".venv", ".tox", ".vitepress", ".vuepress", ".docusaurus")
OPEN_HIDDEN = frozenset((
    ".github", ".gitlab", ".cursor", ".claude", ".agents", ".agent", ".codex", ".windsurf", ".clinerules", ".roo",
    ".gemini", ".junie", ".kiro", ".continue", ".amazonq", ".skills",
))
VENDORED = frozenset((
    "vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty",
    "3rd_party", "node_modules", "bower_components", "jspm_packages", "godeps", "carthage", "site-packages",
    "dist-packages", "externals", "extern",
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

Kind = Literal["own", "documents", "examples", "tests", "inner tests", "out"]


class FolderPurpose(NamedTuple):
    """What a folder is for, and the folder of documentation that it belongs to."""

    kind: Kind
    root: str = ""


class FolderPurposes:
    """What each folder is for; a folder is judged once, after the one above it."""

    def __init__(self, roots: Container[str], code_folders: Container[str] = ()) -> None:
        self._roots = roots
        self._code_folders = code_folders
        self._known: dict[str, FolderPurpose] = {"": FolderPurpose("own")}

    def of(self, folder: str) -> FolderPurpose:
        """What a folder of the project is for; "" is the project itself."""
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
        if self._holds_tests(folder, lowered):
            return FolderPurpose("tests")
        if above.kind == "examples" or lowered in EXAMPLES:
            return FolderPurpose("examples")
        is_documentation = folder in self._roots and not _is_hidden(folder)
        return FolderPurpose("documents", folder) if is_documentation else FolderPurpose("own")

    def _holds_tests(self, folder: str, name: str) -> bool:
        return _is_tests(name) and (name not in MAYBE_TESTS or folder in self._code_folders)


def _is_out(above: FolderPurpose, name: str) -> bool:
    """Whether a folder below another holds nothing of the project's own."""
    if above.kind in ("out", "inner tests"):
        return True
    lowered = name.lower()
    if above.root:  # a word that people use, as a page about vendors, is no vendor there
        return lowered in NOT_IN_DOCUMENTS or _is_closed(lowered)
    return is_foreign(name) or _is_data(lowered)


def is_foreign(name: str) -> bool:
    """Whether a folder of this name holds nothing of the project's own, unless it is a page's."""
    return name.lower() in VENDORED or name in VENDORED_AS_WRITTEN or _is_closed(name.lower())


def _is_closed(name: str) -> bool:
    return (name.startswith(CLOSED_HIDDEN) and name not in OPEN_HIDDEN) or "{{" in name or "{%" in name


def is_never_entered(folder: str) -> bool:
    """Whether a walk leaves out a folder, which git would ignore where there is git."""
    written = folder.rpartition("/")[2]
    name = written.lower()
    is_hidden = name.startswith(".") and name not in OPEN_HIDDEN
    is_built = name in BUILT - {"generated"} or (name in WALKED_BUILT and "/" not in folder)
    return is_hidden or is_foreign(written) or is_built


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") or "/." in folder


def _is_data(name: str) -> bool:
    """Whether a folder of this name holds what programs use."""
    is_listed = name in FIXTURES or name in TEMPLATES or name in ASSETS or name in BUILT
    return is_listed or name.endswith(("-data", "_data", "-fixtures", "_fixtures"))


def _is_tests(name: str) -> bool:
    return name in TESTS or name.endswith(("-tests", "_tests", "-test", "_test")) or name.startswith(("test-", "test_"))


MOST_FILES = 300_000


class FileListing(NamedTuple):
    """The paths of a project, sorted. `is_whole` is false where there were too many to list."""

    paths: Sequence[str]
    is_tracked: bool
    is_whole: bool = True


def list_project_files(project: ConfinedFolder) -> FileListing:
    """What git tracks in a project, as far as it may be served; without git, all of it but the folders of tools."""
    place = find_git_index(project.root)
    tracked = read_tracked_paths(place) if place else None
    if tracked:  # where git tracks nothing here, it knows nothing of this project
        return FileListing(sorted(tracked), is_tracked=True)
    return _walked(project)


def _walked(project: ConfinedFolder) -> FileListing:
    found: list[str] = []
    for path, _ in project.entries(lambda folder: not is_never_entered(folder)):
        found.append(path)
        if len(found) >= MOST_FILES:
            return FileListing(sorted(found), is_tracked=False, is_whole=False)
    return FileListing(sorted(found), is_tracked=False)

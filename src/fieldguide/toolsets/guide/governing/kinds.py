"""What a file is to somebody who edits another: code, a test, a document, or something that goes along with all."""

import posixpath
from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.document_formats.kinds import SUFFIXES
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.roles import GENERATED, VENDORED, role_of
from fieldguide.source_code.test_files import is_test
from fieldguide.toolsets.guide.items import CODE, DOCUMENT, TEST

DATA = frozenset(
    ("csv", "diff", "go-mod", "ignore", "ini", "json", "properties", "text", "toml", "tsv", "xml", "yaml", "svg")
)
LOGS = re.compile(
    r"(?i)(?:changelog|changes|history|news|releases?|release[-_]notes|authors|contributors|upgrading|licen[cs]e|version|requirements"
    r"|cmakelists|copying|notice|robots|manifest)"
    r"(?:[-_.].*)?"
)
LOG_FOLDERS = frozenset(("changelog", "changelogs", "changelog.d", ".changelog", ".changeset", "news", "release-notes"))
STEM = re.compile(r"(?:tests?|specs?)[-_.]|[-_.](?:tests?|specs?|unit|e2e|integration)$")
HUMP = re.compile(r"(?:Tests?|TestCase|Specs?|IT)$")
# fmt: off
NAMELESS = frozenset((
    "", "index", "mod", "main", "init", "__init__", "lib", "utils", "util", "types", "common", "readme", "helper",
    "helpers", "internal", "conftest", "setup",
))
# fmt: on


def kind_of(path: str) -> str:
    """The kind of a file; empty for one that goes along with every change: settings, locks, change logs."""
    name = posixpath.basename(path)
    if LOGS.fullmatch(name) or not LOG_FOLDERS.isdisjoint(path.lower().split("/")[:-1]):
        return ""
    if role_of(path) in (GENERATED, VENDORED):
        return ""
    if f".{name.rpartition('.')[2].lower()}" in SUFFIXES and "." in name:
        return DOCUMENT
    language = language_of(path)
    if language is None or language in DATA:
        return ""
    return TEST if is_test(path) else CODE


@lru_cache(maxsize=20_000)
def stem_of(path: str) -> str:
    """What a file is called without what says that it is a test; empty for names that say nothing."""
    name = posixpath.basename(path).lstrip(".").partition(".")[0]
    stem = HUMP.sub("", name) if name != name.lower() else name
    bare = STEM.sub("", stem.lower())
    return "" if bare in NAMELESS or len(bare) < 3 else bare

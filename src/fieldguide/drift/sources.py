"""Which files can tell that a name is the project's own: its implementation and settings, not texts or tests."""

from functools import lru_cache

from fieldguide.document_formats.kinds import HTML, TEXT, format_of
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.roles import IMPLEMENTATION, MIGRATIONS, role_of
from fieldguide.source_code.test_files import is_test

REMEMBERED = 50_000
DATA = frozenset((None, "csv", "tsv", "diff", "ignore", "text", "latex"))
WORDLESS = (".po", ".pot", ".svg", ".map", ".snap", ".lock", ".sum", ".xlf", ".ftl", ".strings", ".pem", ".patch")


@lru_cache(maxsize=REMEMBERED)
def is_document_name(path: str) -> bool:
    """Whether a file is a text for people by its name; what lies among code as HTML may be a template."""
    form = format_of(path)
    if form == TEXT:
        return language_of(path) in (None, "text") and not path.endswith("requirements.txt")
    return form is not None and form != HTML


@lru_cache(maxsize=REMEMBERED)
def is_source(path: str) -> bool:
    """Whether a name in a file is one that the project has: code, tests and settings, whoever wrote them."""
    return not is_document_name(path) and not path.lower().endswith(WORDLESS)


OF_TOOLS = frozenset(("ini", "toml", "json", "yaml", "xml", "properties"))
MANIFESTS = frozenset(("setup.py", "setup.cfg", "package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "tox.ini"))


@lru_cache(maxsize=REMEMBERED)
def is_own(path: str) -> bool:
    """Whether a file can define what documents tell users of: the implementation."""
    if not is_source(path) or path.startswith(".") or "/." in path or is_test(path):
        return False
    folder, _, name = path.rpartition("/")
    if name in MANIFESTS or (not folder and language_of(path) in OF_TOOLS):  # the words in it are those of other tools
        return False
    if role_of(path) not in (IMPLEMENTATION, MIGRATIONS):
        return False
    return language_of(path) not in DATA and not path.endswith((".html", ".htm"))  # DATA has None: nobody knows it

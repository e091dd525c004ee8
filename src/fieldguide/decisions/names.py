"""What a decision's file name says: its id, its number, and the name that tells it from others."""

from fieldguide import linear_regex as re

STRICT_NUMBER = re.compile(r"(\d+)(?=-|$)|(?:adr|ADR)-(\d+)")
ANY_NUMBER = re.compile(
    r"(?:(?:adrs?|rfc|pep|decision|dr|ad|tdr|kep|record)[-_ .]?)?0*(\d{1,7})(?=[-_. ]|$)", re.IGNORECASE
)
SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc")
TEMPLATE = re.compile(r"(?i)(?:^|[-_. ])(?:templates?|example|sample|empty|blank|n{3,4}|x{3,4}|#{3,4})(?:[-_. ]|$)")
NUMBER = re.compile(r"(?i)^(?:[a-z]{1,10}[-_ .]?)?(\d{1,5})[-_. ]+(.*)$")
DATE_NAME = re.compile(r"(?:19|20)\d{2}-?[01]\d-?[0-3]\d(?=\D|$)")
NO_DECISIONS = frozenset(
    ("readme", "index", "_index", "toc", "contents", "summary", "glossary", "contributing", "process", "changelog",
     "changes", "overview", "introduction", "template", "adr-template")
)  # fmt: skip
FOLDER_FILES = frozenset(("index", "readme", "adr", "decision", "record", "_index", "main"))


def adr_id_of(path: str) -> str:
    """The id in URIs: the digits before the name, as in `0007-…` and `adr-007…`, else the name.

    A date is no number (two records may be of one day), so a file that is named by its date has its name as its id.
    """
    name = own_name(path)
    match = None if is_dated(name) else STRICT_NUMBER.match(name)
    return next((group for group in match.groups() if group), name) if match else name


def number_of(path: str) -> int | None:
    """The number by which other records mean this one."""
    name = own_name(path)
    match = None if is_dated(name) else ANY_NUMBER.match(name)
    return int(match.group(1)) if match else None


def own_name(path: str) -> str:
    """The name that tells records apart: of the file, or of its folder where each record has one."""
    folder, _, file = without_suffix(path).rpartition("/")
    return folder.rpartition("/")[2] if folder and file.lower() in FOLDER_FILES else file


def without_suffix(path: str) -> str:
    """A path without the suffix of a document's format."""
    return path.removesuffix(next(filter(path.endswith, SUFFIXES), ""))


def is_dated(name: str) -> bool:
    """Whether a name begins with a day."""
    return DATE_NAME.match(name) is not None


def is_template(name: str) -> bool:
    """Whether a name is that of a form to be filled in; a decision with a number of its own may be about templates."""
    numbered = NUMBER.match(name)
    is_own = numbered is not None and numbered.group(1).strip("0") and not TEMPLATE.fullmatch(numbered.group(2))
    return bool(TEMPLATE.search(name)) and not is_own

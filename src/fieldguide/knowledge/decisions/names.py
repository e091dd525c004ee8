"""Reads a decision record's id, number and words from its file name."""

from fieldguide.text import regex as re

# fmt: off
DECISION_WORDS = frozenset(("adr", "adrs", "madr", "tdr", "tdrs", "decision", "decisions"))
PROPOSAL_WORDS = frozenset((
    "rfc", "rfcs", "rfd", "rfds", "proposal", "proposals", "enhancement", "enhancements", "bep", "beps", "cep", "ceps",
    "cfp", "cfps", "dep", "eep", "eeps", "eip", "eips", "gep", "geps", "jep", "jeps", "kep", "keps", "lid", "lids",
    "nep", "neps", "oep", "oeps", "otep", "oteps", "pep", "peps", "sep", "seps", "tep", "teps",
))
DESIGN_WORDS = frozenset(("design", "designs", "designdocs"))
# fmt: on
STRICT_NUMBER = re.compile(r"(\d+)(?=-|$)|(?:adr|ADR)-(\d+)")
ANY_NUMBER = re.compile(
    r"(?:(?:adrs?|rfc|pep|decision|dr|ad|tdr|kep|record)[-_ .]?)?0*(\d{1,7})(?=[-_. ]|$)", re.IGNORECASE
)
CALLED_NUMBER = re.compile(  # as `ODH-ADR-Operator-0003-…`
    r"(?i)(?:[a-z]{1,12}[-_ ]){0,2}(?:adr|rfc|tdr|dr)[-_ ](?:[a-z]{1,12}[-_ ]){0,2}0*(\d{1,5})(?=[-_. ]|$)"
)
SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc")
TEMPLATE = re.compile(
    r"(?i)(?:^|[-_. ])(?:templates?|example|sample|empty|blank|n{3,4}|x{3,4}|#{3,4}|yyyy(?:mm(?:dd)?)?)(?:[-_. ]|$)"
)
FORM_WORDS = DECISION_WORDS | PROPOSAL_WORDS | DESIGN_WORDS | {
    "template", "templates", "example", "sample", "empty", "blank", "doc", "document", "record", "short", "long",
}  # fmt: skip
DATE_NAME = re.compile(r"(?:19|20)\d{2}(?:-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?|(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?=\D|$)")
TOKEN = re.compile(r"[^\W_]+")
NO_DECISIONS = frozenset(
    ("readme", "index", "_index", "toc", "contents", "summary", "glossary", "contributing", "process", "changelog",
     "changes", "overview", "introduction", "template", "adr-template", "agents", "claude", "security", "support",
     "code-of-conduct", "code_of_conduct", "governance", "roadmap", "license", "skill", "maintainers")
)  # fmt: skip
PAGE_WORDS = FORM_WORDS | {
    "process", "guide", "guidelines", "index", "list", "log", "overview", "lifecycle", "how", "to", "write", "about",
    "architecture", "architectural", "records", "all", "the", "and", "of", "adoption", "faq", "workflow",
}  # fmt: skip
FOLDER_FILES = frozenset(("index", "readme", "adr", "decision", "record", "_index", "main"))


def read_adr_id(path: str) -> str:
    """The id in URIs: the digits before the name, as in `0007-…` and `adr-007…`, else the name.

    A date is no number (two records may be of one day), so a file that is named by its date has its name as its id.
    """
    name = read_own_name(path)
    match = None if is_dated(name) else STRICT_NUMBER.match(name)
    return next((group for group in match.groups() if group), name) if match else name


def read_record_number(path: str) -> int | None:
    """The number by which other records mean this one."""
    name = read_own_name(path)
    match = None if is_dated(name) else ANY_NUMBER.match(name) or CALLED_NUMBER.match(name)
    return int(match.group(1)) if match else None


def read_own_name(path: str) -> str:
    """The name that tells records apart: of the file, or of its folder where each record has one."""
    return split_folder_and_name(path)[1]


def split_folder_and_name(path: str) -> tuple[str, str]:
    """The name that tells records apart, and the folder that it stands in."""
    folder, _, file = strip_suffix(path).rpartition("/")
    if folder and file.lower() in FOLDER_FILES:
        folder, _, file = folder.rpartition("/")
    return folder, file


def split_name_words(name: str) -> list[str]:
    """The words of a file's or folder's name, in small letters."""
    return TOKEN.findall(name.lower())


def strip_suffix(path: str) -> str:
    """A path without the suffix of a document's format."""
    ending = next(filter(path.lower().endswith, SUFFIXES), "")
    return path[: len(path) - len(ending)]


def is_dated(name: str) -> bool:
    """Whether a name begins with a day or a month."""
    return DATE_NAME.match(name) is not None


def is_about_records(name: str) -> bool:
    """Whether a name is that of a page about records, such as `proposal-process` or `adr-index`."""
    words = split_name_words(name)
    return len(words) > 1 and PAGE_WORDS.issuperset(words) and not FORM_WORDS.isdisjoint(words)


def is_template(name: str) -> bool:
    """Whether a name is that of a form to be filled in; a decision with a number of its own may be about templates."""
    words = split_name_words(name)
    if len(words) == 2 and words[0] in FORM_WORDS and not words[1].strip("0"):  # as `RFC-0000`
        return True
    if not TEMPLATE.search(name):
        return False
    has_subject = any(word not in FORM_WORDS and not word.isdecimal() for word in words)
    if has_subject and any(word.isdecimal() and word.strip("0") for word in words):
        return False
    is_about_forms = has_subject and not TEMPLATE.match(words[-1]) and not TEMPLATE.match(words[0])
    return not is_about_forms or any(word.isdecimal() for word in words)

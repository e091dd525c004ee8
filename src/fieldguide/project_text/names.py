"""Which files may be documents, by their names: of a known format, or called as people call such files."""

from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.document_formats.kinds import ASCIIDOC, HTML, MAN, MARKDOWN, MDX, NOTEBOOK, RST, SUFFIXES, TEXT
from fieldguide.source_code.languages import language_of

KEPT_SUFFIXES = 2048
MARKUP = frozenset((MARKDOWN, MDX, RST, ASCIIDOC, NOTEBOOK))
LOOKED_INTO = frozenset((TEXT, MAN, HTML))
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
NOT_TEXT = frozenset(
    (
        "in",
        "am",
        "ac",
        "j2",
        "tmpl",
        "tpl",
        "gz",
        "zip",
        "asc",
        "pem",
        "crt",
        "key",
        "log",
        "lock",
        "sum",
        "mod",
        "bin",
        "bib",
        "cff",
    )
)


def format_by_name(name: str) -> str | None:
    """The format that a file's name tells; capitals without a suffix that we know, as in `README.dns`, tell text."""
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        known = _format_by_suffix(suffix)
        if known is not None:
            return known or None
    if name in RULES:
        return TEXT
    is_called = _is_called(name) and name.partition(".")[0] not in FOR_TOOLS
    return TEXT if is_called and (dot or language_of(name) in (None, TEXT)) else None


@lru_cache(maxsize=KEPT_SUFFIXES)
def _format_by_suffix(suffix: str) -> str | None:
    """The format of a suffix; empty where it is one of code or data, None where it tells nothing."""
    known = SUFFIXES.get(f".{suffix.lower()}")
    if known is not None:
        return known
    return "" if suffix.lower() in NOT_TEXT or code_by_suffix(suffix) is not None else None


@lru_cache(maxsize=KEPT_SUFFIXES)
def code_by_suffix(suffix: str) -> str | None:
    """The language of files with a suffix."""
    return language_of(f"file.{suffix}")


def is_called_document(name: str) -> bool:
    """Whether a name says that it is for people, wherever it lies: README, CHANGES, CONTRIBUTING, all in capitals."""
    return _is_called(name) or name in RULES


def _is_called(name: str) -> bool:
    return bool(CAPITALS.fullmatch(name.partition(".")[0]) or READABLE.match(name))


def is_no_document(name: str) -> bool:
    """Whether a name says that a text is a licence, or a form to be filled in."""
    return bool(LICENCE.search(name) or FORM.search(name))


def is_list_of_people(name: str) -> bool:
    """Whether a name says that a text only lists people."""
    return bool(PEOPLE.search(name))

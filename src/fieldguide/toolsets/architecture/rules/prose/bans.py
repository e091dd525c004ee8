"""Sentences that forbid a code span: `Never use X`, `X is forbidden`, `Use A instead of X`, `Services must not import X`.

A sentence with a condition is advice, and so is one that says more about the span than that it is forbidden: what
stands behind the span narrows it (`Never use X for logging`).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.prose.statements import Statement

USE = r"us(?:e|ing)|call(?:ing)?|import(?:ing)?"
NEVER = r"never|don['’]t|do not|avoid|no"
MUST_NOT = r"(?:must|should|shall|may)(?:n['’]t| not| never)|can(?:not|['’]t| not)|never|don['’]t|do not"
SPANS = r"`[^`]+`(?:(?:,|,? and|,? or| nor| ?/) ?`[^`]+`)*"
ARTICLE = r"(?:(?:an?|the|any|global) )?"
NOUN = r"(?: (?:statement|function|call|keyword|operator|method|module|package)s?)?"
BANNED = rf"{ARTICLE}(?P<banned>{SPANS}){NOUN}(?P<rest>.*)$"
SUBJECT = r"(?:(?:all|every|each|the|an?|our) )?(?P<subject>[\w-]+)"
CONTRAST = r"(?: instead of| rather than|,? (?:and )?(?:not|never))"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^(?:{NEVER})(?: ever)?(?: (?P<verb>{USE}))? {BANNED}",
        rf"^{SUBJECT} (?:{MUST_NOT}) (?P<verb>{USE}) {BANNED}",
        rf"^{ARTICLE}(?P<banned>{SPANS}){NOUN} (?:is|are) (?:forbidden|banned|prohibited|not allowed)(?P<rest>.*)$",
        rf"^{ARTICLE}(?P<banned>{SPANS}){NOUN} (?:{MUST_NOT}|is never|are never) (?:be )?"
        r"(?P<verb>used|called|imported)(?P<rest>.*)$",
        rf"^(?:always )?(?:use|prefer) (?P<kept>[^,;]+?){CONTRAST}(?: (?P<verb>{USE}))? {BANNED}",
        rf"^(?:always )?(?:use {SPANS}|prefer (?P<kept>[^,;]+?)) over(?: (?P<verb>{USE}))? {BANNED}",
    )
)
LISTED = re.compile(rf"^(?:(?P<verb>{USE}) )?{BANNED}", re.IGNORECASE)
WEAK = re.compile(rf"^(?:{NEVER}) [^`(]*(?:`[^`]+` [^`(]*)?(?:\(|such as |like ){BANNED}", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:unless|except\w*|only|possible|okay|ok|fine|if|when\w*|where\w*|but)\b", re.IGNORECASE)
PERMISSION = re.compile(r"\b(?:unless|except\w*|only|possible|okay|ok|fine)\b", re.IGNORECASE)
CLAUSE_END = re.compile(r"[;:] | [—–-] |, (?:and |but )?(?=(?:never|avoid|don['’]t|do not)\b)")
ENDS = re.compile(r"^(?:[ )]*$|\)?[,;:.!]| because\b| since\b)")
MORE_SPANS = re.compile(r"^[,/ ]*(?:and |or )?`")
NARROWING = re.compile(r"\b(?:for|to|in|on|as|with|from)\b")
EVERYONE = re.compile(r"you|we|code|functions?|methods?|class(?:es)?|modules?|files?", re.IGNORECASE)
OPENING = re.compile(r"^[^\w`]*(?:\d+(?:\.\d+)* )?")
SPAN = re.compile(r"`([^`]+)`")


class Ban(NamedTuple):
    """What a sentence forbids, and to whom; one that is not plain needs a bad example that shows the same."""

    spans: tuple[str, ...]
    verb: str
    subject: str
    is_plain: bool
    statement: Statement


def read_bans(statements: Sequence[Statement]) -> Iterator[Ban]:
    """The bans of a document, in its order."""
    for statement in statements:
        if "`" in statement.text and not CONDITION.search(statement.text):
            yield from _bans_of(statement)


def is_permitted(span: str, statements: Sequence[Statement]) -> bool:
    """Whether a sentence allows what another one forbids, at times."""
    return any(f"`{span}`" in each.text and PERMISSION.search(each.text) for each in statements)


def _bans_of(statement: Statement) -> Iterator[Ban]:
    start = 0
    text = OPENING.sub("", statement.text)
    for end in [*(each for each in CLAUSE_END.finditer(text)), None]:
        clause = text[start : end.start() if end else len(text)].strip()
        start = end.end() if end else start
        ban = _ban_of(clause, statement)
        if ban:
            yield ban


def _ban_of(clause: str, statement: Statement) -> Ban | None:
    forms = (*FORMS, LISTED) if statement.verdict == "bad" else FORMS
    for form in (*forms, WEAK):
        found = form.match(clause)
        if found is None or not _is_whole(found.group("rest")):
            continue
        given = found.groupdict()
        if NARROWING.search(given.get("kept") or ""):
            return None
        spans = tuple(SPAN.findall(given["banned"]))
        subject = given.get("subject") or ""
        everyone = not subject or EVERYONE.fullmatch(subject)
        return Ban(spans, (given.get("verb") or "").lower(), "" if everyone else subject, form is not WEAK, statement)
    return None


def _is_whole(rest: str) -> bool:
    """Whether a clause says no more of its spans."""
    return ENDS.match(rest) is not None and MORE_SPANS.match(rest) is None

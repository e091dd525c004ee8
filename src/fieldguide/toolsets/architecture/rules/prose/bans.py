"""Sentences that forbid a code span: `Never use X`, `X is forbidden`, `Use A instead of X`, `Services must not call X`.

A sentence with a condition is advice, and so is one that says more about the span than that it is forbidden: what
stands behind the span narrows it (`Never use X for logging`).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import Condition, ImportCheck, Place, Rule
from fieldguide.toolsets.architecture.rules.prose.statements import Statement

USE = r"us(?:e|ing)|call(?:ing)?|import(?:ing)?|pass(?:ing)?"
NEVER = r"never|don['’]t|do not|avoid|no"
MUST_NOT = r"(?:must|should|shall|may)(?:n['’]t| not| never)|can(?:not|['’]t| not)|never|don['’]t|do not"
SPANS = r"`[^`]+`(?:(?:,|,? and|,? or| nor| ?/) ?`[^`]+`)*"
ARTICLE = r"(?:(?:an?|the|any|global|(?:anything )?from) )?"
NOUN = r"(?: (?P<noun>statement|function|call|keyword|operator|method|module|package)s?)?"
BANNED = rf"{ARTICLE}(?P<banned>{SPANS}){NOUN}(?P<rest>.*)$"
SUBJECT = r"(?:(?:all|every|each|the|an?|our) )?(?P<subject>[\w-]+)"
CONTRAST = r"(?: instead of| rather than|,? (?:and )?(?:not|never))"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^(?:{NEVER})(?: ever)?(?: (?P<verb>{USE}))? {BANNED}",
        rf"^{SUBJECT} (?:{MUST_NOT}) (?P<verb>{USE}) {BANNED}",
        rf"^{ARTICLE}(?P<banned>{SPANS}){NOUN} (?:is|are|(?:must|should) be) "
        r"(?:forbidden|banned|prohibited|avoided|not allowed)(?P<rest>.*)$",
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
EVERYWHERE = r"(?: directly| anywhere| at all| in (?:(?:the|our|this|any) )?(?:code(?: ?base)?|project))?"
WHOLE = re.compile(rf"^{EVERYWHERE}(?:[ )]*$|\)?[;:.!]|\)?, ?(?:[^`ao]|a[^n]|o[^r])| because\b| since\b)")
NARROWING = re.compile(r"\b(?:for|to|in|on|as|with|from)\b")
EVERYONE = re.compile(r"you|we|code|quer(?:y|ies)|functions?|methods?|class(?:es)?|modules?|files?|", re.IGNORECASE)
OPENING = re.compile(r"^[^\w`]*(?:\d+(?:\.\d+)* )?")
SPAN = re.compile(r"`([^`]+)`")


class Ban(NamedTuple):
    """What a sentence forbids, and to whom; one that is not plain needs a bad example that shows the same."""

    spans: tuple[str, ...]
    words: tuple[str, ...]
    """What else the sentence says of them: that they are preferred to, called, imported, or statements."""
    subject: str
    is_plain: bool
    statement: Statement


def read_bans(statements: Sequence[Statement]) -> Iterator[Ban]:
    """The bans of a document, in its order."""
    for statement in statements:
        if "`" in statement.text and not CONDITION.search(SPAN.sub("", statement.text)):
            for clause in _clauses(plain(statement)):
                yield from _bans_of(clause, statement)


def plain(statement: Statement) -> str:
    """A sentence without its number."""
    return OPENING.sub("", statement.text).strip()


class Permissions:
    """What sentences allow at times; within its topic, such a sentence may name a thing as a part of something."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        allowing = [each for each in statements if PERMISSION.search(SPAN.sub("", each.text))]
        said = [(each.topic, SPAN.findall(each.text)) for each in allowing]
        self._spans = {span for _, spans in said for span in spans}
        self._parts = {(topic, part) for topic, spans in said for part in " ".join(spans).split()}

    def allow(self, ban: Ban) -> bool:
        """Whether what a sentence forbids is allowed by another one."""
        return any(span in self._spans or (ban.statement.topic, span) in self._parts for span in ban.spans)


def placed(rule: Rule, subject: str) -> Rule:
    """A rule for those whom its sentence speaks of: `Services` are the classes whose names have `Service` in them."""
    if not subject:
        return rule
    one = f"{subject[:-3]}y" if subject.endswith("ies") else subject.removesuffix("s")
    classes = (f"*{''.join(part.capitalize() for part in one.split('-'))}*",)
    inside = None if isinstance(rule.check, ImportCheck) else Place(classes)
    return rule._replace(when=Condition(classes), inside=inside)


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for end in CLAUSE_END.finditer(text):
        yield text[start : end.start()].strip()
        start = end.end()
    yield text[start:].strip()


def _bans_of(clause: str, statement: Statement) -> Iterator[Ban]:
    for form in (*FORMS, LISTED, WEAK) if statement.is_listed else (*FORMS, WEAK):
        found = form.match(clause)
        if found and WHOLE.match(found.group("rest")):
            given = {name: said or "" for name, said in found.groupdict().items()}
            subject = given.get("subject", "")
            who = "" if EVERYONE.fullmatch(subject) else subject
            if not NARROWING.search(SPAN.sub("", given.get("kept", ""))):
                spans = tuple(SPAN.findall(given["banned"]))
                words = (clause.split()[0], given.get("verb", ""), given.get("noun", ""))
                yield Ban(spans, tuple(map(str.lower, words)), who, form is not WEAK, statement)
            return

"""The words of decision records: what a heading says a section is for, and what a status means.

Most are printed by the templates (Nygard, MADR, Tyree and Akerman, Alexandrian, Y-statements, PEPs, KEPs, RFCs); people
add the few that stand apart. A heading counts only if every word of it is one of these, so "Considered Options" is one
and "Configuration Options" is none.
"""

from typing import Literal

from fieldguide import linear_regex as re
from fieldguide.document_formats.markdown import without_attributes
from fieldguide.search.words import STOP_WORDS
from fieldguide.toolsets.architecture.decisions.reading.record import Standing

Kind = Literal["status", "context", "decision", "proposal", "design", "consequences", "options", "discarded", "other"]

PRINTED: dict[str, Kind] = {
    **dict.fromkeys(("status",), "status"),
    **dict.fromkeys(("consequences", "implications", "drawbacks"), "consequences"),
    **dict.fromkeys(("decision", "outcome", "resolution"), "decision"),
    **dict.fromkeys(("context", "problem", "motivation", "issue", "prologue"), "context"),
    **dict.fromkeys(("proposal", "solution", "recommendation", "summary", "abstract"), "proposal"),
    **dict.fromkeys(("specification", "design"), "design"),
    **dict.fromkeys(("options", "alternatives", "positions", "candidates", "ideas"), "options"),
}
ADDED: dict[str, Kind] = {
    **dict.fromkeys(("state",), "status"),
    **dict.fromkeys(("consequence", "impact", "impacts", "risks", "tradeoffs", "results"), "consequences"),
    **dict.fromkeys(("decisions", "decided"), "decision"),
    **dict.fromkeys(("background", "introduction"), "context"),
    **dict.fromkeys(("conclusion", "approach"), "proposal"),
    **dict.fromkeys(("implementation",), "design"),
    **dict.fromkeys(("solutions", "approaches", "alternative"), "options"),
}
KINDS = PRINTED | ADDED
CHOSEN_WORDS = frozenset(("chosen", "selected"))
DISCARDED_WORDS = frozenset(("rejected", "discarded", "other", "alternative", "alternatives", "not"))
BESIDE = STOP_WORDS | CHOSEN_WORDS | DISCARDED_WORDS | frozenset(
    ("considered", "pros", "cons", "statement", "positive", "negative", "detailed", "details", "proposed", "adr",
     "record", "option", "rationale", "possible", "potential", "final", "evaluated", "made", "taken", "analysis")
)  # fmt: skip
PRIORITY: tuple[Kind, ...] = ("status", "consequences", "decision", "context", "proposal", "design")

IN_FORCE: Standing = "in force"
STANDINGS: dict[str, Standing] = {
    **dict.fromkeys(("superseded", "superceded", "replaced", "deprecated", "obsolete", "retired"), "retired"),
    **dict.fromkeys(("rejected", "withdrawn", "declined", "abandoned", "cancelled"), "rejected"),
    **dict.fromkeys(
        ("accepted", "approved", "adopted", "agreed", "decided", "implemented", "implementable", "amended", "active",
         "final", "done", "completed", "enforced"),
        IN_FORCE,
    ),
    **dict.fromkeys(
        ("proposed", "proposal", "draft", "provisional", "deferred", "pending", "open", "wip", "rfc", "review",
         "progress", "discussion", "hold"),
        "proposed",
    ),
}  # fmt: skip
PICTURES = {"✅": "accepted", "✔": "accepted", "🟢": "accepted", "❌": "rejected", "🚫": "rejected", "🚧": "draft"}
SAME_WORD = {"superceded": "superseded", "replaced": "superseded", "proposal": "proposed", "review": "in review"}

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
COMMENT = re.compile(r"<!--.*?-->")
NUMBERING = re.compile(r"^\W*(?:\d{1,3}(?:\.\d{1,3})*[.):]?\s+|[IVX]{1,4}\.\s+)?")
DIGIT = re.compile(r"\d")
LONGEST_HEADING = 80
LONGEST_LABEL = 30


def kind_of(heading: str) -> Kind:
    """What a section is for, by its heading; `Status: Accepted` is a status too."""
    plain = NUMBERING.sub("", COMMENT.sub("", without_attributes(heading)).strip())
    whole = _kind_of_words(plain)
    label = plain.partition(":")[0]
    return _kind_of_words(label) if whole == "other" and len(label) < LONGEST_LABEL else whole


def is_printed(heading: str) -> bool:
    """Whether a heading has only words that templates print, so that it names nothing."""
    return all(word in KINDS or word in BESIDE for word in _words(heading))


def _words(text: str) -> list[str]:
    return [word.lower().replace("-", "") for word in WORD.findall(text)]


def _kind_of_words(text: str) -> Kind:
    if len(text) > LONGEST_HEADING or DIGIT.search(text) or not is_printed(text):
        return "other"
    words = _words(text)
    told = set(words)
    kinds = {KINDS[word] for word in told if word in KINDS}
    if told & CHOSEN_WORDS and "not" not in told:
        return "decision"
    if "options" in kinds and "status" not in kinds:
        is_list = words[:2] == ["considered", "alternatives"]
        return "discarded" if told & DISCARDED_WORDS and not is_list else "options"
    return "discarded" if words in (["rejected"], ["discarded"]) else next((k for k in PRIORITY if k in kinds), "other")

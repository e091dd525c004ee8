"""The words of decision records: what a heading says a section is for, and what a status means.

Most are printed by the templates (Nygard, MADR, Tyree and Akerman, Alexandrian, PEPs, KEPs, RFCs); people add the rest.
A heading counts only if every word of it is one of these: "Considered Options" does, "Configuration Options" does not.
"""

from collections.abc import Mapping
from typing import Literal

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.record import Standing
from fieldguide.document_formats.markdown import without_attributes
from fieldguide.search.words import STOP_WORDS

Kind = Literal["status", "consequences", "decision", "context", "proposal", "design", "options", "discarded", "other"]

PRINTED: Mapping[Kind, str] = {
    "status": "status",
    "consequences": "consequences implications drawbacks",
    "decision": "decision outcome resolution",
    "context": "context problem motivation issue prologue",
    "proposal": "proposal solution recommendation summary abstract",
    "design": "specification design",
    "options": "options alternatives positions candidates ideas",
}
ADDED: Mapping[Kind, str] = {
    "status": "state",
    "consequences": "consequence impact impacts risks tradeoffs results",
    "decision": "decisions decided",
    "context": "background introduction",
    "proposal": "conclusion approach proposed",
    "design": "implementation",
    "options": "solutions approaches alternative",
}
KINDS: Mapping[str, Kind] = {
    word: kind for words in (PRINTED, ADDED) for kind, said in words.items() for word in said.split()
}
ORDER: list[Kind] = [*PRINTED, "other"]
CHOSEN_WORDS = {"chosen", "selected"}
DISCARDED_WORDS = {"rejected", "discarded", "other", "alternative", "alternatives", "not"}
MADR_ONE = ["considered", "alternatives"]  # its list has the chosen one too
BESIDE = {
    *STOP_WORDS, *CHOSEN_WORDS, *DISCARDED_WORDS, "considered", "pros", "cons", "statement", "positive", "negative",
    "detailed", "details", "adr", "record", "option", "rationale",  # printed by templates up to here
    "possible", "potential", "final", "evaluated", "made", "taken", "analysis",
}  # fmt: skip

STANDING_WORDS: Mapping[Standing, str] = {
    "retired": "superseded superceded replaced deprecated obsolete retired",
    "rejected": "rejected withdrawn declined abandoned cancelled",
    "in force": "accepted approved adopted agreed decided implemented implementable amended active final done",
    "proposed": "proposed proposal draft provisional deferred pending incomplete open wip rfc review progress",
}
STANDINGS: Mapping[str, Standing] = {
    word: standing for standing, said in STANDING_WORDS.items() for word in said.split()
}
PICTURES = {"✅": "accepted", "✔": "accepted", "🟢": "accepted", "❌": "rejected", "🚫": "rejected", "🚧": "draft"}
SAME_WORD = {"superceded": "superseded", "replaced": "superseded", "proposal": "proposed", "review": "in review"}

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
COMMENT = re.compile(r"<!--.*?-->")
NUMBERING = re.compile(r"^\W*(?:\d{1,3}(?:\.\d{1,3})*[.):]?\s+|[IVX]{1,4}\.\s+)?")
DIGIT = re.compile(r"\d")
LONGEST_HEADING, LONGEST_LABEL = 80, 30


def kind_of(heading: str) -> Kind:
    """What a section is for, by its heading; `Status: Accepted` is a status too."""
    plain = NUMBERING.sub("", COMMENT.sub("", without_attributes(heading[: 4 * LONGEST_HEADING])).strip())
    whole = _kind_of_words(plain)
    label = plain.partition(":")[0]
    return _kind_of_words(label) if whole == "other" and len(label) < LONGEST_LABEL else whole


def is_printed(heading: str) -> bool:
    """Whether a heading has only words that templates print, so that it names nothing."""
    return not DIGIT.search(heading) and all(word in KINDS or word in BESIDE for word in _words(heading))


def _words(text: str) -> list[str]:
    return [word.lower().replace("-", "") for word in WORD.findall(text)]


def _kind_of_words(text: str) -> Kind:
    words = _words(text) if len(text) <= LONGEST_HEADING and is_printed(text) else []
    kinds: list[Kind] = sorted((KINDS.get(word, "other") for word in words), key=ORDER.index) or ["other"]
    if "options" in kinds or words in (["rejected"], ["discarded"]):
        return "options" if DISCARDED_WORDS.isdisjoint(words) or words[:2] == MADR_ONE else "discarded"
    return kinds[0] if CHOSEN_WORDS.isdisjoint(words) else "decision"

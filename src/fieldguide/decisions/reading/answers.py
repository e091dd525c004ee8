"""The question of a record and its answer: the sentence that asks, and the one that says what was chosen."""

from collections.abc import Sequence
from itertools import chain

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.listed_options import led_to
from fieldguide.decisions.reading.page import Page
from fieldguide.decisions.reading.prose import Sentence, is_placeholder, sentences_of
from fieldguide.decisions.reading.record import Passage

ASKS = re.compile(
    r"(?i)\b(?:(?:need|have|had|want) to (?:decide|choose)|discuss whether|decide between)\b|^how should\b"
)
DECIDED = re.compile(
    r"(?i)\b(?:decided?|agreed|chose|chosen|selected|opted|preferred)\b|\bdecision (?:is|was)\b|^(?:thus|therefore)\b"
)
WILL = re.compile(
    r"(?i)\b(?:we(?:['’]ll| will| shall| should| must| are going to| propose| use| adopt)|will be|should be|is to be)\b"
)
BACKGROUND = re.compile(r"(?i)\b(?:options|we need|currently|was|were|had|recommended|there (?:is|are)|is an?)\b")
VALUE = re.compile(r"\w+:\s\S+")  # as "Date: 2020-01-02"
LEADS = re.compile(r"(?i)\b(?:following|follows|below):$")
EARLY_WORDS = 10  # further on, "decided" is said of something else
SHORT_LEAD = 6  # words of a sentence that says nothing before its colon, as "We decided:"
LOOKED_AT = 8  # sentences; a decision says what it is near its beginning


def question_of(page: Page, title: Passage) -> Passage | None:
    """What is decided upon, if the record asks it: the last question of its context, or its title."""
    said = [*chain.from_iterable(map(sentences_of, page.of("context")))]
    asked = [each for each in said if each.text.endswith("?") and not is_placeholder(each.text)]
    asked = asked or [each for each in said if ASKS.search(each.text)]
    own = title if title.text.endswith("?") else None
    return Passage(asked[-1].text, asked[-1].line, asked[-1].line) if asked else own


def answer_of(page: Page, decision: Sequence[Passage]) -> Sentence | None:
    """The sentence that says what was chosen; none where the decision is still to be made."""
    said: list[Sentence] = []
    for each in chain.from_iterable(map(sentences_of, decision[:2])):
        if said and _is_lead(said[-1].text) and not BACKGROUND.search(said[-1].text):
            said[-1] = Sentence(f"{said[-1].text} {each.text}", said[-1].line)
        else:
            said.append(each)
    skipped = _skipped(page)
    first = [each for each in said if each.line not in skipped and _is_worth(each)][:LOOKED_AT]
    return max(first, key=lambda each: (_weight(each, first[0]), -first.index(each)), default=None)


def _skipped(page: Page) -> set[int]:
    """The lines that state no choice: headings, quotations, and lists of options."""
    quoted = {number for number, line in enumerate(page.lines, start=1) if line.lstrip().startswith(">")}
    headings = {each.heading.line for each in page.sections if each.heading.line != each.passage.first_line}
    return quoted.union(headings, *(range(listed.first_line, listed.last_line + 1) for listed in led_to(page)))


def _is_lead(text: str) -> bool:
    return text.endswith(":") and len(text.split()) <= SHORT_LEAD


def _is_worth(said: Sentence) -> bool:
    is_none = said.text.endswith("?") or _is_lead(said.text) or VALUE.fullmatch(said.text)
    return " " in said.text and not is_none and not is_placeholder(said.text)


def _weight(sentence: Sentence, opening: Sentence) -> int:
    """How surely a sentence decides: one that says so before what will be done, and the first before those below."""
    if LEADS.search(sentence.text):
        return -1
    if DECIDED.search(" ".join(sentence.text.split()[:EARLY_WORDS])):
        return 3
    will = bool(WILL.search(sentence.text))
    is_opening = sentence == opening and not BACKGROUND.search(sentence.text)
    return 2 + will if is_opening else int(will)

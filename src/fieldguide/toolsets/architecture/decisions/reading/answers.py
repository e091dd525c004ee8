"""The question of a record and its answer: the sentence that asks, and the one that says what was chosen."""

from collections.abc import Sequence

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, is_placeholder, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Passage
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter

ASKS = re.compile(
    r"(?i)\b(?:decide|choose|determine|question is)\s+(?:on\s+)?(?:whether|which|how|what|between|if)\b|^how should\b"
)
DECIDED = re.compile(
    r"(?i)\b(?:decided|agreed|chose|chosen|selected|opted|in favou?r of)\b|\bdecision (?:is|was|has been)\b|^(?:thus|therefore|so)\b"
)
WILL = re.compile(
    r"(?i)\b(?:we(?:'ll|’ll| will| shall| should| must| have to| are going to| propose| use| adopt)|will be|should be|is to be)\b"
)
BACKGROUND = re.compile(
    r"(?i)\b(?:we need|currently|at the moment|was|were|had|has been|recommended|there (?:is|are)|is an?)\b"
)
UNDECIDED = re.compile(r"(?i)\W*(?:tbd|tba|todo|to be (?:decided|determined|defined)|pending|none|n/a)\b.{0,20}")
LEADS = re.compile(r"(?i)\b(?:following|follows|below):$")
EARLY_WORDS = 10  # further on, "decided" is said of something else
LOOKED_AT = 8
LEAST_WORDS = 2


def question_of(sections: Sequence[Chapter], title: str, title_line: int) -> Passage | None:
    """What is decided upon, if the record asks it: the last question of its context, or its title."""
    said = [each for section in sections if section.kind == "context" for each in _sentences(section)]
    asked = [each for each in said if each.text.endswith("?") or ASKS.search(each.text)]
    if asked:
        straight = [each for each in asked if each.text.endswith("?")] or asked
        return _as_passage(straight[-1])
    return Passage(title, title_line, title_line) if title.endswith("?") else None


def answer_of(sections: Sequence[Chapter], decision: Sequence[Passage]) -> Sentence | None:
    """The sentence that says what was chosen; none where the decision is still to be made."""
    headings = {section.heading.line for section in sections}
    said: list[Sentence] = []
    for passage in decision[:2]:
        said += [each for each in sentences_of(passage) if each.line not in headings and not is_placeholder(each.text)]
    worth = [
        each for each in _whole(said) if len(each.text.split()) >= LEAST_WORDS and not UNDECIDED.fullmatch(each.text)
    ]
    first = worth[:LOOKED_AT]
    return max(first, key=lambda each: (_weight(each, first[0]), -first.index(each)), default=None)


def _weight(sentence: Sentence, opening: Sentence) -> int:
    """How surely a sentence decides: one that says so before what will be done, and the first before those below."""
    if sentence.text.endswith("?") or LEADS.search(sentence.text):
        return -1
    if DECIDED.search(" ".join(sentence.text.split()[:EARLY_WORDS])):
        return 3
    will = bool(WILL.search(sentence.text))
    is_opening = sentence == opening and not BACKGROUND.search(sentence.text)
    return 2 + will if is_opening else int(will)


def _whole(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences; one that only leads to the next, as "We decided:", is put together with it."""
    found: list[Sentence] = []
    for each in said:
        if found and found[-1].text.endswith(":") and len(found[-1].text.split()) <= 6:
            found[-1] = Sentence(f"{found[-1].text} {each.text}", found[-1].line)
        else:
            found.append(each)
    return found


def _sentences(section: Chapter) -> list[Sentence]:
    return [each for each in sentences_of(section.passage) if not is_placeholder(each.text)]


def _as_passage(sentence: Sentence) -> Passage:
    return Passage(sentence.text, sentence.line, sentence.line)

"""Reads the question of a decision record, the options that it lists, which was chosen and which were rejected.

A wrong option does more harm than a missing one, because proposals are compared with it. So the choice must be found in
the list before the others count as rejected.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from fieldguide.knowledge.decisions.record import (
    RecordOption,
    RecordPage,
    RecordPassage,
    RecordSentence,
    is_placeholder,
    is_printed,
    plain_text,
    read_sentences,
)
from fieldguide.text import regex as re
from fieldguide.text.words import STOP_WORDS, stem

OPTION_WORD = r"(?:options?|alternatives?|approach|proposal|solution|variant)"
NUMBER = r"(?:\W{0,3}(\d{1,2}(?:\.\d{1,2})?[a-z]?)|\W{1,3}((?-i:[A-Z])))(?a:\b)"
WORD_LABEL = re.compile(rf"(?i)\W*(?:\[[^\[\]]{{0,40}}\]\W*)?{OPTION_WORD}{NUMBER}[\s.:)\]*_–—-]*")
NUMBER_LABEL = re.compile(r"\W*(\d{1,2}|[A-Z])[.):]\)?(?:\s+|$)")
SHAPES = (
    re.compile(r"(#{1,6}) (\S.*)"),
    re.compile(rf"(?i)(\s*)((?:\*\*|__|\W*{OPTION_WORD}\W{{0,3}}\d).*)"),
    re.compile(r"( {0,8})(?:[-*+]|\d{1,2}[.)])\s+(\S.*)"),
)
HEADING, BOLD, ITEM = range(3)
BOLD_PART = re.compile(r"\s*(?:\*\*|__)_?(.{2,120}?)_?(?:\*\*|__)")
ARGUMENT = re.compile(r"(?i)\W*(?:good|neutral|pros?|advantages?|(bad|cons?|disadvantages?|rejected))(?a:\b)\W*")
OPTION_LEADS = re.compile(r"(?i)\b(?:options|alternatives|approaches|solutions|considered)\b")
NAME_END = re.compile(r"(?<=[^\W\d])[:;](?=\s)|\.(?=\s+[A-Z])|\s[-–—]\s")
NO_NAME = re.compile(r"(?i)(?:this|it|there|we|these|that|instead|rather)\b|.*[?:]$")
REASON = re.compile(r"(?i)\b(?:because|since|as it)\b")
WORDS = re.compile(r"[^\W_]+(?:\.[^\W_]+)*[+#]*")
LONGEST = 200
LONGEST_REASON = 300
PARENTHESES_KEPT = 80  # characters of a name up to which what stands in parentheses belongs to it
LONGEST_NAME_WORDS = 12  # a sentence that is longer explains an option and does not name it
MOST_OPTIONS = 40
MOST_LISTS = 20
SAME = 0.5  # of the words of both: MADR lists an option and takes it up again below in other words


class ListedOption(NamedTuple):
    """An option as it is listed: what it is called, and whether its section is for those that were discarded."""

    option: RecordOption
    label: str
    is_dismissed: bool = False

    @property
    def words(self) -> frozenset[str]:
        """The words that it goes by."""
        return stem_option_words(self.option.text)


class _Mark(NamedTuple):
    """A line that may open an option: what it says, in which shape and how deep, and the label that it has."""

    line: int
    text: str
    depth: tuple[int, int]
    label: str = ""

    @property
    def is_labelled(self) -> bool:
        """Whether it is called an option, or numbered in bold."""
        return bool(WORD_LABEL.match(self.text)) or (bool(self.label) and self.depth[0] == BOLD)


def find_listed_options(page: RecordPage) -> list[ListedOption]:
    """Each option once, in the record's order, though some are listed and taken up again below."""
    found: list[ListedOption] = []
    for group in islice(_groups(page), MOST_LISTS):
        earlier = found[:MOST_OPTIONS]
        for each in group:
            alike = [_likeness(each, known) for known in earlier]
            if max(alike, default=0.0) < SAME:
                found.append(each)
                continue
            place = alike.index(max(alike))
            known = found[place].option
            found[place] = found[place]._replace(option=known._replace(reason=known.reason or each.option.reason))
    return [each._replace(label=each.label or str(n)) for n, each in enumerate(found[:MOST_OPTIONS], start=1)]


def stem_option_words(text: str) -> frozenset[str]:
    """The distinctive words of a text, without the endings of English."""
    words = set(WORDS.findall(text.lower())) - STOP_WORDS
    return frozenset(map(stem, words))


def strip_label(text: str) -> str:
    """A text without the label that it opens with."""
    label = WORD_LABEL.match(text) or NUMBER_LABEL.match(text)
    return text[label.end() :] if label else text


def _likeness(one: ListedOption, other: ListedOption) -> float:
    if one.label and other.label and one.label != other.label:
        return 0.0
    left = one.words
    right = other.words
    return len(left & right) / max(len(left | right), 1)


def _groups(page: RecordPage) -> Iterator[list[ListedOption]]:
    """The options of each section that is for them, and those with labelled headings."""
    apart: list[ListedOption] = []
    covered = 0
    for section in page.sections:
        if section.kind in ("options", "discarded"):
            yield [*_listed(section.passage, is_discarded=section.kind == "discarded")]
        if section.kind in ("options", "discarded", "decision"):
            covered = section.passage.last_line
        mark = _mark(section.heading.line, f"{'#' * section.heading.level} {section.heading.text}")
        if mark and mark.is_labelled and mark.line > covered and mark.depth[1] > 1:
            apart += _option(mark, section.passage)
    yield apart[:MOST_OPTIONS]


def _listed(passage: RecordPassage, *, is_discarded: bool) -> Iterator[ListedOption]:
    lines = passage.text.split("\n")
    first = passage.first_line
    marks = _marks(lines, first)
    for mark, end in zip(marks, [*(each.line for each in marks), first + len(lines)][1:], strict=True):
        below = RecordPassage("\n".join(lines[mark.line - first + 1 : end - first]), mark.line + 1, end)
        for each in _option(mark, below):
            if is_discarded:  # an item that is a whole sentence may be an argument only
                is_long = mark.depth[0] == ITEM and len(each.option.text.split()) > LONGEST_NAME_WORDS
                yield each._replace(is_dismissed=not is_long)
            else:
                yield each


def _marks(lines: Sequence[str], first: int) -> list[_Mark]:
    """The lines that open an option: those with labels where there are some, else the highest that name something."""
    often = Counter(lines)
    found = [*filter(None, (_mark(first + n, line) for n, line in enumerate(lines) if often[line] == 1))]
    labelled = _highest([mark for mark in found if mark.is_labelled])
    if len(labelled) > 1:  # the same label twice: several questions, each with its own options
        return labelled if len({mark.label for mark in labelled}) == len(labelled) else []
    highest = _highest(found, least=2)
    if not highest:
        return []
    before = "\n".join(lines[: highest[0].line - first]).strip()
    if highest[0].depth[0] < ITEM or not before or ("\n\n" not in before and OPTION_LEADS.search(before)):
        return highest
    return []


def _mark(number: int, line: str) -> _Mark | None:
    for shape, pattern in enumerate(SHAPES):
        match = pattern.fullmatch(line)
        if match:
            text = match.group(2)
            match_label = WORD_LABEL.match(text) or NUMBER_LABEL.match(text)
            label = "".join(filter(None, match_label.groups())).upper() if match_label else ""
            is_general = is_printed(text) or OPTION_LEADS.match(text) or text.lower().endswith(" options")
            if ARGUMENT.match(text) or (shape == HEADING and not label and is_general):
                return None
            return _Mark(number, text, (shape, len(match.group(1))), label)
    return None


def _highest(marks: Sequence[_Mark], least: int = 1) -> list[_Mark]:
    """The marks that stand highest; a line in bold only where there are enough of them."""
    top = min((mark.depth for mark in marks), default=None)
    found = [mark for mark in marks if mark.depth == top][:MOST_OPTIONS]
    if top is not None and top[0] == BOLD and len(found) < least:
        return _highest([mark for mark in marks if mark.depth[0] > BOLD])
    return found


def _option(mark: _Mark, below: RecordPassage) -> Iterator[ListedOption]:
    said = [sentence.text for sentence in read_sentences(below)[:2]]
    name = _name(mark.text)
    if name[:1] in ("", "(") and said:
        first = NAME_END.split(said[0], maxsplit=1)[0]
        name = first if len(first.split()) <= LONGEST_NAME_WORDS else plain_text(mark.text)
    if name and not is_placeholder(name) and not NO_NAME.match(name):
        option = RecordOption(name[:LONGEST], mark.line, _reason(mark.text, below))
        yield ListedOption(option, mark.label)


def _name(text: str) -> str:
    """What an option is called: without its label, up to where it is explained."""
    bold = BOLD_PART.match(text)
    own = strip_label(plain_text(bold.group(1))).strip() if bold else ""
    name = NAME_END.split(own or strip_label(plain_text(text)), maxsplit=1)[0]
    short = name if len(name) <= PARENTHESES_KEPT else name.partition(" (")[0]
    return short.replace("( )", "").strip(" .:*\"“”'✅✔❌")


def _reason(text: str, below: RecordPassage) -> str:
    """Why an option was turned down: its own words behind "because", else the first that speak against it."""
    plain = plain_text(text)
    match = REASON.search(plain)
    if match:
        return plain[match.start() :][:LONGEST_REASON]
    lines = [plain_text(line).strip(" -*+") for line in below.text.split("\n")]
    for at, line in enumerate(lines):
        argument = ARGUMENT.match(line)
        if argument and argument.group(1):
            return (line if line[argument.end() :] else next(filter(None, lines[at + 1 :]), ""))[:LONGEST_REASON]
    return ""


ASKS = re.compile(
    r"(?i)\b(?:(?:need|have|had|want) to (?:decide|choose)|discuss whether|decide between)\b|^how should\b"
)
DECIDED = re.compile(
    r"(?i)\b(?:decided?|agreed|chose|chosen|selected|opted|preferred)\b|\bdecision (?:is|was)\b|^(?:thus|therefore)\b"
)
WILL = re.compile(
    r"(?i)\b(?:we(?:['’]ll| will| shall| should| must| are going to| propose| use| adopt)|will be|should be|is to be)\b"
)
REFUSES = re.compile(
    r"(?i)\b(?:not|never)\s+(?:\w+\s+){0,2}?(?:chosen|selected|preferred|accepted|adopted|taken|going with|go with)\b"
    r"|\b(?:was|were|is|are)\s+(?:rejected|discarded|dismissed|ruled out)\b"
)
BACKGROUND = re.compile(r"(?i)\b(?:options|we need|currently|was|were|had|recommended|there (?:is|are)|is an?)\b")
VALUE = re.compile(r"\w+:\s\S+")  # as "Date: 2020-01-02"
ANSWER_LEADS = re.compile(r"(?i)\b(?:following|follows|below):$")
EARLY_WORDS = 10  # further on, "decided" is said of something else
SHORT_LEAD = 6  # words of a sentence that says nothing before its colon, as "We decided:"
LOOKED_AT = 8  # sentences; a decision says what it is near its beginning


def find_question(page: RecordPage, title: RecordPassage) -> RecordPassage | None:
    """What is decided upon, if the record asks it: the last question of its context, or its title."""
    said = [*chain.from_iterable(map(read_sentences, page.of("context")))]
    asked = [each for each in said if each.text.endswith("?") and not is_placeholder(each.text)]
    asked = asked or [each for each in said if ASKS.search(each.text)]
    if asked:
        return RecordPassage(asked[-1].text, asked[-1].line, asked[-1].line)
    return title if title.text.endswith("?") else None


def find_answer(page: RecordPage, decision: Sequence[RecordPassage]) -> RecordSentence | None:
    """The sentence that says what was chosen; none where the decision is still to be made."""
    said: list[RecordSentence] = []
    for each in chain.from_iterable(map(read_sentences, decision[:2])):
        if said and _is_lead(said[-1].text) and not BACKGROUND.search(said[-1].text):
            said[-1] = RecordSentence(f"{said[-1].text} {each.text}", said[-1].line)
        else:
            said.append(each)
    skipped = _skipped(page)
    first = [each for each in said if each.line not in skipped and _is_worth(each)][:LOOKED_AT]
    return max(first, key=lambda each: (_weight(each, first[0]), -first.index(each)), default=None)


def _skipped(page: RecordPage) -> set[int]:
    """The lines that state no choice: headings and quotations."""
    quoted = {number for number, line in enumerate(page.lines, start=1) if line.lstrip().startswith(">")}
    headings = {each.heading.line for each in page.sections if each.heading.line != each.passage.first_line}
    return quoted | headings


def _is_lead(text: str) -> bool:
    return text.endswith(":") and len(text.split()) <= SHORT_LEAD


def _is_worth(said: RecordSentence) -> bool:
    is_none = said.text.endswith("?") or _is_lead(said.text) or VALUE.fullmatch(said.text)
    return " " in said.text and not is_none and not is_placeholder(said.text)


def _weight(sentence: RecordSentence, opening: RecordSentence) -> int:
    """How surely a sentence decides: one that says so before what will be done, and the first before those below."""
    if ANSWER_LEADS.search(sentence.text) or REFUSES.search(sentence.text):
        return -1
    if DECIDED.search(" ".join(sentence.text.split()[:EARLY_WORDS])):
        return 3
    will = bool(WILL.search(sentence.text))
    is_opening = sentence == opening and not BACKGROUND.search(sentence.text)
    return 2 + will if is_opening else int(will)


SPELLED = re.compile(
    rf"(?i)\b(?:chosen|selected|preferred)\s+{OPTION_WORD}\W{{0,4}}(?:(?:is|was|are)\b(?: to)?|[:=–\-\"“])\W*"
)
LABELLED = re.compile(
    rf"(?i)(?:(?a:\b){OPTION_WORD}{NUMBER}|#\d{{1,2}}(?a:\b))"
    rf"(?:(?:,| and| &)\W{{1,3}}(?:{OPTION_WORD}\W{{1,3}})?\d[\d.]{{0,4}}(?a:\b))*"
)
EACH_LABEL = re.compile(r"\d{1,2}(?:\.\d{1,2})?[A-Z]?(?a:\b)|(?a:\b)[A-Z](?a:\b)")
CHOOSES = re.compile(
    r"(?i)\b(?:chos\w+|choose|select\w*|decid\w+|(?:go|going|went|proceed) with|adopt\w*|pick\w*|prefer\w*|opt\w* for"
    r"|accept\w*|agreed|implement\w*|us(?:e|ing)|support)\b"
)
WAS_CHOSEN = re.compile(r"(?i)\b(?:was|were|is|are) (?:chosen|selected|preferred|accepted)\b|\bpreferred over\b")
NEGATIVE = re.compile(r"(?i)\b(?:not|never|no|nor|against|reject\w*|discard\w*|instead|rather|over|than)\b|n['’]t\b")
CLAUSE_END = re.compile(
    r"(?i),? (?:because|since|as|due to|which|so that|in order|instead of|rather than|over|but|not)\b|[;(]"
)
QUOTED = re.compile(r"\W{0,4}[\"“]([^\"”]{2,200})[\"”]")
MOST_SENTENCES = 40


class ChosenOption(NamedTuple):
    """What was chosen, the line that says so, and which of the listed options it is."""

    text: str
    line: int
    listed: ListedOption | None


class RecordOptions(NamedTuple):
    """What was considered, in the record's order, and what came of it."""

    considered: tuple[RecordOption, ...]
    chosen: tuple[RecordOption, ...]
    rejected: tuple[RecordOption, ...]


def read_options(page: RecordPage, answer: RecordSentence | None) -> RecordOptions:
    """Read the options of a record, and the choice that it spells out."""
    listed = find_listed_options(page)
    said = [*chain.from_iterable(map(read_sentences, page.of("decision")))][:MOST_SENTENCES]
    taken = _taken(said, answer, listed)
    first_lines = {text: line for text, line, _ in reversed(taken)}
    chosen = [RecordOption(text, line) for text, line in first_lines.items()][::-1]
    rejected = _turned_down(listed, [each for _, _, each in taken if each])
    return RecordOptions(tuple(each.option for each in listed), tuple(chosen), tuple(rejected))


def _taken(
    said: Sequence[RecordSentence], answer: RecordSentence | None, listed: Sequence[ListedOption]
) -> list[ChosenOption]:
    """What was chosen: what sentences spell out, else the one option in the answer."""
    answers = answer.text if answer else ""
    found: list[ChosenOption] = []
    for number, sentence in enumerate(said):
        found += _told_by(sentence, listed, is_answer=number == 0 or sentence.text in answers)
    if found or answer is None or REFUSES.search(answers):
        return found
    named = _named(_clause(answers), listed)
    return [ChosenOption(named.option.text, answer.line, named)] if named else []


def _told_by(sentence: RecordSentence, listed: Sequence[ListedOption], *, is_answer: bool) -> list[ChosenOption]:
    """What a sentence chooses: what "Chosen option:" is followed by, else the options whose labels it has."""
    spelled = SPELLED.search(sentence.text)
    if spelled is None:
        labelled = _labelled(sentence.text, listed, is_answer=is_answer)
        return [ChosenOption(each.option.text, sentence.line, each) for each in labelled]
    rest = sentence.text[spelled.end() - 1 :]
    quoted = QUOTED.match(rest)
    choice = (quoted.group(1) if quoted else _clause(rest)).strip(" .\"“”'*:#")[:LONGEST]
    named = _resolved(choice, listed)
    if named is None and (is_placeholder(choice) or not strip_label(choice)):
        return []
    return [ChosenOption(named.option.text if named else strip_label(choice), sentence.line, named)]


def _resolved(choice: str, listed: Sequence[ListedOption]) -> ListedOption | None:
    """The option that these words mean: by all of its words, its label, or some of its words."""
    label = EACH_LABEL.match(choice.upper().removeprefix("OPTION").lstrip(" #"))
    written = label.group() if label else ""
    words = stem_option_words(choice)
    for each in (
        *(each for each in listed if each.words == words),
        *(each for each in listed if each.label == written),
    ):
        return each
    return _named(choice, listed)


def _labelled(text: str, listed: Sequence[ListedOption], *, is_answer: bool) -> list[ListedOption]:
    """The options whose labels a sentence chooses: any sentence that opens with one, and the one that answers."""
    label = LABELLED.search(text)
    if label is None or NEGATIVE.search(text[: label.start()]) or REFUSES.search(text):
        return []
    is_first = label.start() <= 2
    chooses = (is_first or CHOOSES.search(text)) if is_answer else is_first and WAS_CHOSEN.search(text)
    told = EACH_LABEL.findall(label.group().upper()) if chooses else []
    return [each for each in listed if each.label in told]


def _named(text: str, listed: Sequence[ListedOption]) -> ListedOption | None:
    """The one option that a text names: by all its words, the most of them."""
    said = stem_option_words(text) or frozenset(("",))
    whole = [each for each in listed if each.words <= said]
    most = max((len(each.words) for each in whole), default=0)
    found = [each for each in whole if len(each.words) == most]
    return found[0] if len(found) == 1 else None


def _clause(text: str) -> str:
    """What a sentence says before it gives reasons or turns against something."""
    return CLAUSE_END.split(text, maxsplit=1)[0]


def _turned_down(listed: Sequence[ListedOption], taken: Sequence[ListedOption]) -> Iterator[RecordOption]:
    """The others, if they answer the same question (as options 1.1 and 1.2 do) or their own place dismisses them."""
    asked = {each.label.rpartition(".")[0] for each in taken}
    names = {each.option.text for each in taken}
    for each in listed:
        if each.option.text not in names and (each.is_dismissed or each.label.rpartition(".")[0] in asked):
            yield each.option

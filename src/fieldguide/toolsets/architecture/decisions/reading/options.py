"""What became of the options of a record: which was chosen, which were turned down and why.

An option that is wrong does more harm than one that is missing, because proposals are held against it. So the choice
must be found in the list before the others count as turned down, and prose tells an option only in a few words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.words import STOP_WORDS
from fieldguide.toolsets.architecture.decisions.reading.listed_options import (
    LONGEST,
    LONGEST_REASON,
    NUMBER,
    OPTION_WORD,
    REASON,
    Listed,
    listed_options,
    stems,
    unlabelled,
)  # fmt: skip
from fieldguide.toolsets.architecture.decisions.reading.page import Page
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, is_placeholder, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option

SPELLED = re.compile(
    rf"(?i)\b(?:chosen|selected|preferred)\s+{OPTION_WORD}\W{{0,4}}(?:(?:is|was|are|were)\b(?: to)?|[:=–\-\"“])\W*"
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
    r"(?i),? (?:because|since|as|due to|which|so that|in order|instead of|rather than|over|but)\b|[;(]"
)
QUOTED = re.compile(r"\W{0,4}[\"“]([^\"”]{2,200})[\"”]")
PASSED_OVER = re.compile(
    r"(?i)\b(?:instead of|rather than|neglect(?:ed|ing)|(?:chos\w+|choose|prefer\w*|favou?r\w*|select\w*|pick\w*)"
    r"\b[^.;:]{1,80}?\bover|mov(?:e|ing) (?:away )?from|migrat(?:e|ing) from|switch(?:ing)? from)\s+([^.,;:()]{2,60})"
)
TURNED_DOWN = re.compile(
    r"(?i)^(?:we (?:also )?considered ([^.,;:()]{2,60}),? but\b|(?:using |the use of )?([^.,;:()]{2,40}?) (?:was|were) "
    r"(?:also )?(?:considered,? but|rejected|discarded|ruled out|dismissed|not chosen))"
)
PHRASE_END = re.compile(
    r"(?i)\s+(?:because|since|as|due|for|to|which|that|when|while|where|in|on|with|and|or|but|by|from)\b"
)
ARTICLE = re.compile(r"(?i)^(?:using |the |an? |our (?:own )?)+")
LONGEST_PHRASE = 4
MOST_SENTENCES = 40


class Options(NamedTuple):
    """What was considered, in the record's order, and what came of it."""

    considered: tuple[Option, ...]
    chosen: tuple[Option, ...]
    rejected: tuple[Option, ...]


def read_options(page: Page, answer: Sentence | None) -> Options:
    """The options of a record, and the choice that it spells out."""
    listed = listed_options(page)
    said = [each for passage in page.of("decision") for each in sentences_of(passage)][:MOST_SENTENCES]
    choices = _choices(said, answer, listed)
    places = {key for key in choices if isinstance(key, int)}
    chosen = [*choices.values()]
    names = {option.text for option in chosen}
    others = [each for number, each in enumerate(listed) if number not in places and each.option.text not in names]
    rejected = [each.option for each in others if places or (each.is_dismissed and not _is_meant(each, answer))]
    rejected += _passed_over(said, answer, [*chosen, *rejected])
    return Options(tuple(each.option for each in listed), tuple(chosen), tuple(rejected))


def _choices(said: Sequence[Sentence], answer: Sentence | None, listed: Sequence[Listed]) -> dict[int | str, Option]:
    """What was chosen with the lines that say so, by its place in the list or else by its words."""
    found: dict[int | str, Option] = {}
    for number, sentence in enumerate(said):
        is_answer = number == 0 or (answer is not None and sentence.line == answer.line)
        for key in _spelled(sentence.text, listed, is_answer=is_answer):
            text = listed[key].option.text if isinstance(key, int) else key
            found.setdefault(key, Option(text, sentence.line))
    if not found:
        found = {number: each.option._replace(reason="") for number, each in enumerate(listed) if each.is_taken}
    place = _named(_clause(answer.text), listed) if answer and not found else None
    return {place: Option(listed[place].option.text, answer.line)} if answer and place is not None else found


def _spelled(text: str, listed: Sequence[Listed], *, is_answer: bool) -> Iterator[int | str]:
    """The choice that a sentence spells out: "Chosen option: …" in any words, else the labels of options."""
    spelled = SPELLED.search(text)
    if spelled is None:
        yield from _labelled(text, listed, is_answer=is_answer)
        return
    quoted = QUOTED.match(text[spelled.end() - 1 :])
    choice = (quoted.group(1) if quoted else _clause(text[spelled.end() :])).strip(" .\"“”'*:#")[:LONGEST]
    exact = [number for number, each in enumerate(listed) if stems(each.option.text) == stems(choice)]
    label = EACH_LABEL.match(choice.upper().removeprefix("OPTION").lstrip(" #"))
    by_label = [number for number, each in enumerate(listed) if label and each.label == label.group()]
    place = next(iter((*exact, *by_label)), None)
    place = _named(choice, listed) if place is None else place
    if place is not None:
        yield place
    elif choice and not is_placeholder(choice):
        yield unlabelled(choice) or choice


def _labelled(text: str, listed: Sequence[Listed], *, is_answer: bool) -> Iterator[int]:
    """The options whose labels a sentence chooses: any sentence that opens with one, and the one that answers."""
    label = LABELLED.search(text)
    if label is None or NEGATIVE.search(text[: label.start()]):
        return
    is_first = label.start() <= 2
    if WAS_CHOSEN.search(text) if is_first and not is_answer else is_answer and (is_first or CHOOSES.search(text)):
        told = EACH_LABEL.findall(label.group().upper())
        yield from (number for number, each in enumerate(listed) if each.label in told)


def _named(text: str, listed: Sequence[Listed]) -> int | None:
    """The one option that a text names: by all its words, the most of them, else by some that no other option has."""
    said = stems(text)
    words = [stems(each.option.text) for each in listed]
    whole = [number for number, own in enumerate(words) if own and own <= said]
    longest = [number for number in whole if len(words[number]) == max(len(words[each]) for each in whole)]
    if whole or NEGATIVE.search(text):
        return longest[0] if len(longest) == 1 else None
    often = Counter(word for own in words for word in own)
    told = [
        number
        for number, own in enumerate(words)
        if 2 * len(own & said) >= len(own) and any(often[word] == 1 for word in own & said)
    ]
    return told[0] if len(told) == 1 else None


def _clause(text: str) -> str:
    """What a sentence says before it gives reasons or turns against something."""
    return CLAUSE_END.split(text, maxsplit=1)[0]


def _is_meant(each: Listed, answer: Sentence | None) -> bool:
    own = stems(each.option.text)
    return answer is not None and bool(own) and own <= stems(_clause(answer.text))


def _passed_over(said: Sequence[Sentence], answer: Sentence | None, known: Sequence[Option]) -> Iterator[Option]:
    """What prose says was not taken, where it is sure what that is: a few words up to the end of their phrase."""
    seen = [stems(option.text) for option in known]
    found = [(sentence, match) for sentence in said for match in TURNED_DOWN.finditer(sentence.text)]
    found += [(answer, match) for match in PASSED_OVER.finditer(answer.text)] if answer else []
    for sentence, match in found:
        phrase = ARTICLE.sub("", PHRASE_END.split(next(filter(None, match.groups()), ""), maxsplit=1)[0]).strip()
        own = stems(phrase)
        if _is_sure(phrase.split()) and own and not any(own <= other or other <= own for other in seen):
            reason = REASON.search(sentence.text)
            seen.append(own)
            yield Option(phrase, sentence.line, sentence.text[reason.start() :][:LONGEST_REASON] if reason else "")


def _is_sure(words: Sequence[str]) -> bool:
    is_short = 0 < len(words) <= LONGEST_PHRASE
    return is_short and words[0].lower() not in STOP_WORDS and not words[0].endswith("ing")

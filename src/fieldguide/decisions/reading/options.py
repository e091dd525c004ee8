"""What became of the options of a record: which was chosen, which were turned down and why.

An option that is wrong does more harm than one that is missing, because proposals are held against it. So the choice
must be found in the list before the others count as turned down, and prose tells an option only in a few words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.reading import listed_options as lists
from fieldguide.decisions.reading.listed_options import Listed, stems, unlabelled
from fieldguide.decisions.reading.page import Page
from fieldguide.decisions.reading.prose import Sentence, is_placeholder, sentences_of
from fieldguide.decisions.reading.record import Option
from fieldguide.search.words import STOP_WORDS

SPELLED = re.compile(
    rf"(?i)\b(?:chosen|selected|preferred)\s+{lists.OPTION_WORD}\W{{0,4}}(?:(?:is|was|are)\b(?: to)?|[:=–\-\"“])\W*"
)
LABELLED = re.compile(
    rf"(?i)(?:(?a:\b){lists.OPTION_WORD}{lists.NUMBER}|#\d{{1,2}}(?a:\b))"
    rf"(?:(?:,| and| &)\W{{1,3}}(?:{lists.OPTION_WORD}\W{{1,3}})?\d[\d.]{{0,4}}(?a:\b))*"
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
PASSED_OVER = re.compile(
    r"(?i)\b(?:instead of|rather than|neglect(?:ed|ing)|and against|(?:chos\w+|choose|prefer\w*|favou?r\w*|select\w*)"
    r"\b[^.;:]{1,80}?\bover|(?:move|migrate|switch) (?:away )?from)\s+([^.,;:()]{2,60})"
)
TURNED_DOWN = re.compile(
    r"(?i)^(?:we (?:also )?considered ([^.,;:()]{2,60}),? but\b|(?:using |the use of )?([^.,;:()]{2,40}?) (?:was|were) "
    r"(?:also )?(?:considered,? but|rejected|discarded|ruled out|dismissed|not chosen))"
)
PHRASE_END = re.compile(
    r"(?i)\s+(?:because|since|as|due|for|to|which|that|when|while|where|in|on|with|and|or|but|by|from)\b"
)
ARTICLE = re.compile(r"(?i)^(?:using |the |an? |our (?:own )?)+")
VAGUE = re.compile(r"(?i)^\w+ing\b|\b(?:others?|ones?)\b")
LONGEST_PHRASE = 4  # words; of a longer phrase it is not sure what was turned down
MOST_SENTENCES = 40


class Taken(NamedTuple):
    """What was chosen, the line that says so, and which of the listed options it is."""

    text: str
    line: int
    listed: Listed | None


class Options(NamedTuple):
    """What was considered, in the record's order, and what came of it."""

    considered: tuple[Option, ...]
    chosen: tuple[Option, ...]
    rejected: tuple[Option, ...]


def read_options(page: Page, answer: Sentence | None) -> Options:
    """The options of a record, and the choice that it spells out."""
    listed = lists.listed_options(page)
    said = [each for passage in page.of("decision") for each in sentences_of(passage)][:MOST_SENTENCES]
    taken = _taken(said, answer, listed)
    chosen = [Option(text, line) for text, line in {text: line for text, line, _ in reversed(taken)}.items()][::-1]
    rejected = [*_turned_down(listed, [each for _, _, each in taken if each], answer)]
    rejected += _passed_over(said, answer, [*chosen, *rejected])
    return Options(tuple(each.option for each in listed), tuple(chosen), tuple(rejected))


def _taken(said: Sequence[Sentence], answer: Sentence | None, listed: Sequence[Listed]) -> list[Taken]:
    """What was chosen: what sentences spell out, else what the list marks, else the one option in the answer."""
    answers = answer.text if answer else ""
    found: list[Taken] = []
    for number, sentence in enumerate(said):
        found += _told_by(sentence, listed, is_answer=number == 0 or sentence.text in answers)
    found = found or [Taken(each.option.text, each.option.line, each) for each in listed if each.is_taken]
    named = None if found else _named(_clause(answers), listed)
    return [Taken(named.option.text, answer.line, named)] if answer and named else found


def _told_by(sentence: Sentence, listed: Sequence[Listed], *, is_answer: bool) -> list[Taken]:
    """What a sentence chooses: what "Chosen option:" is followed by, else the options whose labels it has."""
    spelled = SPELLED.search(sentence.text)
    if spelled is None:
        labelled = _labelled(sentence.text, listed, is_answer=is_answer)
        return [Taken(each.option.text, sentence.line, each) for each in labelled]
    rest = sentence.text[spelled.end() - 1 :]
    quoted = QUOTED.match(rest)
    choice = (quoted.group(1) if quoted else _clause(rest)).strip(" .\"“”'*:#")[: lists.LONGEST]
    named = _resolved(choice, listed)
    if named is None and (is_placeholder(choice) or not unlabelled(choice)):
        return []
    return [Taken(named.option.text if named else unlabelled(choice), sentence.line, named)]


def _resolved(choice: str, listed: Sequence[Listed]) -> Listed | None:
    """The option that is meant by these words, all of its own, its label, or some of its own."""
    label = EACH_LABEL.match(choice.upper().removeprefix("OPTION").lstrip(" #"))
    told = label.group() if label else ""
    exact = [each for each in listed if each.words == stems(choice)] or [each for each in listed if each.label == told]
    return exact[0] if exact else _named(choice, listed)


def _labelled(text: str, listed: Sequence[Listed], *, is_answer: bool) -> list[Listed]:
    """The options whose labels a sentence chooses: any sentence that opens with one, and the one that answers."""
    label = LABELLED.search(text)
    if label is None or NEGATIVE.search(text[: label.start()]):
        return []
    is_first = label.start() <= 2
    chooses = (is_first or CHOOSES.search(text)) if is_answer else is_first and WAS_CHOSEN.search(text)
    told = EACH_LABEL.findall(label.group().upper()) if chooses else []
    return [each for each in listed if each.label in told]


def _named(text: str, listed: Sequence[Listed]) -> Listed | None:
    """The one option that a text names: by all its words, the most of them, else by some that no other option has."""
    said = stems(text) or frozenset(("",))
    whole = [each for each in listed if each.words <= said]
    most = max((len(each.words) for each in whole), default=0)
    found = [each for each in whole if len(each.words) == most] or _named_in_part(text, said, listed)
    return found[0] if len(found) == 1 else None


def _named_in_part(text: str, said: frozenset[str], listed: Sequence[Listed]) -> list[Listed]:
    still = [each for each in listed if not each.is_dismissed]
    found = [each for each in still if said <= each.words]
    if found or len(still) < len(listed) or NEGATIVE.search(text):
        return found
    often = Counter(chain.from_iterable(map(attrgetter("words"), listed)))
    return [each for each in listed if _is_half(each.words & said, each.words, often)]


def _is_half(told: frozenset[str], own: frozenset[str], often: Counter[str]) -> bool:
    return 2 * len(told) >= len(own) and 1 in map(often.get, told)


def _clause(text: str) -> str:
    """What a sentence says before it gives reasons or turns against something."""
    return CLAUSE_END.split(text, maxsplit=1)[0]


def _turned_down(listed: Sequence[Listed], taken: Sequence[Listed], answer: Sentence | None) -> Iterator[Option]:
    """The others, if they answer the same question (as options 1.1 and 1.2 do) or their own place dismisses them."""
    asked = {each.label.rpartition(".")[0] for each in taken}
    names = {each.option.text for each in taken}
    meant = stems(_clause(answer.text)) if answer else frozenset[str]()
    for each in listed:
        is_dismissed = each.is_dismissed and not each.words <= meant
        if each.option.text not in names and (is_dismissed or each.label.rpartition(".")[0] in asked):
            yield each.option


def _passed_over(said: Sequence[Sentence], answer: Sentence | None, known: Sequence[Option]) -> Iterator[Option]:
    """What prose says was not taken, where it is sure what that is: a few words up to the end of their phrase."""
    seen = [stems(option.text) for option in known]
    found = [(sentence, match) for sentence in said for match in TURNED_DOWN.finditer(sentence.text)]
    found += [(answer, match) for match in PASSED_OVER.finditer(answer.text)] if answer else []
    for sentence, match in found:
        phrase = ARTICLE.sub("", PHRASE_END.split(next(filter(None, match.groups()), ""), maxsplit=1)[0]).strip()
        if _is_sure(phrase, seen):
            reason = lists.REASON.search(sentence.text)
            seen.append(stems(phrase))
            yield Option(
                phrase, sentence.line, sentence.text[reason.start() :][: lists.LONGEST_REASON] if reason else ""
            )


def _is_sure(phrase: str, seen: Sequence[frozenset[str]]) -> bool:
    words, own = phrase.split(), stems(phrase)
    is_named = 0 < len(words) <= LONGEST_PHRASE and words[0].lower() not in STOP_WORDS and not VAGUE.search(phrase)
    return is_named and not any(own <= other or other <= own for other in seen)

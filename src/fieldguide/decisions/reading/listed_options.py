"""The options that a record lists: below headings of their own, behind labels, in a list, in bold or in a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.page import Page
from fieldguide.decisions.reading.prose import is_placeholder, plain_text, sentences_of
from fieldguide.decisions.reading.record import Option, Passage
from fieldguide.decisions.reading.vocabulary import is_printed
from fieldguide.search.words import STOP_WORDS

OPTION_WORD = r"(?:options?|alternatives?|approach|proposal|solution|variant)"
NUMBER = r"(?:\W{0,3}(\d{1,2}(?:\.\d{1,2})?[a-z]?)|\W{1,3}((?-i:[A-Z])))(?a:\b)"
WORD_LABEL = re.compile(rf"(?i)\W*(?:\[[^\[\]]{{0,40}}\]\W*)?{OPTION_WORD}{NUMBER}[\s.:)\]*_–—-]*")
NUMBER_LABEL = re.compile(r"\W*(\d{1,2}|[A-Z])[.):]\)?(?:\s+|$)")
SHAPES = (
    re.compile(r"(#{1,6}) (\S.*)"),
    re.compile(rf"(?i)(\s*)((?:\*\*|__|\W*{OPTION_WORD}\W{{0,3}}\d).*)"),
    re.compile(r"( {0,8})(?:[-*+]|\d{1,2}[.)])\s+(\S.*)"),
    re.compile(r"(\s*)\|\s*([^|]*[^|\s:-][^|]*)\|.*"),
)
HEADING, BOLD, ITEM, ROW = range(4)
BOLD_PART = re.compile(r"\s*(?:\*\*|__)_?(.{2,120}?)_?(?:\*\*|__)")
ARGUMENT = re.compile(r"(?i)\W*(?:good|neutral|pros?|advantages?|(bad|cons?|disadvantages?|rejected))(?a:\b)\W*")
TAKEN = re.compile(r"(?im)[\[(]\W{0,3}(?:selected|chosen)[^\])]{0,40}[\])]|[✅✔]|^this is the chosen \w+\W?$")
DISMISSED = re.compile(r"(?i)[\[(]\W{0,3}(?:rejected|discarded|not (?:chosen|selected))\W{0,3}[\])]|❌|~~")
LEADS = re.compile(r"(?i)\b(?:options|alternatives|approaches|solutions|considered)\b")
WEIGHED = re.compile(r"(?i)\b(?:consider|discuss|evaluat|explor)\w*")
WITHIN = re.compile(r"\s|[-*+]\s|\d{1,2}[.)]\s")
REFUSED = re.compile(r"(?im)^\W*(?:reason )?(?:not (?:accepted|chosen|selected)|rejected)\b")
CALLED = re.compile(rf"(?i)\W*{OPTION_WORD}\W*")
NAME_END = re.compile(r"(?<=[^\W\d])[:;](?=\s)|\.(?=\s+[A-Z])|\s[-–—]\s")
NO_NAME = re.compile(r"(?i)(?:this|it|there|we|these|that|instead|rather)\b|.*[?:]$")
REASON = re.compile(r"(?i)\b(?:because|since|as it)\b")
WORDS = re.compile(r"[^\W_]+(?:\.[^\W_]+)*[+#]*")
ENDINGS = re.compile(r"(?:ing|ed|es|s)?$")
LONGEST, LONGEST_REASON = 200, 300
PARENTHESES_KEPT = 80  # characters of a name up to which what stands in parentheses belongs to it
LONGEST_NAME_WORDS = 12  # a sentence that is longer explains an option and does not name it
MOST_OPTIONS, MOST_LISTS = 40, 20
SAME = 0.5  # of the words of both: MADR lists an option and takes it up again below in other words


class Listed(NamedTuple):
    """An option as it is listed: what it is called, and whether its own place says that it was taken or dismissed."""

    option: Option
    label: str
    is_taken: bool
    is_dismissed: bool

    @property
    def words(self) -> frozenset[str]:
        """The words that it goes by."""
        return stems(self.option.text)


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


def listed_options(page: Page) -> list[Listed]:
    """Each option once, in the record's order, though some are listed and taken up again below."""
    found: list[Listed] = []
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


def led_to(page: Page) -> Iterator[Passage]:
    """The list, or the headings, that a line such as "We considered these options:" leads to."""
    leading = (n for n, line in enumerate(page.lines, start=1) if line.endswith(":") and _leads(line))
    for number in islice(leading, MOST_LISTS):
        level = _level(next(filter(None, page.lines[number : number + 3]), ""))
        rest = enumerate(page.lines[number:], start=number + 1)
        ends = (n for n, each in rest if (0 < _level(each) < level if level else each and not WITHIN.match(each)))
        yield page.between(number + 1, next(ends, len(page.lines) + 1))


def stems(text: str) -> frozenset[str]:
    """The words of a text that tell it from others, without the endings of English."""
    words = (word for word in WORDS.findall(text.lower()) if word not in STOP_WORDS)
    return frozenset(ENDINGS.sub("", word, count=1).rstrip("e") if len(word) > 4 else word for word in words)


def unlabelled(text: str) -> str:
    """A text without the label that it opens with."""
    label = WORD_LABEL.match(text) or NUMBER_LABEL.match(text)
    return text[label.end() :] if label else text


def _likeness(one: Listed, other: Listed) -> float:
    left, right = one.words, other.words
    is_other = one.label and other.label and one.label != other.label
    return 0.0 if is_other else len(left & right) / max(len(left | right), 1)


def _groups(page: Page) -> Iterator[list[Listed]]:
    """The options of each section that is for them, those that a line leads to, and those with labelled headings."""
    apart: list[Listed] = []
    covered = 0
    for section in page.sections:
        if section.kind in ("options", "discarded"):
            yield [*_listed(section.passage, is_discarded=section.kind == "discarded")]
        if section.kind in ("options", "discarded", "decision"):
            covered = section.passage.last_line
        mark = _mark(section.heading.line, f"{'#' * section.heading.level} {section.heading.text}")
        if mark and mark.is_labelled and mark.line > covered and mark.depth[1] > 1:
            apart += _option(mark, section.passage)
    yield from ([*_listed(passage, is_discarded=False)] for passage in led_to(page))
    yield apart[:MOST_OPTIONS]


def _leads(line: str) -> bool:
    return line[0] != "#" and bool(LEADS.search(line) and WEIGHED.search(line))


def _level(line: str) -> int:
    return len(line) - len(line.lstrip("#"))


def _listed(passage: Passage, *, is_discarded: bool) -> Iterator[Listed]:
    lines = passage.text.split("\n")
    first = passage.first_line
    is_line = is_discarded and len(lines) == 1 and ";" in lines[0]
    marks = [_Mark(first, part, (BOLD, 0)) for part in lines[0].split(";")] if is_line else _marks(lines, first)
    for mark, end in zip(marks, [*(each.line for each in marks), first + len(lines)][1:], strict=True):
        below = Passage("\n".join(lines[mark.line - first + 1 : end - first]), mark.line + 1, end)
        yield from (_dismissed(each, mark) if is_discarded else each for each in _option(mark, below))


def _dismissed(each: Listed, mark: _Mark) -> Listed:
    """An option of those that were not taken; an item that is a whole sentence may be an argument only."""
    is_long = mark.depth[0] == ITEM and len(each.option.text.split()) > LONGEST_NAME_WORDS
    return each._replace(is_dismissed=not each.is_taken and not is_long)


def _marks(lines: Sequence[str], first: int) -> list[_Mark]:
    """The lines that open an option: those with labels where there are some, else the highest that name something."""
    often = Counter(lines)
    found = [*filter(None, (_mark(first + n, line) for n, line in enumerate(lines) if often[line] == 1))]
    labelled = _highest([mark for mark in found if mark.is_labelled])
    if len(labelled) > 1:  # the same label twice: several questions, each with its own options
        return labelled if len({mark.label for mark in labelled}) == len(labelled) else []
    highest = _highest(found, least=2)
    return [*_led(highest, "\n".join(lines[: highest[0].line - first]).strip())] if highest else []


def _led(marks: Sequence[_Mark], before: str) -> Iterator[_Mark]:
    """The marks, if they are headings or bold, items that open the section or are introduced, or rows of options."""
    shape = marks[0].depth[0] if marks else HEADING
    is_introduced = not before or ("\n\n" not in before and LEADS.search(before))
    if shape == ROW:
        yield from marks[1:] if CALLED.fullmatch(marks[0].text) else ()
    elif shape < ITEM or is_introduced:
        yield from marks


def _mark(number: int, line: str) -> _Mark | None:
    for shape, pattern in enumerate(SHAPES):
        match = pattern.fullmatch(line)
        if match:
            text = match.group(2)
            label = WORD_LABEL.match(text) or NUMBER_LABEL.match(text)
            told = "".join(filter(None, label.groups())).upper() if label else ""
            is_none = ARGUMENT.match(text) or (shape == HEADING and not told and _is_general(text))
            return None if is_none else _Mark(number, text, (shape, len(match.group(1))), told)
    return None


def _is_general(text: str) -> bool:
    return is_printed(text) or bool(LEADS.match(text)) or text.lower().endswith(" options")


def _highest(marks: Sequence[_Mark], least: int = 1) -> list[_Mark]:
    """The marks that stand highest; a line in bold only where there are enough of them."""
    top = min((mark.depth for mark in marks), default=None)
    found = [mark for mark in marks if mark.depth == top][:MOST_OPTIONS]
    is_alone = top is not None and top[0] == BOLD and len(found) < least
    return _highest([mark for mark in marks if mark.depth[0] > BOLD]) if is_alone else found


def _option(mark: _Mark, below: Passage) -> Iterator[Listed]:
    said = [sentence.text for sentence in sentences_of(below)[:2]]
    name = _name(mark.text)
    if name[:1] in ("", "(") and said:
        first = NAME_END.split(said[0], maxsplit=1)[0]
        name = first if len(first.split()) <= LONGEST_NAME_WORDS else plain_text(mark.text)
    if name and not is_placeholder(name) and not NO_NAME.match(name):
        is_taken = TAKEN.search("\n".join((mark.text, *said)))
        is_dismissed = DISMISSED.search(mark.text) or REFUSED.search(below.text)
        option = Option(name[:LONGEST], mark.line, _reason(mark.text, below))
        yield Listed(option, mark.label, is_taken=bool(is_taken), is_dismissed=bool(is_dismissed))


def _name(text: str) -> str:
    """What an option is called: without its label, up to where it is explained."""
    bold = BOLD_PART.match(text)
    own = unlabelled(plain_text(bold.group(1))).strip() if bold else ""
    name = TAKEN.sub("", NAME_END.split(own or unlabelled(plain_text(text)), maxsplit=1)[0])
    short = name if len(name) <= PARENTHESES_KEPT else name.partition(" (")[0]
    return short.replace("( )", "").strip(" .:*\"“”'✅✔❌")


def _reason(text: str, below: Passage) -> str:
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

"""The options that a record lists: below headings of their own, behind labels, in a list or in a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.words import STOP_WORDS
from fieldguide.toolsets.architecture.decisions.reading.prose import is_placeholder, plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Passage
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter
from fieldguide.toolsets.architecture.decisions.reading.status import RULE, cells
from fieldguide.toolsets.architecture.decisions.reading.vocabulary import is_printed

OPTION_WORD = r"(?:options?|alternatives?|approach|proposal|solution|variant)"
NUMBER = r"(?:\W{0,3}(\d{1,2}(?:\.\d{1,2})?[a-z]?)|\W{1,3}((?-i:[A-Z])))(?a:\b)"
LABEL = re.compile(
    rf"(?i)\W*(?:\[[^\[\]]{{0,40}}\]\W*)?(?:{OPTION_WORD}{NUMBER}|(\d{{1,2}}|(?-i:[A-Z]))[.):])(?:\W+|$)"
)
BOLD = re.compile(r"\s*(?:\*\*|__)_?(.{2,120}?)_?(?:\*\*|__)")
ITEM = re.compile(r"( {0,8})(?:[-*+]|\d{1,2}[.)])\s+(\S.*)")
ARGUMENT = re.compile(r"(?i)\W*(?:good|neutral|pros?|advantages?|(bad|cons?|disadvantages?|rejected))(?a:\b)\W*")
TAKEN = re.compile(
    r"(?i)[\[(]\W*(?:selected|chosen|accepted|preferred)\W*[\])]|[✅✔]|^\W*this is the chosen (?:\w+)\W*$"
)
DISMISSED = re.compile(r"(?i)[\[(]\W*(?:rejected|discarded|not \w+)\W*[\])]|❌|~~")
INTRODUCES = re.compile(rf"(?i)(?a:\b)(?:{OPTION_WORD}s?|consider\w*)(?a:\b)")
NAME_END = re.compile(r"(?<=\w)[.:;](?=\s)|\s[-–—]\s")
REASON = re.compile(r"(?i)\b(?:because|since|as it)\b")
WORDS = re.compile(r"[^\W_]+(?:\.[^\W_]+)*[+#]*")
LONGEST, LONGEST_REASON = 200, 300
PARENTHESES_KEPT = 80
LONGEST_NAME_WORDS = 12  # a first sentence that is longer explains an option and does not name it
MOST_OPTIONS = 40
SAME = 0.5  # of the words of both: MADR lists an option and takes it up again below in other words


class Listed(NamedTuple):
    """An option as it is listed: what it is called, and whether its own place says that it was taken or dismissed."""

    option: Option
    label: str
    is_taken: bool
    is_dismissed: bool


class _Mark(NamedTuple):
    line: int
    text: str


def listed_options(sections: Sequence[Chapter], lines: Sequence[str]) -> list[Listed]:
    """Each option once, in the record's order, though some are listed and taken up again below."""
    found: list[Listed] = []
    for group in _groups(sections, lines):
        earlier = len(found)
        for each in group:
            alike = [_likeness(each, known) for known in found[:earlier]]
            if alike and max(alike) >= SAME:
                place = alike.index(max(alike))
                reason = found[place].option.reason or each.option.reason
                found[place] = found[place]._replace(option=found[place].option._replace(reason=reason))
            elif len(found) < MOST_OPTIONS:
                found.append(each)
    return [each._replace(label=each.label or str(number)) for number, each in enumerate(found, start=1)]


def stems(text: str) -> frozenset[str]:
    """The words of a text that tell it from others, without the endings of English."""
    return frozenset(_stem(word) for word in WORDS.findall(text.lower()) if word not in STOP_WORDS)


def _stem(word: str) -> str:
    if len(word) > 4 and word.isalpha():
        ending = next((end for end in ("ing", "ed", "es", "s") if word.endswith(end)), "")
        word = word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 4 else word


def _likeness(one: Listed, other: Listed) -> float:
    left, right = stems(one.option.text), stems(other.option.text)
    is_other = one.label and other.label and one.label != other.label
    return 0.0 if is_other else len(left & right) / max(len(left | right), 1)


def _groups(sections: Sequence[Chapter], lines: Sequence[str]) -> Iterator[list[Listed]]:
    """The options of each section that is for them, then those that have headings with labels elsewhere."""
    covered = led = 0
    apart: list[Listed] = []
    for section in sections:
        heading = section.heading
        if section.kind in ("options", "discarded"):
            yield [*_listed(section)]
        if section.kind in ("options", "discarded", "decision"):
            covered = section.passage.last_line
        label = LABEL.match(heading.text) if heading.line > covered and heading.level > 1 else None
        if label and label.group(3) and heading.level != led:  # a number alone is one where a line leads to it
            leading = " ".join(lines[max(0, heading.line - 4) : heading.line - 1]).rstrip()
            led = heading.level if leading.endswith(":") and INTRODUCES.search(leading) else 0
        if label and (not label.group(3) or led):
            apart += _option(_Mark(heading.line, heading.text), section.passage)
    yield apart


def _listed(section: Chapter) -> Iterator[Listed]:
    lines = section.passage.text.splitlines()
    first = section.passage.first_line
    marks = _marks(lines, first)[:MOST_OPTIONS]
    if not marks and section.kind == "discarded" and len(lines) == 1:
        marks = [_Mark(first, part) for part in lines[0].split(";") if ";" in lines[0]]
    for number, mark in enumerate(marks):
        end = marks[number + 1].line if number + 1 < len(marks) else first + len(lines)
        below = Passage("\n".join(lines[mark.line - first + 1 : end - first]), mark.line + 1, end)
        for each in _option(mark, below):
            is_dismissed = each.is_dismissed or (section.kind == "discarded" and not each.is_taken)
            yield each._replace(is_dismissed=is_dismissed)


def _marks(lines: Sequence[str], first: int) -> list[_Mark]:
    """The lines that open an option: headings where there are some, else labels, items, bold openings, or rows."""
    numbered = [_Mark(number, line) for number, line in enumerate(lines, start=first) if line.strip()]
    headings = _highest([mark for mark in numbered if mark.text.startswith("#")])
    labelled = [
        mark for mark in numbered if (label := LABEL.match(mark.text)) and ("*" in mark.text or not label.group(3))
    ]
    if headings or len(labelled) > 1:
        return headings or labelled
    bold = [mark for mark in numbered if BOLD.match(mark.text) and not ARGUMENT.match(mark.text)]
    return _items(numbered) or (bold if len(bold) > 1 else _rows(numbered))


def _highest(headings: Sequence[_Mark]) -> list[_Mark]:
    """The highest headings that name something: not those that stand below each, nor those that all records have."""
    often = Counter(mark.text for mark in headings)
    named = [mark for mark in headings if often[mark.text] == 1 and _names_something(mark.text.lstrip("# "))]
    top = min((mark.text.index(" ") for mark in named), default=0)
    return [mark._replace(text=mark.text[top + 1 :]) for mark in named if mark.text.index(" ") == top]


def _names_something(text: str) -> bool:
    is_general = is_printed(text) or ARGUMENT.match(text) or text.lower().startswith("options ")
    return not is_general or bool(LABEL.match(text))


def _items(numbered: Sequence[_Mark]) -> list[_Mark]:
    """The outer items of a list that opens the section or that its first paragraph introduces."""
    items = [(match, mark) for mark in numbered if (match := ITEM.match(mark.text))]
    before = [mark for mark in numbered if items and mark.line < items[0][1].line]
    if before and (before[-1].line - before[0].line >= len(before) or not INTRODUCES.search(before[-1].text)):
        return []
    outer = min((len(match.group(1)) for match, _ in items), default=0)
    found = [mark._replace(text=match.group(2)) for match, mark in items if len(match.group(1)) == outer]
    return [mark for mark in found if not ARGUMENT.match(mark.text)]


def _rows(numbered: Sequence[_Mark]) -> list[_Mark]:
    """The first cells of a table whose first column is called after options."""
    rows = [mark._replace(text=cells(mark.text)[0].strip("*_ ")) for mark in numbered if mark.text.lstrip()[0] == "|"]
    is_of_options = len(rows) > 2 and INTRODUCES.match(rows[0].text) and RULE.fullmatch(rows[1].text)
    return [mark for mark in rows[2:] if mark.text] if is_of_options else []


def _option(mark: _Mark, below: Passage) -> Iterator[Listed]:
    said = sentences_of(below)
    name = _name(mark.text) or (NAME_END.split(said[0].text, maxsplit=1)[0] if said else "")
    if len(name.split()) > LONGEST_NAME_WORDS and not _name(mark.text):
        name = plain_text(mark.text)
    if name and not is_placeholder(name):
        label = LABEL.match(plain_text(mark.text))
        told = next((group for group in label.groups() if group), "") if label else ""
        is_taken = any(TAKEN.search(text) for text in (mark.text, *(each.text for each in said[:2])))
        option = Option(name[:LONGEST], mark.line, _reason(mark.text, below))
        yield Listed(option, told.upper(), is_taken, is_dismissed=bool(DISMISSED.search(mark.text)))


def _name(text: str) -> str:
    """What an option is called: without its label, up to where it is explained."""
    bold = BOLD.match(text)
    own = LABEL.sub("", plain_text(bold.group(1)), count=1) if bold else ""
    name = NAME_END.split(own.strip() or LABEL.sub("", plain_text(text), count=1), maxsplit=1)[0]
    short = name if len(name) <= PARENTHESES_KEPT else name.partition(" (")[0]
    return short.strip(" .:*\"“”'✅✔❌")


def _reason(text: str, below: Passage) -> str:
    """Why an option was turned down: its own words behind "because", else the first that speak against it."""
    plain = plain_text(text)
    match = REASON.search(plain)
    lines = [plain_text(line).strip(" -*+") for line in below.text.splitlines()] if not match else []
    for at, line in enumerate(lines):
        argument = ARGUMENT.match(line)
        if argument and argument.group(1):
            return (line if line[argument.end() :] else next(filter(None, lines[at + 1 :]), ""))[:LONGEST_REASON]
    return plain[match.start() :][:LONGEST_REASON] if match else ""

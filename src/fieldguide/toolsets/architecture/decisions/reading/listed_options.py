"""The options that a record lists: below headings of their own, behind labels, in a list or in a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.words import STOP_WORDS
from fieldguide.toolsets.architecture.decisions.reading.page import Chapter, Page
from fieldguide.toolsets.architecture.decisions.reading.prose import is_placeholder, plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Passage
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
TAKEN = re.compile(r"(?i)[\[(]\W*(?:selected|chosen)[^\])]*[\])]|[✅✔]|^\W*this is the chosen \w+\W*$")
DISMISSED = re.compile(r"(?i)[\[(]\W*(?:rejected|discarded|not \w+)\W*[\])]|❌|~~")
LEADS = re.compile(r"(?i)\b(?:options|alternatives|approaches|solutions|considered)\b")
CALLED = re.compile(rf"(?i)\W*{OPTION_WORD}\W*")
NAME_END = re.compile(r"(?<=\w)[:;](?=\s)|\.(?=\s+[A-Z])|\s[-–—]\s")
REASON = re.compile(r"(?i)\b(?:because|since|as it)\b")
WORDS = re.compile(r"[^\W_]+(?:\.[^\W_]+)*[+#]*")
LONGEST, LONGEST_REASON, PARENTHESES_KEPT = 200, 300, 80
LONGEST_NAME_WORDS = 12  # a sentence that is longer explains an option and does not name it
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


def listed_options(page: Page) -> list[Listed]:
    """Each option once, in the record's order, though some are listed and taken up again below."""
    found: list[Listed] = []
    for group in _groups(page):
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


def unlabelled(text: str) -> str:
    """A text without the label that it opens with."""
    label = LABEL.match(text)
    return text[label.end() :] if label else text


def _stem(word: str) -> str:
    if len(word) > 4 and word.isalpha():
        word = word.removesuffix(next((end for end in ("ing", "ed", "es", "s") if word.endswith(end)), ""))
    return word.removesuffix("e") if len(word) > 4 else word


def _likeness(one: Listed, other: Listed) -> float:
    left, right = stems(one.option.text), stems(other.option.text)
    is_other = one.label and other.label and one.label != other.label
    return 0.0 if is_other else len(left & right) / max(len(left | right), 1)


def _groups(page: Page) -> Iterator[list[Listed]]:
    """The options of each section that is for them, then those that have headings with labels elsewhere."""
    covered = led = 0
    apart: list[Listed] = []
    for section in page.sections:
        heading = section.heading
        if section.kind in ("options", "discarded"):
            yield [*_listed(section)]
        if section.kind in ("options", "discarded", "decision"):
            covered = section.passage.last_line
        label = LABEL.match(heading.text) if heading.line > covered and heading.level > 1 else None
        if label and label.group(3) and heading.level != led:  # a number alone is one where a line leads to it
            leading = " ".join(page.lines[max(0, heading.line - 4) : heading.line - 1]).rstrip()
            led = heading.level if leading.endswith(":") and LEADS.search(leading) else 0
        if label and (not label.group(3) or led):
            apart += _option(_Mark(heading.line, heading.text), section.passage)
    yield apart


def _listed(section: Chapter) -> Iterator[Listed]:
    lines = section.passage.text.split("\n")
    first = section.passage.first_line
    is_discarded = section.kind == "discarded"
    marks = _marks([_Mark(number, line) for number, line in enumerate(lines, start=first) if line.strip()])
    if not marks and is_discarded and len(lines) == 1 and ";" in lines[0]:
        marks = [_Mark(first, part) for part in lines[0].split(";")]
    for number, mark in enumerate(marks[:MOST_OPTIONS]):
        end = marks[number + 1].line if number + 1 < len(marks) else first + len(lines)
        below = Passage("\n".join(lines[mark.line - first + 1 : end - first]), mark.line + 1, end)
        for each in _option(mark, below):
            if not is_discarded or len(each.option.text.split()) <= LONGEST_NAME_WORDS:
                yield each._replace(is_dismissed=each.is_dismissed or (is_discarded and not each.is_taken))


def _marks(lines: Sequence[_Mark]) -> list[_Mark]:
    """The lines that open an option: headings where there are some, else labels, items, bold openings, or rows."""
    headings = _highest([mark for mark in lines if mark.text.startswith("#")])
    labels = [(mark, label) for mark in lines if (label := LABEL.match(mark.text))]
    labelled = [mark for mark, label in labels if "*" in mark.text or not label.group(3)]
    if headings or len(labelled) > 1:
        return headings or labelled
    bold = [mark for mark in lines if BOLD.match(mark.text) and not ARGUMENT.match(mark.text)]
    return _items(lines) or (bold if len(bold) > 1 else _rows(lines))


def _highest(headings: Sequence[_Mark]) -> list[_Mark]:
    """The headings with labels, else the highest that name something, which those that stand below each do not."""
    often = Counter(mark.text for mark in headings)
    bare = [
        (mark.text.index(" "), mark._replace(text=mark.text.lstrip("# "))) for mark in headings if often[mark.text] == 1
    ]
    labelled = [each for each in bare if (label := LABEL.match(each[1].text)) and not label.group(3)]
    named = labelled if len(labelled) > 1 else [each for each in bare if _names_something(each[1].text)]
    top = min((level for level, _ in named), default=0)
    return [mark for level, mark in named if level == top]


def _names_something(text: str) -> bool:
    is_general = is_printed(text) or ARGUMENT.match(text) or LEADS.match(text) or text.lower().endswith(" options")
    return not is_general or bool(LABEL.match(text))


def _items(lines: Sequence[_Mark]) -> list[_Mark]:
    """The outer items of a list that opens the section or that its first paragraph introduces."""
    items = [(match, mark) for mark in lines if (match := ITEM.match(mark.text))]
    before = [mark for mark in lines if items and mark.line < items[0][1].line]
    if before and (before[-1].line - before[0].line >= len(before) or not LEADS.search(before[-1].text)):
        return []
    outer = min((len(match.group(1)) for match, _ in items), default=0)
    found = [mark._replace(text=match.group(2)) for match, mark in items if len(match.group(1)) == outer]
    return [mark for mark in found if not ARGUMENT.match(mark.text)]


def _rows(lines: Sequence[_Mark]) -> list[_Mark]:
    """The first cells of a table whose first column is called after options."""
    rows = [mark._replace(text=cells(mark.text)[0].strip("*_ ")) for mark in lines if mark.text.lstrip()[0] == "|"]
    is_of_options = len(rows) > 2 and CALLED.fullmatch(rows[0].text) and RULE.fullmatch(rows[1].text)
    return [mark for mark in rows[2:] if mark.text] if is_of_options else []


def _option(mark: _Mark, below: Passage) -> Iterator[Listed]:
    said = sentences_of(below)
    name = _name(mark.text)
    if not name and said:
        first = NAME_END.split(said[0].text, maxsplit=1)[0]
        name = first if len(first.split()) <= LONGEST_NAME_WORDS else plain_text(mark.text)
    if name and not is_placeholder(name):
        label = LABEL.match(plain_text(mark.text))
        told = next((group for group in label.groups() if group), "") if label else ""
        is_taken = any(TAKEN.search(text) for text in (mark.text, *(each.text for each in said[:2])))
        option = Option(name[:LONGEST], mark.line, _reason(mark.text, below))
        yield Listed(option, told.upper(), is_taken, is_dismissed=bool(DISMISSED.search(mark.text)))


def _name(text: str) -> str:
    """What an option is called: without its label, up to where it is explained."""
    bold = BOLD.match(text)
    own = unlabelled(plain_text(bold.group(1))).strip() if bold else ""
    name = TAKEN.sub("", NAME_END.split(own or unlabelled(plain_text(text)), maxsplit=1)[0])
    short = name if len(name) <= PARENTHESES_KEPT else name.partition(" (")[0]
    return short.replace("( )", "").strip(" .:*\"“”'✅✔❌")


def _reason(text: str, below: Passage) -> str:
    """Why an option was turned down: its own words behind "because", else the first that speak against it."""
    plain = plain_text(text)
    match = REASON.search(plain)
    lines = [plain_text(line).strip(" -*+") for line in below.text.split("\n")] if not match else []
    for at, line in enumerate(lines):
        argument = ARGUMENT.match(line)
        if argument and argument.group(1):
            return (line if line[argument.end() :] else next(filter(None, lines[at + 1 :]), ""))[:LONGEST_REASON]
    return plain[match.start() :][:LONGEST_REASON] if match else ""

"""Relates decision records: which supersedes or amends which, their order in time, and which ones a text names.

`link_records` ties records by their references, `build_decisions` dates and orders them, and `NameReader` finds the
records that a proposal names and whether it replaces them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

from fieldguide.knowledge.decisions.record import (
    UNKNOWN,
    DecisionRecord,
    RecordPassage,
    RecordReference,
    Standing,
    Tie,
    is_dated,
    plain_text,
    read_own_name,
    read_record_number,
    read_sentences,
)
from fieldguide.prose.markdown import count_front_matter_lines
from fieldguide.text import regex as re

OPPOSITE: dict[Tie, Tie] = {
    "supersedes": "superseded_by",
    "superseded_by": "supersedes",
    "amends": "amended_by",
    "amended_by": "amends",
}
PARTIAL: dict[Tie, Tie] = {"supersedes": "amends", "superseded_by": "amended_by"}  # what is left of it still stands


class RecordTies(NamedTuple):
    """The records that one is tied to, by their paths."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()


class RecordLinks(NamedTuple):
    """A collection of records with the ties between them."""

    records: Mapping[str, DecisionRecord]
    ties: Mapping[str, RecordTies]

    def successors(self, record: DecisionRecord) -> list[DecisionRecord]:
        """The records that replaced a record in the end, which nothing replaced in turn."""
        seen = {record.path}
        ends = list[DecisionRecord]()
        open_paths = [record.path]
        while open_paths:
            following = [path for path in self.ties[open_paths.pop(0)].superseded_by if path not in seen]
            seen.update(following)
            for path in following:
                if any(later not in seen for later in self.ties[path].superseded_by):
                    open_paths.append(path)
                else:
                    ends.append(self.records[path])
        return ends

    def standing_of(self, record: DecisionRecord) -> Standing:
        """The standing of a record, also by other records: one that an accepted record supersedes is retired.

        A record that calls itself superseded, but by none of these records, counts as in force.
        """
        replacing = [self.records[path] for path in self.ties[record.path].superseded_by]
        if any(other.standing in ("in force", "retired") for other in replacing):
            return "retired"
        if record.standing == "retired" and record.status == "superseded" and not replacing:
            return "in force"
        return record.standing


class RecordFinder:
    """Finds the record that a reference means: by its file, else by its number, in the same folder first."""

    def __init__(self, records: Iterable[DecisionRecord]) -> None:
        self._by_name: dict[str, list[DecisionRecord]] = {}
        self._by_number: dict[int, list[DecisionRecord]] = {}
        for record in records:
            path = PurePosixPath(record.path)
            for name in {path.stem.casefold(), path.parent.name.casefold()} - {"", "index", "readme"}:
                self._by_name.setdefault(name, []).append(record)
            if record.number is not None:
                self._by_number.setdefault(record.number, []).append(record)

    def find(self, reference: RecordReference, near: str = "") -> DecisionRecord | None:
        """The record that is meant, seen from the file `near`; None if nothing or only the file itself fits."""
        folder = PurePosixPath(near).parent
        named = self._by_name.get(reference.path.casefold(), []) if reference.path else []
        numbered = self._by_number.get(reference.number, []) if reference.number is not None else []
        for found in (named if len(named) <= 2 else [], numbered):
            others = [record for record in found if record.path != near]
            if others:
                return min(others, key=lambda record: (PurePosixPath(record.path).parent != folder, record.path))
        return None


def link_records(records: Sequence[DecisionRecord]) -> RecordLinks:
    """Tie records together; of two with one number, the file that a link names decides, then the folder."""
    finder = RecordFinder(records)
    tied: dict[str, dict[Tie, dict[str, None]]] = {record.path: {} for record in records}
    for record in records:
        for reference in record.references:
            other = finder.find(reference, record.path)
            if other is None:
                continue
            tie = PARTIAL.get(reference.tie, reference.tie) if reference.is_partial else reference.tie
            tied[record.path].setdefault(tie, {})[other.path] = None
            if tie in OPPOSITE:
                tied[other.path].setdefault(OPPOSITE[tie], {})[record.path] = None
    ties: dict[str, RecordTies] = {}
    for path, by_tie in tied.items():
        ties[path] = RecordTies(**{tie: tuple(sorted(paths)) for tie, paths in by_tie.items()})
    return RecordLinks({record.path: record for record in records}, ties)


ISO = re.compile(r"(?a:\b)((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})(?a:\b)")
PACKED = re.compile(r"(?a:\b)((?:19|20)\d{2})([01]\d)([0-3]\d)(?:\D|$)")
WORDS = re.compile(r"(?i)(?a:\b)(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ .-]+([a-z]{3,9})[ .,-]+((?:19|20)\d{2})(?a:\b)")
TURNED = re.compile(r"(?i)(?a:\b)([a-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +((?:19|20)\d{2})(?a:\b)")
YEAR_FIRST = re.compile(r"(?i)(?a:\b)((?:19|20)\d{2})[ .,-]+([a-z]{3,9})[ .,-]+(\d{1,2})(?a:\b)")
MONTH_FIRST = re.compile(r"(?i)(?a:\b)([a-z]{3,9})[ ,-]+((?:19|20)\d{2})(?a:\b)")
DAY_FORMS = (
    (ISO, 1, 2, 3), (PACKED, 1, 2, 3), (WORDS, 3, 2, 1), (YEAR_FIRST, 1, 2, 3), (TURNED, 3, 1, 2),
    (MONTH_FIRST, 2, 1, 0),
)  # fmt: skip
"""Patterns with their groups of year, month and day; 0 for the first of the month."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
LONGEST = 200


def parse_day(text: str) -> date | None:
    """The first day that a text names."""
    start = text[:LONGEST]
    for pattern, year, month, day in DAY_FORMS:
        match = pattern.search(start)
        if match:
            number = match.group(day) if day else "1"
            return _day(match.group(year), match.group(month), number)
    return None


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    name = word[:3].lower()
    return MONTHS.index(name) + 1 if name in MONTHS else 0


def _day(year: str, month: str, day: str) -> date | None:
    with suppress(ValueError):
        return date(int(year), _month(month), int(day))
    return None


STANDINGS: tuple[Standing, ...] = ("in force", "proposed", "rejected", "retired")


class DatedDecision(NamedTuple):
    """A record as people see it, with a unique `name`; `href` is the address of its page.

    Ties are the names of other decisions. `status` is the word that the record uses, `standing` what it means.
    """

    name: str
    label: str
    title: str
    status: str
    standing: Standing
    day: date | None
    href: str
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number that it is called by; 0 for none."""
        return int(self.label) if self.label.isdecimal() and self.label.isascii() else 0


class NamedRecord(NamedTuple):
    """A record with a unique name, and the day of its first commit in case it has no date."""

    name: str
    record: DecisionRecord
    first_day: date | None = None


def build_decisions(recorded: Sequence[NamedRecord], *, page: str) -> list[DatedDecision]:
    """Tie records together, the earliest first; `page` is the prefix of their addresses."""
    links = link_records([each.record for each in recorded])
    names = {each.record.path: each.name for each in recorded}
    return sort_decisions([_decision(each, links, names, page) for each in recorded])


def sort_decisions(decisions: Sequence[DatedDecision]) -> list[DatedDecision]:
    """Sort by day; one without a day comes after the one whose number precedes its own."""
    about: dict[str, date] = {}
    last = date.min
    for each in sorted(decisions, key=lambda each: (each.number, each.name)):
        if each.number and each.day:
            last = each.day
        about[each.name] = each.day or last
    return sorted(decisions, key=lambda each: (about[each.name], each.number, each.name))


def _decision(recorded: NamedRecord, links: RecordLinks, names: Mapping[str, str], page: str) -> DatedDecision:
    record = recorded.record
    own_name = read_own_name(record.path)
    day = parse_day(record.date) or parse_day(own_name)
    ties = links.ties[record.path]
    return DatedDecision(
        name=recorded.name,
        label=record.adr_id if record.adr_id.isdecimal() and not is_dated(own_name) else "",
        title=record.name,
        status=record.status,
        standing=links.standing_of(record),
        day=day or recorded.first_day,
        href=f"{page}{quote_name(recorded.name)}",
        supersedes=_named(ties.supersedes, names),
        superseded_by=_named(ties.superseded_by, names),
        amends=_named(ties.amends, names),
        amended_by=_named(ties.amended_by, names),
    )


def quote_name(name: str) -> str:
    """Quote a name as a part of an address."""
    return quote(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), safe="/")


def describe_status(decision: DatedDecision) -> str:
    """The word for the standing of a decision: its own, unless it has none or others retired it."""
    if decision.standing == "retired" and decision.superseded_by:
        return "superseded"
    return decision.standing if decision.status == UNKNOWN else decision.status


def _named(paths: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[path] for path in paths if path in names)


def index_by_name(decisions: Iterable[DatedDecision]) -> dict[str, DatedDecision]:
    """Decisions by their names."""
    return {each.name: each for each in decisions}


SENTENCE_TOKEN = re.compile(r"@\d+|[^\W_]+(?:['’-][^\W_]+)*|[,;:()\[\]–—?/&]")
REPLACES = re.compile(
    r"(?:super[sc]ed|replac|obsolet|amend|deprecat|revok|overrid|overrul|overturn|rescind|repeal|annul|invalidat"
    r"|withdraw|retir|abandon|contradict|discontinu|revers|revert|revis|discard|drop|reject|cancel|stop)"
    r"(?:e|es|s|ing|ping|ed|ped|n)?"
)
KEEPS = re.compile(r"(?:follow|appl|us|adher|keep|stick|implement)(?:e|es|s|y|ies|ing|ying)?")
STATE = re.compile(
    r"super[sc]eded|replaced|obsoleted?|amended|deprecated|revoked|overridden|overruled|overturned|rescinded|repealed"
    r"|annulled|invalid|withdrawn|retired|abandoned|discontinued|void|moot|reversed|dropped|discarded|cancelled|outdated"
)
NOT = frozenset(("not", "never", "without", "cannot", "neither", "nor", "no"))
UNSURE = frozenset(("if", "whether", "unless", "may", "might", "could", "before", "until"))
BE = frozenset(("is", "are", "be", "becomes", "become", "gets", "get", "being"))
WAS = frozenset(("was", "were", "been"))
ENDS = frozenset((";", "–", "—", "?", "(", ")", "[", "]", "but"))
# What opens a reason, a means or a comparison: a name behind it is no object.
OPENS = frozenset((
    "because", "since", "when", "while", "although", "as", "with", "by", "to", "for", "after", "than", "like", "unlike",
    "per", "see", "cf", "following", "under", "via", "using", "which", "based",
))  # fmt: skip
GIVEN = frozenset(("introduced", "chosen", "made", "set", "defined", "established", "described", "decision", "used"))
OWN = frozenset(("this", "present", "current", "new", "following", "our", "it", "us", "below", "proposal", "proposed"))
CONTRASTS = (
    ("instead", "of"), ("rather", "than"), ("place", "of"), ("lieu", "of"), ("contrary", "to"), ("away", "from"),
    ("departs", "from"), ("depart", "from"), ("deviates", "from"), ("deviate", "from"), ("conflicts", "with"),
    ("replacement", "for"), ("successor", "to"), ("amendment", "to"),
)  # fmt: skip
FAR = 14  # words that are looked at
NEAR = 6
BEFORE = 5


def is_replaced(sentence: str, name: str) -> bool:
    """Whether a sentence says that the record of a name is replaced, changed or no longer followed."""
    if sentence.rstrip().endswith("?"):
        return False
    words = SENTENCE_TOKEN.findall(sentence.lower())
    places = [at for at, word in enumerate(words) if word == name]
    return any(_is_object(words, at) or _is_over(words, at) for at in places)


def _is_object(words: Sequence[str], at: int) -> bool:
    """Whether a verb of replacing, or a contrast, has the name as its object."""
    while at > 1 and words[at - 1] in (",", "and", "or", "/", "&") and words[at - 2][0] in "@,":
        at -= 1 if words[at - 2] == "," else 2  # the start of "@3, @5 and @7"
    for place in range(at - 1, max(-1, at - 1 - FAR), -1):
        word = words[place]
        before = words[max(0, place - BEFORE) : place]
        if tuple(words[max(0, place - 1) : place + 1]) in CONTRASTS or REPLACES.fullmatch(word):
            is_history = word.endswith("ed") and {"we", "this", "have", "has", "hereby"}.isdisjoint(before)
            return not is_history and _is_meant(words, place)
        if KEEPS.fullmatch(word) and ("longer" in before or any(map(_is_negation, before[-3:]))):
            return True
        if word in ENDS or word.startswith("@") or (word in OPENS and GIVEN.isdisjoint(before[-1:])):
            return False
    return False


def _is_meant(words: Sequence[str], place: int) -> bool:
    """Whether an act is said to happen: not denied, not only possible, and not done by another record."""
    begin = next((n for n in range(place - 1, -1, -1) if words[n] in (*ENDS, ",", ":")), -1) + 1
    clause = words[begin:place]
    if any(map(_is_negation, clause[-BEFORE:])) or not UNSURE.isdisjoint(clause):
        return False
    subject = [word for word in words[max(0, place - NEAR) : place] if word not in (",", "which", "that", "also")]
    return not subject or not subject[-1].startswith("@")


def _is_negation(word: str) -> bool:
    return word in NOT or word.endswith(("n't", "n’t"))


def _is_over(words: Sequence[str], at: int) -> bool:
    """Whether the name is the subject of a clause that says it is replaced or holds no longer."""
    end = at
    while end + 2 < len(words) and words[end + 1] in (",", "and", "or", "/", "&") and words[end + 2][0] == "@":
        end += 2
    rest = words[end + 1 : end + 1 + FAR]
    rest = list(takewhile(lambda word: word not in ENDS and word not in (":", "which"), rest))
    near = rest[: NEAR + 2]
    if not UNSURE.isdisjoint(rest[:NEAR]) or any(word.startswith("@") for word in near[:2]):
        return False
    if "no longer" in " ".join(rest[:NEAR]):
        return True
    place = next((number for number, word in enumerate(near) if STATE.fullmatch(word)), None)
    if place is None or any(map(_is_negation, near[:place])) or not WAS.isdisjoint(near[:place]):
        return False
    after = rest[place + 1 : place + 6]
    if after[:1] in (["by"], ["with"]):
        return not OWN.isdisjoint(after) and not any(word.startswith("@") for word in after)
    return not BE.isdisjoint(near[:place])


AT = re.compile(r"@(?=\d)")
LINKED = re.compile(r"\[[^\[\]\n]{0,200}\]\(\s*<?([^()\s>]{1,300})>?[^()\n]{0,100}\)")
TOKEN = re.compile(r"@?\w[\w./:~#+-]{0,300}")
SHORT_NAME = re.compile(r"(?:[A-Za-z]{1,10}[-_])?([A-Za-z]{2,20}?)[-_#:/]{0,2}0*(\d{1,5})")
FILE_PREFIX = re.compile(r"([A-Za-z]{2,12})[-_ ]?\d")
MORE_NUMBERS = r"((?:\s{0,2}(?:,|and|&|/|or|,\s?and)\s{0,2}#?\d{1,5})*)"
NUMBERED = re.compile(
    r"(?<![\w/.])([A-Za-z]{2,20})[\s:#_*`]{1,4}(?:(?i:no\.?|number|nr\.?)\s{0,2})?#?0*(\d{1,5})"
    rf"{MORE_NUMBERS}(\.\d)?(?![\w%])"
)
PREFIXES = frozenset(
    ("adr", "adrs", "madr", "decision", "decisions", "record", "records", "rfc", "rfcs", "pep", "peps", "kep", "keps")
)
RECORD_FOLDERS = frozenset(("adr", "adrs", "decision", "decisions", "records", "rfc", "rfcs"))
NAMES = re.compile(r"@(\d+)")

ACTS = (
    r"super[sc]ed(?:es?|ing)|replac(?:es|ing)|obsolet(?:es|ing)|amend(?:s|ing)|deprecat(?:es|ing)|revok(?:es|ing)"
    r"|overrid(?:es|ing)|overrul(?:es|ing)|overturn(?:s|ing)|withdraw(?:s|ing)|retir(?:es|ing)|rescind(?:s|ing)"
    r"|repeal(?:s|ing)|invalidat(?:es|ing)|revers(?:es|ing)|updates|modifies|revis(?:es|ing)|supersession"
    r"|in (?:place|lieu) of|instead of|replacement (?:for|of)|successor (?:to|of)"
    r"|(?:super[sc]eded|replaced|obsoleted?|amended|revoked|deprecated|withdrawn|retired|overridden)"
    r"[\s_-]+(?:adrs?|decisions?|records?|rfcs?|documents?)"
)
LABEL = re.compile(
    rf"(?i)^(?P<open>[\s>|*_#+\"'`•·-]*)(?:<[a-z]+>\s*)*(?:\d{{1,2}}[.)]\s*)?(?:this (?:\w+ )?)?(?P<act>{ACTS})"
    r"(?:[\s_-]*(?:and|/|&)[\s_-]*[a-z]+s)?"
    r"(?:[\s_-]+(?:adrs?|decisions?|records?|documents?|the|following|previous|earlier|prior|our|old)){0,5}"
    r"[*_`\]\"']*\s*(?P<mark>[:|=–—]|</t[dh]>|$)[*_`:|=>\s]*(?P<value>.*)$"
)
ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)]|\|)\s+\S|\s+\S")
RULE = re.compile(r"[\s|:=+~-]*")
NOTHING = re.compile(r"(?i)\W*(?:none|nothing|nil|no|not|n/a|na|tbd|null|false)(?:\W.*)?|\W*")
NUMBERS = re.compile(r"(?i)(?:[\s\[\]\"',;#&/()*_`|-]|and|adrs?|nos?\.?|\d{1,5})+")
DIGITS = re.compile(r"\d{1,5}")
ASIDE = re.compile(r"(?i)\b(?:see|because|since|by|which|except|not|but|unlike|according|per)\b")
BRACKETS = re.compile(r"\([^()]*\)")
MOST_NAMES = 200
MOST_LINES = 400
MOST_BELOW = 40
LONGEST_LINE = 1_000


class NamedRecords(NamedTuple):
    """A text with names of records as words: how each is written, and where it is replaced."""

    text: str
    names: Mapping[int, str]
    replaced: Mapping[int, str]


class _Told(NamedTuple):
    """A label, one of its values, and the lines of both."""

    act: str
    value: str
    lines: range


class NameReader:
    """Reads the names of these records in texts; each record is known by its place in the sequence."""

    def __init__(self, records: Sequence[DecisionRecord]) -> None:
        self._finder = RecordFinder(records)
        self._places = {record.path: place for place, record in enumerate(records)}
        self._titles = [(record.title.casefold(), record.name.casefold()) for record in records]
        self._numbered: dict[tuple[str, int], int] = {}  # by the letters before the number too, or by none
        self._prefixes: set[str] = {*PREFIXES}
        for place, record in enumerate(records):
            prefix = FILE_PREFIX.match(read_own_name(record.path))
            if prefix:
                self._prefixes.update((prefix.group(1).lower(), f"{prefix.group(1).lower()}s"))
            if record.number is not None:
                self._numbered.setdefault((prefix.group(1).lower() if prefix else "", record.number), place)

    def read(self, text: str) -> NamedRecords:
        """Find the names in a text and what it says of each; the text is returned without labels and front matter."""
        names: dict[int, str] = {}
        marked = self._marked_names(self._marked_links(AT.sub("", text), names), names)
        lines = marked.split("\n")
        replaced: dict[int, str] = {}
        taken: set[int] = set()
        for told in _labels(lines):
            places = self._values(told.value)
            for place in places:
                names.setdefault(place, "")
                replaced.setdefault(place, f"{told.act}: {plain_text(told.value).strip(' |-*+')}")
            if places:
                taken.update(told.lines)
        title, front = _front_matter(lines)
        rest = [line for number, line in enumerate(lines) if number not in taken and number >= front]
        body = "\n".join([title, "", *rest] if title else rest)
        for sentence in read_sentences(RecordPassage(body, 1, body.count("\n") + 1)) if names else ():
            for name in dict.fromkeys(NAMES.findall(sentence.text)[:MOST_NAMES]):
                if is_replaced(sentence.text, f"@{name}"):
                    replaced.setdefault(int(name), sentence.text)
        return NamedRecords(body, names, replaced)

    def _marked_links(self, text: str, names: dict[int, str]) -> str:
        """A text with its links to records as names."""

        def mark(match: "re.Match[str]") -> str:
            place = self._by_file(match.group(1), is_link=True)
            if place is None:
                return match.group()
            names.setdefault(place, match.group())
            return f" @{place} "

        return LINKED.sub(mark, text)

    def _marked_names(self, text: str, names: dict[int, str]) -> str:
        """A text with the records that it names by a file or by their number as names."""

        def mark(written: str, places: Sequence[int | None]) -> str:
            found = [place for place in places if place is not None]
            for place in found:
                names.setdefault(place, written.strip())
            return f" {' and '.join(f'@{place}' for place in found)} " if found else written

        def mark_token(match: "re.Match[str]") -> str:
            token = match.group().rstrip(".:/-#+~")
            place = None if token.startswith("@") else self._by_token(token)
            return mark(token, [place]) + match.group()[len(token) :]

        def mark_number(match: "re.Match[str]") -> str:
            prefix, number, others, version = match.groups()
            if prefix.lower() not in self._prefixes or version:
                return match.group()
            if not others:
                return mark(match.group(), [self._by_number(int(number), prefix)])
            each_named = (f"{prefix.rstrip('s')} {each}" for each in (number, *DIGITS.findall(others)))
            return " and ".join(mark(name, [self._by_number(int(name.split()[1]), prefix)]) for name in each_named)

        return NUMBERED.sub(mark_number, TOKEN.sub(mark_token, text))

    def _by_token(self, token: str) -> int | None:
        """The record that a word without spaces means: "ADR-7", a file or a path."""
        short = SHORT_NAME.fullmatch(token)
        if short and short.group(1).lower() in self._prefixes:
            return self._by_number(int(short.group(2)), short.group(1))
        if set("-_./").isdisjoint(token):
            return None
        return self._by_file(token, is_link=False)

    def _by_file(self, target: str, *, is_link: bool) -> int | None:
        """The record that a link or a path leads to: by the name of the file, else by the number that opens it."""
        path = target.split("#")[0].split("?")[0].removesuffix("/").removesuffix(".html")
        name = read_own_name(path)
        found = self._finder.find(RecordReference("mentions", None, name, 1, target)) if name else None
        if found is not None:
            return self._places[found.path]
        folder = path.rpartition("/")[0].rpartition("/")[2].lower()
        is_own = "://" not in target or folder in RECORD_FOLDERS
        is_numbered = (is_link and is_own) or (name.isdigit() and folder in RECORD_FOLDERS)
        number = read_record_number(path) if is_numbered else None
        if number is None:
            return None
        return self._by_number(number)

    def _by_number(self, number: int, prefix: str = "") -> int | None:
        """The record with a number; of several, the one whose file has the same letters before it."""
        own = prefix.lower()
        for letters in (own, own.removesuffix("s"), ""):
            if (letters, number) in self._numbered:
                return self._numbered[letters, number]
        found = self._finder.find(RecordReference("mentions", number, "", 1, ""))
        return self._places[found.path] if found else None

    def _values(self, value: str) -> list[int]:
        """The records that the value of a label means."""
        if NOTHING.fullmatch(value):
            return []
        said = ASIDE.split(value, maxsplit=1)[0]
        named = NAMES.findall(BRACKETS.sub(" ", said)) or NAMES.findall(said)
        if named:
            return [*dict.fromkeys(map(int, named[:MOST_NAMES]))]
        if NUMBERS.fullmatch(said):
            numbers = dict.fromkeys(map(int, DIGITS.findall(said)[:MOST_NAMES]))
            numbered = map(self._by_number, numbers)
            return [place for place in numbered if place is not None]
        titled = plain_text(value).strip(" |-*+[]\"'").casefold()
        return [place for place, titles in enumerate(self._titles) if titled in titles]


def _front_matter(lines: Sequence[str]) -> tuple[str, int]:
    """The title that front matter gives, and how many lines it takes."""
    taken = count_front_matter_lines([line.rstrip() for line in lines[:MOST_LINES]])
    titles = (line.partition(":")[2].strip(" \"'") for line in lines[:taken] if line.lower().startswith("title:"))
    return next(titles, ""), taken


def _labels(lines: Sequence[str]) -> Iterator[_Told]:
    """The labels that name what is replaced, with the values beside them or below them."""
    for number, written in enumerate(lines[:MOST_LINES]):
        line = written[:LONGEST_LINE]
        match = LABEL.match(line)
        if match is None:
            continue
        act = match.group("act")
        value = match.group("value").strip()
        if value.strip(" |*_`[]"):
            yield _Told(act, value, range(number, number + 1))
        elif match.group("mark") or "#" in match.group("open") or line.strip(" *_`") == act:
            yield from _below(act, lines, number, is_heading="#" in match.group("open"))


def _below(act: str, lines: Sequence[str], number: int, *, is_heading: bool) -> Iterator[_Told]:
    """The values below a label: the items of its list, or all of its section."""
    begun = False
    for at in range(number + 1, min(number + 1 + MOST_BELOW, len(lines))):
        line = lines[at][:LONGEST_LINE]
        if not line.strip() or (RULE.fullmatch(line) and not begun and line.strip() != "---"):
            continue
        is_blank_before = begun and not lines[at - 1].strip()
        is_item = ITEM.match(line) is not None
        if line.startswith("#") or RULE.fullmatch(line) or (not is_item and not is_heading and is_blank_before):
            return
        if not is_item and not is_heading and (LABEL.match(line) or not NAMES.search(line)):
            return
        begun = True
        yield _Told(act, line.strip(" -*+•|"), range(number, at + 1))

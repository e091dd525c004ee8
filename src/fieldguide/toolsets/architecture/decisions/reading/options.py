"""The options of a record: which were considered, which was chosen, which were turned down and why."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.words import query_terms
from fieldguide.toolsets.architecture.decisions.reading.prose import plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Passage
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter, plain_heading

ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,2}[.)])\s+(.*)")
BOLD_START = re.compile(r"^\s*(?:\*\*|__)(.{2,120}?)(?:\*\*|__)")
FENCE = re.compile(r"^\s*(?:```|~~~)")
PREFIX = re.compile(
    r"^\s*(?:\*\*|__)?\s*(?:(?:option|alternative|approach|proposal|solution)\s*(?:#?\s*[\dA-Z]{1,2}(?a:\b))?\s*[.:)\-–—]*"
    r"|[\dA-Z]{1,2}[.:)])\s*",
    re.IGNORECASE,
)
NAMED = re.compile(r"\W*(?:option|alternative|approach|proposal|solution)\s*#?\s*[\dA-Z]{1,2}\b", re.IGNORECASE)
CHOICE = r"\b(?:chosen|selected|preferred|recommended)\s+(?:option|solution|alternative|approach)s?\b"
CHOSEN = re.compile(
    rf"{CHOICE}\W{{0,3}}?(?:(?:is|was|are|were)\b(?: to)?|[:=–])[*_]{{0,2}}\s*|{CHOICE}\W{{0,3}}?(?=[\"“])",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    r"\b(?:go(?:ing)? (?:ahead )?with|went with|go for|chose|choose|chosen|selected?|adopt|pick(?:ed)?|proceed with"
    r"|accept(?:ed)?|decided (?:on|for|to use)|opt(?:ed)? for|implement)"
    r"(?: to)?(?: the)?\s*\W{0,3}option\s*\W{0,2}([\dA-Z])\b",
    re.IGNORECASE,
)
REASON = re.compile(r"(?:\bbecause\b|\bsince\b|\bas it\b|\breason\b[^:]{0,30}:)", re.IGNORECASE)
AGAINST = re.compile(
    r"\b(?:bad|cons?|disadvantages?|not accepted|rejected|discarded|ruled out|too \w+|drawback|issues?)\b",
    re.IGNORECASE,
)
DISMISSED = re.compile(
    r"\b(?:rejected|discarded|declined|not chosen|not selected|ruled out|dismissed)\b", re.IGNORECASE
)
SKIPPED = frozenset(
    ("advantages", "disadvantages", "pros", "cons", "issues", "pro", "con", "pros and cons", "example", "examples",
    "positive",
     "negative", "neutral", "summary", "overview", "description", "notes", "analysis", "comparison", "reasoning",
     "benefits",
     "drawbacks", "links", "references", "more information", "risks", "tradeoffs", "trade-offs", "implementation")
)  # fmt: skip
LONGEST = 200
LONGEST_CHOICE = 300
MOST_OPTIONS = 40
SHORT_OUTCOME = 15
NEGATIVE = re.compile(r"\b(?:not|no|never|n['’]t|against|instead|rather|over)\b|n['’]t\b", re.IGNORECASE)
SAME = 0.6


class Options(NamedTuple):
    """What was considered, in the record's order, and what came of it."""

    considered: tuple[Option, ...]
    chosen: tuple[Option, ...]
    rejected: tuple[Option, ...]


class _Listed(NamedTuple):
    option: Option
    label: str
    dismissed: bool


def read_options(sections: Sequence[Chapter]) -> Options:
    """The options of a record that lists any, and the choice that it spells out."""
    listed = _merged([each for section in sections for each in _listed(section)])
    chosen = _chosen(sections, listed)
    rejected = tuple(
        each.option
        for each in listed
        if not any(_is_same(each.option.text, choice.text) for choice in chosen) and (each.dismissed or chosen)
    )
    return Options(tuple(each.option for each in listed), chosen, rejected)


def _listed(section: Chapter) -> Iterator[_Listed]:
    if section.kind not in ("options", "discarded"):
        return
    lines = section.passage.text.splitlines()
    marks = list(_marks(lines, section.passage.first_line))
    if not marks and section.kind == "discarded" and len(lines) == 1:
        marks = [(section.passage.first_line, part.strip()) for part in lines[0].split(";")]
    for number, (line, text) in enumerate(marks):
        following = marks[number + 1][0] if number + 1 < len(marks) else section.passage.last_line + 1
        detail = lines[line - section.passage.first_line + 1 : following - section.passage.first_line]
        name = _option_name(text)
        if name and plain_heading(name) not in SKIPPED:
            dismissed = section.kind == "discarded" or bool(DISMISSED.search(text))
            yield _Listed(Option(name, line, _reason(text, detail)), _label(text, number), dismissed)


def _marks(lines: Sequence[str], first: int) -> list[tuple[int, str]]:
    """The lines that open an option: headings where there are some, else bold openings, else list items."""
    headings: list[tuple[int, str, int]] = []
    bold: list[tuple[int, str]] = []
    items: list[tuple[int, str]] = []
    is_code = False
    for number, line in enumerate(lines, start=first):
        if FENCE.match(line):
            is_code = not is_code
        if is_code:
            continue
        if line.startswith("#") and plain_heading(line.lstrip("#").strip()) not in SKIPPED:
            headings.append((number, line.lstrip("#").strip(), len(line) - len(line.lstrip("#"))))
        elif BOLD_START.match(line):
            bold.append((number, line.strip()))
        elif match := ITEM.match(line):
            items.append((number, match.group(1)))
    if headings:
        highest = min(level for _, _, level in headings)
        return [(number, text) for number, text, level in headings if level == highest][:MOST_OPTIONS]
    named = [(number, text) for number, text in bold if NAMED.match(plain_text(text))]
    return (named if len(named) > 1 else items or bold)[:MOST_OPTIONS]


def _option_name(text: str) -> str:
    plain = plain_text(text)
    bare = PREFIX.sub("", plain, count=1).strip() or plain
    bold = BOLD_START.match(PREFIX.sub("", text, count=1) if not BOLD_START.match(text) else text)
    if bold and not PREFIX.fullmatch(plain_text(bold.group(1))):
        bare = PREFIX.sub("", plain_text(bold.group(1)), count=1).strip() or bare
    name = re.split(r"(?<=\w)[.:;](?=\s)|\s[-–—]\s|\s\(", bare, maxsplit=1)[0].strip(" .:*\"“”'")
    return name[:LONGEST]


def _label(text: str, number: int) -> str:
    match = re.match(r"\W*(?:option|alternative)?\s*#?\s*([\dA-Z])\b(?=[.:)\s\-])", plain_text(text), re.IGNORECASE)
    return match.group(1).upper() if match else str(number + 1)


def _reason(text: str, detail: Sequence[str]) -> str:
    """Why an option was turned down: its own words behind "because", else the first line that speaks against it."""
    plain = plain_text(text)
    match = REASON.search(plain)
    if match:
        return plain[match.start() :][:LONGEST_CHOICE]
    said = (plain_text(line).strip(" -*") for line in detail)
    return next((line[:LONGEST_CHOICE] for line in said if line and AGAINST.search(line)), "")


def _merged(listed: Sequence[_Listed]) -> list[_Listed]:
    """Each option once, though MADR lists it and later takes it up again: the first line, the first reason."""
    kept: list[_Listed] = []
    for each in listed[:MOST_OPTIONS]:
        place = next(
            (n for n, known in enumerate(kept) if known.option.text.casefold() == each.option.text.casefold()), None
        )
        if place is None:
            kept.append(each)
            continue
        known = kept[place]
        reason = known.option.reason or each.option.reason
        kept[place] = known._replace(
            option=known.option._replace(reason=reason), dismissed=known.dismissed or each.dismissed
        )
    return kept


def _chosen(sections: Sequence[Chapter], listed: Sequence[_Listed]) -> tuple[Option, ...]:
    found: list[Option] = []
    for section in sections:
        if section.kind in ("decision", "proposal"):
            found += _named_choices(section.passage, listed)
    if not found:
        found = [option for section in sections if section.kind == "decision" for option in _outcome(section, listed)]
    return tuple(dict.fromkeys(found))


def _outcome(section: Chapter, listed: Sequence[_Listed]) -> list[Option]:
    """The one option that a decision opens with, in so many words."""
    first = next(iter(sentences_of(section.passage)), None)
    if first is None or len(first.text.split()) > SHORT_OUTCOME or NEGATIVE.search(first.text):
        return []
    said = set(query_terms(first.text))
    named = [each.option for each in listed if (terms := set(query_terms(each.option.text))) and terms <= said]
    return [Option(named[0].text, first.line)] if len(named) == 1 else []


def _named_choices(passage: Passage, listed: Sequence[_Listed]) -> Iterator[Option]:
    lines = passage.text.splitlines()
    for number, line in enumerate(lines):
        match = CHOSEN.search(line)
        if match:
            rest = line[match.end() :].strip()
            if not rest.strip("*_: ") or rest.count('"') == 1:
                rest = " ".join([rest, *lines[number + 1 : number + 3]])
            if plain_text(rest):
                yield _resolved(_until_reason(rest), passage.first_line + number, listed)
        for numbered in NUMBERED.finditer(line):
            label = numbered.group(1).upper()
            option = next((each.option for each in listed if each.label == label), None)
            if option:
                yield Option(option.text, passage.first_line + number)


def _until_reason(text: str) -> str:
    quoted = re.match(r"\W{0,4}[\"“]([^\"”]{2,200})[\"”]", text)
    if quoted:
        return plain_text(quoted.group(1))
    return re.split(
        r",? (?:because|since|as it|as this|due to)\b|[.;](?:\s|$)|,\s*because", plain_text(text), maxsplit=1
    )[0][:LONGEST]


def _resolved(text: str, line: int, listed: Sequence[_Listed]) -> Option:
    """A choice in the words of the list that it was made from, where it is found there."""
    best = max(listed, key=lambda each: _overlap(each.option.text, text), default=None)
    if best and _is_same(best.option.text, text):
        return Option(best.option.text, line)
    label = re.match(r"\W*option\s*#?\s*([\dA-Z])\b", text, re.IGNORECASE)
    by_label = next((each.option for each in listed if label and each.label == label.group(1).upper()), None)
    return Option(by_label.text if by_label else PREFIX.sub("", text, count=1).strip(" \"“”'*:") or text, line)


def _is_same(option: str, choice: str) -> bool:
    return option.casefold() == choice.casefold() or _overlap(option, choice) >= SAME


def _overlap(one: str, other: str) -> float:
    left, right = set(query_terms(one)), set(query_terms(other))
    return len(left & right) / max(len(left | right), 1)

"""The values of a decision record, the sections, sentences and heading words that it is read from, and its file name.

Most are printed by the templates (Nygard, MADR, Tyree and Akerman, Alexandrian, PEPs, KEPs, RFCs); people add the rest.
A heading counts only if every word of it is one of these: "Considered Options" does, "Configuration Options" does not.

A section's purpose is told by its heading. A line in bold that stands alone is a heading too, if
it says what one says; so are "**Decision**: …", "Decision: …" and a row `| Decision | … |`, where no heading says so.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fieldguide.files.kinds import MARKED_UP_SUFFIXES, find_format
from fieldguide.prose.document import Heading, ReadDocument
from fieldguide.prose.markdown import BYTE_ORDER_MARK, count_front_matter_lines, strip_attributes
from fieldguide.prose.readers import read_document as read_any
from fieldguide.text import regex as re
from fieldguide.text.words import STOP_WORDS

Standing = Literal["in force", "proposed", "rejected", "retired"]
Tie = Literal["supersedes", "superseded_by", "amends", "amended_by", "mentions"]

UNKNOWN = "unknown"


class RecordPassage(NamedTuple):
    """A piece of a record as it stands there, with its first and last line, counted from 1."""

    text: str
    first_line: int
    last_line: int


class RecordOption(NamedTuple):
    """Something that was considered: its words, its line, and why it was turned down where the record says so."""

    text: str
    line: int
    reason: str = ""


class RecordReference(NamedTuple):
    """What a record says about another: by number, by file, or both; `text` is the line that says so."""

    tie: Tie
    number: int | None
    path: str
    line: int
    text: str
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision record.

    `status` is the word that the record uses, in lower case, `standing` what it means; `title` is shown, `name` is the
    title without its number. A record whose status is unknown counts as in force.
    """

    path: str
    adr_id: str
    number: int | None
    title: str
    title_line: int
    name: str
    status: str
    standing: Standing
    status_text: RecordPassage | None
    date: str
    context: tuple[RecordPassage, ...]
    decision: tuple[RecordPassage, ...]
    chosen: tuple[RecordOption, ...]
    considered: tuple[RecordOption, ...]
    rejected: tuple[RecordOption, ...]
    references: tuple[RecordReference, ...]
    body: RecordPassage
    question: RecordPassage | None = None
    answer: RecordPassage | None = None


COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
FENCE = re.compile(r"[\s>*+-]*(```+|~~~+|////+)")  # the last hides a comment of AsciiDoc
IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)")
LINK = re.compile(r"\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,100}\])")
ADDRESS = re.compile(r"<?https?://[^\s>)]+>?")
TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
MARKS = re.compile(r"\*{1,3}|`{1,3}|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
OPENING = re.compile(r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*|\|)")
END = re.compile(r"(?<=[.!?])[\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9`])|(?<=[;])\s+|(?<=\S)\s+[–—]\s+(?=\S)")
NO_END = re.compile(r"(?:(?:^|\W)\d{1,3}|\b(?:e\.g|i\.e|etc|vs|cf|approx|no))\.$", re.IGNORECASE)
WHOLE_PLACEHOLDER = re.compile(r"[{\[][^{}\[\]]{3,400}[}\]]\W{0,3}|(?i:TBD|TODO|to be (?:decided|determined))(?a:\b).*")
PLACEHOLDER = re.compile(r"(?:^|[^{\w]){[a-z][\w ,./'-]{0,200} [\w ,./'-]{0,200}}(?:[^}]|$)")
LONGEST_BLOCK = 6000
LONGEST_TEXT = 20_000


class RecordSentence(NamedTuple):
    """A sentence in plain words and the line that it begins on."""

    text: str
    line: int


def visible_lines(text: str) -> list[str]:
    """The lines of a text, those of fenced code and of comments empty."""
    found: list[str] = []
    fence = ""
    for line in COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text).split("\n"):
        mark = FENCE.match(line) if line else None
        found.append("" if fence or mark else line.rstrip())
        if mark and mark.group(1).startswith(fence):
            fence = "" if fence else mark.group(1)
    return found


def plain_text(text: str) -> str:
    """A text without marks: links and code as their words."""
    text = text[:LONGEST_TEXT]
    if not text:
        return ""
    bare = LINK.sub(r"\1", LINK.sub(r"\1", IMAGE.sub(" ", text))) if "[" in text else text
    bare = ADDRESS.sub(" ", bare) if "://" in bare else bare
    bare = TAG.sub(" ", bare) if "<" in bare else bare
    return " ".join(MARKS.sub("", bare).split())


def is_placeholder(text: str) -> bool:
    """Whether a text is what a template asks for, and nobody has written it yet."""
    return WHOLE_PLACEHOLDER.fullmatch(text) is not None or PLACEHOLDER.search(text) is not None


def read_sentences(passage: RecordPassage) -> list[RecordSentence]:
    """The sentences of a passage, in order; code, comments and rows of tables say none."""
    return [sentence for block in _blocks(passage) for sentence in _sentences(block)]


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text and where each begins."""
    begin = 0
    for match in [*END.finditer(text), None]:
        end = match.start() if match else len(text)
        if match and NO_END.search(text[max(0, end - 8) : end]):
            continue
        if text[begin:end].strip():
            yield begin, text[begin:end].strip()
        begin = match.end() if match else end


def _blocks(passage: RecordPassage) -> Iterator[list[RecordSentence]]:
    """Lines that belong together: a paragraph, an item of a list, or a heading."""
    block: list[RecordSentence] = []
    is_heading = False
    for number, line in enumerate(visible_lines(passage.text), start=passage.first_line):
        opening = OPENING.match(line) if line else None
        if block and (opening or is_heading or not line.strip()):
            yield block
            block = []
        is_heading = line.startswith("#")
        rest = line[opening.end() if opening else 0 :][:LONGEST_BLOCK]
        bare = "" if line.lstrip().startswith("|") else plain_text(rest)
        block += [RecordSentence(bare, number)] if bare else []
    yield block


def _sentences(block: list[RecordSentence]) -> Iterator[RecordSentence]:
    starts: list[int] = []
    joined = ""
    for line in block:
        starts.append(len(joined))
        joined += line.text + " "
        if len(joined) > LONGEST_BLOCK:
            break
    for begin, said in split_sentences(joined):
        yield RecordSentence(said, block[bisect_right(starts, begin) - 1].line)


def find_last_line(passage: RecordPassage, sentence: RecordSentence) -> int:
    """The line on which a sentence ends: as many further ones as hold its words."""
    words = len(sentence.text.split())
    lines = passage.text.splitlines()[max(sentence.line - passage.first_line, 0) :][: len(sentence.text)]
    for number, line in enumerate(lines):
        words -= len(plain_text(line).split())
        if words <= 0:
            return sentence.line + number
    return sentence.line


Kind = Literal["status", "consequences", "decision", "context", "proposal", "design", "options", "discarded", "other"]

PRINTED: Mapping[Kind, str] = {
    "status": "status",
    "consequences": "consequences implications drawbacks",
    "decision": "decision outcome resolution",
    "context": "context problem motivation issue prologue",
    "proposal": "proposal solution recommendation summary abstract",
    "design": "specification design",
    "options": "options alternatives positions candidates ideas",
}
ADDED: Mapping[Kind, str] = {
    "status": "state",
    "consequences": "consequence impact impacts risks tradeoffs results",
    "decision": "decisions decided",
    "context": "background introduction",
    "proposal": "conclusion approach proposed",
    "design": "implementation",
    "options": "solutions approaches alternative",
}
KINDS: Mapping[str, Kind] = {
    word: kind for words in (PRINTED, ADDED) for kind, said in words.items() for word in said.split()
}
ORDER: list[Kind] = [*PRINTED, "other"]
CHOSEN_WORDS = {"chosen", "selected"}
DISCARDED_WORDS = {"rejected", "discarded", "other", "alternative", "alternatives", "not"}
MADR_ONE = ["considered", "alternatives"]  # its list has the chosen one too
BESIDE = {
    *STOP_WORDS, *CHOSEN_WORDS, *DISCARDED_WORDS, "considered", "pros", "cons", "statement", "positive", "negative",
    "detailed", "details", "adr", "record", "option", "rationale",  # printed by templates up to here
    "possible", "potential", "final", "evaluated", "made", "taken", "analysis",
}  # fmt: skip

STANDING_WORDS: Mapping[Standing, str] = {
    "retired": "superseded superceded replaced deprecated obsolete retired defunct archived",
    "rejected": "rejected withdrawn declined abandoned cancelled discontinued",
    "in force": "accepted approved adopted agreed decided implemented implementable amended active final done complete "
    "completed released recommended",
    "proposed": "proposed proposal draft provisional deferred pending incomplete open wip rfc review progress",
}
STANDINGS: Mapping[str, Standing] = {
    word: standing for standing, said in STANDING_WORDS.items() for word in said.split()
}
PICTURES = {"✅": "accepted", "✔": "accepted", "🟢": "accepted", "❌": "rejected", "🚫": "rejected", "🚧": "draft"}
SAME_WORD = {"superceded": "superseded", "replaced": "superseded", "proposal": "proposed", "review": "in review"}

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
HEADING_COMMENT = re.compile(r"<!--.*?-->")
NUMBERING = re.compile(r"^\W*(?:\d{1,3}(?:\.\d{1,3})*[.):]?\s+|[IVX]{1,4}\.\s+)?")
DIGIT = re.compile(r"\d")
LONGEST_HEADING = 80
LONGEST_LABEL = 30


def classify_heading(heading: str) -> Kind:
    """What a section is for, by its heading; `Status: Accepted` is a status too."""
    plain = NUMBERING.sub("", HEADING_COMMENT.sub("", strip_attributes(heading[: 4 * LONGEST_HEADING])).strip())
    whole = _kind_of_words(plain)
    label = plain.partition(":")[0]
    return _kind_of_words(label) if whole == "other" and len(label) < LONGEST_LABEL else whole


def is_printed(heading: str) -> bool:
    """Whether a heading has only words that templates print, so that it names nothing."""
    return not DIGIT.search(heading) and all(word in KINDS or word in BESIDE for word in _words(heading))


def _words(text: str) -> list[str]:
    return [word.lower().replace("-", "") for word in WORD.findall(text)]


def _kind_of_words(text: str) -> Kind:
    words = _words(text) if len(text) <= LONGEST_HEADING and is_printed(text) else []
    kinds: list[Kind] = sorted((KINDS.get(word, "other") for word in words), key=ORDER.index) or ["other"]
    if "options" in kinds or words in (["rejected"], ["discarded"]):
        return "options" if DISCARDED_WORDS.isdisjoint(words) or words[:2] == MADR_ONE else "discarded"
    if CHOSEN_WORDS.isdisjoint(words):
        return kinds[0]
    return "discarded" if "not" in words else "decision"


KEY = re.compile(r"([A-Za-z][\w -]{0,40}?)\s*[:=]\s*(.*)")
FRONT_LINE = re.compile(r"[A-Za-z][\w -]{0,40}?\s*[:=].*|[ \t]+\S.*")
VALUE_END = re.compile(r"\s#\s|^(?:---|\+\+\+)$|^[>|][-+]?$")
BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_]{3,60}?)(?:\*\*|__)\s*:?\s*")
LABEL = re.compile(r"[\s|*_+-]*([A-Za-z][A-Za-z &/-]{2,40}?)[*_]{0,2}\s*[:|][*_]{0,2}(?:\s+|$)")
LABELLED: tuple[Kind, ...] = ("context", "decision", "consequences", "options", "discarded")
PSEUDO_LEVEL = 6
MOST_FRONT_LINES = 200
MOST_HEADINGS = 1_000


class Chapter(NamedTuple):
    """The text below one heading, up to the next that is as high or that has a purpose of its own."""

    kind: Kind
    heading: Heading
    passage: RecordPassage


class RecordPage(NamedTuple):
    """A record's document, its visible lines, its front matter by key with its number of lines, and its sections."""

    document: ReadDocument
    lines: Sequence[str]
    front: Mapping[str, RecordPassage]
    front_lines: int
    sections: Sequence[Chapter]

    def of(self, kind: Kind) -> tuple[RecordPassage, ...]:
        """What the sections of a kind say."""
        return tuple(each.passage for each in self.sections if each.kind == kind and each.passage.text.strip())

    def between(self, start: int, end: int) -> RecordPassage:
        """The lines from `start` (counted from 1) to before `end`, without blank ones around them."""
        while start < end and not self.lines[start - 1].strip():
            start += 1
        while end > start and not self.lines[end - 2].strip():
            end -= 1
        return RecordPassage("\n".join(self.lines[start - 1 : end - 1]), start, max(start, end - 1))


def read_document(path: str, text: str) -> ReadDocument:
    """A record's document by its format: Markdown unless its name says otherwise."""
    return read_any(path if find_format(path) else f"{path}.md", text)


def read_page(path: str, text: str) -> RecordPage:
    """Read a record's text; any text is one."""
    document = read_document(path, text)
    front, taken = _front_matter(document.lines)
    page = RecordPage(document, _visible(document), front, taken, ())
    return page._replace(sections=[*_sections(page)])


def _front_matter(lines: list[str]) -> tuple[Mapping[str, RecordPassage], int]:
    """The keys, in lower case with hyphens, and how many lines they take; without a fence, one must be the title.

    No YAML parser sees it, because front matter is often not quite YAML and sometimes made to hurt one.
    """
    opening = [line.removeprefix(BYTE_ORDER_MARK).rstrip() for line in lines[:MOST_FRONT_LINES]]
    fenced = count_front_matter_lines(opening)
    taken = fenced or next((n for n, line in enumerate(opening) if not FRONT_LINE.fullmatch(line)), len(opening))
    values: dict[str, RecordPassage] = {"": RecordPassage("", 0, 0)}
    key = ""
    for number, line in enumerate(opening[:taken], start=1):
        match = KEY.fullmatch(line)
        if match:
            key = re.sub(r"[\s_]+", "-", match.group(1).lower())
            values[key] = RecordPassage("", number, number)
        said = VALUE_END.split(match.group(2) if match else line.strip().removeprefix("- "), maxsplit=1)[0]
        joined = ", ".join(filter(None, (values[key].text, said.strip("\"'{} "))))
        values[key] = values[key]._replace(text=joined)
    return (values, taken) if fenced or "title" in values else ({}, 0)


def _visible(document: ReadDocument) -> list[str]:
    """The lines of a document without their ends; those of code and comments are empty, headings as in Markdown."""
    lines = [""] * len(document.lines)
    for block in document.blocks:
        if not block.is_code and block.heading is None:
            seen = [line.rstrip() for line in document.searched_lines[block.start : block.end]]
            lines[block.start : block.end] = visible_lines("\n".join(seen))
    for heading in document.headings:
        lines[heading.line - 1] = f"{'#' * heading.level} {heading.text}"
    return lines


def _sections(page: RecordPage) -> Iterator[Chapter]:
    headings = sorted((*page.document.headings, *_bold_headings(page)), key=lambda each: each.line)
    headings = [each for each in headings if each.line > page.front_lines][:MOST_HEADINGS]
    labels: set[int] = set()
    if all(classify_heading(each.text) != "decision" for each in page.document.headings[:MOST_HEADINGS]):
        found = _labels(page, {each.line for each in headings})
        labels = {each.line for each in found}
        headings = sorted((*headings, *found), key=lambda each: each.line)
    kinds: list[Kind] = [classify_heading(heading.text) for heading in headings]
    for number, heading in enumerate(headings):
        start = heading.line + (heading.line not in labels)
        passage = page.between(start, _end(headings, kinds, number, len(page.lines)))
        if heading.line in labels:
            passage = passage._replace(text=LABEL.sub("", passage.text, count=1).rstrip(" |"))
        yield Chapter(kinds[number], heading, passage)


def _bold_headings(page: RecordPage) -> Iterator[Heading]:
    for number, line in enumerate(page.lines, start=1):
        match = BOLD_LINE.fullmatch(line) if "**" in line or "__" in line else None
        if match and classify_heading(match.group(1)) != "other":
            yield Heading(PSEUDO_LEVEL, match.group(1), number)


def _labels(page: RecordPage, taken: set[int]) -> list[Heading]:
    """The lines that open with a purpose and go on with the text; none unless one of them is the decision."""
    labels: list[Heading] = []
    has_decision = False
    for number, line in enumerate(page.lines[page.front_lines :], start=page.front_lines + 1):
        match = LABEL.match(line)
        kind = classify_heading(match.group(1)) if match and number not in taken else None
        if match and kind in LABELLED:
            labels.append(Heading(PSEUDO_LEVEL, match.group(1), number))
            has_decision = has_decision or kind == "decision"
    return labels if has_decision else []


def _end(headings: Sequence[Heading], kinds: Sequence[Kind], number: int, lines: int) -> int:
    """The line after a section; a heading with a purpose ends one with another, however deep it stands."""
    own = kinds[number]
    ending = ("decision", "status") if own == "options" else {*PRINTED, "discarded"} - {own}
    for later in range(number + 1, len(headings)):
        if headings[later].level <= headings[number].level or kinds[later] in ending:
            return headings[later].line
    return lines + 1


# fmt: off
DECISION_WORDS = frozenset(("adr", "adrs", "madr", "tdr", "tdrs", "decision", "decisions"))
PROPOSAL_WORDS = frozenset((
    "rfc", "rfcs", "rfd", "rfds", "proposal", "proposals", "enhancement", "enhancements", "bep", "beps", "cep", "ceps",
    "cfp", "cfps", "dep", "eep", "eeps", "eip", "eips", "gep", "geps", "jep", "jeps", "kep", "keps", "lid", "lids",
    "nep", "neps", "oep", "oeps", "otep", "oteps", "pep", "peps", "sep", "seps", "tep", "teps",
))
DESIGN_WORDS = frozenset(("design", "designs", "designdocs"))
# fmt: on
STRICT_NUMBER = re.compile(r"(\d+)(?=-|$)|(?:adr|ADR)-(\d+)")
ANY_NUMBER = re.compile(
    r"(?:(?:adrs?|rfc|pep|decision|dr|ad|tdr|kep|record)[-_ .]?)?0*(\d{1,7})(?=[-_. ]|$)", re.IGNORECASE
)
CALLED_NUMBER = re.compile(  # as `ODH-ADR-Operator-0003-…`
    r"(?i)(?:[a-z]{1,12}[-_ ]){0,2}(?:adr|rfc|tdr|dr)[-_ ](?:[a-z]{1,12}[-_ ]){0,2}0*(\d{1,5})(?=[-_. ]|$)"
)
TEMPLATE = re.compile(
    r"(?i)(?:^|[-_. ])(?:templates?|example|sample|empty|blank|n{3,4}|x{3,4}|#{3,4}|yyyy(?:mm(?:dd)?)?)(?:[-_. ]|$)"
)
FORM_WORDS = DECISION_WORDS | PROPOSAL_WORDS | DESIGN_WORDS | {
    "template", "templates", "example", "sample", "empty", "blank", "doc", "document", "record", "short", "long",
}  # fmt: skip
DATE_NAME = re.compile(r"(?:19|20)\d{2}(?:-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?|(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?=\D|$)")
TOKEN = re.compile(r"[^\W_]+")
NO_DECISIONS = frozenset(
    ("readme", "index", "_index", "toc", "contents", "summary", "glossary", "contributing", "process", "changelog",
     "changes", "overview", "introduction", "template", "adr-template", "agents", "claude", "security", "support",
     "code-of-conduct", "code_of_conduct", "governance", "roadmap", "license", "skill", "maintainers")
)  # fmt: skip
FOLDER_FILES = frozenset(("index", "readme", "adr", "decision", "record", "_index", "main"))


def read_adr_id(path: str) -> str:
    """The id in URIs: the digits before the name, as in `0007-…` and `adr-007…`, else the name.

    A date is no number (two records may be of one day), so a file that is named by its date has its name as its id.
    """
    name = read_own_name(path)
    match = None if is_dated(name) else STRICT_NUMBER.match(name)
    return next((group for group in match.groups() if group), name) if match else name


def read_record_number(path: str) -> int | None:
    """The number by which other records mean this one."""
    name = read_own_name(path)
    match = None if is_dated(name) else ANY_NUMBER.match(name) or CALLED_NUMBER.match(name)
    return int(match.group(1)) if match else None


def read_own_name(path: str) -> str:
    """The name that tells records apart: of the file, or of its folder where each record has one."""
    return split_folder_and_name(path)[1]


def split_folder_and_name(path: str) -> tuple[str, str]:
    """The name that tells records apart, and the folder that it stands in."""
    folder, _, file = strip_suffix(path).rpartition("/")
    if folder and file.lower() in FOLDER_FILES:
        folder, _, file = folder.rpartition("/")
    return folder, file


def split_name_words(name: str) -> list[str]:
    """The words of a file's or folder's name, in small letters."""
    return TOKEN.findall(name.lower())


def strip_suffix(path: str) -> str:
    """A path without the suffix of a document's format."""
    ending = next(filter(path.lower().endswith, MARKED_UP_SUFFIXES), "")
    return path[: len(path) - len(ending)]


def is_dated(name: str) -> bool:
    """Whether a name begins with a day or a month."""
    return DATE_NAME.match(name) is not None


def is_template(name: str) -> bool:
    """Whether a name is that of a form to be filled in; a decision with a number of its own may be about templates."""
    words = split_name_words(name)
    if len(words) == 2 and words[0] in FORM_WORDS and not words[1].strip("0"):  # as `RFC-0000`
        return True
    if not TEMPLATE.search(name):
        return False
    has_subject = any(word not in FORM_WORDS and not word.isdecimal() for word in words)
    if has_subject and any(word.isdecimal() and word.strip("0") for word in words):
        return False
    is_about_forms = has_subject and not TEMPLATE.match(words[-1]) and not TEMPLATE.match(words[0])
    return not is_about_forms or any(word.isdecimal() for word in words)

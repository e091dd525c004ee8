"""Questions put to the product itself: what it answers is kept where the answer stands in a plain place, and told."""

from collections.abc import Callable, Iterable, Iterator
from textwrap import dedent
from time import monotonic
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.cli.beginning.candidates import GOVERNS, SEARCH, SYMBOL, Candidate
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import FieldguideError, Refusal
from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import Answer

Ask = Callable[[str, dict[str, Any]], Answer]

ASKING_SECONDS, LONGEST_SECONDS = 3.0, 10.0
FEW = 3
MOST_HITS = 3
MOST_QUOTED = 4
OPEN = "guide_open"
LEAST_USES = 10
LEAST_RELATED, LEAST_TOGETHER = 2, 3
BUDGET = 1_000
LARGEST_BYTES = 1 << 21
NEAR_LINES = 6
TAB = 4
LEAST_PROSE = 40  # characters of a line that says something
TOGETHER = re.compile(r"changed with it in (\d{1,9}) of")
NUMBERED = re.compile(r"^(\d+)\| ?(.*)$")
GROUP = re.compile(r"^# (Called|Tests|Inherited by|As a type|Imported|Read|Documents) \((?:\d+ of )?(\d+)\)$")
NO_PROSE = re.compile(
    r"^\s*(?:[-=~^\"*_#+.:]{3,}|```.*|~~~.*|:::.*|<[^>]*>|\.\. .*|:\w+:.*|\[[^\]]*\]:.*|import .*)?\s*$"
)

NO_ANSWER = re.compile(rf"^\s*(?:#.*|\|.*|<!--.*|>.*)$|{NO_PROSE.pattern}")


class Answered(NamedTuple):
    """A question with its answer: where it stands, the lines that say it, and what reading it costs.

    `path` is the file that somebody would have to read instead; what is worth more is told first.
    """

    question: str
    tool: str
    arguments: dict[str, Any]
    citation: str
    quote: tuple[str, ...]
    tokens: int
    path: str
    worth: int = 0
    file_tokens: int = 0


def answered(candidates: Iterable[Candidate], ask: Ask) -> Iterator[Answered]:
    """The candidates whose answer is plain, as long as there is time; more of it while there are too few."""
    began, found = monotonic(), 0
    for candidate in candidates:
        if monotonic() - began > (ASKING_SECONDS if found >= FEW else LONGEST_SECONDS):
            return
        try:
            told = ANSWERS[candidate.tool](candidate, ask)
        except FieldguideError:
            continue
        if told is not None:
            found += 1
            yield told


def with_file(answer: Answered, project: ConfinedFolder) -> Answered:
    """The same with what the whole file costs whoever reads it instead."""
    if answer.tool == GOVERNS:  # no file says what belongs to another
        return answer
    try:
        content = project.read(answer.path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return answer
    return answer._replace(file_tokens=count(content.decode("utf-8", errors="replace")))


def _searched(candidate: Candidate, ask: Ask) -> Answered | None:
    """The answer of a search; None where the first place is another than the one that the question was made from."""
    given = {"query": candidate.subject, "kinds": [candidate.kind], "limit": MOST_HITS}
    answer = ask(SEARCH, given)
    items = _items(answer)
    if not items or items[0]["path"] != candidate.path:
        return None
    if candidate.is_opened:
        return _opened(candidate, given, answer, ask)
    lines = _shown(answer.text, candidate)
    read = [*filter(None, (_read(line, candidate.path) for _, line in lines))][:MOST_QUOTED]
    quote = tuple(dedent("\n".join(line.expandtabs(TAB) for line in read)).split("\n")) if read else ()
    if not quote:
        return None
    is_near = lines[0][0] <= candidate.start + NEAR_LINES
    is_prose = sum(len(line) >= LEAST_PROSE and line[:1].isalpha() for line in quote) > 1
    return _told(candidate, given, answer, quote, is_near + is_prose, items[0])


def _opened(candidate: Candidate, given: dict[str, Any], found: Answer, ask: Ask) -> Answered | None:
    """The lines that decide, opened; None where they are hardly prose."""
    opened = ask(OPEN, {"citation": f"{candidate.path}#L{candidate.start}-L{candidate.end}"})
    items = _items(opened)
    lines = str(items[0].get("text", "")).split("\n") if items else []
    quote = tuple(line.rstrip() for line in lines if not NO_ANSWER.match(line))[:MOST_QUOTED]
    length = sum(map(len, quote))
    if length < LEAST_PROSE:
        return None
    told = _told(candidate, given, found, quote, int(length >= 2 * LEAST_PROSE), items[0])
    return told._replace(tokens=told.tokens + count(opened.text))


def _looked_up(candidate: Candidate, ask: Ask) -> Answered | None:
    """What is known of a name; None where hardly anybody uses it."""
    given = {"name": candidate.subject, "budget": BUDGET}
    answer = ask(SYMBOL, given)
    lines = answer.text.split("\n")
    groups = [match.groups() for line in lines if (match := GROUP.match(line))]
    uses = sum(int(number) for _, number in groups)
    items = _items(answer)
    if not items or items[0]["path"] != candidate.path or uses < LEAST_USES:
        return None
    signature = next((line.strip() for line in lines[2:] if line.strip()), "")
    counted = ", ".join(_counted(int(number), name) for name, number in groups)
    return _told(candidate, given, answer, (signature, f"used in {uses:,} places: {counted}"), uses, items[0])


def _governed(candidate: Candidate, ask: Ask) -> Answered | None:
    """What belongs to a file; None where little is known of that."""
    given = {"path": candidate.subject, "budget": BUDGET}
    answer = ask(GOVERNS, given)
    items = _items(answer)
    often = [each for each in sorted(items, key=_times_together, reverse=True) if _is_related(each)]
    tests = [each for each in often if each["kind"] == "test"][:1]
    others = [each for each in often if each["kind"] == "code"][: MOST_QUOTED - 1 - len(tests)]
    if len(tests) + len(others) < LEAST_RELATED or not others:
        return None
    quote = tuple(f"{each['path']}: {each['why']}" for each in (*others, *tests))
    return _told(candidate, given, answer, quote, len(tests), others[0])


def _is_related(item: dict[str, Any]) -> bool:
    return _times_together(item) >= LEAST_TOGETHER or "import" in item["why"]


def _times_together(item: dict[str, Any]) -> int:
    """How often a file was changed together with the one that was asked for."""
    match = TOGETHER.search(item["why"])
    return int(match.group(1)) if match else 0


def _told(
    candidate: Candidate,
    given: dict[str, Any],
    answer: Answer,
    quote: tuple[str, ...],
    worth: int,
    item: dict[str, Any],
) -> Answered:
    tokens = count(answer.text)
    return Answered(candidate.question, candidate.tool, given, item["citation"], quote, tokens, candidate.path, worth)


def _items(answer: Answer) -> list[dict[str, Any]]:
    value = answer.value
    return list(cast("dict[str, Any]", value).get("items", ())) if isinstance(value, dict) else []


def _shown(text: str, candidate: Candidate) -> list[tuple[int, str]]:
    """The lines that the first hit shows, of those in the section that was asked for; the heading is no answer."""
    shown = [match for line in _first_hit(text) if (match := NUMBERED.match(line))]
    lines = [(int(match.group(1)), match.group(2).rstrip()) for match in shown]
    return [
        (number, line)
        for number, line in lines
        if (not candidate.end or candidate.start < number <= candidate.end) and not NO_PROSE.match(line)
    ]


def _first_hit(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n")):
        if number and line.startswith("2. "):
            return
        yield line


def _read(line: str, path: str) -> str:
    """A line as a person reads it: in a notebook it is a text of JSON, which may have been cut."""
    if not path.endswith(".ipynb"):
        return line
    bare = line.strip().removesuffix(",").strip('"').removesuffix("\\n")
    return bare.replace('\\"', '"').replace("\\n", " ").strip()


def _counted(number: int, group: str) -> str:
    one, many = NAMED[group]
    return f"{number:,} {one if number == 1 else many}"


NAMED = {
    "Called": ("call", "calls"),
    "Tests": ("in a test", "in tests"),
    "Inherited by": ("heir", "heirs"),
    "As a type": ("as a type", "as a type"),
    "Imported": ("import", "imports"),
    "Read": ("read", "reads"),
    "Documents": ("in a document", "in documents"),
}
ANSWERS = {SEARCH: _searched, SYMBOL: _looked_up, GOVERNS: _governed}

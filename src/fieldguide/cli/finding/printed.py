"""How hits are printed: what each is, where it stands, how well it fits, and the lines that tell."""

from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.cli.terminal import Bold, Faint, Line, columns_of, fitted, terminal_columns
from fieldguide.search.words import UNSPACED
from fieldguide.spine.foreign_text.visible_text import shown

SHOWN_LINES = 3
INDENT = "   "
ENDINGS = re.compile(r"^(.*?\w{3})(?:ations?|ings?|ed|es|e|s|ly)$")


def lines_of(hits: Sequence[dict[str, Any]], terms: Sequence[str]) -> Iterator[Line]:
    """The lines that tell of some hits."""
    looked_for = _pattern(terms)
    columns = terminal_columns()
    for number, hit in enumerate(hits, start=1):
        title, place, score, content = _told(hit)
        yield [f"{number}. ", Bold(_cut(shown(title), columns - 4))]
        yield [INDENT, Faint(shown(place)), f"  {score:.2f}"]
        for line in _telling_lines(content, terms):
            yield [INDENT, *_marked(_cut(line, columns - len(INDENT)), looked_for)]
        if number < len(hits):
            yield ""


def _told(hit: dict[str, Any]) -> tuple[str, str, float, str]:
    """The title, the place, the score and the text of a hit, whichever kind it is of."""
    kind = hit.get("kind")
    if kind is None:
        title = " > ".join(dict.fromkeys(filter(None, (hit["documentTitle"], hit.get("sectionHeading")))))
        return title, hit["citation"], hit["relevanceScore"], hit["content"]
    if kind == "decisions":
        place = hit.get("citation") or hit["path"]
        return hit["title"], f"{hit['resource_type']}: {place}", hit["relevance_score"], hit["excerpt"]
    if kind == "code":
        return hit.get("symbol") or hit["path"], f"code: {hit['citation']}", hit["score"], hit["content"]
    first = hit["content"].strip().partition("\n")[0]
    return first, f"{hit['type']}: {hit['id']}", hit["score"], hit["content"].strip()[len(first) :]


def _telling_lines(content: str, terms: Sequence[str]) -> list[str]:
    """The lines together that hold most of the query's words; of a chunk without them, its first lines."""
    lines = [line for line in map(shown, content.splitlines()) if line and not line.startswith("#")]
    pattern = _pattern(terms)

    def held(first: int) -> int:
        text = "\n".join(lines[first : first + SHOWN_LINES])
        return len({found.lower() for found in pattern.findall(text)}) if pattern else 0

    first = max(range(max(1, len(lines) - SHOWN_LINES + 1)), key=held)
    return lines[first : first + SHOWN_LINES]


def _pattern(terms: Sequence[str]) -> re.Pattern[str] | None:
    """What to highlight: words that begin like those of the query, whatever they end with."""
    words = {word for term in terms for word in term.split()}
    spaced = sorted((ENDINGS.sub(r"\1", word) for word in words if not UNSPACED.search(word)), key=len, reverse=True)
    unspaced = sorted(word for word in words if UNSPACED.search(word))
    pieces = [rf"(?<!\w){re.escape(word)}\w*" for word in spaced] + [re.escape(word) for word in unspaced]
    return re.compile("|".join(pieces), re.IGNORECASE) if pieces else None


def _marked(line: str, pattern: re.Pattern[str] | None) -> Iterator[str]:
    """The line in pieces, of which those that were looked for stand out."""
    end = 0
    for found in pattern.finditer(line) if pattern else ():
        yield line[end : found.start()]
        yield Bold(found.group())
        end = found.end()
    yield line[end:]


def _cut(text: str, columns: int) -> str:
    return text if columns_of(text) <= columns else fitted(text, max(columns, 10)).rstrip()

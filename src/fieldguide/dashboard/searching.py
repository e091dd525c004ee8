"""One search over everything, as the page shows it: the hits with their lines, and the words that were looked for."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request

from fieldguide import linear_regex as re
from fieldguide.dashboard.page_text import lines_as_html
from fieldguide.dashboard.site import Site
from fieldguide.spine.contract import Answer

TOOL = "guide_search"
KINDS = ("code", "test", "document", "decision", "pattern", "finding", "task", "spec")
MOST_HITS = 20
LONGEST_QUERY = 500
MOST_WORDS, SHORTEST_WORD = 12, 3
HEAD = re.compile(r"(\d{1,4})\. ")
LINE = re.compile(r"(\d{1,9})\| ?(.*)")
WORD = re.compile(r"\w+")
ENDINGS = ("ing", "ed", "es", "s")
COMMON = frozenset(
    (
        *("the", "and", "for", "are", "was", "how", "does", "what", "why", "where", "when", "which", "who", "this"),
        *(
            "that",
            "with",
            "from",
            "into",
            "not",
            "can",
            "you",
            "its",
            "has",
            "have",
            "all",
            "any",
            "use",
            "used",
            "out",
            "but",
            "did",
        ),
    )
)


class Hit(NamedTuple):
    """One thing that was found: its lines that matter, where they stand, what they are and why they are told."""

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str
    stale: str
    lines: tuple[tuple[int, str], ...]


class Found(NamedTuple):
    """What a search gave: the hits, how far the index is while it is made, and what to do where nothing fits."""

    hits: tuple[Hit, ...]
    indexing: tuple[int, int] | None
    hint: str


async def search(site: Site, request: Request, query: str, kinds: Sequence[str]) -> Found:
    """Ask as a client would ask."""
    given = {"query": query[:LONGEST_QUERY], "limit": MOST_HITS, "kinds": [*kinds] or None}
    return read_answer(await site.call(request, TOOL, given))


def read_answer(answer: Answer) -> Found:
    """The hits of an answer: their places stand in its value, their lines in its text."""
    items: list[dict[str, Any]] = answer.value["items"]
    shown = [*_shown_lines(answer.text, len(items))]
    standing = answer.value.get("indexing")
    hits = tuple(_hit(item, lines) for item, lines in zip(items, shown, strict=True))
    indexing = (int(standing["done"]), int(standing["total"])) if standing else None
    return Found(hits, indexing, str(answer.value.get("hint", "")))


def _hit(item: dict[str, Any], lines: tuple[tuple[int, str], ...]) -> Hit:
    kind, why, symbol, stale = (str(item.get(name, "")) for name in ("kind", "why", "symbol", "stale"))
    start, end = (lines[0][0], lines[-1][0]) if lines else (int(item["start"]), int(item["end"]))
    return Hit(str(item["path"]), start, end, kind, why, symbol, stale, lines)


def _shown_lines(text: str, hits: int) -> Iterator[tuple[tuple[int, str], ...]]:
    """The numbered lines below each of the numbered heads; a line of a project can't look like a head."""
    lines: list[list[tuple[int, str]]] = []
    for line in text.split("\n"):
        head, numbered = HEAD.match(line), LINE.fullmatch(line)
        if head and int(head.group(1)) == len(lines) + 1:
            lines.append([])
        elif numbered and lines:
            lines[-1].append((int(numbered.group(1)), numbered.group(2)))
    for place in range(hits):
        yield tuple(lines[place]) if place < len(lines) else ()


def highlighter(query: str) -> re.Pattern[str] | None:
    """What finds the words of a question in a text, in whichever form they stand there."""
    words = [word for word in WORD.findall(query.lower()) if len(word) >= SHORTEST_WORD and word not in COMMON]
    stems = dict.fromkeys(_stem(word) for word in words[:MOST_WORDS])
    return re.compile(rf"(?i:{'|'.join(map(re.escape, stems))})[a-z]*") if stems else None


def highlighted(text: str, words: re.Pattern[str] | None) -> str:
    """A text as HTML with those words marked."""
    if words is None:
        return lines_as_html(text)
    parts: list[str] = []
    at = 0
    for found in words.finditer(text):
        parts += [lines_as_html(text[at : found.start()]), f"<mark>{lines_as_html(found.group())}</mark>"]
        at = found.end()
    return "".join([*parts, lines_as_html(text[at:])])


def _stem(word: str) -> str:
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= SHORTEST_WORD), "")
    return word.removesuffix(ending)

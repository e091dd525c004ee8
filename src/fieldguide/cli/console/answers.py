"""Writes the answers of the guide's tools for people: places as `path:line`, the telling lines, highlighted code.

The value of an answer says what was found; the lines come from the project's files, or from the answer's text. Agents
and programs get text and value unchanged, by `fieldguide call` and `--json`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import dedent
from typing import Any

from fieldguide.cli.console.terminal import (
    BoldText,
    FaintText,
    Line,
    count_columns,
    count_terminal_columns,
    fit_to_columns,
    style_code,
)
from fieldguide.code.highlighting import CodeToken, tokenize_lines
from fieldguide.files.kinds import language_of
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.spine.tool import Answer
from fieldguide.text import regex as re
from fieldguide.text.display import make_visible, to_visible_line
from fieldguide.text.windows import read_numbered_hits
from fieldguide.text.words import UNSPACED, extract_query_terms, strip_ending
from fieldguide.toolsets.guide.items import HEADINGS as KIND_HEADINGS
from fieldguide.toolsets.guide.items import ProjectLines
from fieldguide.toolsets.guide.symbol import HEADINGS as USE_HEADINGS

SCREEN_LINES = 15  # of all hits together, but some of each
FEWEST_LINES = 3
MOST_LINES = 10
MOST_DEFINED = 12  # lines of a definition
MOST_OF_KIND = 8
TAB_COLUMNS = 4
WIDEST_PLACE = 44
NARROWEST = 40
DULL_REASONS = ("has ", "near in meaning", "you name it", "with ", "a part of ", "the nearest in meaning")
USE_WORDS = {
    "calls": "Called by",
    "reads": "Read by",
    "writes": "Written by",
    "types": "Used as a type by",
    "imports": "Imported by",
    "callees": "Uses",
    "documents": "Named in documents",
    "configuration": "Named in configuration",
}


class AnswerWriter:
    """Writes answers about one project."""

    def __init__(
        self, settings: Settings, *, typed: str | None = None, has_citations: bool = False, query: str = ""
    ) -> None:
        self._root = os.path.realpath(settings.project)
        self._here = os.path.realpath(os.getcwd())
        self._typed = typed or settings.project
        self._lines = ProjectLines(open_project_folder(settings))
        self._has_citations = has_citations
        self._words = compile_words(query)

    def name_path(self, path: str) -> str:
        """A path as the person can open it from the current folder; what is in no file stays as it is."""
        if ":" in path.partition("/")[0]:
            return path
        if self._here == self._root:
            return path
        if self._here.startswith(f"{self._root}{os.sep}"):
            return os.path.relpath(os.path.join(self._root, path), self._here)
        return os.path.normpath(os.path.join(self._typed, path))

    def write_hits(self, answer: Answer) -> Iterator[Line]:
        """The hits of `guide_search`, each with the few lines that tell most."""
        items: list[dict[str, Any]] = answer.value["items"]
        shown = read_numbered_hits(answer.text, len(items))
        searched = str(answer.value.get("hint", "")).partition(". ")[0]
        if not items:
            yield f"Nothing was found. {searched}. Try other or fewer words."
        elif "fit" in answer.value:
            yield f"Nothing fits well; these are the nearest. {searched}."
        most = min(max(SCREEN_LINES // max(len(items), 1), FEWEST_LINES), MOST_LINES)
        for item, lines in zip(items, shown, strict=True):
            yield ""
            yield from self._write_hit(item, lines, most)

    def _write_hit(self, item: Mapping[str, Any], lines: Sequence[tuple[int, str]], most: int) -> Iterator[Line]:
        name = str(item.get("symbol", ""))
        chosen = self._choose_lines(lines, name.rpartition(".")[2], most)
        at = chosen[0][0] if chosen else int(item["start"])
        reasons = [each for each in str(item["why"]).split("; ") if not each.startswith(DULL_REASONS)]
        said = [name, *(each.removeprefix("section ") for each in reasons)]
        unsure = " (unsure)" if item.get("unsure") else ""
        head = self._write_place(item["path"], at, str(item.get("citation", "")))
        title = "; ".join(filter(None, said))
        yield [*head, f"  {title}" if title else "", FaintText(f"  {item['kind']}{unsure}")]
        yield from self._write_lines(str(item["path"]), chosen)
        if item.get("stale"):
            yield [FaintText(f"    out of date: {item['stale']}")]

    def _choose_lines(self, lines: Sequence[tuple[int, str]], name: str, most: int) -> list[tuple[int, str]]:
        """The line that defines the name, and those with most words of the question."""
        full = [(number, line) for number, line in lines if line.strip()]
        head = [each for each in full if name and name in each[1]][:1]
        others = [each for each in full if each not in head]
        others.sort(key=lambda each: -self._count_words(each[1]))
        return sorted([*head, *others[: most - len(head)]])

    def _count_words(self, line: str) -> int:
        if self._words is None:
            return 0
        return len({match.group().lower() for match in self._words.finditer(line)})

    def write_symbol(self, answer: Answer, *, most: int | None = MOST_OF_KIND) -> Iterator[Line]:
        """A definition with its first lines, and who uses it, a line for each use."""
        value = answer.value
        if "uses" not in value:
            yield from answer.text.split("\n")  # nothing here defines it: the lines that have it
            return
        for item in value["items"]:
            yield [
                *self._write_place(item["path"], item["start"], item["citation"]),
                f"  {item.get('symbol', '')}",
                FaintText(f"  {item['why']}"),
            ]
            yield from self._write_definition(item)
        total = sum(len(each["lines"]) for each in value["uses"])
        if not total and len(value["items"]) == 1:
            yield ["", FaintText("Nothing in the indexed files uses it.")]
        for group, of_group in groupby(value["uses"], key=lambda each: each["group"]):
            uses = [*_list_uses(of_group)]
            yield ""
            yield [BoldText(USE_WORDS.get(group, USE_HEADINGS.get(group, group))), FaintText(f" ({len(uses)})")]
            yield from self._write_uses(uses[:most])
            yield from _write_rest(len(uses), most)
        yield from self._write_notes(value.get("notes", ()))

    def _write_definition(self, item: Mapping[str, Any]) -> Iterator[Line]:
        if "shown" in item and not item["shown"]:
            return
        start = int(item["start"])
        last = min(int(item["end"]), start + MOST_DEFINED - 1)
        shown = self._lines.shown(str(item["path"]), start, last)
        yield from self._write_lines(str(item["path"]), [*enumerate(shown, start)])
        if last < int(item["end"]):
            yield [FaintText(f"    … to line {item['end']}")]

    def _write_uses(self, uses: Sequence[tuple[str, int, float]]) -> Iterator[Line]:
        places = [f"{self.name_path(path)}:{line}" for path, line, _ in uses]
        for place, (path, line, confidence) in zip(_align(places), uses, strict=True):
            text = " ".join(self._lines.shown(path, line, line)).strip().replace("\t", " ")
            tokens = tokenize_lines(language_of(path), [text])[0]
            room = max(count_terminal_columns() - count_columns(place) - 4, NARROWEST)
            unsure = f" ({confidence:.0%} sure)" if confidence < 1.0 else ""
            yield ["  ", BoldText(place), "  ", *_style(tokens, None, room), FaintText(unsure)]

    def write_governing(self, answer: Answer, *, most: int | None = MOST_OF_KIND) -> Iterator[Line]:
        """What applies to a file, by kind, and who changes it."""
        value = answer.value
        items: list[dict[str, Any]] = value["items"]
        if not items:
            yield "Nothing is known that applies to it."
        for kind, of_kind in groupby(sorted(items, key=_order_kind), key=_name_kind):
            listed = [*of_kind]
            yield [BoldText(kind), FaintText(f" ({len(listed)})")]
            yield from self._write_related(listed[:most])
            yield from _write_rest(len(listed), most)
        is_owned = any(str(item["why"]).startswith("owned by") for item in items)
        if value.get("owners"):
            by = "Owned by" if is_owned else "Changed most by"
            yield [BoldText(f"{by}: "), ", ".join(map(to_visible_line, value["owners"]))]
        if any("commits" in str(item["why"]) for item in items):
            yield [FaintText("Commits are those of all authors, in the history that this clone has.")]
        yield from self._write_notes(value.get("notes", ()))

    def _write_related(self, items: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
        places: list[str] = []
        for item in items:
            at = int(item["start"])
            places.append(to_visible_line(self.name_path(str(item["path"])) + (f":{at}" if at > 1 else "")))
        for place, item in zip(_align(places), items, strict=True):
            why = str(item["why"]).replace("changed with it in", "changed together in").replace(" of its ", " of ")
            citation = FaintText(f"  {item['citation']}") if self._has_citations else ""
            yield ["  ", BoldText(place), f"  {to_visible_line(why)}", citation]

    def write_opened(self, answer: Answer) -> Iterator[Line]:
        """The lines that a citation names, with their numbers, and what became of those that are not as cited."""
        for number, item in enumerate(answer.value["items"]):
            if number:
                yield ""
            name = f"  {item['symbol']}" if item.get("symbol") else ""
            became = f"  {to_visible_line(str(item['why']))}" if item.get("status") else ""
            yield [*self._write_place(item["path"], int(item["start"]), item["citation"]), name, FaintText(became)]
            lines = str(item.get("text", "")).split("\n")
            yield from self._write_lines(str(item["path"]), [*enumerate(lines, int(item["start"]))])
        for gone in answer.value.get("gone", ()):
            yield to_visible_line(f"{gone['citation']}: {gone['said']}")
        yield from self._write_notes(answer.value.get("notes", ()))

    def _write_place(self, path: Any, line: Any, citation: str) -> list[str]:
        place = to_visible_line(self.name_path(str(path)))
        if ":" not in str(path).partition("/")[0]:
            place = f"{place}:{line}"
        return [BoldText(place), FaintText(f"  {to_visible_line(citation)}") if self._has_citations else ""]

    def _write_lines(self, path: str, chosen: Sequence[tuple[int, str]]) -> Iterator[Line]:
        """Numbered lines without the indentation that they share, in the colours of their language."""
        if not chosen:
            return
        lines = dedent("\n".join(_make_plain(line) for _, line in chosen)).split("\n")
        width = len(str(chosen[-1][0]))
        room = max(count_terminal_columns() - width - 6, NARROWEST)
        for (number, _), tokens in zip(chosen, tokenize_lines(language_of(path), lines), strict=True):
            yield [FaintText(f"    {number:>{width}}  "), *_style(tokens, self._words, room)]

    def _write_notes(self, notes: Sequence[Any]) -> Iterator[Line]:
        if notes:
            yield ""
        for note in notes:
            yield [FaintText(to_visible_line(_say_plainly(str(note))))]


CITATION = re.compile(r"#L(\d+)(?:-L\d+)?@[0-9a-f]+")
PROTOCOL_LINES = ("Files by their chance to change", "(indexing:", "indexing:")


def write_brief(writer: AnswerWriter, answer: Answer) -> Iterator[Line]:
    """The map of a task as the tool wrote it, without what only an agent can follow; a citation as path and line."""
    for line in answer.text.split("\n"):
        if not line.startswith(PROTOCOL_LINES):
            yield _say_plainly(CITATION.sub(r":\1", line))


REPLACED = (
    ("fit a larger budget", "with a larger --budget"),
    ("Try other words, or guide_search for one thing.", "Try other words, or `fieldguide find` for one thing."),
    ("try other words, or guide_search for a single thing.", "try other words, or `fieldguide find` for one thing."),
    ("Ask again with the path, or as Class.name, for its uses.", "Ask again with --path, or as Class.name, for uses."),
)


def _say_plainly(sentence: str) -> str:
    """A sentence for agents without the names of tools and their arguments."""
    for before, after in REPLACED:
        sentence = sentence.replace(before, after)
    return sentence


def _write_rest(number: int, most: int | None) -> Iterator[Line]:
    if most is not None and number > most:
        yield [FaintText(f"  and {number - most} more: --all lists them")]


def _align(places: Sequence[str]) -> list[str]:
    """Places filled up to the width of the widest, as far as that is not very wide."""
    width = min(max(map(count_columns, places)), WIDEST_PLACE)
    return [place + " " * max(width - count_columns(place), 0) for place in places]


def _list_uses(groups: Any) -> Iterator[tuple[str, int, float]]:
    """The path, the line and the confidence of each use."""
    for each in groups:
        for use in each["lines"]:
            yield str(each["path"]), int(use["line"]), float(use.get("confidence", 1.0))


KINDS = ("pattern", "decision", "test", "code", "document", "spec", "finding", "task")


def _order_kind(item: Mapping[str, Any]) -> tuple[int, str]:
    kind = str(item["kind"])
    return (KINDS.index(kind) if kind in KINDS else len(KINDS)), _name_kind(item)


def _name_kind(item: Mapping[str, Any]) -> str:
    return KIND_HEADINGS.get(str(item["kind"]), "Configuration and other text")


def compile_words(query: str) -> re.Pattern[str] | None:
    """What finds the words of a question in a text, whatever they end with; None where it has none."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for word in set(" ".join(extract_query_terms(query)).split()):
        if UNSPACED.search(word):
            unspaced.append(re.escape(word))
        else:
            spaced.append(rf"(?<!\w){re.escape(strip_ending(word))}\w*")
    longest_first = sorted([*spaced, *unspaced], key=len, reverse=True)
    return re.compile("|".join(longest_first), re.IGNORECASE) if longest_first else None


def _make_plain(line: str) -> str:
    """A line that shows what is in it, with blanks for tabs."""
    return make_visible(line).replace("\n", " ").expandtabs(TAB_COLUMNS)


def _style(tokens: Sequence[CodeToken], words: re.Pattern[str] | None, room: int) -> list[str]:
    """The pieces of a line in their colours, with the words of the question in bold, cut to the terminal."""
    pieces: list[str] = []
    for token in tokens:
        text = token.text
        if room <= 0:
            break
        if count_columns(text) > room:
            text = fit_to_columns(text, room)
        room -= count_columns(text)
        end = 0
        for found in words.finditer(text) if words is not None else ():
            pieces += [
                style_code(token.kind, text[end : found.start()]),
                style_code(token.kind, found.group(), is_bold=True),
            ]
            end = found.end()
        pieces.append(style_code(token.kind, text[end:]))
    return pieces

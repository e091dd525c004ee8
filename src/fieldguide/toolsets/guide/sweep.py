"""Runs `guide_search` with a pattern: every line that matches, by the definition that it is in."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.files.kinds import GENERATED, IMPLEMENTATION, TESTS, VENDORED, find_role
from fieldguide.files.matching import MatchingLines, find_matching_lines
from fieldguide.prose.discovery import find_format_by_name
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.items import CODE, DOCUMENT, TEST, GuideItem, ProjectLines, to_one_line

MOST_OUTLINED = 300  # files whose definitions are looked up
WIDEST = 120  # characters of a line
MOST_RUNS = 6  # of lines of one definition that are named without their text
VALUE_SHARE = 2  # tokens of the structured answer for each of the text
NOTE_TOKENS = 60
ORDER = {IMPLEMENTATION: 0, TESTS: 2, GENERATED: 3, VENDORED: 4}
NOT_WRITTEN = (GENERATED, VENDORED)  # files of which only the number of lines is told


class MatchedDefinition(NamedTuple):
    """The matching lines inside one definition of a file, or outside of all, and where the definition is."""

    path: str
    start: int
    end: int
    name: str
    lines: Sequence[int]


def sweep(services: Services, symbols: Symbols, call: Call, pattern: str, room: int) -> Answer | None:
    """Every line that matches a pattern, each below its definition; their text as far as there is room for it.

    None where no line matches.
    """
    found = find_matching_lines(services.project, pattern, call.cancellation, below=call.arguments.get("path", ""))
    services.note("Pattern swept", pattern=pattern[:100], results=found.total)
    if not found.lines:
        return None
    lines = ProjectLines(services.project)
    groups: list[MatchedDefinition] = []
    for number, path in enumerate(sorted(found.lines, key=lambda path: (ORDER.get(find_role(path), 1), path))):
        outline = symbols.outline(path) if number < MOST_OUTLINED else []
        groups += group_by_definition(path, found.lines[path], outline)
    return SweepText(lines, groups, room).answer(found)


def group_by_definition(path: str, numbers: Sequence[int], outline: Sequence[Symbol]) -> list[MatchedDefinition]:
    """The lines of a file by the innermost definition around each; those outside of all stand alone."""
    grouped: dict[Symbol | None, list[int]] = {}
    for number in numbers:
        around = [each for each in outline if each.line <= number <= each.end_line and each.end_line > each.line]
        grouped.setdefault(max(around, key=lambda each: each.line, default=None), []).append(number)
    found: list[MatchedDefinition] = []
    for symbol, inside in grouped.items():
        if symbol is None:
            found.append(MatchedDefinition(path, inside[0], inside[-1], "", inside))
        else:
            found.append(MatchedDefinition(path, symbol.line, symbol.end_line, symbol.qualified, inside))
    return found


def list_numbers(numbers: Sequence[int]) -> str:
    """Line numbers as runs, `3-5,9`; of very many the first, and how many more."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:MOST_RUNS])
    more = sum(map(len, runs[MOST_RUNS:]))
    return f"{told} and {more} more" if more else told


class SweepText:
    """Writes the answer: all numbers first, then the text of as many lines as fit, one of each definition at a time."""

    def __init__(self, lines: ProjectLines, groups: Sequence[MatchedDefinition], room: int) -> None:
        self._lines = lines
        self._groups = groups
        self._room = room - NOTE_TOKENS
        self._texts: dict[tuple[str, int], str] = {}

    def answer(self, found: MatchingLines) -> Answer:
        """The text, and the value for programs."""
        whole, left = self._name_all()
        self._add_texts(whole, self._room - sum(count_exact_tokens(line) + 1 for line in (*self._render(whole), *left)))
        files = "file" if len(found.lines) == 1 else "files"
        head = f"{found.total} {'line' if found.total == 1 else 'lines'} in {len(found.lines)} {files}"
        head += f" ({found.lacks})" if found.lacks else ""
        head += ", by definition:" if not left else ", by definition; of some files only how many:"
        texts = [head, *self._render(whole), *left]
        texts += warn_of_hidden_text(self._texts.values())
        value: dict[str, Any] = {"items": self._items(whole), "lines": found.total, "files": len(found.lines)}
        if found.lacks:
            value["lacks"] = found.lacks
        return Answer("\n".join(texts), value)

    def _name_all(self) -> tuple[Sequence[MatchedDefinition], list[str]]:
        """The definitions that fit with the numbers of their lines, and the files that do not, with a count."""
        files: dict[str, list[MatchedDefinition]] = {}
        matching: dict[str, int] = {}
        for group in self._groups:
            files.setdefault(group.path, []).append(group)
            matching[group.path] = matching.get(group.path, 0) + len(group.lines)
        counts = {path: f"{to_one_line(path)} ({number})" for path, number in matching.items()}
        later = sum(count_exact_tokens(each) + 1 for each in counts.values())
        room = self._room
        whole: list[MatchedDefinition] = []
        left: list[str] = []
        for path, own in files.items():
            size = sum(count_exact_tokens(line) + 1 for line in self._render(own))
            later -= count_exact_tokens(counts[path]) + 1
            if not left and size + later <= room and find_role(path) not in NOT_WRITTEN:
                whole += own
                room -= size
            else:
                left.append(counts[path])
        return whole, self._fit_counts(left, room)

    def _fit_counts(self, counts: Sequence[str], room: int) -> list[str]:
        fitting: list[str] = []
        for number, count in enumerate(counts):
            room -= count_exact_tokens(count) + 1
            if room < 0:
                return [*fitting, f"and {len(counts) - number} more files"]
            fitting.append(count)
        return fitting

    def _add_texts(self, groups: Sequence[MatchedDefinition], room: int) -> None:
        """Take the text of the first line of each definition, then of the second, as long as there is room."""
        for turn in range(max((len(group.lines) for group in groups), default=0)):
            for group in groups:
                if turn >= len(group.lines):
                    continue
                number = group.lines[turn]
                text = "".join(self._lines.shown(group.path, number, number)).strip()[:WIDEST]
                room -= count_exact_tokens(text) + 4
                if room < 0:
                    return
                self._texts[group.path, number] = text

    def _render(self, groups: Sequence[MatchedDefinition]) -> list[str]:
        rendered: list[str] = []
        path = ""
        for group in groups:
            if group.path != path:
                path = group.path
                rendered.append(to_one_line(path))
            texts = [(number, self._texts[path, number]) for number in group.lines if (path, number) in self._texts]
            told = list_numbers([number for number in group.lines if (path, number) not in self._texts])
            head = f" {group.start}-{group.end} {group.name}" if group.name else ""
            if head and texts and texts[0][0] == group.start:
                head = f" {group.start}-{group.end} {texts.pop(0)[1]}"  # it has the name
            if head and len(texts) == 1 and not told:
                number, text = texts.pop()
                head += f" {number}: {text}"
            if head or told:
                rendered.append(to_one_line(f"{head}{' ' * bool(told)}{told}"))
            rendered += [to_one_line(f"  {number}: {text}") for number, text in texts]
        return rendered

    def _items(self, groups: Sequence[MatchedDefinition]) -> list[dict[str, Any]]:
        """The definitions for programs, as many as there is room for."""
        told: list[dict[str, Any]] = []
        room = VALUE_SHARE * self._room
        for group in groups:
            role = find_role(group.path)
            kind = TEST if role == TESTS else CODE
            if find_format_by_name(group.path) is not None:
                kind = DOCUMENT
            hash_ = self._lines.hash(group.path, group.start, group.end)
            why = f"{len(group.lines)} matching"
            item = GuideItem(group.path, group.start, group.end, kind, why, group.name, hash_, is_named=True)
            value = {**item.told(), "lines": [*group.lines]}
            room -= count_exact_tokens(compact_json(value)) + 1
            if room < 0:
                break
            told.append(value)
        return told

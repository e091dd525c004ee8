"""Reads Jupyter notebooks, with each cell on its lines of the JSON file.

The C scanner of the json module steps over what is not read (outputs, metadata); only the strings of a cell's source
are placed. What is searched is what the cells say, never JSON; outputs are not read.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from fieldguide.prose.document import DocumentOutline, ReadDocument, find_title
from fieldguide.prose.markdown import read_markdown
from fieldguide.text.windows import split_lines

BLANKS = " \t\r\n"
DECODER = json.JSONDecoder(strict=False)


class NotANotebook(ValueError):
    """A text that is no JSON, or no notebook."""


def read_notebook(text: str) -> ReadDocument:
    """Read a notebook; a text that is none raises NotANotebook."""
    lines = split_lines(text)
    starts = [0, *accumulate(map(len, lines))]
    outline = DocumentOutline()
    readable = [""] * len(lines)
    for kind, source in read_cells(text):
        placed = [(each, bisect_right(starts, at) - 1) for each, at in source]
        if not placed:
            continue
        _fill(readable, placed)
        if kind == "markdown":
            _add_markdown(outline, placed)
        else:
            outline.add(placed[0][1], placed[-1][1] + 1, is_code=kind == "code")
    return outline.document(lines, find_title(outline.headings), readable)


def read_cells(text: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The kind of each cell of a notebook, and the strings of its source with their places."""
    try:
        for key, value in _members(text, 1 if text.startswith("\ufeff") else 0):
            if key == "cells":
                for item in _items(text, value):
                    yield _cell(text, item)
    except (ValueError, StopIteration, IndexError, RecursionError, RuntimeError) as error:
        raise NotANotebook("It is no notebook.") from error


def _cell(text: str, at: int) -> tuple[str, list[tuple[str, int]]]:
    kind = ""
    source = list[tuple[str, int]]()
    for key, value in _members(text, at):
        if key == "source":
            source = source or list(_strings(text, value))
        elif key == "cell_type":
            kind = str(_value(text, value)[0])
    return kind, source


def _strings(text: str, at: int) -> Iterator[tuple[str, int]]:
    """A string, or each of a list of them, with its place."""
    if text[at] == '"':
        said = _string(text, at)[0]
        if said:
            yield said, at
        return
    for item in _items(text, at):
        yield _string(text, item)[0], item


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of an object with the places of their values; no value is made twice."""
    at = _skip_blanks(text, at)
    if text[at] != "{":
        raise NotANotebook("No object.")
    at = _skip_blanks(text, at + 1)
    while text[at] != "}":
        key, at = _string(text, at)
        at = _skip_blanks(text, at)
        at = _skip_blanks(text, at + 1)
        yield key, at
        at = _skip_blanks(text, _value(text, at)[1])
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


def _items(text: str, at: int) -> Iterator[int]:
    """The places of the items of a list."""
    if text[at] != "[":
        raise NotANotebook("No list.")
    at = _skip_blanks(text, at + 1)
    while text[at] != "]":
        yield at
        at = _skip_blanks(text, _value(text, at)[1])
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


def _value(text: str, at: int) -> tuple[Any, int]:
    return DECODER.raw_decode(text, at)


def _string(text: str, at: int) -> tuple[str, int]:
    found, end = _value(text, at)
    if not isinstance(found, str):
        raise NotANotebook("No text where one belongs.")
    if not found.isascii():  # an escape of JSON may stand for half a character
        found = found.encode(errors="replace").decode()
    return found.replace("\0", ""), end


def _skip_blanks(text: str, at: int) -> int:
    while text[at] in BLANKS:
        at += 1
    return at


def _fill(readable: list[str], placed: list[tuple[str, int]]) -> None:
    """What the lines of a cell say; a blank line stands between two cells."""
    for said, line in placed:
        readable[line] += said
    last = placed[-1][1]
    if not readable[last].endswith("\n"):
        readable[last] += "\n"
    if last + 1 < len(readable):
        readable[last + 1] = "\n"


def _add_markdown(outline: DocumentOutline, placed: list[tuple[str, int]]) -> None:
    """The headings and blocks of a cell of Markdown, each on the lines of the file where it stands."""
    where = _places(placed)
    read = read_markdown("".join(said for said, _ in placed))
    where += [placed[-1][1]] * (len(read.lines) - len(where))
    for block in read.blocks:
        start = where[block.start]
        end = where[block.end - 1] + 1
        if block.heading is None:
            outline.add(start, end)
        else:
            heading = read.headings[block.heading]
            outline.add_heading(heading.level, heading.text, start=start, end=end)


def _places(placed: list[tuple[str, int]]) -> list[int]:
    """The line of the file for each line of a cell; one that is in several strings stands where it begins."""
    where: list[int] = []
    is_open = False
    for said, line in placed:
        for each in split_lines(said):
            if not is_open:
                where.append(line)
            is_open = not each.endswith(("\n", "\r"))
    return where

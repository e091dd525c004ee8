"""The front matter of a document, with the line of everything in it."""

from collections.abc import Mapping
from typing import NamedTuple

from fieldguide.document_formats.lines import split_lines
from fieldguide.document_formats.markdown import BYTE_ORDER_MARK, front_matter_lines
from fieldguide.formats import Malformed
from fieldguide.formats.yaml_text import Scalar, Value, read_yaml
from fieldguide.toolsets.architecture.rules.pattern import Problem

__all__ = ["FrontMatter", "Scalar", "Value", "read_front_matter"]

MOST_CHARACTERS = 1 << 16


class FrontMatter(NamedTuple):
    """The entries at the top of a document, what is wrong with them, and how many lines they take."""

    entries: Mapping[str, Value]
    problems: tuple[Problem, ...] = ()
    lines: int = 0


def read_front_matter(text: str) -> FrontMatter:
    """The front matter between two lines of dashes; a document without one has no entries."""
    lines = split_lines(text)
    end = front_matter_lines(lines)
    if not end or not lines[0].removeprefix(BYTE_ORDER_MARK).startswith("-"):  # rules are written in YAML only
        return FrontMatter({})
    try:
        root, repeated = read_yaml("".join(lines[1 : end - 1]), first_line=2, most_characters=MOST_CHARACTERS)
    except Malformed as error:
        return FrontMatter({}, (Problem(f"The front matter can't be read: {error.reason}.", error.line),), end)
    if root.entries is None:
        found = Problem("The front matter is not a mapping, so it was not read.", 2)
        return FrontMatter({}, (found,) if root.is_given else (), end)
    twice = (Problem(f"`{name}` is written twice; only the last one counts.", line) for name, line in repeated)
    return FrontMatter(root.entries, tuple(twice), end)

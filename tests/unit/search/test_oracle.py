"""Another parser reads the same documents: every outline agrees with it, and the sections are the whole document."""

import re
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from fieldguide.prose.document import Outline, find_section
from fieldguide.prose.markdown import read_markdown
from tests.proves import proves
from tests.unit.search.nasty_documents import NASTY

LINE_END = re.compile(r"\r\n|\n|\r|\Z")
TOML = re.compile(r"\A\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+[ \t]*(?:\n|\Z)")
LINES = [
    *("# A", "## B ##", "### *C* #", "#", "##\tTab", "#no", "   # three", "    # four", "\t# tab", "# a \\#"),
    *("text", "===", "---", "***", "```", "````", "~~~", "``` sh", "> # quoted", "> text", "- # item", "- item"),
    *("  # in item", "    indented", "1. # one", "<div>", "</div>", "<!--", "-->", "<script>", "</script>"),
    *("| a | b |", "| - | - |", "", "", "", "\\# no", "...", "title: x", "#\u00a0x", "\x0c# x", "\u2028# x"),
]


@proves("S2-25", "S2-62", "D-15")
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_outline_of_a_nasty_document_is_the_other_parsers(text):
    assert outline_of(text) == read_by_the_other(text)
    assert "no" not in {heading.split(":")[0] for _, heading, _ in outline_of(text)}


@proves("S2-34", "S2-35", "S2-62")
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_sections_of_a_nasty_document_are_the_document(text):
    assert_sections_are_the_document(text, outline_of(text))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(LINES), max_size=9), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@example(["```", "# A"], "\r", False)
@example(["    # four", "# A"], "\r", True)
def test_whatever_lines_stand_together_both_parsers_see_the_same(lines, end, has_final_end):
    text = end.join(lines) + (end if has_final_end else "")

    assert outline_of(text) == read_by_the_other(text)
    assert_sections_are_the_document(text, outline_of(text))


def outline_of(text: str) -> Outline:
    return [(heading.level, heading.text, heading.line) for heading in read_markdown(text).headings]


def read_by_the_other(text: str) -> Outline:
    """The headings at the top level, by markdown-it."""
    unmarked = LINE_END.sub("\n", text.removeprefix("\ufeff")) if "\r" in text else text.removeprefix("\ufeff")
    blanked = TOML.sub(lambda match: "\n" * match.group().count("\n"), unmarked)
    tokens = other_parser().parse(blanked)
    return [
        (int(token.tag[1]), " ".join(line.strip() for line in content.content.split("\n")), token.map[0] + 1)
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


@cache
def other_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline").use(front_matter_plugin)


def assert_sections_are_the_document(text: str, outline: Outline) -> None:
    """What stands before the first heading, and each section by itself, joined by the ends of their last lines."""
    at = 0
    line = 1
    for number, (level, heading, start) in enumerate(outline):
        while line < start:
            at, line = after_line(text, at), line + 1
        section = find_section(text, outline[number:], heading, include_subsections=False)
        assert section is not None
        assert (section.heading, section.level, section.start_line) == (heading, level, start)
        assert text.startswith(section.content, at)
        at, line = at_line_end(text, at + len(section.content)), section.end_line + 1
    if outline:
        assert at == len(text)


def after_line(text: str, at: int) -> int:
    match = LINE_END.search(text, at)
    assert match is not None
    return match.end()


def at_line_end(text: str, at: int) -> int:
    match = LINE_END.match(text, at)
    assert match is not None, "a section must end where a line does"
    return match.end()

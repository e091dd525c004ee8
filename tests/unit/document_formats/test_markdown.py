"""Titles, heading texts and blocks: what the outline of another parser can't tell."""

import sys
from unittest.mock import Mock

import pyromark
import pytest

from fieldguide.prose.document import Block
from fieldguide.prose.markdown import read_markdown
from fieldguide.text.windows import count_lines, split_lines, strip_line_end
from tests.proves import proves

LONG = 300_000  # what takes time by the square of this takes hours


@proves("S2-16", "S2-24", "S2-62")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# First\n\n# Second\n", "First"),
        ("## Not me\n\n# Me\n", "Me"),
        ("Me\n===\n", "Me"),
        ("```\n# not me\n```\n# Me\n", "Me"),
        ("#\n\n# Me\n", "Me"),
        ("---\ntitle: Front\n---\n# Me\n", "Me"),
        ("---\ntitle: Front\n---\n## Below\n", "Front"),
        ("---\ntitle: 'Front: it''s'\n---\n", "Front: it''s"),
        ('---\ntitle: "Front \\"x\\" y" # comment\n---\n', 'Front \\"x\\" y'),
        ("---\ntitle: Front # comment\n---\n", "Front"),
        ("---\ntitle: C#\n---\n", "C#"),
        ("---\ntitle: >-\n  Front\n  matter\nother: x\n---\n", "Front matter"),
        ("---\ntitle: |\nother: x\n---\n", None),
        ("---\nmeta:\n  title: Nested\n---\n", None),
        ("---\ntitle:\n---\n", None),
        ("---\ntitle: Unclosed\n", None),
        ('+++\ntitle = "Front"\n+++\n', "Front"),
        ("## Only deeper\n", None),
        ("text", None),
        ("", None),
    ],
)
def test_the_title_is_the_first_heading_of_the_first_level_else_of_the_front_matter(text, title):
    assert read_markdown(text).title == title


@proves("S2-25", "D-14")
def test_a_heading_has_its_level_its_text_as_written_and_its_line_from_one():
    read = read_markdown("text\r\n\r\n## *Soft* `code` [link](x) ##\r\n\r\nLong\r\nheading\r\n---\r\n")

    assert [tuple(heading) for heading in read.headings] == [(2, "*Soft* `code` [link](x)", 3), (2, "Long heading", 5)]


@proves("S2-27")
def test_a_document_is_parsed_once_and_the_work_grows_with_its_length(monkeypatch):
    parsed = Mock(wraps=pyromark.events_with_range)
    monkeypatch.setattr(pyromark, "events_with_range", parsed)

    def steps(headings):
        """How many calls Python makes for a document of so many headings."""
        count = 0

        def on_call(frame, event, argument):
            nonlocal count
            count += 1

        text = "".join(f"## Heading {number}\n\ntext\n\n" for number in range(headings))
        sys.setprofile(on_call)
        try:
            assert len(read_markdown(text).headings) == headings
        finally:
            sys.setprofile(None)
        return count

    small, large = steps(100), steps(1000)

    assert parsed.call_count == 2
    assert large < 10.5 * small


@pytest.mark.parametrize(
    "text",
    [
        f"# a{' ' * LONG}b\n",
        f"# a{' #' * LONG}b\n",
        f"---\ntitle: a{' ' * LONG}b\n---\n",
        f'---\ntitle: "a{" " * LONG}b\n---\n',
        f"---\ntitle: '{chr(39) * LONG}b\n---\n",
        f"a\n{'-' * LONG} x\n",
        "#" * LONG,
    ],
    ids=["blanks", "marks", "title", "open quote", "quotes", "line", "hashes"],
)
def test_no_line_takes_longer_than_its_length(text):
    assert "".join(read_markdown(text).lines) == text


def test_blocks_are_the_lines_of_the_top_level_with_their_headings():
    read = read_markdown("# A\n\none\ntwo\n\n- item\n\n  more\n\nSetext\n---\n```\nx\n```\n")

    assert read.blocks == (Block(0, 1, 0), Block(2, 4), Block(5, 9), Block(9, 11, 1), Block(11, 14, is_code=True))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("a\n\n", ["a\n", "\n"]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("a\n\rb", ["a\n", "\r", "b"]),
        ("a\u2028b\x0cc\x85d\x1ce", ["a\u2028b\x0cc\x85d\x1ce"]),
        ("\r\r\n\n", ["\r", "\r\n", "\n"]),
        ("\n\n", ["\n", "\n"]),
    ],
)
def test_a_line_ends_at_a_newline_a_return_or_both_and_nowhere_else(text, lines):
    assert split_lines(text) == lines
    assert count_lines(text) == len(lines)
    assert "".join(lines) == text


@pytest.mark.parametrize(
    ("text", "rest"), [("a\n", "a"), ("a\r\n", "a"), ("a\r", "a"), ("a\n\n", "a\n"), ("a\r\r\n", "a\r"), ("", "")]
)
def test_only_the_end_of_the_last_line_goes(text, rest):
    assert strip_line_end(text) == rest

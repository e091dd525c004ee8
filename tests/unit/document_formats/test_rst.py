"""reStructuredText: titles by their adornments, as docutils sees them."""

import pytest

from fieldguide.prose.readers import detect_format, read_document
from fieldguide.prose.rst import read_rst


def outline(text: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.text, heading.line) for heading in read_rst(text).headings]


def test_levels_are_numbered_in_the_order_in_which_their_adornments_appear():
    text = "====\nBook\n====\n\nPart\n====\n\nChapter\n-------\n\nPart two\n========\n"

    assert outline(text) == [(1, "Book", 1), (2, "Part", 5), (3, "Chapter", 8), (2, "Part two", 11)]


@pytest.mark.parametrize("text", [
    "A paragraph of\ntwo lines\n=========\n", "Text::\n\n  Title\n  =====\n", ".. note::\n\n   Title\n   =====\n",
    ".. a comment\n   Title\n   =====\n",
    "=====  =====\nOne    Two\n=====  =====\nTitle\n------------\na      b\n=====  =====\n",
    "Text\n\n--------\n\nMore\n", "::\n\n> quoted\n> ======\n", "- item\n  =====\n", "Ab\n-\n", "Too long\n---\n",
])  # fmt: skip
def test_what_docutils_takes_for_no_title_is_none(text):
    assert outline(text) == []


def test_a_title_may_begin_with_a_number_or_a_role():
    text = "1. First\n========\n\n:doc:`Second <b>`\n=================\n"

    assert [text for _, text, _ in outline(text)] == ["1. First", ":doc:`Second <b>`"]


def test_a_short_underline_counts_where_it_is_as_long_as_its_title():
    assert outline("Abc\n---\n") == [(1, "Abc", 1)]


def test_code_stays_whole_in_one_block():
    code = "\n\n".join(f"   line {number}" for number in range(5))
    read = read_rst(f"Text\n\n.. code-block:: sh\n\n{code}\n\nAfter\n")

    assert [(block.start, block.end) for block in read.blocks if block.is_code] == [(2, 13)]


def test_a_file_that_only_includes_another_has_a_block_and_no_heading():
    read = read_document("a.rst", ".. include:: ../README.rst\n")

    assert (read.headings, read.title, len(read.blocks)) == ((), None, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====\n\n.. toctree::\n\n   a\n", "rst"),
        ("See :setting:`DEBUG`.\n", "rst"),
        ("# Title\n\n## Section\n", "markdown"),
        ("# a comment\nname==1.0\n", "text"),
        ("Title\n=====\n\nA text.\n", "text"),
    ],
)
def test_the_format_of_a_txt_is_told_by_what_it_holds(text, expected):
    assert detect_format("a.txt", text) == expected

"""Chunks follow the structure: whole where they fit, nothing twice, nothing lost, never across a heading."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.prose.markdown import read_markdown
from fieldguide.search.chunking import AIM, LONGEST_LINE, MOST, chunk_document
from fieldguide.search.embedding import compose_embedded_text
from tests.proves import proves
from tests.unit.search.nasty_documents import NASTY

PARAGRAPH = "word " * 80
CODE = "line of code\n"
PIECES = [
    "# A\n",
    "## B\n",
    "### C\n",
    "#### D\n",
    f"{PARAGRAPH}\n\n",
    "short\n\n",
    "```\ncode\n\n# x\n```\n",
    "- a\n- b\n\n",
]
LONG_PIECES = [f"```\n{CODE * 200}```\n", "x" * 4000 + "\n\n", "word " * 900 + "\n\n", "\n"]


def chunks(text):
    return chunk_document(read_markdown(text))


def places(text):
    return [(chunk.start_line, chunk.end_line) for chunk in chunks(text)]


@proves("S2-56", "U2-11", "U2-12")
def test_a_chunk_ends_before_every_heading_and_knows_the_headings_above_it():
    found = chunks("before\n\n# A\n\none\n\n## B\n\ntwo\n\n### C\n\nthree\n\n## D\n\nfour\n")

    assert [(chunk.headings, chunk.text) for chunk in found] == [
        ((), "before"),
        (("A",), "# A\n\none"),
        (("A", "B"), "## B\n\ntwo"),
        (("A", "B", "C"), "### C\n\nthree"),
        (("A", "D"), "## D\n\nfour"),
    ]
    assert places("before\n\n# A\n\none\n") == [(1, 1), (3, 5)]


@proves("U2-11")
def test_the_model_reads_title_and_headings_and_the_stored_text_is_the_plain_chunk():
    chunk = chunks("# Guide\n\n## Setup\n\nRun it.\n")[-1]

    assert chunk.text == "## Setup\n\nRun it."
    assert compose_embedded_text("Guide", chunk.headings, chunk.text) == "Guide > Setup\n## Setup\n\nRun it."
    assert compose_embedded_text("a.md", (), "text") == "a.md\ntext"


def test_a_heading_with_nothing_of_its_own_is_told_by_those_below_it():
    assert [chunk.headings for chunk in chunks("# A\n\n## B\n\ntext\n\n## C\n\n## D\n")] == [
        ("A", "B"),
        ("A", "C"),
        ("A", "D"),
    ]
    assert [chunk.text for chunk in chunks("# A\n")] == ["# A"]


@proves("U2-11")
def test_paragraphs_are_put_together_up_to_about_a_thousand_characters():
    found = chunks("# A\n\n" + f"{PARAGRAPH}\n\n" * 10)

    assert len(found) == 5
    assert all(AIM / 2 < len(chunk.text) <= AIM for chunk in found)
    assert {chunk.headings for chunk in found} == {("A",)}
    assert {chunk.text[0] for chunk in found} == {"#", "w"}


def test_a_fence_stays_whole_where_it_fits_and_is_cut_between_lines_where_not():
    fits = f"```\n{CODE * 100}```"
    cut = f"```\n{CODE * 400}```"

    assert any(fits in chunk.text for chunk in chunks(f"{PARAGRAPH}\n\n{fits}\n"))
    pieces = chunks(f"{cut}\n")
    assert len(pieces) > 3
    assert "\n".join(chunk.text for chunk in pieces) == cut


def test_a_line_that_is_too_long_is_cut_between_words_and_keeps_its_line():
    words = chunks("word " * 2000)
    letters = chunks("x" * 20_000)

    assert "".join(chunk.text for chunk in words).split() == ["word"] * 2000
    assert all(not chunk.text.startswith("ord") for chunk in words)
    assert "".join(chunk.text for chunk in letters) == "x" * 20_000
    assert {(chunk.start_line, chunk.end_line) for chunk in words} == {(1, 1)}
    assert max(len(chunk.text) for chunk in (*words, *letters)) <= LONGEST_LINE


@pytest.mark.parametrize("text", ["", "\n\n", " \t\n", "---\ntitle: T\n---\n"])
def test_nothing_to_read_gives_no_chunk(text):
    assert chunks(text) == []


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_a_nasty_document_loses_no_line_that_is_seen(text):
    assert_every_block_is_told_once_and_in_order(text)


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*PIECES, *LONG_PIECES]), max_size=12))
def test_whatever_stands_in_a_document_is_told_once_and_in_order(pieces):
    assert_every_block_is_told_once_and_in_order("".join(pieces))


def assert_every_block_is_told_once_and_in_order(text):
    read = read_markdown(text)
    found = chunk_document(read)

    for chunk in found:
        whole = "".join(read.lines[chunk.start_line - 1 : chunk.end_line])
        assert chunk.text in whole
        assert chunk.text.strip()
        inside = [heading for heading in read.headings if chunk.start_line < heading.line <= chunk.end_line]
        assert all(heading.line == chunk.start_line for heading in inside)
        assert len(chunk.text) <= LONGEST_LINE + MOST
    assert sorted(found, key=lambda chunk: chunk.start_line) == found
    told = {number for chunk in found for number in range(chunk.start_line - 1, chunk.end_line)}
    for block in read.blocks:
        if block.heading is None and "".join(read.lines[block.start : block.end]).strip():
            assert told.issuperset(range(block.start, block.end))

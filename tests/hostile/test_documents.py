"""Documents of every format made to hurt: any text is read, no nest of it overflows a stack, no line is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.prose.document import ExtractedText, list_heading_paths, read_extracted
from fieldguide.prose.markdown import read_markdown
from fieldguide.prose.readers import read_document
from fieldguide.search.chunking import chunk_document
from tests.growth import MOST, Text, growth_of
from tests.hostile_readers import DOCUMENTS, all_readers, texts

PIECES = [
    "a", "Title", " ", "  ", "\n", "\r\n", "\t", "=", "====", "----", "::", ".. code::", ".. _a:", "- ", "1. ", "|===",
    "[discrete]", "== ", "= ", "////", "<h1>", "</h1>", "<pre>", "</pre>", "<nav>", "</nav>", "<!--", "-->", "<", ">",
    '"', "'", "&amp;", "<title>", '{"cells": [', '{"cell_type": "markdown", "source": ["# a\\n", "b"]}', "]}", ",",
    ".SH ", ".TH A 1\n", ".de x\n", "..\n", ".nf\n", ".fi\n", "\\fB", "\\", "import a\n", "<A>\n", "{", "}", "```\n",
    "é", "\u2028", "\ufeff", "# ", "\f",
]  # fmt: skip
DEEP = 200_000


@pytest.mark.parametrize("name", DOCUMENTS)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
@settings(max_examples=50)
def test_any_text_is_read_and_every_place_is_in_it(name, pieces):
    text = "".join(pieces)

    read = read_document(name, text)
    chunks = chunk_document(read)

    assert "".join(read.lines) == text
    assert read.readable is None or len(read.readable) == len(read.lines)
    assert all(1 <= heading.line <= len(read.lines) and 1 <= heading.level <= 6 for heading in read.headings)
    lines = [heading.line for heading in read.headings]
    assert lines == sorted(lines)
    ends = [end for block in read.blocks for end in (block.start, block.end)]
    assert ends == sorted(ends)
    assert all(block.start < block.end <= len(read.lines) for block in read.blocks)
    assert all(1 <= chunk.start_line <= chunk.end_line <= len(read.lines) for chunk in chunks)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_nest_overflows_a_stack(name):
    for unit in ("[", '{"cells":', "<div>", "<nav>", "> ", "- ", "====\n", ".RS\n", '{"a":['):
        text = unit * (DEEP // len(unit))
        assert "".join(read_document(name, text).lines) == text


def test_a_page_of_one_line_is_cut_once_whatever_its_headings():
    text = "<html><body>" + "<h2>Heading</h2><p>some words</p>" * 5_000

    chunks = chunk_document(read_document("a.html", text))

    assert sum(len(chunk.text) for chunk in chunks) < 2 * len(text)


@given(st.lists(st.text(alphabet="# \\abc\n\r\f", max_size=30), max_size=10))
def test_no_line_of_an_extracted_text_becomes_a_heading(texts):
    extracted = ExtractedText()
    for text in texts:
        extracted.add_text(text)

    assert read_extracted(str(extracted)).headings == ()


UNITS = ("> ", "- ", "[", "![", "*", "`a``b```c", "<!--", "|a|b|\n", "[a]: b\n", "<div>\n")
LEAST, LONGEST = 20_000, 200_000


@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_of_markdown_grows_with_the_text_at_most(unit):
    found = growth_of("read_markdown", read_markdown, Text(unit), least=LEAST, most=LONGEST)

    assert found.ratio <= MOST, str(found)


SECTIONS = 2_000
DOCUMENT = "# " + "long " * 20_000 + "\n\n" + "## Part\n\nText.\n\n" * SECTIONS


def test_what_chunks_and_paths_carry_stays_in_proportion_to_the_document():
    document = read_markdown(DOCUMENT)

    carried = sum(len(heading) for chunk in chunk_document(document) for heading in chunk.headings)
    paths = list_heading_paths([(each.level, each.text, each.line) for each in document.headings])

    assert len(paths) == SECTIONS + 1
    assert carried < 10 * len(DOCUMENT)
    assert sum(map(len, paths)) < 10 * len(DOCUMENT)


LEAST, LONGEST = 4_000, 16_000
SAMPLE = 80  # each reader gets one of so many texts, another part of them than the reader before


@pytest.mark.parametrize("name", all_readers())
def test_a_reader_takes_no_longer_than_the_text_grows(name):
    number, read = list(all_readers()).index(name), all_readers()[name]
    alone = [text for text in texts() if not text.opening and not text.closing]

    found = [growth_of(name, read, text, least=LEAST, most=LONGEST) for text in alone[number % SAMPLE :: SAMPLE]]

    assert [str(each) for each in found if each.ratio > MOST] == []

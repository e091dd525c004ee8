"""Plain text, pages, notebooks and MDX: what is a heading, and what is read of a line."""

import json

import pytest

from fieldguide.files.kinds import GLOBS, find_format
from fieldguide.prose.html import read_html
from fieldguide.prose.markdown import read_mdx
from fieldguide.prose.notebook import NotANotebook, read_notebook
from fieldguide.prose.readers import read_plain_text
from fieldguide.text.windows import decode_document


def outline(read) -> list[tuple[int, str, int]]:
    return [tuple(heading) for heading in read.headings]


def test_headings_of_a_plain_text_are_underlined_or_in_capitals():
    text = "Title\n-----\n\nText.\n\nUSAGE\n\n  more\n\n1. Scope\n\nText.\n"

    found = outline(read_plain_text(text))

    assert found == [(1, "Title", 1), (2, "USAGE", 6)]


@pytest.mark.parametrize("text", [
    "1. Do this\n\n2. Do that\n", "TODO: CALL THEM\nand more\n", "A sentence. In Capitals? NO.\n\nText\n",
    "name   value\n----   -----\n", "two lines\nof a text\n---------\n", "    INDENTED\n\n",
])  # fmt: skip
def test_what_is_not_plain_to_see_is_no_heading(text):
    assert outline(read_plain_text(text)) == []


def test_a_page_gives_headings_where_their_tags_begin_and_no_hidden_text():
    text = (
        "<title>A &amp; B</title>\n<script>if (a < b) '<h1>no</h1>'</script>\n<!-- <h1>no</h1> -->\n"
        '<h1\n class="a>b">One\n  <em>two</em></h1>\n<template><h2>no</h2></template>\n<H2>Three</H2>\n'
    )

    read = read_html(text)

    assert outline(read) == [(1, "One two", 4), (2, "Three", 8)]
    assert read.title == "A & B"
    assert "no" not in "".join(read.readable or ())


def test_front_matter_of_a_page_gives_its_title_and_is_not_read():
    read = read_html("---\ntitle: Home\nlayout: wide\n---\n<h2>Welcome</h2>\n<p>All.</p>\n")

    assert (read.title, outline(read)) == ("Home", [(2, "Welcome", 5)])
    assert "".join(read.readable or ()) == "Welcome\nAll.\n"


def test_code_of_a_page_keeps_its_blanks():
    read = read_html("<p>a\n<pre>\n  if x:\n    y &lt; 1\n</pre>\n")

    assert "  if x:\n    y < 1\n" in "".join(read.readable or ())


def test_a_notebook_of_one_line_is_read_on_that_line():
    cells = [{"cell_type": "markdown", "source": "# A\n\n## B\n\ntext"}, {"cell_type": "code", "source": ["x\n", "y"]}]

    read = read_notebook(json.dumps({"cells": cells, "nbformat": 4}))

    assert outline(read) == [(1, "A", 1), (2, "B", 1)]
    assert read.text_of(0, 1).startswith("# A\n\n## B\n\ntext")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cells": 1}', '{"cells": [{"source": [1]}]}', "{" * 100_000])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(NotANotebook):
        read_notebook(text)


def test_scripts_and_tags_of_mdx_are_no_headings_and_hide_none():
    script = "export const a = `\n# no\n`\n\n"
    text = f"{script}# Title\n\n<Tabs\n  a={{1}}\n>\n## In a tab\n</Tabs>\n\n{{/*\n# no\n*/}}\n\n```\n<A>\n```\n"

    assert outline(read_mdx(text)) == [(1, "Title", 5), (2, "In a tab", 10)]


def test_a_comment_of_mdx_before_a_text_ends_on_its_line():
    assert outline(read_mdx("{/* a */}[b\n](c)\n\n## Title\n\n{d}\n")) == [(2, "Title", 4)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Füße".encode(), "Füße"),
        ("Füße".encode("latin-1"), "Füße"),
        (b"\x93quoted\x94", "“quoted”"),
        (b"caf\xe9\x81", "caf\xe9\x81"),
        ("ü".encode() + b"\xff", "ü\ufffd"),
        ("Füße".encode("utf-16"), "Füße"),
    ],
)
def test_a_text_is_decoded_by_what_it_is(content, expected):
    assert decode_document(content) == expected


def test_every_format_is_looked_for_in_a_folder():
    found = {find_format(glob) for glob in GLOBS}

    assert found == {"markdown", "mdx", "rst", "asciidoc", "text", "html", "notebook", "pdf"}

"""AsciiDoc: section titles of one and two lines, as Asciidoctor sees them."""

import pytest

from fieldguide.prose.asciidoc import read_asciidoc


def outline(text: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.text, heading.line) for heading in read_asciidoc(text).headings]


def test_titles_of_one_and_two_lines_have_the_same_levels():
    text = "= Book\n\n== Part\n\nChapter\n~~~~~~~\n\n=== Closed ===\n\nAgain\n-----\n"

    assert outline(text) == [(1, "Book", 1), (2, "Part", 3), (3, "Chapter", 5), (3, "Closed", 8), (2, "Again", 10)]


@pytest.mark.parametrize("text", [
    "----\n== Title\n----\n", "....\n== Title\n....\n", "////\n== Title\n////\n", "++++\n== Title\n++++\n",
    "====\n== Title\n====\n", "|===\n|a\n== Title\n|===\n", "```sh\n== Title\n```\n", "A text\n== Title\n",
    "[discrete]\n== Title\n", "[float#id.role]\n== Title\n", "[discrete]\n[[here]]\n[role=x]\n== Title\n", "==Title\n",
    ".Title\n------\n", "// == Title\n",
])  # fmt: skip
def test_what_asciidoctor_takes_for_no_section_is_none(text):
    assert outline(text) == []


def test_an_anchor_before_a_title_leaves_it_in_the_outline():
    assert outline("[[here]]\n[role=x]\n== Title\n") == [(2, "Title", 3)]


def test_an_offset_moves_the_levels_that_follow():
    assert outline(":leveloffset: +1\n\n= Title\n\n:leveloffset!:\n\n== Other\n")[0] == (2, "Title", 3)

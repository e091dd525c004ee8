"""The parts of `guide_open` that the front door reaches only by chance: any bytes, any range, any difference."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.project_files import CitedFiles, open_cited_files
from fieldguide.spine.tool import compact_json
from fieldguide.text.citation import Citation, format_citation, hash_lines, read_citation
from fieldguide.text.errors import Refusal, Unreadable
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.windows import ByteLines, split_lines
from fieldguide.toolsets.guide.cited_pages import (
    CitedPage,
    find_cited_lines,
    make_text_page,
    read_file_page,
)
from fieldguide.toolsets.guide.open import OpenedPlace, find_enclosing_lines, fit_places

PIECES = st.sampled_from(
    [b"a", b"fern ", b"\n", b"\r", b"\r\n", b"\x0c", b"\xc3\xa9", b"\xe9", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8"]
)
CONTENTS = st.lists(PIECES, max_size=60).map(b"".join)
LINES = st.lists(st.sampled_from(["one", "two", "three", "", "  }"]), min_size=1, max_size=30)


def page(content: bytes, name: str = "a.txt") -> CitedPage:
    return read_file_page(name, "document", content)


def files(content: bytes) -> CitedFiles:
    return CitedFiles(lambda path: (content, os.stat(".")))


@given(CONTENTS, st.integers(1, 20), st.integers(0, 20), st.sampled_from(["a.txt", "a.py", "a.md"]))
def test_any_lines_of_any_file_are_cited_and_opened_as_the_same_bytes(content, start, more, name):
    lines = ByteLines(content)
    end = min(start + more, len(lines))
    if start > end or (b"\0" in content):
        return
    citation = read_citation(files(content).cited(name, start, end))

    assert citation is not None
    assert citation.hash == hash_lines(lines.between(start, end)) == page(content, name).hash(start, end)
    assert page(content, name).holds(citation)
    assert len(page(content, name).lines) == len(lines)


@given(LINES, st.integers(1, 30), st.integers(0, 5), LINES)
def test_a_citation_of_what_was_seen_is_true_whether_or_not_the_file_is_still_so(seen, start, more, now):
    before, after = "\n".join([*seen, ""]), "\n".join([*now, ""])
    start, end = min(start, len(seen)), min(start + more, len(seen))
    text = "\n".join(seen[start - 1 : end])
    citation = read_citation(files(after.encode()).cited("a.txt", start, end, text, lambda: split_lines(before)))

    assert citation is not None
    assert citation.hash == hash_lines(text.encode())


@settings(max_examples=60)
@given(LINES, LINES, st.integers(1, 30), st.integers(0, 5))
def test_lines_that_stand_anywhere_in_a_file_are_found_again(before, around, start, more):
    start, end = min(start, len(before)), min(start + more, len(before))
    old = "\n".join(before[start - 1 : end])
    now = [*around, *before[start - 1 : end], *around]
    citation = Citation("a.txt", start, end, hash_lines(old.encode()))
    place = find_cited_lines(page("\n".join(now).encode()), citation)

    if old:
        assert place is not None
        assert "\n".join(now[place[0] - 1 : place[1]]) == old


@settings(max_examples=60)
@given(
    st.lists(st.text(max_size=80), min_size=1, max_size=200).map("\n".join),
    st.sampled_from([200, 230, 300, 1_000]),
    st.integers(1, 50),
)
def test_no_text_and_no_value_has_more_tokens_than_the_budget(text, budget, start):
    found = make_text_page("finding://x", "finding", text)
    start = min(start, found.last)
    answer = fit_places([OpenedPlace(found, start, found.last, "asked for", given="finding://x")] * 3, budget)

    assert max(count_exact_tokens(answer.text), count_exact_tokens(compact_json(answer.value))) <= budget


def test_a_citation_that_fills_the_budget_by_itself_is_refused():
    long = make_text_page("finding://" + "x7/" * 400, "finding", "one\ntwo")

    with pytest.raises(Refusal, match="The citation alone takes more than the budget"):
        fit_places([OpenedPlace(long, 1, 2, "asked for")], 200)


def test_a_range_of_a_million_lines_is_no_more_work_than_the_file_is_long(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    citation = Citation("a.txt", 1, 999_999_999, "00000000")

    assert find_cited_lines(page(b"one\ntwo\n"), citation) is None
    assert find_cited_lines(page(b"one\ntwo\n"), Citation("a.txt", 999_999_998, 999_999_999, "00000000")) is None
    assert not page(b"one\ntwo\n").holds(citation)
    folder = ConfinedFolder(str(tmp_path))
    assert open_cited_files(folder).cited_again(Citation("a.txt", 1, 9)) == format_citation(
        "a.txt", 1, 2, hash_lines(b"one\ntwo")
    )
    assert open_cited_files(folder).cited_again(Citation("a.txt", 3, 9)) is None
    assert open_cited_files(folder).cited_again(Citation("b.txt", 1, 1)) is None


def test_what_is_no_text_is_no_page():
    with pytest.raises(Unreadable, match="Not a text file"):
        page(b"\x89PNG\x00\xff\n")
    assert page(b"a\0b\n").text(1, 1) == "a\0b"
    assert page("\ufeffé\n".encode("utf-16-le")).text(1, 1) == "é"


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), max_size=20), st.integers(1, 60), st.integers(0, 10))
def test_a_section_holds_the_lines_that_it_encloses(sections, start, more):
    text = "".join(f"{'#' * level} Heading\n" + "text\n" * lines for level, lines in sections)
    found = find_enclosing_lines(page(text.encode(), "a.md"), start, start + more)

    if found is not None:
        assert found.start <= start <= start + more <= found.end
        assert text.split("\n")[found.start - 1].endswith("# Heading")


def test_many_places_that_are_alike_are_looked_at_only_so_long():
    alike = page(b"x\n" * 300_000)

    assert find_cited_lines(alike, Citation("a.txt", 5, 6, "00000000")) is None
    assert find_enclosing_lines(page(b"# h\n" * 20_000, "a.md"), 9_000, 9_001) is None

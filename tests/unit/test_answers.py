"""The parts of an answer's size: tokens that are counted, values that are cut, lines and citations."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldguide.spine.tool import Tool, Wording
from fieldguide.spine.truncation import truncate, truncate_answer
from fieldguide.text.citation import Citation, format_citation, read_citation
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import find_near_names
from fieldguide.text.tokens import count_tokens, fit, fits, truncate_to_tokens
from fieldguide.text.windows import describe_rest, select_lines, split_lines
from tests.proves import proves

TOOL = Tool(name="t", description="d", input_schema={"type": "object"}, run=lambda call: None)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abc", 1), ("abcd efgh", 3), ("ABC", 2), ("{}[]", 3), ("é", 2), ("漢字", 4), ("🦊", 3), ("\ud800", 2)],
)
def test_what_is_dense_counts_for_more(text, tokens):
    assert count_tokens(text) == tokens
    assert fits(text, tokens)
    assert not text or not fits(text, tokens - 1)


@pytest.mark.parametrize("text", ["plain words " * 50, "{A9}" * 200, "漢字" * 100, "a"])
@pytest.mark.parametrize("most", [-1, 0, 1, 10, 77])
def test_the_longest_beginning_that_fits(text, most):
    beginning = truncate_to_tokens(text, most)

    assert text.startswith(beginning)
    assert fits(beginning, max(most, 0))
    assert beginning == text or not fits(text[: len(beginning) + 1], most)


def test_as_many_items_as_fit():
    assert [len(fit(range(9), most, lambda some: "a" * 3 * len(some))) for most in (0, 4, 9, 20)] == [0, 4, 9, 9]


@pytest.mark.parametrize(
    "value",
    [
        {"items": ["word " * 20] * 500, "total": 500},
        {"text": "word " * 20_000, "items": [1, 2, 3]},
        {"outer": [{"inner": ["x" * 300] * 40, "text": "y" * 5_000} for _ in range(10)]},
        {"one": ["漢" * 9_000]},
        {"many": list(range(50_000))},
        {"keys": {str(number): "text " * 30 for number in range(60)}},
    ],
)
def test_any_value_is_cut_until_it_fits_and_says_so(value):
    before = json.dumps(value)

    told = truncate_answer(TOOL, TOOL.answer(value), 2_000)

    assert fits(told.text, 2_000)
    assert json.loads(told.text)["cut"].startswith("Cut to fit 2,000 tokens: ")
    assert json.dumps(value) == before


def test_what_has_nothing_to_cut_ends_before_its_end():
    told = truncate_answer(TOOL, TOOL.answer({str(number): number for number in range(9_000)}), 2_000)

    assert fits("".join(block["text"] for block in told.blocks), 2_000)
    assert told.blocks[1]["text"] == "Cut to fit 2,000 tokens: it ends before its end. Ask for less at a time."


def test_a_list_says_beside_itself_that_it_was_cut():
    told = truncate_answer(TOOL, TOOL.answer(["word " * 10] * 1_000), 500)

    items = json.loads(told.blocks[0]["text"])
    assert 1 < len(items) < 1_000
    assert told.blocks[1]["text"].startswith(f"Cut to fit 500 tokens: the first {len(items)} of 1000 items are given.")


def test_what_fits_or_is_whole_stays_as_it_is():
    small, large = TOOL.answer({"a": 1}), TOOL.answer({"a": "b" * 100_000})

    assert truncate_answer(TOOL, small) is small
    assert truncate_answer(TOOL._replace(wording=Wording(is_whole=True)), large) is large
    assert truncate({"a": [1, 2]}, json.dumps, 1_000) == ({"a": [1, 2]}, [])


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a.py#L3-L9", ("a.py", 3, 9)),
        ("a.py#L3-9", ("a.py", 3, 9)),
        ("a.py#L3", ("a.py", 3, 3)),
        ("a.py:3", ("a.py", 3, 3)),
        ("a.py:3-9", ("a.py", 3, 9)),
        ("a.py:3:14", ("a.py", 3, 3)),
        ("a b/#L1.md:2", ("a b/#L1.md", 2, 2)),
        ("c:a.py#L3", ("c:a.py", 3, 3)),
        ("a\nb.py:1", ("a\nb.py", 1, 1)),
        ("a.py#L3-L9@1f0c9a7e", ("a.py", 3, 9, "1f0c9a7e")),
        ("a.py#L3@1F0C", ("a.py", 3, 3, "1f0c")),
        ("a.py:3-9@1f0c9a7e", ("a.py", 3, 9, "1f0c9a7e")),
        ("a@b.py#L3-L9", ("a@b.py", 3, 9)),
        ("finding://d1#L1-L2@1f0c9a7e", ("finding://d1", 1, 2, "1f0c9a7e")),
        ("a.py#L3C50-L9@1f0c9a7e", ("a.py", 3, 9, "1f0c9a7e", 50)),
        ("a.py#L3C5-L9C7", ("a.py", 3, 9)),
        ("a.py#L3C5", ("a.py", 3, 3)),
        ("a.py@1f0c9a7e", None),
        ("a.py#L3@", None),
        ("a.py", None),
        ("a.py#L", None),
        ("a.py:", None),
        ("a.py:0", None),
        ("a.py#L9-L3", None),
        (":3", None),
        ("#L3", None),
        ("a.py:12345678901", None),
    ],
)
def test_a_citation_is_read_as_it_is_written_anywhere(text, meant):
    assert read_citation(text) == (None if meant is None else Citation(*meant))


def test_our_own_citations_are_read_back():
    for place in (("docs/a.md", 1, 1, ""), ("b c.py", 3, 40, "1f0c9a7e")):
        assert read_citation(format_citation(*place)) == Citation(*place)
    within = Citation("a#L1.md", 3, 40, "1f0c9a7e", 29_101)
    assert str(within) == "a#L1.md#L3C29101-L40@1f0c9a7e"
    assert read_citation(str(within)) == within
    assert format_citation("a.py", 7, 7, "1f0c9a7e") == "a.py#L7-L7@1f0c9a7e"


def test_lines_are_given_while_they_fit_and_the_rest_is_cited():
    lines = [f"line {number}\n" for number in range(1, 101)]

    some = select_lines(lines, 11, 100, 50)

    assert some.lines[0] == "line 11\n"
    assert "".join(lines[10 : some.end_line]) == some.text
    assert describe_rest(partial(format_citation, "a.txt"), some, until=100, most=50)["next"] == format_citation(
        "a.txt", some.end_line + 1, 100
    )
    assert (
        describe_rest(partial(format_citation, "a.txt"), select_lines(lines, 1, 100, 5_000), until=100, most=5_000)
        == {}
    )
    with pytest.raises(NotFound, match=r"There is no line 101: it has 100\."):
        select_lines(lines, 101, 110, 50)


def test_of_a_line_that_does_not_fit_the_beginning_is_given():
    found = select_lines(["{}" * 10_000, "next\n"], 1, 2, 100)

    assert found.is_cut
    assert fits(json.dumps(found.text), 102)  # with the quotes
    assert found.told() == {"startLine": 1, "endLine": 1, "endColumn": len(found.text)}
    rest = describe_rest(partial(format_citation, "a.txt"), found, until=2, most=100)["next"]
    assert rest == f"a.txt#L1C{len(found.text) + 1}-L2"
    with pytest.raises(NotFound, match=r"Line 2 has no character 6: it has 5\."):
        select_lines(["{}", "next\n"], 2, 2, 100, start_column=6)


PIECES = st.sampled_from(
    ["a", "word ", "é", "漢字", "🦊", '"\\\t', "\x01", "\n", "\r\n", "\r", "\u2028", "x" * 300, "{[0]}" * 60]
)


@proves("D-40")
@given(pieces=st.lists(PIECES, max_size=60), most=st.integers(min_value=1, max_value=120))
def test_whoever_reads_on_reads_every_character_once(pieces, most):
    text = "".join(pieces)
    lines = split_lines(text)
    place = Citation("a.txt", 1, max(len(lines), 1))
    read = []
    while True:
        found = select_lines(lines, place.start_line, place.end_line, most, place.start_column)
        read.append(found.text)
        assert len(found.text) <= 1 or count_tokens(json.dumps(found.text, ensure_ascii=False)) <= most + 2
        rest = describe_rest(partial(format_citation, "a.txt"), found, until=len(lines), most=most)
        if not rest:
            break
        following = read_citation(rest["next"])
        assert following is not None
        assert following[1:] > place[1:]
        place = following

    assert "".join(read) == text


def test_near_names_are_few_and_near():
    names = [f"folder_{number}/module_{number}.py" for number in range(5_000)]

    assert find_near_names("modul_4711.py", names)[0] == "folder_4711/module_4711.py"
    assert len(find_near_names("module_4711.py", names)) <= 3
    assert (
        find_near_names("zebra.py", names) == find_near_names("", names) == find_near_names("x" * 10_000, names) == []
    )

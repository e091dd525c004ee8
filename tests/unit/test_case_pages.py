"""The pages of `tests/cases`: how they are read, compared and written."""

import pytest

from tests.cases.pages import Answer, is_expected, read_page

PAGE = "## A case\n\n```call add_task\n{}\n```\n\n```expect\nold\n```\n\n## Another\n"


@pytest.mark.parametrize(
    ("expected", "answer", "fits"),
    [
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nb\nc", False),
        ("a\n…", "a\nb\nc", True),
        ("…\nc", "a\nb\nc", True),
        ("a\n…\nc", "a\nc", True),
        ("a\n…\nc", "a\nb", False),
        ("a.", "ab", False),
    ],
)
def test_a_line_of_three_dots_stands_for_any_run_of_lines(expected, answer, fits):
    assert is_expected(Answer(expected), Answer(answer)) is fits
    assert not is_expected(Answer(expected), Answer(answer, is_error=True))


def test_an_answer_replaces_the_one_on_the_page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    page = read_page(path)

    page.replace_answers({page.cases[0].steps[0].first_line: Answer("two\n```\nlines", is_error=True)})

    assert path.read_text() == PAGE.replace("```expect\nold\n```", "````expect error\ntwo\n```\nlines\n````")
    assert read_page(path).cases[0].steps[0].expected == Answer("two\n```\nlines", is_error=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```python a.py\n", ":1: this block is not closed"),
        ("## A\n## A\n", ":2: the page has two cases with this heading"),
        ("```text a\n```\n```text a\n```\n", ":3: the page has two files a"),
        ("```expect\n```\n", ":1: an answer comes after its call"),
        ("## A\n```call x\n```\n", ":2: this call has no `expect` block"),
        ("## A\n```console\n$ ls\n```\n", ":2: a console block is one line"),
    ],
)
def test_a_page_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, problem):
    with pytest.raises(ValueError, match=problem):
        read_page(tmp_path / "page.md", text)

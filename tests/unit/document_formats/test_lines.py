"""Lines of a text, as editors count them."""

import pytest

from fieldguide.text.windows import count_lines, split_lines


@pytest.mark.parametrize(
    "text",
    ["", "a", "a\n", "a\nb", "\n", "\n\n", "\r\n", "a\r\nb", "a\rb\r", "\r\r\n\n", "\n\r", "a\x0bb\x0c\u2028c\n"],
)
def test_lines_are_counted_as_they_are_cut(text):
    assert count_lines(text) == len(split_lines(text))

"""Markdown made to hurt costs no more than its length, and no nest of it overflows a stack."""

import time

import pytest

from fieldguide.prose.markdown import read_markdown

# fmt: off
UNITS = (
    "> ", "- ", "1. ", "* > ", "- [ ] ", "[", "]", "[a](", "![", "[a][b]", "*", "_", "**a _b ", "`", "`a``b```c",
    "<", "<a ", "<!--", "<![CDATA[", "<?", "&", "&a;", "|", "|a", "|a|b|\n", "[a]: b\n", "[a]: <", "[a]\n", "<div>\n",
    "\\", "\n", " ", "\t", "# ", "```\n", "~", "a\n=\n", ">\n", "    a\n", "(", "$", "[^a]: b\n", "<a@b", "http://a.",
)
# fmt: on
SMALL, LARGE = 20_000, 200_000
LEAST_SECONDS = 0.004


@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_of_markdown_grows_with_the_text_at_most(unit):
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        read_markdown(text)
        return time.thread_time() - started

    small = min(seconds(SMALL) for _ in range(2))

    assert seconds(LARGE) < 40 * max(small, LEAST_SECONDS)

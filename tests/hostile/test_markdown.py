"""Markdown made to hurt costs no more than its length, and no nest of it overflows a stack."""

import pytest

from fieldguide.prose.markdown import read_markdown
from tests.growth import MOST, Text, growth_of

# fmt: off
UNITS = (
    "> ", "- ", "1. ", "* > ", "- [ ] ", "[", "]", "[a](", "![", "[a][b]", "*", "_", "**a _b ", "`", "`a``b```c",
    "<", "<a ", "<!--", "<![CDATA[", "<?", "&", "&a;", "|", "|a", "|a|b|\n", "[a]: b\n", "[a]: <", "[a]\n", "<div>\n",
    "\\", "\n", " ", "\t", "# ", "```\n", "~", "a\n=\n", ">\n", "    a\n", "(", "$", "[^a]: b\n", "<a@b", "http://a.",
)
# fmt: on
LEAST, LONGEST = 20_000, 200_000


@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_of_markdown_grows_with_the_text_at_most(unit):
    found = growth_of("read_markdown", read_markdown, Text(unit), least=LEAST, most=LONGEST)

    assert found.ratio <= MOST, str(found)

"""The messages that the troubleshooting page shows are messages of ours."""

import ast
import re
from functools import cache

import pytest

from tests.docs.markdown import ROOT

PAGE = (ROOT / "docs" / "guides" / "troubleshooting.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(.+?)` \| ", re.MULTILINE)
ANYTHING = "…"
ENOUGH = 16  # characters that few files have, and that no line is broken within


@cache
def sources() -> dict[str, str]:
    """The source, file by file."""
    return {str(path): path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))}


@cache
def texts_of(path: str) -> list[str]:
    """Every text of a file; what a formatted one puts in is one character."""
    return [text for node in ast.walk(ast.parse(sources()[path])) if (text := written(node))]


def written(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or ANYTHING for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_ours(message: str) -> bool:
    parts = message.split(ANYTHING)
    pattern = re.compile(".*?".join(map(re.escape, parts)), re.DOTALL)
    begin = max(parts, key=len)[:ENOUGH]
    return any(pattern.search(text) for path, whole in sources().items() if begin in whole for text in texts_of(path))


@pytest.mark.parametrize("message", ROW.findall(PAGE))
def test_a_message_of_the_page_is_in_the_source(message):
    assert is_ours(message)


def test_a_message_that_nobody_says_is_found():
    assert ROW.findall(PAGE)
    assert not is_ours("There is no castle … to serve; build one with --project.")

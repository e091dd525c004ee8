"""Lines of a text, as editors count them: they end with `\\n`, `\\r\\n` or `\\r`, and with nothing else."""

import re

LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end, so that joined they are the text."""
    return LINE.findall(text)


def without_end(text: str) -> str:
    """A text without the end of its last line."""
    return text.removesuffix("\n").removesuffix("\r")

"""A block of lines at the end of a text, below one empty line, so that it can be taken away again to the last byte."""

MARK = "\ufeff"


def newline_of(text: str) -> str:
    """How lines end in a text: as its first one does."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def appended(text: str, lines: list[str]) -> str:
    """The text with the lines below it; it ends with a line end if it did so before, or was empty."""
    newline = newline_of(text)
    block = newline.join(lines)
    if text in ("", MARK):
        return text + block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline + newline + block


def without_lines(text: str, start: int, end: int) -> str:
    """The text without the whole lines from `start` to `end`, and without the empty line above that came with them."""
    newline = newline_of(text)
    before, after = text[:start], text[end:]
    above = before.removesuffix(newline)
    if above != before and (not above or above.endswith("\n")):
        before = above
    is_unended = not after and not text[start:end].endswith("\n")
    return before.removesuffix(newline) if is_unended else before + after

"""The citations that tools must give, made by hand: the path, the lines, and the hash of their bytes."""

from hashlib import sha256

from fieldguide.text.windows import split_lines


def cited_lines(path: str, text: str, start: int, end: int) -> str:
    """The citation of some lines of a file that holds this text in UTF-8."""
    lines = "".join(split_lines(text)[start - 1 : end]).removesuffix("\n").removesuffix("\r")
    return f"{path}#L{start}-L{end}@{sha256(lines.encode()).hexdigest()[:8]}"


def cited_whole(path: str, text: str) -> str:
    """The citation of all of it."""
    return cited_lines(path, text, 1, max(len(split_lines(text)), 1))

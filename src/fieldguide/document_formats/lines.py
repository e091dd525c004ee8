"""Lines of a text, as editors count them: they end with `\\n`, `\\r\\n` or `\\r`, and with nothing else."""

import codecs
import io


def readable_text(content: bytes) -> str:
    """The text of some bytes, as ripgrep reads them: UTF-16 where they begin so, else UTF-8 with what can be read."""
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_wide else "utf-8", errors="replace")


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end, so that joined they are the text."""
    return io.StringIO(text, newline="").readlines()


def count_lines(text: str) -> int:
    """How many lines a text has, without cutting it."""
    ends = text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)
    return ends + (not text.endswith(("\n", "\r")) if text else 0)


def without_end(text: str) -> str:
    """A text without the end of its last line."""
    return text.removesuffix("\n").removesuffix("\r")

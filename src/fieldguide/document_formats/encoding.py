"""The bytes of a document as text: UTF-8, UTF-16 with its mark, Latin-1 where nothing else fits. No line is lost."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

REPLACED = "\ufffd"


def decoded(content: bytes) -> str:
    """The text of a document.

    Bytes that are no UTF-8 are replaced where the rest is; where no character beyond ASCII is, it is Latin-1, or what
    Windows makes of it.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and len(content) % 2 == 0:
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8", errors="replace")
    if b"\0" in content or any(not each.isascii() and each != REPLACED for each in text):
        return text
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def as_utf8(content: bytes) -> bytes:
    """The same bytes; those of a text in UTF-16 as UTF-8, as its zeros would make it no text."""
    return decoded(content).encode(errors="replace") if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else content

"""Text for HTML and SVG: what a browser would obey or hide is shown in its place, as `\\u202e`."""

import html
import unicodedata

from fieldguide.spine.foreign_text.hidden_text import HIDDEN

OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def as_html(text: str) -> str:
    """A text that is nothing but text in HTML, whatever its characters are."""
    if text.isascii() and text.isprintable():
        return html.escape(text)
    return html.escape("".join(map(_visible, text)))


def _visible(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if unicodedata.category(character) in OBEYED or HIDDEN.fullmatch(character):
        return f"\\u{ord(character):04x}"
    return character

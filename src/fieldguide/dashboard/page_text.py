"""Text for the page: what a browser would obey or hide is shown in its place, as `\\u202e`."""

import html
import unicodedata
from urllib.parse import urlencode

from fieldguide.spine.foreign_text.hidden_text import HIDDEN

OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def as_html(text: str) -> str:
    """A text that is nothing but text in HTML, whatever its characters are."""
    if text.isascii() and text.isprintable():  # nearly every line there is
        return html.escape(text)
    return html.escape("".join(map(_visible, text)))


def lines_as_html(text: str) -> str:
    """A text of several lines, as `as_html` gives each of them; tabs stay too."""
    return "\n".join("\t".join(map(as_html, line.split("\t"))) for line in text.splitlines())


def address(at: str, /, **query: object) -> str:
    """An address of ours for an attribute: the query is quoted, what is None or empty is left out."""
    given = {name: str(value) for name, value in query.items() if value is not None and value != ""}
    return html.escape(f"{at}?{urlencode(given, errors='surrogatepass')}" if given else at)


def _visible(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if unicodedata.category(character) in OBEYED or HIDDEN.fullmatch(character):
        return f"\\u{ord(character):04x}"
    return character

"""Text for HTML and SVG: what a browser would obey or hide is shown in its place, as `\\u202e`."""

import html
import unicodedata

from fieldguide.spine.foreign_text.hidden_text import HIDDEN

OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
MOST_KNOWN = 20_000


def as_html(text: str) -> str:
    """A text that is nothing but text in HTML, whatever its characters are."""
    if text.isascii() and text.isprintable():  # nearly every line there is
        return html.escape(text)
    return html.escape(text.translate(SHOWN))


def lines_as_html(text: str) -> str:
    """A text of several lines, as `as_html` gives each of them; the ends of lines and tabs stay what they are."""
    return html.escape(text.replace("\r\n", "\n").translate(SHOWN_IN_LINES))


class Shown(dict[int, int | str]):
    """What stands in the place of each character, for `str.translate`; it is looked at once, and forgets in time."""

    def __missing__(self, code: int) -> int | str:
        character = chr(code)
        is_obeyed = unicodedata.category(character) in OBEYED or HIDDEN.fullmatch(character) is not None
        shown = f"\\u{code:04x}" if is_obeyed else code
        if len(self) < MOST_KNOWN:
            self[code] = shown
        return shown


SHOWN = Shown()
SHOWN_IN_LINES = Shown({ord("\n"): "\n", ord("\t"): "\t"})

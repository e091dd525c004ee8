"""Escapes untrusted text for terminals, JSON and HTML, and warns of what is hidden in it.

No control or invisible character takes effect. The escapes are those of Python and JSON, as in `\\x1b` and `\\u202e`.
Escaping a text twice changes nothing.
"""

import html
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable

from fieldguide.text import regex as re
from fieldguide.text.secrets import MARK, list_secret_value_kinds

OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
MOST_KNOWN = 20_000
MOST_NAMED = 5
HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    "|[\ufe00-\ufe0f]{2,}|(?<=.)\ufeff|[\u200c\u200d]{3,}"
)


def escape_html(text: str) -> str:
    """Escape a text for HTML."""
    if text.isascii() and text.isprintable():  # nearly every line there is
        return html.escape(text)
    return html.escape(text.translate(SHOWN))


def escape_html_lines(text: str) -> str:
    """Escape a text of several lines for HTML; line ends and tabs stay."""
    return html.escape(text.replace("\r\n", "\n").translate(SHOWN_IN_LINES))


class HtmlEscapes(dict[int, int | str]):
    """The replacement of each character, for `str.translate`; filled as characters are met, up to a limit."""

    def __missing__(self, code: int) -> int | str:
        character = chr(code)
        is_obeyed = unicodedata.category(character) in OBEYED or HIDDEN.fullmatch(character) is not None
        shown = f"\\u{code:04x}" if is_obeyed else code
        if len(self) < MOST_KNOWN:
            self[code] = shown
        return shown


SHOWN = HtmlEscapes()
SHOWN_IN_LINES = HtmlEscapes({ord("\n"): "\n", ord("\t"): "\t"})


# fmt: off
UNSEEN = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)
# fmt: on
"""Control characters except newline and tab, line separators, surrogates, invisible and bidirectional characters."""
FIRST = tuple(first for first, _ in UNSEEN)
RUNS = re.compile("[\ufe00-\ufe0f]{2,}|[\u200c\u200d]{3,}")
"""Shorter runs of joiners and variation selectors are not escaped: scripts and emoji need them."""
BREAKS = str.maketrans("\r\v\f", "   ")


def format_count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 file`, `2,000 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def make_visible(text: str) -> str:
    """Escape control and invisible characters; line ends and tabs stay."""
    return _with_escapes(text.replace("\r\n", "\n"), _ESCAPES)


def to_visible_line(text: str) -> str:
    """Escape a text and join it to one line."""
    return " ".join(_with_escapes(text.translate(BREAKS), _ESCAPES).split())


def make_json_visible(text: str) -> str:
    """Escape a JSON text, which stays equivalent JSON."""
    return _with_escapes(text.replace("\r", "\n"), _JSON_ESCAPES)


class Escapes(dict[int, str | int]):
    """What stands for each character: itself, or its escape."""

    def __init__(self, escape: Callable[[int], str]) -> None:
        super().__init__()
        self.escape = escape

    def __missing__(self, code: int) -> str | int:
        """The entry of a new character; visible ones are not stored, since there are too many."""
        place = bisect_right(FIRST, code) - 1
        if place < 0 or code > UNSEEN[place][1]:
            return code
        self[code] = self.escape(code)
        return self[code]


def _with_escapes(text: str, escapes: Escapes) -> str:
    if text.isascii() and text.isprintable():
        return text
    written = text.translate(escapes)
    if written.isascii():
        return written
    return RUNS.sub(lambda found: "".join(escapes.escape(ord(each)) for each in found.group()), written)


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(code: int) -> str:
    units = chr(code).encode("utf-16-be", errors="surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


_ESCAPES = Escapes(_escape)
_JSON_ESCAPES = Escapes(_escape_in_json)


def warn_of_hidden_text(texts: Iterable[str]) -> list[str]:
    """One sentence if these texts hold hidden characters; joiners that scripts and emoji need do not count."""
    hidden = ""
    for text in texts:
        if not text.isascii():
            hidden += "".join(HIDDEN.findall(text))
    if not hidden:
        return []
    kinds = sorted({f"U+{ord(character):04X}" for character in hidden})
    named = ", ".join(kinds[:MOST_NAMED])
    if len(kinds) > MOST_NAMED:
        named += ", …"
    return [f"The text holds {len(hidden)} invisible or bidirectional characters ({named}); a person may not see them."]


def warn_of_text(texts: Iterable[str]) -> list[str]:
    """A sentence for hidden characters and one for values that look like live secrets; none for ordinary text."""
    texts = list(texts)
    warnings = warn_of_hidden_text(texts)
    kinds = [kind for text in texts for kind in list_secret_value_kinds(text)]
    if kinds:
        named = ", ".join(sorted(set(kinds)))
        values = "a value that looks" if len(kinds) == 1 else f"{len(kinds)} values that look"
        warnings.append(
            f"The text holds {values} like a live secret ({named}): do not repeat or store it; "
            "tell the project's owner."
        )
    return warnings


def warn_of_masking(texts: Iterable[str]) -> list[str]:
    """One sentence if these texts hold masked secrets."""
    count = sum(text.count(MARK) for text in texts)
    if not count:
        return []
    return [f"{count} x `{MARK}`: a password or token in an address stands there in the file; leave it as it is there."]

r"""Foreign text made visible: what would act on a terminal, turn a line around or hide in it is written as an escape.

The escapes are those of Python and JSON: `\x1b`, `\u202e`, `\U000e0041`. Text that has been made visible stays as it is
when it is made visible again.
"""

from fieldguide import linear_regex as re

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]|[\ufe00-\ufe0f]{2,}|[\u200c\u200d]{3,}"
)
"""Control characters but newline and tab, line separators, half characters, and what is invisible or bidirectional.

Joiners and single variation selectors are let through: scripts and emoji need them.
"""
BREAKS = str.maketrans("\r\v\f", "   ")


def visible(text: str) -> str:
    """A text whose lines and tabs stay, and in which nothing else moves the cursor, acts or hides."""
    return UNSEEN.sub(_escaped, text.replace("\r\n", "\n"))


def shown(text: str) -> str:
    """A text in one visible line."""
    return " ".join(UNSEEN.sub(_escaped, text.translate(BREAKS)).split())


def visible_json(text: str) -> str:
    """A JSON text that says the same and is visible; it stays JSON."""
    return UNSEEN.sub(_escaped_in_json, text.replace("\r", "\n"))


def _escaped(found: "re.Match[str]") -> str:
    return "".join(map(_escape, found.group()))


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_in_json(found: "re.Match[str]") -> str:
    units = found.group().encode("utf-16-be", errors="surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))

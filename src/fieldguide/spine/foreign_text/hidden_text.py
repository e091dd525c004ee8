"""Characters that a person does not see and a model does: where they stand in a project's text, the reader is told."""

from collections.abc import Iterable

from fieldguide import linear_regex as re

HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    "|[\ufe00-\ufe0f]{2,}|(?<=.)\ufeff|[\u200c\u200d]{3,}"
)
MOST_NAMED = 5


def hidden_text_warnings(texts: Iterable[str]) -> list[str]:
    """One sentence for the hidden characters of these texts; none when there are none.

    Joiners that scripts and emoji need are not counted, nor is a byte-order mark.
    """
    found = "".join(run for text in texts if not text.isascii() for run in HIDDEN.findall(text))
    if not found:
        return []
    kinds = sorted({f"U+{ord(character):04X}" for character in found})
    named = ", ".join(kinds[:MOST_NAMED]) + (", …" if len(kinds) > MOST_NAMED else "")
    return [f"The text holds {len(found)} invisible or bidirectional characters ({named}); a person may not see them."]

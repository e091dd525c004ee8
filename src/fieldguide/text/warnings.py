"""Warns of hidden characters and secret values in a text that is passed on."""

from collections.abc import Iterable

from fieldguide.text import regex as re
from fieldguide.text.secrets import MARK, list_secret_value_kinds

HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    "|[\ufe00-\ufe0f]{2,}|(?<=.)\ufeff|[\u200c\u200d]{3,}"
)
MOST_NAMED = 5


def warn_of_hidden_text(texts: Iterable[str]) -> list[str]:
    """One sentence for the hidden characters of these texts; none when there are none.

    Joiners that scripts and emoji need are not counted, nor is a byte-order mark.
    """
    found = "".join(run for text in texts if not text.isascii() for run in HIDDEN.findall(text))
    if not found:
        return []
    kinds = sorted({f"U+{ord(character):04X}" for character in found})
    named = ", ".join(kinds[:MOST_NAMED]) + (", …" if len(kinds) > MOST_NAMED else "")
    return [f"The text holds {len(found)} invisible or bidirectional characters ({named}); a person may not see them."]


def warn_of_text(texts: Iterable[str]) -> list[str]:
    """A sentence for hidden characters and one for values that look like live secrets; none for ordinary text."""
    given = list(texts)
    return [*warn_of_hidden_text(given), *warn_of_secret_values(given)]


def warn_of_secret_values(texts: Iterable[str]) -> list[str]:
    """One sentence for the values in these texts that look like live secrets; none when there are none."""
    kinds = [kind for text in texts for kind in list_secret_value_kinds(text)]
    if not kinds:
        return []
    named = ", ".join(sorted(set(kinds)))
    values = "a value that looks" if len(kinds) == 1 else f"{len(kinds)} values that look"
    return [
        f"The text holds {values} like a live secret ({named}): do not repeat or store it; tell the project's owner."
    ]


def warn_of_masking(texts: Iterable[str]) -> list[str]:
    """One sentence where something was taken out of a text that is otherwise given as it is."""
    count = sum(text.count(MARK) for text in texts)
    if not count:
        return []
    return [f"{count} x `{MARK}`: a password or token in an address stands there in the file; leave it as it is there."]

"""How sure it is that a name in a document is the one that a commit took away."""

from fieldguide.drift.named.mentions import Mention, is_distinct
from fieldguide.drift.named.spans import BLOCK, PLAIN, ROLE, TITLE
from fieldguide.drift.taken.removal import BOUND, DEFINED, QUOTED, Removal

SURE, LIKELY, HINT = 0.95, 0.85, 0.5
TELLING_LENGTH = 4


def news_confidence(mention: Mention, part: str, removal: Removal, is_placed: bool) -> float:
    """How sure it is of what was removed just now."""
    if _may_be_variable(mention, part, removal):
        return HINT
    is_named = is_distinct(part) or mention.form == ROLE or is_placed
    if is_named and removal.strength != QUOTED:
        return SURE if mention.is_plain else LIKELY
    is_told = is_named or _is_telling(part, removal)
    return LIKELY if mention.is_plain and is_told else HINT


def _may_be_variable(mention: Mention, part: str, removal: Removal) -> bool:
    """Whether a word of a sentence is none that was defined: any variable may be called so."""
    return mention.form == PLAIN and removal.strength < DEFINED and not part.isupper()


def _is_telling(part: str, removal: Removal) -> bool:
    """Whether a word that is no plain name is one that hardly anybody uses by chance."""
    if removal.strength == QUOTED or len(part) < TELLING_LENGTH:
        return False
    return removal.strength == DEFINED or not part.islower()


def old_confidence(mention: Mention, part: str, removal: Removal, is_placed: bool) -> float:
    """How sure it is that the name in the document is the one that was removed long ago.

    A word that is no plain name must say what it is, or where it is (`is_placed`: in a module of the project). What a
    library may have now, what a sentence only speaks of and what an example has is a hint.
    """
    if removal.is_handed or mention.form in (PLAIN, TITLE, BLOCK):
        return HINT
    is_bound = removal.strength >= BOUND
    if is_distinct(part):
        sure, less = (SURE, LIKELY) if is_bound else (LIKELY, HINT)
        return sure if mention.is_plain else less
    is_told = mention.form == ROLE or (is_placed and mention.is_plain)
    return LIKELY if is_bound and is_told else HINT

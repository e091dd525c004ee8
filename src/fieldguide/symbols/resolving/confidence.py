"""How likely it is that a use which can't be resolved means a symbol: from what can be counted, and a few clues.

The uses of the name that can be resolved are the best witnesses: where `get` means something of others nine times out
of ten, it will do so where nobody can tell, too. A few clues about the place say how far to trust them.
"""

import posixpath
from typing import NamedTuple

from fieldguide.symbols.facts import CALL, CALLABLE, FIELD, TYPES, Reference
from fieldguide.symbols.resolving.view import View

WITNESSES = 2.0
"""As many resolved uses as what is believed beforehand counts for: that one of two such uses is the project's."""
FAR, UNFIT, BARE = 0.6, 0.3, 0.2
"""What is left of a confidence in a file that has nothing to do with the definition's, in a role that does not fit its
kind, and for a bare name that scopes and imports do not explain."""
MOST = 0.9


class Counted(NamedTuple):
    """How the uses of a name with something before it were resolved."""

    ours: int
    resolved: int
    alike: int
    """How many definitions of the project have the name."""


class Clues(NamedTuple):
    """What speaks for or against one use."""

    is_bare: bool
    is_same_file: bool
    is_same_folder: bool
    is_imported: bool
    """Whether the file imports the file of the definition."""
    fits_role: bool
    """Whether what is called can be called, and what is not, need not be."""


def clues_of(view: View, at: tuple[str, int], path: str, each: Reference, importers: set[str]) -> Clues:
    """The clues of one use."""
    definition = view.definition(*at)
    kind = definition.kind if definition else ""
    fits = kind in CALLABLE | TYPES if each.role == CALL else kind == FIELD or kind not in CALLABLE
    is_same_folder = posixpath.dirname(path) == posixpath.dirname(at[0])
    return Clues(not each.receiver, path == at[0], is_same_folder, path in importers, fits)


def confidence_of(counted: Counted, clues: Clues) -> float:
    """A number between 0 and 1."""
    believed = 0.5 / max(counted.alike, 1)
    score = (counted.ours + WITNESSES * believed) / (counted.resolved + WITNESSES)
    score *= 1.0 if clues.is_same_file or clues.is_same_folder or clues.is_imported else FAR
    score *= (1.0 if clues.fits_role else UNFIT) * (BARE if clues.is_bare else 1.0)
    return round(min(score, MOST), 2)


def reason_of(counted: Counted, clues: Clues) -> str:
    """What speaks for it, in words."""
    said = ["the only definition of this name" if counted.alike <= 1 else f"one of {counted.alike} definitions of it"]
    said += [f"{counted.ours} of {counted.resolved} uses that can be resolved mean it"] if counted.resolved else []
    said += ["same file"] if clues.is_same_file else ["same folder"] if clues.is_same_folder else []
    said += ["imports its file"] if clues.is_imported else []
    return ", ".join(said)

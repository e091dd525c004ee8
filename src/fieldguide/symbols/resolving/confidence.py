"""How likely it is that a use which can't be resolved means a symbol: from a few clues, each a plain question."""

import posixpath
from typing import NamedTuple

from fieldguide.symbols.facts import CALL, CALLABLE, FIELD, TYPES, Reference
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.values import At


class Clues(NamedTuple):
    """What speaks for or against a use."""

    alike: int
    """How many definitions of the project have the name."""
    is_bare: bool
    is_same_file: bool
    is_same_folder: bool
    is_imported: bool
    """Whether the file imports the file of the definition."""
    fits_role: bool
    """Whether what is called can be called, and what is not, need not be."""

    @classmethod
    def of(cls, resolver: Resolver, at: At, path: str, each: Reference, alike: int) -> "Clues":
        """The clues of one use."""
        view = resolver.view
        definition, shape = view.definition(*at), view.shape(path)
        kind = definition.kind if definition else ""
        is_called = each.role == CALL
        return cls(
            alike,
            not each.receiver,
            path == at.path,
            posixpath.dirname(path) == posixpath.dirname(at.path),
            any(at.path in view.leads(path, one) for one in (shape.imports if shape else ())),
            kind in CALLABLE | TYPES if is_called else kind == FIELD or kind not in CALLABLE,
        )


def confidence_of(clues: Clues) -> float:
    """A number between 0 and 1."""
    score = 0.55 if clues.alike <= 1 else 0.5 / clues.alike
    score += 0.2 * clues.is_same_file + 0.1 * clues.is_same_folder + 0.15 * clues.is_imported
    score *= 1.0 if clues.fits_role else 0.4
    return round(min(score, 0.9) * (0.3 if clues.is_bare else 1.0), 2)


def reason_of(clues: Clues) -> str:
    """What speaks for it, in words."""
    said = [
        "the only definition of this name" if clues.alike <= 1 else f"one of {clues.alike} definitions of this name"
    ]
    said += ["same file"] if clues.is_same_file else ["same folder"] if clues.is_same_folder else []
    said += ["imports its file"] if clues.is_imported else []
    return ", ".join(said)

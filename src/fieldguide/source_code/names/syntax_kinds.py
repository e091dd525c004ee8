"""How each grammar calls the things that code is made of: calls, definitions, names, comments, strings.

The table is `syntax_kinds.json` beside it; each language has what its grammar's node kinds mean.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

Fields = Mapping[str, str | None]


@dataclass(frozen=True)
class SyntaxKinds:
    """The node kinds of one grammar."""

    comments: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    holes: tuple[str, ...] = ()
    """Code inside a string: `{x}` in an f-string."""
    calls: Fields = field(default_factory=dict[str, str | None])
    """A call, and the field with which its callee ends; None for its first child, `=x` for a callee that is `x`."""
    creations: Fields = field(default_factory=dict[str, str | None])
    """A constructor's call, and the field of its type."""
    definitions: Mapping[str, str] = field(default_factory=dict[str, str])
    """A definition, and what it is: class, interface, function, method, constructor, or `maybe` of a function."""
    variables: Fields = field(default_factory=dict[str, str | None])
    """Where names get a value, and the field of the names."""
    constants: Fields = field(default_factory=dict[str, str | None])
    parameters: Fields = field(default_factory=dict[str, str | None])

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """What to ask the parser for: every node whose kind is named here."""
        groups = (self.comments, self.strings, self.holes, self.calls, self.creations, self.definitions,
                  self.variables, self.constants, self.parameters)  # fmt: skip
        return [{"kind": kind} for kind in dict.fromkeys(kind for group in groups for kind in group)]


@cache
def all_syntax_kinds() -> Mapping[str, SyntaxKinds]:
    """The table, by the names of languages."""
    text = files("fieldguide.source_code.names").joinpath("syntax_kinds.json").read_text(encoding="utf-8")
    return {language: SyntaxKinds(**kinds) for language, kinds in json.loads(text).items()}

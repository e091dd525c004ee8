"""What a text says of the code, and whether it still holds: the one form for citations, paths and names.

Whoever looks for what no longer holds (cited lines that changed, documentation that names what is gone) tells it so.
"""

from typing import Any, NamedTuple

FRESH, MOVED, CHANGED, GONE = "fresh", "moved", "changed", "gone"
LINES, PATH, SYMBOL, OPTION = "lines", "path", "symbol", "option"
KINDS = (LINES, PATH, SYMBOL, OPTION)
"""What is named: cited lines, a file or folder, a name that code defines, a flag or setting."""


class StalePlace(NamedTuple):
    """Something that a document says of the code, and what became of it.

    `document` is a path of the project, or what else is known by an address (`finding:…`, `task:…`); `line` is 0 where
    it has none. `path`, `start` and `end` are where it stands now, as far as that is known. `difference` tells in one
    line what changed, `commit` which commit did it, and `confidence` is below 1 where likeness alone decided.
    """

    document: str
    line: int
    says: str
    kind: str
    state: str
    path: str = ""
    start: int = 0
    end: int = 0
    difference: str = ""
    commit: str = ""
    confidence: float = 1.0

    @property
    def place(self) -> str:
        """Where it stands now, as a citation without a hash; empty where it does not."""
        return f"{self.path}#L{self.start}-L{self.end}" if self.path and self.start else self.path

    def told(self) -> str:
        """The state in one short line: the word, the new place, and what changed or which commit did it."""
        parts = [f"{self.state}: {self.says}"]
        if self.place and self.place != self.says:
            parts.append(f"now {self.place}")
        if self.difference:
            parts.append(self.difference)
        if self.commit:
            parts.append(f"by {self.commit}")
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Its fields by name, without those that say nothing."""
        given = {name: value for name, value in self._asdict().items() if value}
        return {key: value for key, value in given.items() if (key, value) != ("confidence", 1.0)}

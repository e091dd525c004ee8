"""The one shape of everything that the guide answers with: some lines, where they stand, and why they are told."""

from typing import Any, NamedTuple

from fieldguide.spine.answers.citations import cited

CODE, TEST, DOCUMENT, DECISION, PATTERN = "code", "test", "document", "decision", "pattern"
FINDING, TASK, SPEC = "finding", "task", "spec"
KINDS = (CODE, TEST, DOCUMENT, DECISION, PATTERN, FINDING, TASK, SPEC)


class Item(NamedTuple):
    """Lines of a file, or of what lies in none (`finding://…`, `task://…`), counted from 1, the last one included.

    `hash` is that of the lines as they are now; `text` are the lines that are shown, none where they are only cited.
    `stale` tells in one line what they say of the code and no longer holds.
    """

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str = ""
    hash: str = ""
    text: str = ""
    stale: str = ""

    @property
    def citation(self) -> str:
        """What `guide_open` opens again."""
        return cited(self.path, self.start, self.end, self.hash)

    def told(self) -> dict[str, Any]:
        """The item as programs read it: everything but the lines."""
        said: dict[str, Any] = {
            "citation": self.citation,
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "kind": self.kind,
            "why": self.why,
        }
        more = {"symbol": self.symbol, "stale": self.stale}
        return said | {name: value for name, value in more.items() if value}

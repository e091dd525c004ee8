"""One use of a symbol, as an answer tells it, and the groups that uses are told in."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

OVERRIDES, CALLS, TESTS, INHERITS, IMPORTS = "overrides", "calls", "tests", "inherits", "imports"
READS, WRITES, TYPES, CALLEES, DOCUMENTS, PERHAPS = "reads", "writes", "types", "callees", "documents", "perhaps"
CONFIGURATION = "configuration"
HEADINGS: Mapping[str, str] = {
    OVERRIDES: "Overridden or overriding",
    CALLS: "Called",
    TESTS: "Tests",
    INHERITS: "Inherited by",
    WRITES: "Written",
    READS: "Read",
    TYPES: "As a type",
    IMPORTS: "Imported",
    CALLEES: "It uses",
    CONFIGURATION: "Configuration",
    DOCUMENTS: "Documents",
    PERHAPS: "Perhaps (the name alone says so)",
}
ROUND = 6  # uses of a group before the next group has its turn


class Use(NamedTuple):
    """A line that uses a symbol: what it stands in, what it says, and how likely it means this symbol."""

    group: str
    path: str
    line: int
    role: str
    within: str = ""
    text: str = ""
    confidence: float = 1.0

    def told(self) -> dict[str, Any]:
        """For programs; its file is told once for all uses in it."""
        unsure = {} if self.confidence >= 1.0 else {"confidence": round(self.confidence, 2)}
        within = {"within": self.within} if self.within else {}
        return {"line": self.line, "role": self.role, **within, **unsure}


def in_turn(uses: Sequence[Use]) -> list[Use]:
    """The uses so that any beginning of them has some of every group, the groups in their order."""
    rounds: list[list[Sequence[Use]]] = []
    for group in HEADINGS:
        of_group = [use for use in uses if use.group == group]
        rounds.append([of_group[at : at + ROUND] for at in range(0, len(of_group), ROUND)])
    return [use for turn in zip_longest(*rounds, fillvalue=()) for some in turn for use in some]

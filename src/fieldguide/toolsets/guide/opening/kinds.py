"""Of which kind a file is, by its path alone."""

from fieldguide.project_text.names import format_by_name
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, PATTERN, SPEC, TEST

DECISIONS = frozenset(("adr", "adrs", "decisions"))
TESTS = frozenset(("test", "tests", "__tests__", "spec"))
MARKS = ("test_", "_test.", ".test.", "_spec.", ".spec.")


def kind_of(path: str) -> str:
    """The kind of a file; what is no document is code."""
    *folders, name = path.lower().split("/")
    if format_by_name(name.rpartition("/")[2]) is not None:
        if DECISIONS.intersection(folders):
            return DECISION
        if "patterns" in folders:
            return PATTERN
        return SPEC if "specs" in folders else DOCUMENT
    is_test = TESTS.intersection(folders) or any(mark in name for mark in MARKS)
    return TEST if is_test else CODE

"""Of which kind a file is, by its path alone."""

from fieldguide.project_text.names import format_by_name
from fieldguide.source_code.test_files import is_test
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, PATTERN, SPEC, TEST

DECISIONS = frozenset(("adr", "adrs", "decisions"))


def kind_of(path: str) -> str:
    """The kind of a file; what is no document is code."""
    folders = path.lower().split("/")[:-1]
    if format_by_name(path.rpartition("/")[2]) is not None:
        if DECISIONS.intersection(folders):
            return DECISION
        if "patterns" in folders:
            return PATTERN
        return SPEC if "specs" in folders else DOCUMENT
    return TEST if is_test(path) else CODE

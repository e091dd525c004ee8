"""`docs/reference/requirements.md`: how many lines of the contract the tests prove."""

from docs.writers.markdown import document, paragraph
from tests.requirements import table

INTRODUCTION = """
Every promise of the specifications is one numbered line in `tests/requirement_lines/`. A line is either proved by a
test that runs, or waits for the issue that will prove it; `tests/test_requirements.py` refuses anything else.
"""


def page() -> str:
    """The page: one row per section of the contract."""
    return document("# Requirements", paragraph(INTRODUCTION), table())

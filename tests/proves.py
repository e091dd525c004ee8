"""The decorator by which a test names the contract lines it proves."""

import pytest

from tests.requirements import REQUIREMENTS


def proves(*ids: str) -> pytest.MarkDecorator:
    """Mark a test with the requirements it proves; `tests/test_requirements.py` reads the ids from the source."""
    if not ids:
        raise ValueError('A test proves at least one requirement: @proves("S4-12").')
    unknown = [line_id for line_id in ids if line_id not in REQUIREMENTS]
    if unknown:
        raise ValueError(f"No requirement {', '.join(map(repr, unknown))} in tests/requirement_lines/.")
    return pytest.mark.proves(*ids)

"""What can be a discovery."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from fieldguide.knowledge.findings.finding import create_finding
from fieldguide.text.errors import InvalidArguments
from tests.proves import proves


def made(content="Hold the lock", type_="rule", **more):
    return create_finding(type_, content, **more)


def test_a_module_of_blanks_is_none():
    assert made(module="  ").module is None
    assert made(module=" auth ").module == "auth"


@proves("U3-2")
@pytest.mark.parametrize(
    ("type_", "content", "sentence"),
    [
        ("idea", "x", "one of pattern, rule, decision, issue, not 'idea'"),
        ("rule", " \n", "must say something"),
        ("rule", "a\0b", "must say something"),
        ("rule", "x" * 4001, "at most 4000 characters"),
    ],
)
def test_what_is_no_discovery_is_told(type_, content, sentence):
    with pytest.raises(InvalidArguments, match=sentence):
        create_finding(type_, content)


@proves("S3-13")
def test_dates_are_told_in_utc_with_z():
    at = datetime(2025, 1, 15, 12, 0, 0, 999_000, tzinfo=timezone(timedelta(hours=2)))

    assert made(at=at).date == "2025-01-15T10:00:00Z"
    assert made().created_at.tzinfo is UTC

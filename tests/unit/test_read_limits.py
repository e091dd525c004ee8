"""Limits as a person sets them: read from the settings and the environment, refused in a sentence."""

import pytest

from fieldguide.settings.limits import MOST, Limits, read_limits
from fieldguide.text.errors import Misconfiguration


def test_what_is_not_set_is_as_it_comes():
    assert read_limits({}, {"FIELDGUIDE_LIMIT_COLLECTIONS": "", "FIELDGUIDE_LIMIT_NOTHING": "x"}) == Limits()


def test_the_environment_wins_over_the_settings_and_other_limits_stay():
    read = read_limits({"collections": 7, "discoveries": 8}, {"FIELDGUIDE_LIMIT_COLLECTIONS": "9"})

    assert read == Limits()._replace(collections=9, discoveries=8)


@pytest.mark.parametrize("value", [1, "1", MOST, str(MOST)])
def test_any_whole_number_above_nought_is_a_limit(value):
    assert read_limits({"collections": value}, {}).collections == int(value)


@pytest.mark.parametrize("value", [0, -1, True, False, 1.5, "", "1e3", "²", "٣", MOST + 1, "9" * 5000, None, [1]])
def test_anything_else_is_refused_and_shown_in_short(value):
    with pytest.raises(Misconfiguration) as caught:
        read_limits({"collections": value}, {})

    shown = repr(str(value)[:40])
    assert caught.value.message == f"The limit collections must be a whole number above 0, not {shown}."


def test_an_unknown_limit_is_answered_with_those_that_there_are():
    with pytest.raises(Misconfiguration) as caught:
        read_limits({"zebras": 1, "apples": 1}, {})

    assert caught.value.message.startswith("There is no limit 'apples'; the limits are uri_characters, ")


def test_a_limit_is_told_with_the_name_of_its_setting():
    assert Limits().told("message_bytes") == "the limit is 10,000,000 (message_bytes)"

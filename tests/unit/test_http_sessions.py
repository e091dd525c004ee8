"""HTTP sessions whose clients are silent, and the SDK that carries them."""

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.http import TESTED, check_sdk
from fieldguide.wire.http_sessions import IDLE_SECONDS, MemorySessions, SessionCaller
from fieldguide.wire.protocol import Connection
from tests.fakes import FakeClock


def test_a_session_that_was_silent_for_half_an_hour_is_ended_when_it_is_used_again():
    clock = FakeClock()
    sessions = MemorySessions(Limits(), clock)
    caller = SessionCaller("", None, None, "peer")
    name = sessions.open(caller, Connection())

    clock.advance(IDLE_SECONDS)
    assert sessions.find(name, caller)

    clock.advance(1)
    assert sessions.find(name, caller) is None
    assert len(sessions) == 0


@pytest.mark.parametrize("version", ["2.2.9", "2.4.0", "3.0.0", "2.30.0"])
def test_an_sdk_that_was_not_tested_is_refused_with_what_to_install(version):
    with pytest.raises(Misconfiguration, match=rf"mcp {version} is installed.*mcp=={TESTED}"):
        check_sdk(version)

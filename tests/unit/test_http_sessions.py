"""HTTP sessions whose clients are silent, and the SDK that carries them."""

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.http import TESTED, check_sdk
from fieldguide.wire.http_sessions import IDLE_SECONDS, HttpCalls, HttpSessions
from fieldguide.wire.protocol import Connection

pytestmark = pytest.mark.anyio


async def test_a_session_that_was_silent_for_half_an_hour_is_ended_when_it_is_used_again():
    now, open_sessions = [0.0], {"one": Connection()}

    async def app(scope, receive, send):
        opened = [] if any(name == b"mcp-session-id" for name, _ in scope["headers"]) else [(b"mcp-session-id", b"one")]
        await send({"type": "http.response.start", "status": 200, "headers": opened})

    async def end(name):
        open_sessions.pop(name)

    async def nothing(*given):
        return {"type": "http.request"}

    sessions = HttpSessions(app, HttpCalls(nothing), open_sessions, Limits(), end=end, clock=lambda: now[0])
    request: dict[str, object] = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "client": None}
    used = {**request, "headers": [(b"mcp-session-id", b"one")]}
    await sessions(request, nothing, nothing)

    now[0] += IDLE_SECONDS
    await sessions(used, nothing, nothing)
    assert set(open_sessions) == {"one"}

    now[0] += IDLE_SECONDS + 1
    await sessions(used, nothing, nothing)
    assert set(open_sessions) == set()


@pytest.mark.parametrize("version", ["2.2.9", "2.4.0", "3.0.0", "2.30.0"])
def test_an_sdk_that_was_not_tested_is_refused_with_what_to_install(version):
    with pytest.raises(Misconfiguration, match=rf"mcp {version} is installed.*mcp=={TESTED}"):
        check_sdk(version)


def test_the_tested_sdk_passes():
    check_sdk(f"{TESTED}.17")

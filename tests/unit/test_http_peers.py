"""Whose program shows the page's cookie."""

import os
import socket
import sys

import pytest

from fieldguide.wire import page_door
from fieldguide.wire.http_guard import HttpAccess, HttpGuard

pytestmark = pytest.mark.anyio
HOST = "127.0.0.1:8137"
TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1FC9 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1 1 0
   1: 0100007F:1FC9 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0
   2: 0100007F:C350 0100007F:1FC9 01 00000000:00000000 00:00000000 00000000  1002        0 3 1 0
   3: garbage
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the table is Linux's")
@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_the_owner_of_a_real_connection_is_known(family, address):
    try:
        listener = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("no such address here")
    with listener, socket.create_connection(listener.getsockname()[:2]) as client:
        found = page_door.find_socket_owner(client.getsockname()[:2], listener.getsockname()[:2])

    assert found == os.geteuid()


def test_the_table_tells_the_user_of_the_other_end(tmp_path, monkeypatch):
    table = tmp_path / "tcp"
    table.write_text(TABLE)
    monkeypatch.setitem(page_door.TABLES, socket.AF_INET, str(table))

    assert page_door.find_socket_owner(("127.0.0.1", 50000), ("127.0.0.1", 8137)) == 1002
    assert page_door.find_socket_owner(("127.0.0.1", 50001), ("127.0.0.1", 8137)) is None
    monkeypatch.setitem(page_door.TABLES, socket.AF_INET, str(tmp_path / "missing"))
    assert page_door.find_socket_owner(("127.0.0.1", 50000), ("127.0.0.1", 8137)) is None


@pytest.mark.parametrize(("uid", "status"), [(None, 200), (0, 200), (os.geteuid(), 200), (4_000_000, 401)])
@pytest.mark.parametrize("path", ["/", "/search"])
async def test_a_cookie_of_ours_in_a_strangers_hands_opens_nothing(monkeypatch, uid, status, path):
    async def inside(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    door = page_door.PageDoor(page=f"http://{HOST}/", token="x" * 20, tell=lambda line: None)
    cookie = (door.open(door.new_link().partition("=")[2]) or "").partition(";")[0]
    monkeypatch.setattr(page_door, "find_socket_owner", lambda client, server: uid)
    headers = [(b"host", HOST.encode()), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    app = HttpGuard(inside, HttpAccess(frozenset({HOST}), door), ["search"])
    await app({**scope, "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 8137)}, receive, send)

    assert sent[0]["status"] == status

"""Streams of news, at their end."""

import asyncio

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.spine.workers import Workers
from fieldguide.text.cancellation import Cancellation
from fieldguide.wire.clients import NoClient
from fieldguide.wire.protocol import Connection, Request
from fieldguide.wire.subscriptions import MAX_WAITING, Subscriptions, stream_changes

pytestmark = pytest.mark.anyio


class SlowOutlet:
    """A client that takes no news until it may."""

    def __init__(self):
        self.acknowledged = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def notify(self, method, params):
        if method == "notifications/subscriptions/acknowledged":
            self.acknowledged.set()
        else:
            await self.may_go_on.wait()

    async def request(self, method, params):
        raise AssertionError("nobody asks")


async def test_a_stream_whose_client_does_not_read_ends_in_order_too():
    changes, outlet = ChangeBus(), SlowOutlet()
    subscriptions = Subscriptions(changes, lambda: None, Limits())
    params = {"notifications": {"resourcesListChanged": True}}
    connection = Connection()
    request = Request("7", "subscriptions/listen", params, connection, NoClient(), connection, Cancellation())
    listening = asyncio.create_task(stream_changes(subscriptions, request, outlet, Workers()))
    await outlet.acknowledged.wait()
    for _ in range(MAX_WAITING + 10):
        changes.announce(ChangeNotice("resources"))
    await asyncio.sleep(0)

    subscriptions.close()
    outlet.may_go_on.set()

    ended = await asyncio.wait_for(listening, 10)
    assert ended == {"_meta": {"io.modelcontextprotocol/subscriptionId": "7"}}


def test_what_changes_before_the_acknowledgement_is_told_after_it():
    changes = ChangeBus()
    subscriptions = Subscriptions(changes, lambda: changes.announce(ChangeNotice("tools")), Limits())
    params = {"notifications": {"toolsListChanged": True}}
    connection = Connection()
    request = Request("7", "subscriptions/listen", params, connection, NoClient(), connection, Cancellation())
    sent: list[str] = []

    with subscriptions.open_stream(request, lambda method, params: sent.append(method), lambda: None):
        changes.announce(ChangeNotice("tools"))
    changes.announce(ChangeNotice("tools"))

    changed = "notifications/tools/list_changed"
    assert sent == ["notifications/subscriptions/acknowledged", changed, changed]

"""Streams of news, at their end."""

import asyncio

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.wire.connection import Connection, Request
from fieldguide.wire.subscriptions import MAX_WAITING, Subscriptions

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
    async def look():
        pass

    changes, outlet = ChangeBus(), SlowOutlet()
    subscriptions = Subscriptions(changes, look, Limits())
    params = {"notifications": {"resourcesListChanged": True}}
    request = Request("7", "subscriptions/listen", params, Connection(outlet=outlet), outlet, None)
    listening = asyncio.create_task(subscriptions.listen(request))
    await outlet.acknowledged.wait()
    for _ in range(MAX_WAITING + 10):
        changes.announce(ChangeNotice("resources"))
    await asyncio.sleep(0)

    subscriptions.close()
    outlet.may_go_on.set()

    ended = await asyncio.wait_for(listening, 10)
    assert ended == {"_meta": {"io.modelcontextprotocol/subscriptionId": "7"}}

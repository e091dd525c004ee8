"""A plain TCP balancer on loopback: connections go to the replicas in turn, and some are cut in the midst."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

PIECE = 1 << 16
CUT_ONE_IN = 4
CUT_AFTER_SECONDS = (1.0, 30.0)
CONNECT_SECONDS = 2.0


class Balancer:
    """Listens on a port of its own; a replica that does not take a connection is passed over."""

    def __init__(self, ports: Sequence[int], seed: int) -> None:
        self.ports = list(ports)
        self.connections = 0
        self.cut = 0
        self.refused = 0
        self._numbers = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    @property
    def port(self) -> int:
        """Where clients connect."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._join(reader, writer)
        finally:
            self._open.discard(task)
            await _closed(writer)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        found = await self._connected()
        if found is None:
            self.refused += 1
            return
        is_cut = self._numbers.randrange(CUT_ONE_IN) == 0
        limit = self._numbers.uniform(*CUT_AFTER_SECONDS) if is_cut else None
        pumps = {asyncio.create_task(_pump(reader, found[1])), asyncio.create_task(_pump(found[0], writer))}
        try:
            await asyncio.wait(pumps, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            self.cut += all(not pump.done() for pump in pumps)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            await _closed(found[1])

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = self.connections % len(self.ports)
        for port in (*self.ports[first:], *self.ports[:first]):
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection("127.0.0.1", port)
        return None


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(CONNECT_SECONDS):
            await writer.wait_closed()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(PIECE):
            target.write(piece)
            await target.drain()

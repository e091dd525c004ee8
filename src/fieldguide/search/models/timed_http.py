"""HTTP handlers for urllib that limit the time of a whole response."""

import http.client
import io
import socket
import urllib.request
from collections.abc import Callable
from time import monotonic
from typing import Any


class TimedHTTPHandler(urllib.request.HTTPHandler):
    """Opens plain addresses; the request's timeout is that of the whole answer."""

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Ask, on a connection that has an end."""
        return self.do_open(_connection(http.client.HTTPConnection), req)


class TimedHTTPSHandler(urllib.request.HTTPSHandler):
    """Opens encrypted addresses; the request's timeout is that of the whole answer."""

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Ask, on a connection that has an end."""
        return self.do_open(_connection(http.client.HTTPSConnection), req)


def _connection(kind: Callable[..., Any]) -> Any:
    def made(host: str, timeout: float, **given: Any) -> Any:
        connection = kind(host, timeout=timeout, **given)
        connect = connection.connect

        def timed_connect() -> None:
            until = monotonic() + timeout
            connect()
            connection.sock = _Line(connection.sock, until)

        connection.connect = timed_connect
        return connection

    return made


class _Line:
    """A connection as `http.client` uses one, each of whose reads has only the time that is left."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected = connected
        self._until = until
        self._readers = 0

    def sendall(self, content: bytes) -> None:
        """Say it all."""
        self._connected.sendall(content)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What an answer is read from."""
        self._readers += 1
        return io.BufferedReader(_Reads(self))

    def close(self) -> None:
        """What still reads from it closes it later."""
        if not self._readers:
            self._connected.close()

    def receive(self, buffer: Any) -> int:
        """The next bytes, while there is time."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self._connected.settimeout(left)
        return self._connected.recv_into(buffer)

    def reader_is_closed(self) -> None:
        """Nobody reads any more."""
        self._readers -= 1
        self.close()


class _Reads(io.RawIOBase):
    def __init__(self, line: _Line) -> None:
        self._line = line

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end."""
        return self._line.receive(buffer)

    def close(self) -> None:
        """Read no more."""
        if not self.closed:
            super().close()
            self._line.reader_is_closed()

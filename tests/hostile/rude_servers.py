"""Servers for tests: raw ones, which say any bytes for as long as they like, encrypted or not, and git's own."""

import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

Speak = Callable[[socket.socket, threading.Event], None]


class Rude(NamedTuple):
    """A raw server: its port, and the first bytes of every request it got."""

    port: int
    heard: list[bytes]


@contextmanager
def rude_server(speak: Speak, context: ssl.SSLContext | None = None) -> Iterator[Rude]:
    """A server that hears a request and then says whatever `speak` does, until the block ends."""
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    rude = Rude(listener.getsockname()[1], [])

    def serve(plain: socket.socket) -> None:
        with suppress(OSError), plain:
            line = context.wrap_socket(plain, server_side=True) if context else plain
            with line:
                rude.heard.append(_request(line))
                speak(line, over)

    def accept() -> None:
        with suppress(OSError):
            while not over.is_set():
                threads.append(threading.Thread(target=serve, args=(listener.accept()[0],)))
                threads[-1].start()

    threads = [threading.Thread(target=accept)]
    threads[0].start()
    try:
        yield rude
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in threads:
            thread.join()


def _request(line: socket.socket) -> bytes:
    """A whole request: what is left unread would break the connection before its answer was heard."""
    heard = line.recv(65536)
    head, _, body = heard.partition(b"\r\n\r\n")
    length = next((int(each[15:]) for each in head.splitlines() if each.lower().startswith(b"content-length:")), 0)
    while len(body) < length and (piece := line.recv(65536)):
        heard, body = heard + piece, body + piece
    return heard


def saying(answer: bytes) -> Speak:
    """Says this and no more."""
    return lambda line, over: line.sendall(answer)


def dripping(head: bytes, drop: bytes) -> Speak:
    """Says a head, and then a drop now and then, without an end."""

    def speak(line: socket.socket, over: threading.Event) -> None:
        line.sendall(head)
        while not over.wait(0.05):
            line.sendall(drop)

    return speak


def flooding(head: bytes, wave: bytes) -> Speak:
    """Says a head, and then the same again and again, as fast as it goes."""

    def speak(line: socket.socket, over: threading.Event) -> None:
        line.sendall(head)
        while not over.is_set():
            line.sendall(wave)

    return speak


@contextmanager
def git_server(root: Path) -> Iterator[tuple[int, list[str]]]:
    """Repositories below a folder, over HTTP, by git's own program; gives its port, and the hosts it was asked as."""
    hosts: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def _answer(self, body: bytes) -> None:
            hosts.append(self.headers["Host"])
            path, _, query = self.path.partition("?")
            said = {"REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query}
            said |= {"CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body))}
            said |= {"GIT_PROJECT_ROOT": str(root), "GIT_HTTP_EXPORT_ALL": "1", "PATH": os.environ["PATH"]}
            said |= {"HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")}
            done = subprocess.run(["git", "http-backend"], input=body, env=said, capture_output=True, check=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in {**fields, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1], hosts
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A real HTTP server on this machine that speaks `/v1/embeddings`, as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

DIMENSIONS = 4


class Reply(NamedTuple):
    """An answer that a test puts in place of the right one."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    reason: str | None = None


class EmbeddingServer:
    """What was asked of the server, and what it will answer before it goes on to answer rightly."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/v1"
        self.host = f"127.0.0.1:{port}"
        self.requests: list[dict[str, Any]] = []
        self.replies: list[Reply | Callable[[], None]] = []
        self.dimensions = DIMENSIONS

    @property
    def batches(self) -> list[list[str]]:
        """The texts of each request."""
        return [request["body"]["input"] for request in self.requests]

    def right(self, texts: list[str]) -> dict[str, Any]:
        """Vectors for these texts, last one first: the order is told by `index`."""
        rows = [{"index": number, "embedding": vector_of(text, self.dimensions)} for number, text in enumerate(texts)]
        return {"object": "list", "data": rows[::-1]}


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector that tells texts apart, made of what is in them."""
    return [1.0 + sum(ord(each) % (7 + place) for each in text) / 100 for place in range(dimensions)]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """A server on a free port, ended with the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
            reply = served.replies.pop(0) if served.replies else Reply()
            if not isinstance(reply, Reply):
                reply()
                return
            content = json.dumps(served.right(body["input"]) if reply.body is None else reply.body).encode()
            self.send_response(reply.status, reply.reason)
            for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            served.requests.append({"path": self.path, "headers": dict(self.headers), "body": None})
            self.send_error(405)

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = EmbeddingServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

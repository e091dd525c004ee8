"""A collector of traces for tests: it keeps the spans that are sent to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """Where it listens, and what it was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.spans: list[Any] = []
        self.sent = b""

    def attributes(self, name: str) -> dict[str, str]:
        """What the first span of this name tells."""
        span = next(span for span in self.spans if span.name == name)
        return {each.key: each.value.string_value for each in span.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            told = ExportTraceServiceRequest.FromString(body)
            collector.sent += body
            for resource in told.resource_spans:
                for scope in resource.scope_spans:
                    collector.spans += scope.spans
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *values: Any) -> None:  # noqa: A002  as it is called
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

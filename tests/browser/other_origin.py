"""Another server on this machine: what a page of a stranger could try from there."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BLANK = b"<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>"


class _Blank(BaseHTTPRequestHandler):
    """Answers every question with the same empty page."""

    def do_GET(self) -> None:
        """Send the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(BLANK)))
        self.end_headers()
        self.wfile.write(BLANK)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is given
        """Say nothing."""


@contextmanager
def other_origin() -> Iterator[str]:
    """The origin of a server on another port: to a browser it is the same site as ours, and gets our cookie."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Blank)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

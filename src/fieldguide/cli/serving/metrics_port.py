"""The socket of its own on which monitors ask a server how it is: on the loopback or in a file, never beyond."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from fieldguide import __version__
from fieldguide.cli.terminal import remark
from fieldguide.config import LOOPBACK, Settings
from fieldguide.errors import Misconfiguration
from fieldguide.server.web.endpoint import PATH, Endpoint, listen_on_port, listen_on_socket
from fieldguide.server.web.guard import Access, HttpGuard
from fieldguide.server.web.operation.operation import METRICS, Operation
from fieldguide.server.web.quiet import Beside


@contextmanager
def metrics_port(settings: Settings, operation: Operation) -> Generator[list[Beside]]:
    """The socket that the settings name, listening while the block runs; none where they name none."""
    if settings.metrics is None:
        yield []
        return
    endpoint = _listening(replace(settings, http=settings.metrics))
    try:
        remark(f"Monitors: {endpoint.url.removesuffix(PATH)}{METRICS}")
        routes = [*operation.routes(), Route("/healthz", _healthz)]
        yield [Beside(endpoint.listener, HttpGuard(Router(routes), Access(endpoint.hosts, None)))]
    finally:
        endpoint.close()


def _listening(settings: Settings) -> Endpoint:
    path = settings.socket_path()
    if path is not None:
        return listen_on_socket(path)
    host, port = settings.address()
    if host not in LOOPBACK:
        raise Misconfiguration(
            f"{settings.http!r} is not a loopback address: metrics ask for no token there. Use a loopback port or "
            "unix:PATH, or /metrics of the service itself with a token that has the scope `metrics`."
        )
    return listen_on_port(host, port)


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers={"cache-control": "no-store"})

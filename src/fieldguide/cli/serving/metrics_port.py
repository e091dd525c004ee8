"""The socket of its own on which monitors ask a server how it is: on the loopback or in a file, never beyond."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from fieldguide.cli.terminal import remark
from fieldguide.config import Settings
from fieldguide.errors import Misconfiguration
from fieldguide.server.web.endpoint import Endpoint, listen_on_port, listen_on_socket
from fieldguide.server.web.guard import Access, HttpGuard
from fieldguide.server.web.operation.operation import METRICS, Operation
from fieldguide.server.web.quiet import Beside
from fieldguide.service import LOOPBACK


@contextmanager
def metrics_port(settings: Settings, operation: Operation) -> Generator[list[Beside]]:
    """The socket that the settings name, listening while the block runs; none where they name none."""
    if settings.metrics is None:
        yield []
        return
    endpoint = _listening(replace(settings, http=settings.metrics))
    try:
        yield [Beside(endpoint.listener, HttpGuard(operation.router(), Access(endpoint.hosts, None)))]
    finally:
        endpoint.close()


def tell_monitors(beside: Sequence[Beside]) -> None:
    """Say where monitors ask."""
    for each in beside:
        at: object = each.listener.getsockname()
        shown = f"unix:{at}" if isinstance(at, str) else f"http://{_place(at)}{METRICS}"
        remark(f"Monitors ask at {shown}")


def _place(at: object) -> str:
    host, port = cast("tuple[str, int]", at)[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


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

"""A server with what is there for those who run it: readiness, metrics, its end in order."""

import os
from collections.abc import Callable

from starlette.types import ASGIApp

from fieldguide.app import App
from fieldguide.cli.serving.metrics_port import metrics_port, tell_monitors
from fieldguide.config import Settings
from fieldguide.hosting.observing import looks_at, observed
from fieldguide.hosting.overseeing import Overseen
from fieldguide.server.http import serve_http
from fieldguide.server.web.endpoint import Endpoint
from fieldguide.server.web.operation.operation import Operation


def operation_of(app: App, overseen: Overseen) -> Operation:
    """What those see who run a server of one project."""
    name = os.path.basename(app.settings.project)
    return Operation(
        app.settings.limits,
        looks_at(app),
        overseen.bounds,
        projects=lambda: [observed(app, name)],
        extras=overseen.extras(),
        audit=overseen.audit,
    )


def serve_operated(
    asgi: ASGIApp, endpoint: Endpoint, settings: Settings, operation: Operation, greet: Callable[[], None]
) -> int:
    """Serve others until a signal comes, and then until what runs has come to its end."""
    with metrics_port(settings, operation) as beside:
        greet()
        tell_monitors(beside)
        return serve_http(operation.refusals.before(asgi), endpoint, settings.limits, operation.drain(), beside)

"""Serve one project to others: every request says by a token who asks."""

from fieldguide.app import App
from fieldguide.cli.serving.metrics_port import metrics_port
from fieldguide.cli.serving.over_http import operation_of
from fieldguide.cli.terminal import remark
from fieldguide.hosting.overseeing import Overseen
from fieldguide.server.http import build_project, serve_http
from fieldguide.server.web.gate import Gate, open_gate
from fieldguide.service import TOKENS
from fieldguide.spine.callers.principal import whole_project
from fieldguide.teams.service_database import open_service_database
from fieldguide.teams.tokens import SCHEMA


def serve_others(app: App, overseen: Overseen) -> int:
    """Serve where the settings say until a signal comes, to everybody who has a good token."""
    settings = app.settings

    def tell(sentence: str) -> None:
        app.executor.journal.note("Identity", notice=sentence)

    database = open_service_database(settings, [SCHEMA], tell)
    gate, operation = open_gate(settings, database, tell), operation_of(app, overseen)
    project = build_project(
        app.protocol,
        app.executor,
        limits=settings.limits,
        sharing=app.sharing,
        operation=operation,
    )
    asgi = operation.refusals.before(gate.before(operation.before(project), whole_project))
    try:
        with metrics_port(settings, operation) as beside:
            greet(gate)
            return serve_http(asgi, gate.endpoint, settings.limits, operation.drain(), beside)
    finally:
        database.close()


def greet(gate: Gate) -> None:
    """Say where it serves, and how somebody gets in."""
    remark(f"Serving MCP at {gate.endpoint.url} to those who show a token.")
    if gate.service.auth == TOKENS:
        remark("`fieldguide token new NAME` makes one, and shows it once.")
    else:
        remark(f"Tokens come from {gate.service.jwt_issuer}.")

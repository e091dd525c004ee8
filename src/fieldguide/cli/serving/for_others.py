"""Serve one project to others: every request says by a token who asks."""

from fieldguide.app import App
from fieldguide.cli.serving.operated import operation_of, serve_operated
from fieldguide.cli.terminal import remark
from fieldguide.hosting.overseeing import Overseen
from fieldguide.server.http import build_project
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
    gate = open_gate(settings, database, tell)
    operation = operation_of(app, overseen)
    served = build_project(app.protocol, app.executor, limits=settings.limits, sharing=app.sharing, operation=operation)
    asgi = gate.before(operation.before(served), whole_project)
    try:
        return serve_operated(asgi, gate.endpoint, settings, operation, lambda: greet(gate))
    finally:
        database.close()


def greet(gate: Gate) -> None:
    """Say where it serves, and how somebody gets in."""
    remark(f"Serving MCP at {gate.endpoint.url} to those who show a token.")
    if gate.service.auth == TOKENS:
        remark("`fieldguide token new NAME` makes one, and shows it once.")
    else:
        remark(f"Tokens come from {gate.service.jwt_issuer}.")
